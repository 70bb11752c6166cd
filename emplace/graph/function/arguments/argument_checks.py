"""What a `tf.function` refuses of its arguments and of its `input_signature`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....base import nest
from ....base.typing import Structure, TensorLike
from ....core.type_spec import TypeSpec


def checked_signature(specs: Sequence[Any]) -> tuple[Any, ...]:
    """An `input_signature` as a tuple.

    Raises:
        TypeError: it is no list or tuple, or holds something that is no spec.
    """
    if not isinstance(specs, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
    wrong = [each for each in nest.flatten(specs) if not isinstance(each, TypeSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid "
            f"args {wrong} with types {[type(each) for each in wrong]}."
        )
    if any(getattr(each, "is_of_variable", False) for each in nest.flatten(specs)):
        raise TypeError(f"input_signature doesn't support VariableSpec, got {specs}")
    return tuple(specs)


def check_hashable(value: TensorLike) -> None:
    """Raises TypeError for an argument that a trace cannot be looked up by: it may change."""
    try:
        hash(value)
    except TypeError:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}.Please verify that it is "
            "immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it."
        ) from None


def check_no_specs(arguments: Structure) -> None:
    """Raises ValueError for a spec that a call has in the place of a value: specs are what
    `get_concrete_function` takes.
    """
    for each in nest.flatten(arguments):
        if isinstance(each, TypeSpec):
            raise ValueError(
                f"Attempt to convert a value ({each!r}) with an unsupported type ({type(each)}) to "
                "a Tensor. Call the function with a value, or get_concrete_function with the spec."
            )


def check_names(signature: inspect.Signature, given: Mapping[str, Any]) -> None:
    """Raises ValueError where arguments would have one name in a graph: only `**kwargs` may."""
    kinds = {name: signature.parameters[name].kind for name in given}
    many = [name for name, kind in kinds.items() if kind is inspect.Parameter.VAR_KEYWORD]
    names = [name for name in given if name not in many]
    names += [key for name in many for key in given[name]]
    clean = [re.sub("[^a-zA-Z0-9]", "_", name) for name in names]
    if len(set(clean)) < len(names):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function input parameters. "
            f"Original: {sorted(names)}, Sanitized: {sorted(set(clean))}"
        )


class Unchanged:
    """Arguments as they were before a function was traced: it may not change lists and
    dictionaries among them, for a call of the trace would not change those of its caller.

    Args:
        names: the parameters.
        arguments: what each gets.
    """

    def __init__(self, names: Sequence[str], arguments: Sequence[Any]) -> None:
        self._names = names
        self._now = arguments
        self._before = [nest.map_structure(lambda leaf: leaf, each) for each in arguments]

    def check(self, function: Callable[..., Any], signature: inspect.Signature) -> None:
        """Raises ValueError if they are not the same any more."""
        parts = zip(self._names, self._before, self._now, strict=True)
        changed = [name for name, before, now in parts if not _is_same(before, now)]
        if changed:
            name = getattr(function, "__qualname__", type(function).__name__)
            raise ValueError(
                f"{name}{signature} should not modify its Python input arguments. Modifying a copy "
                f"is allowed. The following parameter(s) were modified: {', '.join(changed)}"
            )


def _is_same(before: object, now: object) -> bool:
    try:
        nest.assert_same_structure(before, now)
    except (TypeError, ValueError):
        return False
    leaves = zip(nest.flatten(before), nest.flatten(now), strict=True)
    return all(a is b for a, b in leaves)
