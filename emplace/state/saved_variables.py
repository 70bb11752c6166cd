"""Which variables a saver is asked for, and the names they have in a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..eager.variable import Variable
from ..ops.lookup.saving import TableSaveable
from ..ops.lookup.tables import MutableHashTable
from ..ops.variables.parts import InParts
from ..ops.variables.slice_info import SaveSliceInfo
from .object_names import VALUE


class SavedVariable(NamedTuple):
    """A variable, and where a checkpoint has its value.

    `name` is that of the tensor in the checkpoint. `spec` is empty, or says which part of that
    tensor the variable is, as `SaveSliceInfo.spec` does.
    """

    name: str
    spec: str
    variable: Variable


def saved_variables(variables: Any) -> list[SavedVariable]:
    """What a saver is asked for, in order of names.

    Args:
        variables: variables, whole or in parts, or those by name, or lists of parts by name.

    Raises:
        TypeError: there is something else.
        ValueError: a name or a variable is there twice, or parts are not of one variable.
    """
    if isinstance(variables, Mapping):
        named = _checked_names(variables)
    elif isinstance(variables, (list, tuple, set, frozenset)):
        named = _own_names(variables)
    else:
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {variables}")
    found = [each for name in sorted(named) for each in _of_name(name, named[name])]
    seen: set[int] = set()
    for name, _, variable in found:
        if id(variable) in seen:
            raise ValueError(f"The same saveable will be restored with two names: {name}")
        seen.add(id(variable))
    return found


def _of_name(name: str, value: Any) -> list[SavedVariable]:
    """What a checkpoint has of a name: a variable, or several parts of one."""
    if isinstance(value, Variable):
        info = value._get_save_slice_info()
        return [SavedVariable(name, "" if info is None else info.spec, value._whole())]
    if isinstance(value, (list, tuple)) and not value:
        raise ValueError(f"The list of parts to save as {name} is empty. Give parts of a variable.")
    return [SavedVariable(name, info.spec, part) for part, info in parts_of_one(value)]


def parts_of_one(parts: Any) -> list[tuple[Variable, SaveSliceInfo]]:
    """Variables that are parts of the same larger one, and which parts.

    Raises:
        ValueError: they are not.
    """
    found: list[tuple[Variable, SaveSliceInfo]] = []
    for part in parts:
        if not isinstance(part, Variable):
            raise ValueError(f"Slices must all be Variables: {part}")
        info = part._get_save_slice_info()
        if info is None:
            raise ValueError(f"Slices must all be slices: {part}")
        found.append((part, info))
        if info.full_name != found[0][1].full_name:
            raise ValueError(
                "Slices must all be from the same tensor: "
                f"{found[0][1].full_name} != {info.full_name}"
            )
    return found


def _checked_names(variables: Mapping[Any, Any]) -> dict[str, Any]:
    for name, value in variables.items():
        if not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. "
                f"Name is not a string: {name}"
            )
        if not isinstance(value, (Variable, InParts, list, tuple)):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not "
                f"a variable: {value}"
            )
    return dict(variables)


def _own_names(variables: Any) -> dict[str, Any]:
    """Variables by the names they have of themselves, parts as lists by the name of the whole."""
    found: dict[str, Any] = {}
    for value in sorted(variables, key=lambda each: getattr(each, "name", "")):
        if not isinstance(value, (Variable, InParts)):
            raise TypeError(f"Variable to save is not a Variable: {value}")
        info = value._get_save_slice_info() if isinstance(value, Variable) else None
        if info is not None:
            listed = found.setdefault(info.full_name, [])
            if not isinstance(listed, list):
                raise ValueError(
                    f"Mixing slices and non-slices with the same name: {info.full_name}"
                )
            listed.append(value)
            continue
        name = saved_name(value)
        if name in found:
            raise ValueError(f"At least two variables have the same name: {name}")
        found[name] = value
    return found


def saved_name(variable: Any) -> str:
    """A variable's own name in a checkpoint, whether it is in parts or not."""
    return str(variable.name).removesuffix(":0")


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
            if isinstance(value, MutableHashTable):
                found[name] = TableSaveable(value, name)
                continue
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
        if isinstance(value, MutableHashTable):
            listed.append(value.as_saveable())
        elif _tells_of_saveables(value):
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
