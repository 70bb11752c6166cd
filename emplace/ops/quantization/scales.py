"""Floats as integers of few bits and back, on a scale that is told beside them.

The integers are quantized types. They live in NumPy arrays, as in TensorFlow on the host only, and
the arithmetic follows TensorFlow's in float32.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import UnimplementedError, invalid_argument
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor, unquantized
from ..arguments import known_int, one_of
from ..convert import tensors, to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

Array = np.ndarray[Any, Any]
_F32 = np.float32
_MOST = _F32(np.finfo(_F32).max)
_LARGEST_FLOAT_BELOW_INT32 = _F32(2.147483520e9)
_MODES = ("MIN_COMBINED", "MIN_FIRST", "SCALED")
_ROUNDINGS = ("HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN")


def _whole(dtype: DType) -> Any:
    """NumPy's facts about the plain integers below a quantized type."""
    (name,) = dtype.as_numpy_dtype.names
    return np.iinfo(dtype.as_numpy_dtype[name])


def _away(values: Array) -> Array:
    """Rounded, halves away from zero."""
    size = np.abs(values)
    down = np.floor(size)
    rounded: Array = np.copysign(down + (size - down >= 0.5), values)
    return rounded.astype(_F32)


def _as_integers(values: Array, dtype: DType) -> Array:
    """Floats as integers; what is too large for 32 bits is the lowest of them, as on TF's CPUs."""
    fits = (values >= -(2.0**31)) & (values < 2.0**31)
    plain = np.where(fits, values, -(2.0**31)).astype(np.int64).astype(_whole(dtype).dtype)
    return plain.astype(dtype.as_numpy_dtype)


def _limited(values: Array, low: Any, high: Any) -> Array:
    """Between two ends; no number is the lower one."""
    limited: Array = np.fmax(np.fmin(values, high), low)
    return np.where(np.isnan(values), low, limited).astype(_F32)


class _Steps(NamedTuple):
    """TF's MIN_FIRST: the range is as many steps of `size` as the type has numbers."""

    scale: Any  # float32, steps per unit
    size: Any  # float32


def _steps(low: Any, high: Any, dtype: DType) -> _Steps:
    count = 2.0 ** _whole(dtype).bits
    span = float(_F32(float(high - low) * (count / (count - 1.0))))
    return _Steps(_F32(count / span), _F32(span / count))


def _first(values: Array, low: TensorLike, high: TensorLike, dtype: DType) -> Array:
    """Quantized so that the lower end is a number itself."""
    whole, scale = _whole(dtype), _steps(low, high, dtype).scale
    offset = _F32(_away(np.asarray(low * scale)) - _F32(whole.min))
    ends = _F32(whole.min), min(_F32(whole.max), _LARGEST_FLOAT_BELOW_INT32)
    return _as_integers(_limited(_away(values * scale) - offset, *ends), dtype)


def _combined(values: Array, low: Any, high: Any, dtype: DType) -> Array:
    """Quantized so that the lower end is the lowest number and the upper end the highest."""
    whole = _whole(dtype)
    span = float(whole.max) - float(whole.min)
    placed = (_limited(values, low, high) - low) * _F32(span / float(high - low))
    if whole.min == 0:
        return _as_integers(placed + _F32(0.5), dtype)
    return _as_integers(_away(placed - _F32((span + 1) / 2)), dtype)


def _ends(dtype: DType, narrow_range: bool) -> tuple[int, int]:
    whole = _whole(dtype)
    return int(whole.min) + narrow_range, int(whole.max)


def _one_scale(low: Any, high: Any, dtype: DType, narrow_range: bool) -> Any:
    """TF's SCALED: one factor for both ends; the tighter one decides."""
    first, last = _ends(dtype, narrow_range)
    by_low = _F32(first) / low if first * low > 0 else _MOST
    by_high = _F32(last) / high if last * high > 0 else _MOST
    return _F32(min(by_low, by_high))


