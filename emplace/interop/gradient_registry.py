"""The registry of gradients as TensorFlow has it: from the type of an op to a function
`function(op, *gradients)`, which programs read, replace and put back
(`tensorflow.python.framework.ops._gradient_registry`).

Here ops have rules (`grads/rules.py`). A view of them is made when somebody looks: an entry that is
read has a function that asks our rule; an entry whose function is replaced makes that function the
op's rule, on tapes, in functions and in sessions alike, until it is put back. Nobody else is asked
whether something was replaced.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from ..core.context import LOCAL
from ..grads.replacing import own, replace, restore
from ..grads.rules import (
    NOT_DIFFERENTIABLE,
    RULES,
    ProgramRule,
    Recorded,
    Rule,
    apply_this,
)
from ..graph.recording.gradients import ask_now_or_later
from ..graph.representation.graph import Operation
from ..ops.op import REGISTRY
from ..raw.definitions import definition_if_any, names
from .op_forms import call_of, dense, form_of, in_our_order, in_their_order, places

Function = Callable[..., Any]
_NOWHERE = ("UNKNOWN",) * 5


class OwnGradient:
    """Our gradient of a type of op, as a function of TensorFlow's form."""

    def __init__(self, op_type: str, rule: Rule | None, is_none: bool) -> None:
        self.op_type = op_type
        self._rule = rule
        self._is_none = is_none

    def __call__(self, op: Any, *grads: Any) -> Any:
        """The gradients of the op's inputs: one, or a list with one per input in TensorFlow's
        order, None where there is none.

        Args:
            op: the op that a gradient function was called with, or an operation of a graph.
            grads: a gradient per output.

        Raises:
            TypeError: `op` is something else.
        """
        found = call_of(op, REGISTRY.get(self.op_type))
        if found is None:
            raise TypeError(
                f"[gradient of {self.op_type}] `op` must be the op that the gradient function was "
                f"called with, or an operation of a graph; got {op!r} of type "
                f"{type(op).__name__!r}."
            )
        call, record = found
        if self._is_none:
            return [None] * len(places(record, len(call.inputs)))
        return in_their_order(record, self._of(call, grads))

    def _of(self, call: Recorded, grads: tuple[Any, ...]) -> Any:
        plain = [dense(grad) for grad in grads]
        plain += [None] * (len(call.outputs) - len(plain))
        if LOCAL.state.target.is_eager:
            return apply_this(self._rule, call, plain)
        return ask_now_or_later(self._rule, call, plain)

    def __repr__(self) -> str:
        return f"<gradient of {self.op_type}>"


def _asking(function: Function) -> ProgramRule:
    """A rule that asks a function of the program."""

    def ask(call: Recorded, *grads: Any) -> Any:
        form = form_of(call)
        returned = function(form, *grads[: len(form.outputs)])
        return in_our_order(call, form.record, returned)

    return ProgramRule(ask)


def _missing(op_type: str) -> ProgramRule:
    """The rule of a type whose entry was taken out."""

    def ask(call: Recorded, *grads: Any) -> Any:
        raise LookupError(f"gradient registry has no entry for: {op_type}")

    return ProgramRule(ask)


