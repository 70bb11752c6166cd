"""Restoring: which object gets the values of which node, now and when it is made later.

A restore goes through the nodes of a checkpoint and the objects of the program side by side. Where
an object lacks a child that was saved, it notes the child's place, and gives it its values when
the child arrives (`core/tracking.py`).
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from ...base.dtypes import runtime_name
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ...classic.scopes import messages
from ...core.context import LOCAL
from ...core.tracked_containers import wrapped
from ...core.tracking import wait_for
from ...distribute.variables.variables import components_of
from ...eager.rollback import Need, all_or_nothing, before_write
from ...eager.target import eagerly
from ...eager.variable import Variable
from ...graph.recording.scopes import init_scope
from ...graph.session.session import BaseSession, get_default_session
from ...ops.convert import to_tensor
from ...state.checkpoint_files import CheckpointReader
from ...state.object_names import VALUE
from ..optimizer import Optimizer
from .object_graph import (
    ObjectNode,
    has_values,
    is_saved,
    is_unmade,
    lookup,
    names_of_parts,
    variable_of,
)
from .own_values import saves_itself, take_own
from .python_state import PythonState
from .unused_values import UnusedValues, unbound

_RESTORES = itertools.count(1)
_NEWEST = "_self_update_uid"  # the number of the restore that an object has its values of

Replace = Callable[[Any], None]
Given = tuple[Any, ObjectNode]


class CheckpointPosition:
    """The place of an object that does not exist yet: a node of a checkpoint being restored."""

    def __init__(self, restoration: Restoration, number: int) -> None:
        self._restoration, self._number = restoration, number

    def takes(self, value: TensorLike) -> bool:
        """Whether `value` is an object that may have a place in a checkpoint."""
        return is_saved(value)

    def bind(self, value: object) -> Any:
        """Gives `value` what was saved; returns it, or what is to be kept in its place."""
        return self._restoration.bind(self._number, value)

    def __deepcopy__(self, memo: object) -> CheckpointPosition:
        return self


class Restoration:
    """One restore of a checkpoint.

    Args:
        reader: the checkpoint.
        nodes: its nodes; the first is the root.
    """

    def __init__(self, reader: CheckpointReader, nodes: list[ObjectNode]) -> None:
        self.reader, self.nodes = reader, nodes
        self.number = next(_RESTORES)
        self.bound: dict[int, Callable[[], Any]] = {}
        self.refused: dict[int, Callable[[], Any]] = {}  # objects that take no values
        self._later: list[Callable[[Any], Any]] = []  # in a graph: what a session is to do
        self._objects: dict[int, Callable[[], Any]] = {}  # the same by the object's id
        self._shapes = reader.get_variable_to_shape_map()
        self._dtypes = reader.get_variable_to_dtype_map()
        self._unused = UnusedValues(nodes, self.bound)

    def expect_partial(self) -> None:
        """Nothing is to be said about values that were not used."""
        self._unused.is_silent = True

    def unbound(self) -> list[ObjectNode]:
        """The nodes with values that no object has come for."""
        return unbound(self.nodes, self.bound)

    def has(self, value: TensorLike) -> bool:
        """Whether an object has a node."""
        key = _identity(value)
        return id(key) in self._objects and self._objects[id(key)]() is key

    # -- binding --------------------------------------------------------------------------------

    def bind(self, number: int, value: object) -> Any:
        """Gives an object, and what it holds, the values of a node and of those below it.

        Returns:
            The object, or what is to be kept in its place.

        Raises:
            ValueError, InvalidArgumentError: a value does not fit; then no object has changed.
        """
        kept = {"it": value}
        given: list[Given] = []
        waiting: deque[tuple[int, Any, Replace]] = deque()
        waiting.append((number, value, partial(kept.__setitem__, "it")))
        while waiting:
            number, each, replace = waiting.popleft()
            if is_unmade(each):
                _when_made(each, CheckpointPosition(self, number))
                continue
            if not self._note(number, each):
                continue
            node = self.nodes[number]
            if node.values and has_values(each):
                given.append((each, node))
            elif node.values:  # nobody takes them
                self.refused[number] = self.bound.pop(number)
            waiting.extend(self._visit(node, each, replace))
            waiting.extend(self._slots(number))
        self._give(given)
        return kept["it"]

    def _note(self, number: int, value: TensorLike) -> bool:
        """Notes whose node it is; False if the values are another object's already."""
        key = _identity(value)
        before = self.bound[number]() if number in self.bound else None
        if before is key:
            return False
        if before is not None and self.nodes[number].values:
            messages.warning(
                "Inconsistent references when loading the checkpoint into this object graph. In "
                "the checkpoint two paths lead to one object, and here they lead to two, of which "
                f"the first has got the value: {before} and {key}"
            )
            return False
        self.bound[number] = self._objects[id(key)] = _weak(key)
        return True

    def _visit(
        self, node: ObjectNode, value: TensorLike, replace: Replace
    ) -> list[tuple[int, Any, Replace]]:
        """Pairs the children of a node with those of an object; the others' places are noted."""
        if isinstance(value, Variable):
            return []
        if isinstance(value, tuple):
            before, value = value, self._opened(node, value)
            if value is not before:
                replace(value)
        here = {name: lookup(value, name) for name in node.children}
        missing = [(name, n) for name, n in node.children.items() if here[name] is None]
        holder = value
        if missing:
            holder = wrapped(value)
            if holder is not value:
                replace(holder)
            for name, number in missing:
                self._await(holder, name, number)
        return [
            (number, here[name], partial(_replace, holder, name))
            for name, number in node.children.items()
            if here[name] is not None
        ]

    def _opened(self, node: ObjectNode, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """A tuple whose lists and dictionaries, where they lack something, tell of what comes."""
        parts = list(value)
        for i, (name, part) in enumerate(zip(names_of_parts(value), value, strict=True)):
            number = node.children.get(name, node.children.get(str(i)))
            inner = ObjectNode() if number is None else self.nodes[number]
            if isinstance(part, tuple):
                parts[i] = self._opened(inner, part)
            elif any(lookup(part, name) is None for name in inner.children):
                parts[i] = wrapped(part)
        if all(old is new for old, new in zip(value, parts, strict=True)):
            return value
        is_named = hasattr(value, "_make")
        return value._make(parts) if is_named else tuple(parts)  # type: ignore[attr-defined]

    def _await(self, holder: object, name: str | None, number: int) -> None:
        root = getattr(holder, "_self_root", None)  # of a checkpoint
        for each in (holder, None if root is None else root()):
            if each is not None and hasattr(each, "__dict__"):
                wait_for(each, name, CheckpointPosition(self, number))

    def _slots(self, number: int) -> list[tuple[int, Any, Replace]]:
        """The slots that an optimizer can have now that this node has its object."""
        found: list[tuple[int, Any, Replace]] = []
        for owner, node in enumerate(self.nodes):
            for beside, name, there in node.slots:
                if number in (owner, beside) and {owner, beside} <= self.bound.keys():
                    slot = self._slot(owner, beside, name, there)
                    if slot is not None:
                        found.append((there, slot, _nowhere))
        return found

    def _slot(self, owner: int, beside: int, name: str, there: int) -> Any:
        """A slot of an optimizer, made if variables can be made now; else it is waited for."""
        optimizer, variable = self.bound[owner](), self.bound[beside]()
        if not isinstance(optimizer, Optimizer) or variable is None:
            return None
        slot = optimizer.get_slot(variable, name)
        if slot is None and LOCAL.state.target.is_eager:
            slot = optimizer.restored_slot(variable, name, self.nodes[there].name)
        if slot is None:
            wait_for(optimizer, optimizer.slot_key(variable, name), CheckpointPosition(self, there))
        return slot

    # -- values ---------------------------------------------------------------------------------

    def _give(self, given: list[Given]) -> None:
        """Gives objects their values, unless a later restore has: all of them, or none."""
        newer = [(each, node) for each, node in given
                 if vars(_identity(each)).get(_NEWEST, 0) < self.number]  # fmt: skip
        pairs = [(variable_of(each), each, node) for each, node in newer]
        for variable, _, node in pairs:
            if variable is not None and VALUE in node.values:
                self._check(variable, node.values[VALUE])
        read = [{name: self.reader.get_tensor(key) for name, key in node.values.items()}
                for _, _, node in pairs]  # fmt: skip
        with init_scope(), all_or_nothing(Need()):
            if LOCAL.state.target.is_eager:
                there = [v for v, _, _ in pairs if v is not None]
                before_write(*[part.handle for v in there for part in components_of(v)])
            for (variable, each, node), values in zip(pairs, read, strict=True):
                vars(_identity(each))[_NEWEST] = self.number
                if variable is not None:
                    self._set(variable, node.values.get(VALUE), values.get(VALUE))
                elif saves_itself(each):
                    made = (
                        partial(eagerly, to_tensor) if isinstance(each, PythonState) else to_tensor
                    )
                    tensors = {name: made(value) for name, value in values.items()}
                    op = take_own(each, tensors)
                    self._in_session(partial(_run, op))

    def _check(self, variable: Variable, key: str) -> None:
        """Raises an error unless the value fits its variable."""
        if not variable.shape.is_compatible_with(self._shapes[key]):
            raise ValueError(
                f"Received incompatible tensor with shape {tuple(self._shapes[key])} when "
                f"attempting to restore variable with shape {tuple(variable.shape)} and name "
                f"{variable.name}."
            )
        if variable.dtype is not self._dtypes[key]:
            raise invalid_argument(
                f"tensor_name = {key}; expected dtype {runtime_name(variable.dtype)} does not "
                f"equal original dtype {runtime_name(self._dtypes[key])}"
            )

    def _set(self, variable: Any, key: str | None, value: object) -> None:
        if key is not None and LOCAL.state.target.is_eager:
            variable.assign(value)
        elif key is not None:
            self._in_session(partial(variable.load, value))

    def _in_session(self, task: Callable[[Any], Any]) -> None:
        """Does what gives an object of a graph its value: in the default session now, and again
        in each that asks for it."""
        if LOCAL.state.target.is_eager:
            return
        self._later.append(task)
        session = get_default_session()
        if session is not None:
            task(session)

    def run(self, session: Any) -> None:
        """Gives what is part of a graph its values in a session."""
        for task in self._later:
            task(session)


def _identity(value: TensorLike) -> Any:
    """The object that counts: a variable, and not what stands for it."""
    variable = variable_of(value)
    return value if variable is None else variable


def _weak(value: TensorLike) -> Callable[[], Any]:
    """A reference that does not keep an object alive, where there is such a thing."""
    try:
        return weakref.ref(value)
    except TypeError:  # a plain list, dictionary or tuple
        return lambda: None


def _run(op: object, session: BaseSession) -> None:
    if op is not None:
        session.run(op)


def _when_made(value: Any, place: CheckpointPosition) -> None:
    """Lets an object that stands for a variable get its value when it has made the variable."""
    initialize = value._initialize

    def initialize_and_restore(*args: Any, **kwargs: Any) -> None:
        initialize(*args, **kwargs)
        vars(value).pop("_initialize", None)
        place.bind(value)

    vars(value)["_initialize"] = initialize_and_restore


def _nowhere(value: object) -> None:
    """Of a slot: it is never replaced."""


def _replace(holder: object, name: str, value: TensorLike) -> None:
    """Lets `holder` keep `value` as its child `name`."""
    if isinstance(holder, dict):
        key = next(each for each in holder if str(each) == name)
        dict.__setitem__(getattr(holder, "_storage", holder), key, value)
    elif isinstance(holder, list):
        list.__setitem__(getattr(holder, "_storage", holder), int(name), value)
    elif not isinstance(holder, tuple):
        root = vars(holder).get("_self_root")  # of a checkpoint, which tells of its children too
        if root is None or name in vars(holder):
            vars(holder)[name] = value
        else:
            _replace(root(), name, value)