def _used_range(low: Any, high: Any, least: float) -> tuple[Any, Any]:
    """The range with zero in it, and not too small."""
    if high < low:
        raise invalid_argument("input_max_range must be larger than input_min_range.")
    room = _F32(max(_F32(1), abs(low), abs(high)) * _F32(least))
    bottom = min(_F32(0), low)
    return bottom, max(_F32(0), high, bottom + room)


def _flushed(value: Any) -> Any:
    """TF computes without the numbers that are too small to be exact."""
    return value if abs(value) >= np.finfo(_F32).tiny else _F32(0)


def _quantized(
    values: Array,
    low: TensorLike,
    high: TensorLike,
    dtype: DType,
    mode: str,
    rounding: str,
    narrow: bool,
) -> tuple[Array, Any, Any]:
    """The integers, and the range as it is used."""
    with np.errstate(invalid="ignore", over="ignore"):
        if mode == "MIN_COMBINED":
            return _combined(values, low, high, dtype), low, high
        if mode == "MIN_FIRST":
            return _first(values, low, high, dtype), low, high
        scale = _one_scale(low, high, dtype, narrow)
        low, high = (_flushed(_F32(end) / scale) for end in _ends(dtype, narrow))
        placed = _limited(values, low, high) * scale
        rounded = np.rint(placed) if rounding == "HALF_TO_EVEN" else _away(placed)
        return _as_integers(rounded, dtype), low, high


def quantize_kernel(
    input: torch.Tensor,
    min_range: torch.Tensor,
    max_range: torch.Tensor,
    *,
    T: DType,  # noqa: N803
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int = -1,
    ensure_minimum_range: float = 0.01,
) -> tuple[Any, torch.Tensor, torch.Tensor]:
    """The integers, and the range that their lowest and highest number stand for."""
    dtype = one_of("T", T, dtypes.QUANTIZED)
    _check_mode(mode, round_mode)
    _check_range(tuple(input.shape), min_range, max_range, axis)
    values = _slices(input.numpy(), axis)
    made = np.empty(values.shape, dtype.as_numpy_dtype)
    ends = np.empty((2, values.shape[1]), _F32)
    for i, pair in enumerate(zip(min_range.reshape(-1), max_range.reshape(-1), strict=True)):
        start, end = (_F32(each) for each in pair)
        start, end = _used_range(start, end, ensure_minimum_range)
        part = _quantized(values[:, i], start, end, dtype, mode, round_mode, narrow_range)
        made[:, i], ends[0, i], ends[1, i] = part
    shape = () if axis == -1 else (-1,)
    low, high = (torch.from_numpy(each).reshape(shape) for each in ends)
    return made.reshape(tuple(input.shape)), low, high


def _slices(values: Array, axis: int) -> Array:
    """What is before an axis, that axis, what is after it; one slice without an axis."""
    if axis == -1:
        return values.reshape(1, 1, -1)
    return values.reshape(math.prod(values.shape[:axis]), values.shape[axis], -1)


def _check_mode(mode: str, rounding: str) -> None:
    for name, value, known in (("mode", mode, _MODES), ("round_mode", rounding, _ROUNDINGS)):
        if value not in known:
            listed = ", ".join(f'"{each}"' for each in known)
            raise invalid_argument(
                f"Value for attr '{name}' of \"{value}\" is not in the list of allowed values: "
                f"{listed}"
            )
    if rounding == "HALF_TO_EVEN" and mode != "SCALED":
        raise invalid_argument(
            f"Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '{mode}'."
        )


def _check_range(shape: tuple[int, ...], low: torch.Tensor, high: torch.Tensor, axis: int) -> None:
    if axis >= len(shape) or axis < -1:
        raise invalid_argument(f"Shape must be at least rank {axis + 1} but is rank {len(shape)}")
    for ends, name in ((low, "min_range"), (high, "max_range")):
        if axis == -1 and ends.numel() != 1:
            raise invalid_argument(
                f"If axis is not specified, {name} must contain a single float element, but it "
                f"contains {ends.numel()} elements"
            )
        if axis != -1 and tuple(ends.shape) != (shape[axis],):
            raise invalid_argument(
                f"If axis is specified, {name} must be a 1-D tensor whose size matches the axis "
                f"dimension of the input and output tensors, but {name} is a {ends.ndim}-D tensor "
                f"of size {ends.numel()} and input's axis dimension is of size {shape[axis]}"
            )