class Entry(MutableMapping[str, Any]):
    """One entry: `type` is the function, None for no gradient; `location` where it is from."""

    def __init__(self, said: Mapping[str, Any], changed: Callable[[Entry], None]) -> None:
        self._said = dict(said)
        self._changed = changed

    def __getitem__(self, key: str) -> Any:
        return self._said[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._said[key] = value
        self._changed(self)

    def __delitem__(self, key: str) -> None:
        del self._said[key]
        self._changed(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self._said)

    def __len__(self) -> int:
        return len(self._said)

    def __repr__(self) -> str:
        return repr(self._said)


class Entries(MutableMapping[str, Entry]):
    """From types of ops to entries: those of TensorFlow's registry, and the program's."""

    def __init__(self) -> None:
        self._made: dict[str, Entry] = {}
        self._removed: set[str] = set()

    def __getitem__(self, op_type: str) -> Entry:
        if op_type not in self:
            raise KeyError(op_type)
        if op_type not in self._made:
            function = None if _has_none(op_type) else OwnGradient(op_type, *own(op_type))
            said = {"type": function, "location": _NOWHERE}
            self._made[op_type] = Entry(said, self._changed)
        return self._made[op_type]

    def __setitem__(self, op_type: str, entry: Any) -> None:
        made = entry if isinstance(entry, Entry) else Entry(entry, self._changed)
        self._made[op_type] = made
        self._removed.discard(op_type)
        self._apply(op_type)

    def __delitem__(self, op_type: str) -> None:
        if op_type not in self:
            raise KeyError(op_type)
        self._made.pop(op_type, None)
        self._removed.add(op_type)
        self._apply(op_type)

    def __contains__(self, op_type: object) -> bool:
        if op_type in self._made:
            return True
        return op_type not in self._removed and _is_theirs(op_type)

    def __iter__(self) -> Iterator[str]:
        theirs = (name for name in names() if _is_theirs(name) and name not in self._removed)
        return iter(dict.fromkeys((*theirs, *self._made)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<gradients of {len(self)} types of ops>"

    def copy(self) -> dict[str, Entry]:
        """A dictionary with the same entries."""
        return dict(self)

    def _changed(self, entry: Entry) -> None:
        for op_type, each in list(self._made.items()):
            if each is entry:
                self._apply(op_type)

    def _apply(self, op_type: str) -> None:
        """Makes what the entry of a type says its rule."""
        is_there = op_type in self._made
        function = self._made[op_type].get("type") if is_there else None
        is_own = (
            (isinstance(function, OwnGradient) and function.op_type == op_type)
            or (is_there and function is None and _has_none(op_type))
            or not (is_there or _is_theirs(op_type))  # the program alone had one
        )
        if is_own:
            restore(op_type)
        elif is_there:
            rule = None if function is None else _asking(function)
            replace(op_type, (rule, rule is None or op_type in _NEVER_ON_TAPES))
        else:
            replace(op_type, (_missing(op_type), False))


# Ops that tapes leave out whatever their gradient is; `tf.gradients` asks.
_NEVER_ON_TAPES = ("StopGradient",)


def _has_none(op_type: str) -> bool:
    """Whether TensorFlow says that an op has no gradient."""
    found = definition_if_any(op_type)
    return found is not None and found.gradient == "none"


def _is_theirs(op_type: object) -> bool:
    """Whether TensorFlow's own registry has an entry."""
    found = definition_if_any(op_type) if isinstance(op_type, str) else None
    return found is not None and found.gradient != "unknown"


class Registry:
    """`tensorflow.python.framework.ops.gradient_registry`."""

    __slots__ = ("_name", "_registry")

    def __init__(self) -> None:
        self._name = "gradient"
        self._registry = Entries()

    def register(self, candidate: Function | None, name: str) -> None:
        """Adds an entry.

        Args:
            candidate: the function; None says that there is no gradient.
            name: the type of the op, or another name for `Graph.gradient_override_map`.

        Raises:
            KeyError: there is such an entry, or an op of ours has that name.
        """
        ours = name in RULES or name in REGISTRY or name in NOT_DIFFERENTIABLE
        if name in self._registry or (ours and definition_if_any(name) is None):
            raise KeyError(
                f"Registering two gradient with name '{name}'! (The op has one, or it was "
                "registered before: choose another name.)"
            )
        where = traceback.extract_stack(limit=3)[0]
        self._registry[name] = {"type": candidate, "location": where}

    def lookup(self, name: str) -> Function | None:
        """The function of a type, None if it has no gradient.

        Raises:
            LookupError: there is no entry.
        """
        if name not in self._registry:
            raise LookupError(f"gradient registry has no entry for: {name}")
        found: Function | None = self._registry[name]["type"]
        return found

    def list(self) -> Any:
        """The types that have an entry."""
        return self._registry.keys()


GRADIENTS = Registry()


def get_gradient_function(op: Operation) -> Function | None:
    """The gradient function of an operation, None if it has no inputs or no gradient
    (`tensorflow.python.framework.ops.get_gradient_function`).

    Raises:
        LookupError: there is no entry for it.
    """
    if not op.inputs:
        return None
    override = op.graph.gradient_types.get(op)
    return GRADIENTS.lookup(op.type if override is None else override.name)
