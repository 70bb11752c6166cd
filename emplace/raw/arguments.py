"""The arguments of a raw op, checked and converted as TensorFlow does it: by its definition."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from ..base.dtypes import ALL, DType, as_dtype, runtime_name
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..ops.convert import is_tensor_like, to_tensor
from ..ops.raw import keyword_arguments, python_name
from .definitions import Attribute, Definition, Part, definition

_FIXED = {dtype.name: dtype for dtype in ALL}


def attributes(found: Definition, given: Mapping[str, Any]) -> dict[str, Any]:
    """The attributes of a call, as Python values, dtypes and shapes.

    Raises:
        TypeError: one is of another type than TensorFlow wants.
        InvalidArgumentError: (in a graph ValueError) one has a value that is not allowed.
    """
    chosen = {}
    for name in found.arguments:
        about = found.attributes.get(name)
        if about is not None:
            value = _attribute(found, name, about.type, given[name])
            _check_value(found, name, about, value)
            chosen[name] = value
    return chosen


def _attribute(found: Definition, name: str, kind: str, value: Any) -> Any:
    if kind.startswith("list("):
        if not isinstance(value, (list, tuple, np.ndarray, TensorShape)):
            raise TypeError(
                f"Expected list for {name!r} argument to {python_name(found.name)!r} Op, not "
                f"{value!r}."
            )
        return [_attribute(found, name, kind[5:-1], each) for each in value]
    try:
        return _CONVERT[kind](value)
    except (TypeError, ValueError):
        word = {"type": "DataType", "shape": "TensorShape"}.get(kind, kind)
        raise TypeError(f"Expected {word} for argument {name!r} not {value!r}.") from None


def _int(value: Any) -> int:
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError
    return int(value)


def _float(value: Any) -> float:
    if isinstance(value, (str, bytes)) or value is None:
        raise TypeError
    return float(value)


def _bool(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError
    return bool(value)


def _text(value: Any) -> str:
    if not isinstance(value, (str, bytes)):
        raise TypeError
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


_CONVERT: dict[str, Any] = {
    "int": _int,
    "float": _float,
    "bool": _bool,
    "string": _text,
    "type": as_dtype,
    "shape": TensorShape,
    "func": lambda value: value,
    "tensor": lambda value: value,
}


def check_dtypes(found: Definition, given: Mapping[str, Any]) -> None:
    """Refuses attributes that are dtypes which TensorFlow does not list for the op.

    Raises:
        InvalidArgumentError: one is another dtype.
    """
    for name in _dtype_arguments(found.name):
        if given.get(name) is not None:
            _check_value(found, name, found.attributes[name], as_dtype(given[name]))


@functools.cache
def _dtype_arguments(op_name: str) -> tuple[str, ...]:
    """The arguments of a raw op that are dtypes, and not any."""
    found = definition(op_name)
    return tuple(
        name
        for name in found.arguments
        if name in found.attributes
        and found.attributes[name].type == "type"
        and found.attributes[name].allowed
    )


def _check_value(found: Definition, name: str, about: Attribute, value: Any) -> None:
    values = value if about.type.startswith("list(") else [value]
    for each in values if about.allowed else ():
        if each not in about.allowed:
            _refuse_value(found, name, about, each)
    if about.minimum is not None:
        number = len(value) if isinstance(value, list) else value
        if number < about.minimum:
            least = f"must be at least minimum {about.minimum}"
            raise _wrong(f"Value for attr {name!r} of {number} {least}", found)


def _refuse_value(found: Definition, name: str, about: Attribute, value: Any) -> NoReturn:
    if isinstance(value, DType):
        listed = ", ".join(_type_name(each) for each in about.allowed)
        got = runtime_name(value)
    else:
        listed = ", ".join(f'"{each}"' for each in about.allowed)
        got = f'"{value}"'
        if not LOCAL.state.target.is_eager:
            raise ValueError(
                f"Attr {name!r} of {found.name!r} Op passed string {value!r} not in: {listed}."
            )
    text = f"Value for attr {name!r} of {got} is not in the list of allowed values: {listed}"
    raise _wrong(f"{text}\n\t; NodeDef: {{{{node {found.name}}}}}", found)


def _type_name(dtype: Any) -> str:
    return runtime_name(dtype) if isinstance(dtype, DType) else str(dtype)


def _wrong(text: str, found: Definition) -> Exception:
    return invalid_argument(f"{text} [Op:{found.name}] name: ")


def inputs(
    found: Definition, given: Mapping[str, Any], chosen: Mapping[str, Any], host: Iterable[str]
) -> dict[str, Any]:
    """The inputs of a call as tensors, or lists of them; those in `host` as they are.

    Raises:
        InvalidArgumentError: (in a graph TypeError) types differ or are not allowed.
        TypeError: a Python value cannot have the type that the others have.
    """
    known = {name: each for name, each in chosen.items() if isinstance(each, DType)}
    parts = [part for part in found.inputs if part.name not in host]
    for part in parts:
        for each in _values(found, part, given[part.name]):
            if is_tensor_like(each) and not part.is_mixed:
                known.setdefault(part.kind, each.dtype)
    converted: dict[str, Any] = {name: given[name] for name in host}
    place = 0
    for part in found.inputs:
        if part.name in converted:
            place += 1
            continue
        made = []
        for each in _values(found, part, given[part.name]):
            made.append(_tensor(found, part, place, each, known))
            place += 1
        _check_number(found, part, made)
        converted[part.name] = made if part.is_list else made[0]
    return converted


def _values(found: Definition, part: Part, value: Any) -> Sequence[Any]:
    if not part.is_list:
        return (value,)
    if not isinstance(value, (list, tuple)):
        raise TypeError(
            f"Expected list for {part.name!r} argument to {python_name(found.name)!r} Op, not "
            f"{value!r}."
        )
    return value


def _tensor(
    found: Definition, part: Part, place: int, value: Any, known: dict[str, DType]
) -> Tensor:
    """One input, of the type that is known of it; what it is otherwise, is known from now on."""
    fixed = _FIXED.get(part.kind)
    if part.is_mixed or (fixed is None and part.kind not in found.attributes):
        return to_tensor(value)
    about = found.attributes.get(part.kind)
    default = about.default if about is not None else None
    wanted = fixed or known.get(part.kind)
    hint = wanted or (default if isinstance(default, DType) else None)
    if is_tensor_like(value):
        made = to_tensor(value)
    elif wanted is not None:
        given = value.astype(wanted.as_numpy_dtype) if _is_array(value) else value
        made = to_tensor(given, wanted)
    else:
        made = to_tensor(value, hint=None if _is_array(value) else hint)
    known.setdefault(part.kind, made.dtype)
    if wanted is not None and made.dtype is not wanted:
        _refuse_type(found, part, place, made.dtype, wanted)
    if about is not None and about.allowed and made.dtype not in about.allowed:
        _refuse_kind(found, part, made.dtype, about)
    return made


def _is_array(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc"


def _refuse_type(found: Definition, part: Part, place: int, got: DType, wanted: DType) -> NoReturn:
    if not LOCAL.state.target.is_eager:
        raise TypeError(
            f"Input {part.name!r} of {found.name!r} Op has type {got.name} that does not match "
            f"expected type of {wanted.name}."
        )
    raise _wrong(
        f"cannot compute {found.name} as input #{place}(zero-based) was expected to be a "
        f"{runtime_name(wanted)} tensor but is a {runtime_name(got)} tensor",
        found,
    )


def _refuse_kind(found: Definition, part: Part, got: DType, about: Attribute) -> NoReturn:
    if not LOCAL.state.target.is_eager:
        listed = ", ".join(getattr(each, "name", str(each)) for each in about.allowed)
        raise TypeError(
            f"Value passed to parameter {part.name!r} has DataType {got.name} not in list of "
            f"allowed values: {listed}"
        )
    _refuse_value(found, part.kind, about, got)


def _check_number(found: Definition, part: Part, made: list[Tensor]) -> None:
    about = found.attributes.get(part.number or part.kind) if part.is_list else None
    if about is not None and about.minimum is not None and len(made) < about.minimum:
        if not LOCAL.state.target.is_eager:
            raise ValueError(
                f"List argument {part.name!r} to {python_name(found.name)!r} Op with length "
                f"{len(made)} shorter than minimum length {about.minimum}."
            )
        least = f"must be at least minimum {about.minimum}"
        raise _wrong(f"Value for attr {part.number!r} of {len(made)} {least}", found)


def with_required(found: Definition, positional: tuple[Any, ...], keywords: Any) -> dict[str, Any]:
    """All arguments of a call by name, `name` left out.

    Raises:
        TypeError: one is given by position, unknown or missing.
    """
    arguments = {**found.defaults(), "name": None}
    return keyword_arguments(python_name(found.name), arguments, positional, keywords)


def check_fixed(found: Definition, fixed: Iterable[str], given: Mapping[str, Any]) -> None:
    """Refuses another value than the default of an attribute that Emplace has no other for.

    Raises:
        NotImplementedError: there is one.
    """
    for name in fixed:
        default = found.attributes[name].default
        if given[name] != default:
            raise NotImplementedError(
                f"tf.raw_ops.{found.name}: Emplace has {name}={default!r} alone, got "
                f"{given[name]!r}."
            )