def _quantize_rule(
    input: Spec,
    min_range: Spec,
    max_range: Spec,
    *,
    T: DType,  # noqa: N803
    axis: int = -1,
    **attrs: Any,
) -> tuple[Spec, Spec, Spec]:
    ends = Spec((), dtypes.float32) if axis == -1 else min_range
    return Spec(input.dims, T), ends, ends


def dequantize_kernel(
    input: np.ndarray[Any, Any],
    min_range: torch.Tensor,
    max_range: torch.Tensor,
    *,
    mode: str = "MIN_COMBINED",
    narrow_range: bool = False,
    axis: int = -1,
    dtype: DType = dtypes.float32,
) -> torch.Tensor:
    """The floats that integers stand for."""
    _check_mode(mode, "HALF_AWAY_FROM_ZERO")
    wanted = one_of("dtype", dtype, (dtypes.bfloat16, dtypes.float32))
    if wanted is dtypes.bfloat16 and mode != "MIN_COMBINED":
        raise invalid_argument(
            f"When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '{mode}'"
        )
    _check_slices(input, min_range, max_range, axis, mode)
    kind = as_dtype(input.dtype)
    values = _slices(unquantized(input).astype(_F32), axis)
    made = np.empty(values.shape, _F32)
    for i, pair in enumerate(zip(min_range.reshape(-1), max_range.reshape(-1), strict=True)):
        low, high = (_F32(each) for each in pair)
        made[:, i] = _dequantized(values[:, i], low, high, kind, mode, narrow_range)
    return torch.from_numpy(made.reshape(input.shape)).to(wanted.torch)


def _dequantized(
    values: Array, low: Any, high: Any, dtype: DType, mode: str, narrow: bool
) -> Array:
    whole = _whole(dtype)
    if mode == "SCALED":
        first, last = _ends(dtype, narrow)
        scale = high / _F32(last)
        scale = scale if whole.min == 0 else max(_F32(low / _F32(first)), scale)
        scaled: Array = values * scale
        return scaled
    if mode == "MIN_FIRST":
        return _from_first(values, low, high, dtype)
    half = _F32(0) if whole.min == 0 else _F32((float(whole.max) - float(whole.min) + 1) / 2)
    scale = (high - low) / _F32(_F32(whole.max) - _F32(whole.min))
    combined: Array = (values + half) * scale + low
    return combined


def _from_first(values: Array, low: TensorLike, high: TensorLike, dtype: DType) -> Array:
    size = _steps(low, high, dtype).size
    start = low if low == high else _away(np.asarray(low / size)) * size
    floats: Array = values * size + _F32(start - _F32(_whole(dtype).min) * size)
    return floats


def _check_slices(
    input: np.ndarray[Any, Any], low: torch.Tensor, high: torch.Tensor, axis: int, mode: str
) -> None:
    if axis >= input.ndim or axis < -1:
        raise invalid_argument(f"Axis must be less than input dimension({input.ndim}), got {axis}")
    count = 1 if axis == -1 else input.shape[axis]
    for ends, name in ((low, "input_min_tensor"), (high, "input_max_tensor")):
        if ends.numel() != count:
            raise invalid_argument(
                f"{name} must have as many elements as input on the dequantization axis ({axis}), "
                f"got {ends.numel()}, expected {count}"
            )
    if count != 1 and mode == "MIN_FIRST":
        raise UnimplementedError(
            None, None, "MIN_FIRST mode is not implemented for Dequantize with axis != -1."
        )


def _dequantize_rule(
    input: Spec, min_range: Spec, max_range: Spec, *, dtype: DType = dtypes.float32, **attrs: Any
) -> Spec:
    return Spec(input.dims, dtype)


