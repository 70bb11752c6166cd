"""Numbers as strings and strings as numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import invalid_argument
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from .basic import as_texts, changed, text_array

_FILLS = ("", " ", "-", "0", "+")


def as_string_kernel(
    input: np.ndarray[Any, Any] | torch.Tensor,
    *,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
) -> Any:
    """Numbers written as C's printf does."""
    is_text = isinstance(input, np.ndarray)
    dtype = dtypes.string if is_text else dtypes.as_dtype(input.dtype)
    if scientific and shortest:
        raise invalid_argument("Cannot select both scientific and shortest notation")
    if not (dtype.is_floating or dtype.is_complex):
        _refuse_float_formats(dtype, precision, scientific or shortest)
    if len(fill) > 1:
        raise invalid_argument("Fill string must be one or fewer characters")
    if fill not in _FILLS:
        raise invalid_argument(f'Fill argument not supported: "{fill}"')
    size = str(width) if width > -1 else ""
    if is_text:
        place = bytes.ljust if fill == "-" else bytes.rjust
        return changed(input, lambda text: place(text, max(width, 0)))
    digits = f".{precision}" if precision > -1 else ""
    kind = "e" if scientific else "g" if shortest else "f"
    write = _writer(dtype, f"%{fill}{size}{digits}", kind)
    return text_array([write(each).encode() for each in input.reshape(-1).tolist()], input.shape)


def _refuse_float_formats(dtype: DType, precision: int, notation: bool) -> None:
    if notation:
        raise invalid_argument(
            f"scientific and shortest format not supported for datatype {runtime_name(dtype)}"
        )
    if precision >= 0:
        raise invalid_argument(f"precision not supported for datatype {runtime_name(dtype)}")


def _writer(dtype: DType, start: str, kind: str) -> Callable[[Any], str]:
    if dtype is dtypes.bool_:
        return lambda value: "true" if value else "false"
    if not (dtype.is_floating or dtype.is_complex):
        is_signed = dtype.is_integer and dtype.min < 0
        return f"{start if is_signed else start.replace('+', '')}d".__mod__
    exact = f"{start}{kind}"
    padded = exact.replace("%0", "% ", 1).replace("% ", "%", 1)  # C fills up no inf with zeros

    def write(value: float) -> str:
        return (exact if math.isfinite(value) else padded) % value

    if dtype.is_complex:
        return lambda value: f"({write(value.real)},{write(value.imag)})"
    return write


AS_STRING = op(
    "AsString", "input: T -> output: string", as_string_kernel, infer.as_type(dtypes.string),
    device_types=CPU_ONLY, T=(*dtypes.NUMBERS, dtypes.bool_, dtypes.string),
)  # fmt: skip


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns numbers as strings (`tf.strings.as_string`).

    Args:
        input: numbers, bools or strings.
        precision: digits after the point; -1 for six.
        scientific: with an exponent.
        shortest: whichever notation is shorter.
        width: the least number of characters.
        fill: what fills up: "0", " ", "+" for the sign, "-" for spaces behind.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a format that the dtype does not have.

    >>> as_string([1.5, 2.0], precision=2).numpy().tolist()
    [b'1.50', b'2.00']
    """
    attrs = {
        "precision": precision, "scientific": scientific, "shortest": shortest, "width": width,
        "fill": fill,
    }  # fmt: skip
    return apply(AS_STRING, (to_tensor(input),), attrs)


_OUT_TYPES = (
    dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64,
)  # fmt: skip


def to_number_kernel(string_tensor: np.ndarray[Any, Any], *, out_type: DType) -> torch.Tensor:
    """The numbers that strings spell."""
    if out_type not in _OUT_TYPES:
        names = ", ".join(runtime_name(each) for each in _OUT_TYPES)
        raise invalid_argument(
            f"Value for attr 'out_type' of {runtime_name(out_type)} is not in the list of allowed "
            f"values: {names}\n\t; NodeDef: {{{{node StringToNumber}}}}"
        )
    read = reader_of(out_type)
    numbers = [_number(read, text) for text in string_tensor.reshape(-1).tolist()]
    with np.errstate(over="ignore"):
        array = np.array(numbers, np.float64 if out_type.is_floating else out_type.as_numpy_dtype)
        made = array.astype(out_type.as_numpy_dtype)
    return torch.from_numpy(made).reshape(string_tensor.shape)


def _number(read: Callable[[bytes], Any], text: bytes) -> Any:
    try:
        return read(text)
    except ValueError:
        shown = text.decode("utf-8", "backslashreplace")
        raise invalid_argument(
            f"StringToNumberOp could not correctly convert string: {shown}"
        ) from None


def reader_of(dtype: DType) -> Callable[[bytes], Any]:
    """What reads one number of a dtype; it raises ValueError for what is none."""
    return _read_float if dtype.is_floating else _reader_of_ints(dtype)


def _read_float(text: bytes) -> float:
    if b"x" in text.lower():
        try:
            return float.fromhex(text.decode())
        except OverflowError:
            raise ValueError("too large") from None
    if b"_" in text:
        raise ValueError("Python's way to group digits")
    return float(text)


def _reader_of_ints(dtype: DType) -> Callable[[bytes], int]:
    info = np.iinfo(dtype.as_numpy_dtype)
    low, high = int(info.min), int(info.max)

    def read(text: bytes) -> int:
        number = int(text)
        if not low <= number <= high or b"_" in text or (low == 0 and b"-" in text):
            raise ValueError("too large, or not as C reads it")
        return number

    return read


def _to_number_spec(string_tensor: Spec, *, out_type: DType) -> Spec:
    return Spec(string_tensor.dims, out_type)


STRING_TO_NUMBER = op(
    "StringToNumber", "string_tensor: string -> output: out_type", to_number_kernel,
    _to_number_spec, device_types=CPU_ONLY,
)  # fmt: skip


def to_number(
    input: TensorLike, out_type: DTypeLike = dtypes.float32, name: str | None = None
) -> Tensor:
    """The numbers that strings spell (`tf.strings.to_number`).

    Raises:
        InvalidArgumentError: a string is no number, or too large for `out_type`.

    >>> to_number(["1.5", "-2"]).numpy().tolist()
    [1.5, -2.0]
    """
    return apply(STRING_TO_NUMBER, (as_texts(input),), {"out_type": as_dtype(out_type)})
