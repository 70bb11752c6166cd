"""Which variables a saver is asked for, and the names they have in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..eager.variable import Variable
from .object_names import VALUE


def variables_by_name(variables: Any) -> dict[str, Variable]:
    """Variables by their names in a checkpoint, in order of names.

    Args:
        variables: variables, or variables by name.

    Raises:
        TypeError: there is something else.
        ValueError: a name or a variable is there twice.
    """
    if isinstance(variables, Mapping):
        named = _checked_names(variables)
    elif isinstance(variables, (list, tuple, set, frozenset)):
        named = _own_names(variables)
    else:
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {variables}")
    ordered = {name: named[name] for name in sorted(named)}
    seen: set[int] = set()
    for name, variable in ordered.items():
        if id(variable) in seen:
            raise ValueError(f"The same saveable will be restored with two names: {name}")
        seen.add(id(variable))
    return ordered


def _checked_names(variables: Mapping[Any, Any]) -> dict[str, Variable]:
    found = {}
    for name, value in variables.items():
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. "
                f"Name is not a string: {name}"
            )
        if not isinstance(value, Variable):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not "
                f"a variable: {value}"
            )
        found[name] = value._whole()
    return found


def _own_names(variables: Any) -> dict[str, Variable]:
    found: dict[str, Variable] = {}
    for value in variables:
        if not isinstance(value, Variable):
            raise TypeError(f"Variable to save is not a Variable: {value}")
        variable = value._whole()
        name = saved_name(variable)
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = variable
    return found


def saved_name(variable: Variable) -> str:
    """A variable's own name in a checkpoint."""
    return variable.name.removesuffix(":0")


def without_others(variables: object) -> tuple[Any, list[Any]]:
    """What a saver is asked for without what says itself what is written; and that."""
    variables = _opened(variables)
    if isinstance(variables, Mapping):
        rest = {name: each for name, each in variables.items() if not _saves_itself(each)}
        return rest, [each for each in variables.values() if _saves_itself(each)]
    if not isinstance(variables, (list, tuple, set, frozenset)):
        return variables, []
    others = [each for each in variables if _saves_itself(each)]
    return [each for each in variables if not _saves_itself(each)], others


def _opened(variables: object) -> Any:
    """What a saver is asked for, with objects that tell of variables or saveables replaced by
    those. In a dictionary they are called like the object, or that and their own name."""
    if isinstance(variables, Mapping):
        found: dict[Any, Any] = {}
        for name, value in variables.items():
            if not _tells_of_saveables(value):
                found[name] = value
                continue
            for own, each in value._gather_saveables_for_checkpoint().items():
                full = name if own == VALUE else f"{name}_{own}"
                found[full] = each(full) if is_maker(each) else each
        return found
    if not isinstance(variables, (list, tuple, set, frozenset)):
        return variables
    listed: list[Any] = []
    for value in variables:
        if _tells_of_saveables(value):
            told = value._gather_saveables_for_checkpoint().values()
            listed += [each() if is_maker(each) else each for each in told]
        else:
            listed.append(value)
    return listed


def _tells_of_saveables(value: object) -> bool:
    is_able = hasattr(type(value), "_gather_saveables_for_checkpoint")
    return is_able and not isinstance(value, Variable)


def is_maker(value: object) -> bool:
    """Whether an object tells of a function that makes a saveable, rather than of a variable."""
    return callable(value) and not isinstance(value, Variable)


def tensor_of(spec: Any) -> Any:
    """What a saveable wants written, which it may give as a function."""
    return spec.tensor() if callable(spec.tensor) else spec.tensor


def _saves_itself(value: object) -> bool:
    return not isinstance(value, Variable) and hasattr(value, "specs") and hasattr(value, "restore")