def concat_kernel(*inputs: Any, concat_dim: int) -> tuple[Any, torch.Tensor, torch.Tensor]:
    """Integers of several scales behind each other, on one scale that holds all of them."""
    count = len(inputs) // 3
    values, lows, highs = (inputs[i * count : (i + 1) * count] for i in range(3))
    rank = values[0].ndim
    if not -rank <= concat_dim < rank:
        raise invalid_argument(
            f"ConcatOp : Expected concatenating dimensions in the range [0, {rank}), but got "
            f"{concat_dim}"
        )
    low = min(_F32(0), *(_F32(each) for each in lows))
    high = max(_F32(each) for each in highs)
    if as_dtype(values[0].dtype) is dtypes.qint32:  # TF: its range is as wide on both sides
        high = max(high, -low)
        low = -high
    parts = [
        _moved(*each, low, high) for each in zip(values, lows, highs, strict=True)
    ]  # fmt: skip
    return np.concatenate(parts, concat_dim), torch.tensor(low), torch.tensor(high)


def _moved(
    values: np.ndarray[Any, Any],
    low: torch.Tensor,
    high: torch.Tensor,
    start: TensorLike,
    end: TensorLike,
) -> Array:
    """Integers of one scale on another."""
    ends = _F32(low), _F32(high)
    if ends == (start, end):
        moved: Array = values
        return moved
    kind = as_dtype(values.dtype)
    floats = _from_first(unquantized(values).astype(_F32), *ends, kind)
    return _first(floats, start, end, kind)


def _concat_rule(*inputs: Spec, concat_dim: int) -> tuple[Spec, Spec, Spec]:
    values = inputs[: len(inputs) // 3]
    dims: Any = values[0].dims
    for each in values:
        if each.dims is not None and not -len(each.dims) <= concat_dim < len(each.dims):
            raise invalid_argument(
                f"Shape must be at least rank {concat_dim + 1} but is rank {len(each.dims)}"
            )
    sizes = [None if each.dims is None else each.dims[concat_dim] for each in values]
    if dims is not None:
        axis = concat_dim % len(dims)
        total = None if None in sizes else sum(size or 0 for size in sizes)
        dims = (*dims[:axis], total, *dims[axis + 1 :])
    return Spec(dims, values[0].dtype), Spec((), dtypes.float32), Spec((), dtypes.float32)


_LISTED = (dtypes.qint8, dtypes.quint8, dtypes.qint32, dtypes.qint16, dtypes.quint16)
QUANTIZE = op(
    "QuantizeV2",
    "input: float32, min_range: float32, max_range: float32 -> "
    "output: T, output_min: float32, output_max: float32",
    quantize_kernel, _quantize_rule, device_types=CPU_ONLY,
)  # fmt: skip
DEQUANTIZE = op(
    "Dequantize", "input: T, min_range: float32, max_range: float32 -> output: dtype",
    dequantize_kernel, _dequantize_rule, device_types=CPU_ONLY, T=_LISTED,
)  # fmt: skip
QUANTIZED_CONCAT = op(
    "QuantizedConcat",
    "concat_dim: host, values: N * T, input_mins: N * float32, input_maxes: N * float32 -> "
    "output: T, output_min: float32, output_max: float32",
    concat_kernel, _concat_rule, device_types=CPU_ONLY, T=_LISTED,
    unsupported_types=(dtypes.qint8, dtypes.qint16, dtypes.quint16),
)  # fmt: skip


class Quantized(NamedTuple):
    """What `tf.quantization.quantize` and `quantized_concat` return."""

    output: Any
    output_min: Any
    output_max: Any


def _place(axis: int | None, rank: int | None) -> int:
    place = -1 if axis is None else known_int(axis)
    return place + (rank or 0) if axis is not None and place < 0 else place


def quantize(
    input: TensorLike, min_range: Any, max_range: Any, T: DTypeLike,  # noqa: N803
    mode: str = "MIN_COMBINED", round_mode: str = "HALF_AWAY_FROM_ZERO", name: str | None = None,
    narrow_range: bool = False, axis: int | None = None, ensure_minimum_range: float = 0.01,
) -> Quantized:  # fmt: skip
    """Returns floats as integers of few bits (`tf.quantization.quantize`).

    Args:
        input: float32 values of any shape.
        min_range: what the lowest integer should stand for: a scalar, or one number per place of
            `axis`. Zero becomes part of the range.
        max_range: what the highest integer should stand for, likewise.
        T: `tf.quint8`, `tf.qint8`, `tf.quint16`, `tf.qint16` or `tf.qint32`.
        mode: "MIN_COMBINED" maps both ends to the ends of the type; "MIN_FIRST" makes zero an
            integer; "SCALED" only scales.
        round_mode: "HALF_AWAY_FROM_ZERO", or with "SCALED" "HALF_TO_EVEN".
        name: ignored.
        narrow_range: with "SCALED", leave the lowest integer out.
        axis: give each place of this axis its own range.
        ensure_minimum_range: the least width of the range, as a part of its larger end.

    Returns:
        The integers, and the ends of the range that they stand for, which `dequantize` takes.

    Raises:
        InvalidArgumentError: an argument is out of range or has a shape that does not fit.

    >>> from emplace.base.dtypes import quint8
    >>> quantize([0.0, 0.5, 1.0], 0.0, 1.0, quint8).output.numpy().tolist()
    [0, 128, 255]
    """
    tensors = _floats(input, min_range, max_range)
    attrs = {
        "T": as_dtype(T), "mode": mode, "round_mode": round_mode,
        "narrow_range": bool(narrow_range), "axis": _place(axis, tensors[0].shape.rank),
        "ensure_minimum_range": float(ensure_minimum_range),
    }  # fmt: skip
    return Quantized(*apply(QUANTIZE, tensors, attrs))


def _floats(*values: Any) -> tuple[Any, ...]:
    return tuple(to_tensor(value, dtypes.float32) for value in values)


def dequantize(
    input: TensorLike, min_range: TensorLike, max_range: TensorLike, mode: str = "MIN_COMBINED",
    name: str | None = None, axis: int | None = None, narrow_range: bool = False,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:  # fmt: skip
    """Returns the floats that integers stand for (`tf.quantization.dequantize`).

    Args:
        input: integers of a quantized type.
        min_range: what `quantize` returned as `output_min`.
        max_range: what it returned as `output_max`.
        mode: see `quantize`.
        name: ignored.
        axis: see `quantize`.
        narrow_range: see `quantize`.
        dtype: float32, or with "MIN_COMBINED" bfloat16.

    Raises:
        InvalidArgumentError: an argument is out of range or has a shape that does not fit.

    >>> from emplace.base.dtypes import quint8
    >>> dequantize(*quantize([0.0, 1.0], 0.0, 1.0, quint8)).numpy().tolist()
    [0.0, 1.0]
    """
    held = to_tensor(input)
    attrs = {
        "mode": mode, "axis": _place(axis, held.shape.rank), "narrow_range": bool(narrow_range),
        "dtype": as_dtype(dtype),
    }  # fmt: skip
    return apply(DEQUANTIZE, (held, *_floats(min_range, max_range)), attrs)


def quantized_concat(
    concat_dim: Axis, values: Any, input_mins: Any, input_maxes: Any, name: str | None = None
) -> Quantized:
    """Returns integers of several scales behind each other, on one scale
    (`tf.quantization.quantized_concat`).

    Args:
        concat_dim: the axis along which they are joined.
        values: integers of a quantized type, a list.
        input_mins: what the lowest integer of each stands for.
        input_maxes: what the highest one stands for.
        name: ignored.

    Raises:
        InvalidArgumentError: the axis or a shape does not fit.

    >>> from emplace.base.dtypes import quint8
    >>> one = quantize([0.0, 1.0], 0.0, 1.0, quint8).output
    >>> quantized_concat(0, [one, one], [0.0, 0.0], [1.0, 3.0]).output.numpy().tolist()
    [0, 85, 0, 255]
    """
    ends = [*_floats(*input_mins), *_floats(*input_maxes)]
    given = (*tensors(values), *ends)
    return Quantized(*apply(QUANTIZED_CONCAT, given, {"concat_dim": known_int(concat_dim)}))
