"""Counts: bincount, histograms, confusion matrices; and masks of sequences."""

from __future__ import annotations

from typing import Any, NoReturn

import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import EagerTensor, Tensor
from ...devices.late import is_late, note
from ..arguments import like, one_int, one_number, one_of, wrong_argument
from ..array.making import ones_like, range_, zeros
from ..array.select import where
from ..array.shaping import expand_dims, reshape, squeeze
from ..convert import to_tensor
from ..counts import counts_of
from ..infer import Spec
from ..op import apply, op
from ..waiting import SIZE_ARGUMENT
from .elementwise import (
    add,
    cast,
    clip_by_value,
    divide,
    less,
    maximum,
    minimum,
    multiply,
    subtract,
)
from .reduction import reduce_max, reduce_min
from .segment import unsorted_segment_sum

_COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def dense_bincount_kernel(
    input: torch.Tensor, size: torch.Tensor, weights: torch.Tensor, *, binary_output: bool = False
) -> torch.Tensor:
    """How often, or with which weight, each of 0 .. size-1 is in a vector or in each row."""
    if size.ndim:
        raise invalid_argument(f"Shape must be rank 0 but is rank {size.ndim}")
    bins = int(size)
    if bins < 0:
        raise invalid_argument(f"size ({bins}) must be non-negative")
    if input.ndim > 2:
        raise invalid_argument(f"Shape must be at most rank 2 but is rank {input.ndim}")
    _check_weights(input, weights)
    if is_late(input):
        note((input < 0).any(), _check_counted, (input,))
        input = input.clamp(min=0)
    else:
        _check_counted(input)
    # One more bin takes the numbers that are too large.
    places = input.clamp(max=bins)
    if input.ndim == 1 and not weights.numel() and not binary_output:
        return counts_of(places, bins + 1)[:bins].to(weights.dtype)
    places = places.long()
    counts = weights.new_zeros((*input.shape[:-1], bins + 1))
    added = weights if weights.numel() else weights.new_ones(()).expand(input.shape)
    counts = (
        counts.scatter(-1, places, 1) if binary_output else counts.scatter_add(-1, places, added)
    )
    return counts[..., :bins].contiguous()


def _check_counted(input: torch.Tensor) -> None:
    least = int(input.min()) if input.numel() else 0
    if least < 0:
        raise invalid_argument(
            "Input arr must be non-negative!"
            if input.ndim < 2
            else f"Input 'in' must be non-negative! Negative input value found: {least}"
        )


def _check_weights(input: torch.Tensor, weights: torch.Tensor) -> None:
    if weights.numel() and weights.shape != input.shape:
        raise invalid_argument(
            "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it "
            f"acts as all weights equal to 1. Received {runtime_text(weights.shape)}"
        )


def bincount_kernel(arr: torch.Tensor, size: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """How often, or with which weight, each of 0 .. size-1 is in a tensor."""
    _check_weights(arr, weights)
    return dense_bincount_kernel(arr.reshape(-1), size, weights.reshape(-1))


DENSE_BINCOUNT = op(
    "DenseBincount", "input: Tidx, size: Tidx, weights: T -> output: T", dense_bincount_kernel,
    None, checks=True, Tidx=dtypes.INDICES, T=_COUNTED,
    wait_reason=SIZE_ARGUMENT,
)  # fmt: skip
BINCOUNT = op(
    "Bincount", "arr: int32, size: int32, weights: T -> bins: T", bincount_kernel, None,
    checks=True, T=_COUNTED,
    wait_reason=SIZE_ARGUMENT,
)  # fmt: skip


def check_modes(weights: object, axis: int | None, binary_output: bool) -> None:
    """Raises ValueError unless numbers can be counted in this way."""
    if binary_output and weights is not None:
        raise ValueError(
            "Arguments `binary_output` and `weights` are mutually exclusive. Please specify only "
            "one."
        )
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently supported."
        )


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: DTypeLike | None = dtypes.int32,
    name: str | None = None,
    axis: int | None = None,
    binary_output: bool = False,
) -> Any:
    """Counts numbers of dense and ragged tensors; see `ops/sparse/dense_counts.py`."""
    check_modes(weights, axis, binary_output)
    arr = to_tensor(arr)
    if arr.dtype.is_floating or arr.dtype is dtypes.bool_:
        arr = cast(arr, dtypes.int32)
    if axis == -1 and isinstance(arr, Tensor) and (arr.shape.rank or 0) > 2:
        text = f"Shape must be at most rank 2 but is rank {arr.shape.rank}"
        raise wrong_argument(f"{text} [Op:DenseBincount] name: ", text)
    size = bins(arr, minlength, maxlength)
    if axis != -1 and arr.shape.rank != 1:
        arr = reshape(arr, [-1])
    if weights is None:
        weights = zeros([0], as_dtype(dtype))
    else:
        weights = to_tensor(weights) if axis == -1 else reshape(to_tensor(weights), [-1])
    return apply(DENSE_BINCOUNT, (arr, size, weights), {"binary_output": bool(binary_output)})


def bins(arr: Any, minlength: Any, maxlength: Any) -> Any:
    """How many counts there are: one more than the greatest number, between two lengths."""
    most = reduce_max(arr)  # the largest of nothing is the least integer
    # The integer after the greatest is negative, and refused.
    size = where(less(most, 0), cast(0, arr.dtype), add(most, 1))
    if minlength is not None:
        size = maximum(size, cast(to_tensor(minlength), arr.dtype))
    if maxlength is not None:
        size = minimum(size, cast(to_tensor(maxlength), arr.dtype))
    return size


def histogram_kernel(
    values: torch.Tensor, value_range: torch.Tensor, *, nbins: int, dtype: DType = dtypes.int32
) -> torch.Tensor:
    """How many values are in each of some bins of one width; those outside are in the end ones."""
    if value_range.shape != (2,):
        raise invalid_argument("value_range should be a vector of 2 elements.")
    _histogram_spec(Spec(None, dtypes.float32), Spec(None, dtypes.float32), nbins=nbins)
    low, high = _range(value_range)
    if values.is_floating_point():
        if is_late(values):
            note(values.isnan().any(), _refuse_nan, ())
        elif values.isnan().any():
            _refuse_nan()
    steps = values.reshape(-1).double().sub(low).div_((high - low) / nbins).clamp_(0, nbins - 1)
    # Infinities are in some bin as integers.
    return counts_of(steps.int().clamp_(0, nbins - 1), nbins).to(dtype.torch)


def _refuse_nan() -> NoReturn:
    raise invalid_argument("Histogram values must not contain NaN")


def _range(value_range: torch.Tensor) -> Any:
    """The two ends: plain numbers, or tensors where the host must not wait for them."""
    if not is_late(value_range):
        return _check_range(value_range)
    low, high = value_range.double().unbind()
    note(~(low < high), _check_range, (value_range,))
    return low, high


def _check_range(value_range: torch.Tensor) -> list[float]:
    low, high = value_range.tolist()
    if not low < high:
        raise invalid_argument(
            f"value_range should satisfy value_range[0] < value_range[1], but got '[{low}, {high}]'"
        )
    return [low, high]


def _histogram_spec(
    values: Spec, value_range: Spec, *, nbins: int, dtype: DType = dtypes.int32
) -> Spec:
    if nbins <= 0:
        raise invalid_argument(f"nbins should be a positive number, but got '{nbins}'")
    return Spec((nbins,), dtype)


HISTOGRAM = op(
    "HistogramFixedWidth", "values: T, value_range: T, nbins: host -> out: dtype",
    histogram_kernel, _histogram_spec, T=_COUNTED,
)  # fmt: skip


def histogram_fixed_width(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """Returns how many values are in each of some bins of one width (`tf.histogram_fixed_width`).

    Args:
        values: a tensor of numbers; those outside of the range count in the first or last bin.
        value_range: [low, high], of the same dtype.
        nbins: the number of bins.
        dtype: the dtype of the counts, int32 or int64.
        name: a name in graphs.

    Returns:
        A vector of nbins counts.

    Raises:
        InvalidArgumentError: low is not below high, or there is no bin.

    >>> histogram_fixed_width([0.0, 1.0, 9.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [1, 1, 0, 0, 1]
    """
    values = to_tensor(values)
    wanted = one_of("dtype", dtype, dtypes.INDICES)
    attrs = {"nbins": one_int(nbins, "nbins should be a scalar."), "dtype": wanted}
    return apply(HISTOGRAM, (values, like(value_range, values.dtype)), attrs)


def histogram_fixed_width_bins(
    values: TensorLike,
    value_range: TensorLike,
    nbins: TensorLike = 100,
    dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Returns in which of some bins of one width each value is, as int32
    (`tf.histogram_fixed_width_bins`); arguments as of `histogram_fixed_width`.

    Args:
        values: numbers.
        value_range: two numbers: where the first bin begins and the last one ends.
        nbins: how many bins.
        dtype: not used: places are int32.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: there is no bin, or dtypes differ.

    >>> histogram_fixed_width_bins([0.0, 1.0, 9.0], [0.0, 5.0], nbins=5).numpy().tolist()
    [0, 1, 4]
    """
    values, value_range = to_tensor(values), to_tensor(value_range)
    count = one_int(nbins, "nbins should be a scalar.")
    if count <= 0:
        raise invalid_argument(f"nbins should be a positive number, but got '{count}'")
    low, high = value_range[0], value_range[1]
    share = divide(subtract(values, low), subtract(high, low))
    places = multiply(to_tensor(count, values.dtype), share)
    return cast(clip_by_value(places, 0, count - 1), dtypes.int32)


def sequence_mask(
    lengths: TensorLike,
    maxlen: Any = None,
    dtype: DTypeLike = dtypes.bool_,
    name: str | None = None,
) -> Tensor:
    """Returns for each length as many Trues as it says, and then Falses (`tf.sequence_mask`).

    Args:
        lengths: a tensor of integers.
        maxlen: the size of the last axis of the mask; the largest length if None.
        dtype: the dtype of the mask.
        name: a name in graphs.

    Returns:
        A tensor of the shape of lengths and one more axis.

    Raises:
        ValueError: maxlen is no scalar.

    >>> sequence_mask([1, 3]).numpy().tolist()
    [[True, False, False], [True, True, True]]
    """
    lengths = to_tensor(lengths)
    if maxlen is None:
        maxlen = maximum(reduce_max(lengths), 0)
    maxlen = to_tensor(maxlen)
    if maxlen.shape.rank:
        shown = maxlen.numpy() if isinstance(maxlen, EagerTensor) else maxlen
        raise ValueError(
            "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = "
            f"{shown} with shape '{maxlen.shape}' instead"
        )
    places = range_(0, maxlen)
    mask = less(places, cast(expand_dims(lengths, -1), maxlen.dtype))
    out_dtype = as_dtype(dtype)
    return mask if out_dtype is dtypes.bool_ else cast(mask, out_dtype)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    weights: Any = None,
    dtype: DTypeLike | None = dtypes.int32,
    name: str | None = None,
) -> Any:
    """Returns how often each class was predicted for each class (`tf.math.confusion_matrix`).

    Args:
        labels: the classes, a vector of integers of at least 0.
        predictions: what was predicted for them.
        num_classes: the number of classes; the largest one and one if None.
        weights: what each prediction counts; 1 if None.
        dtype: the dtype of the counts.
        name: a name in graphs.

    Returns:
        A matrix: a row per class, a column per predicted class.

    Raises:
        InvalidArgumentError: a class is out of range, or there are not as many of both.
        ValueError: weights have another shape than predictions; in a graph, labels have.

    >>> confusion_matrix([0, 1, 1], [0, 1, 0]).numpy().tolist()
    [[1, 0], [1, 1]]
    """
    labels, predictions = _of_one_rank(to_tensor(labels), to_tensor(predictions))
    labels, predictions = cast(labels, dtypes.int64), cast(predictions, dtypes.int64)
    _check_pairs(labels, predictions)
    is_eager = isinstance(labels, EagerTensor) and isinstance(predictions, EagerTensor)
    if is_eager:
        count = _classes(labels, predictions, num_classes)
    else:
        if num_classes is None:
            num_classes = maximum(reduce_max(labels), reduce_max(predictions)) + 1
        count = one_int(num_classes, "num_classes must be a scalar, not shape {shape}")
    out_dtype = as_dtype(dtype)
    summed = dtypes.int32 if out_dtype is dtypes.bool_ else out_dtype
    amounts = _amounts(predictions, weights, summed)
    side = cast(num_classes, dtypes.int64) if isinstance(count, SymbolicValue) else count
    cells = labels * side + predictions
    if not is_eager:  # a class that is out of range becomes a cell that is, which the sum refuses
        is_wrong = (minimum(labels, predictions) < 0) | (maximum(labels, predictions) >= side)
        wrong = cast(is_wrong, dtypes.int64)
        cells = cells * (1 - wrong) + wrong * (side * side)
    counted = unsorted_segment_sum(amounts, cells, side * side)
    return cast(reshape(counted, [count, count]), out_dtype)


def _of_one_rank(labels: Tensor, predictions: Tensor) -> tuple[Any, Any]:
    """The one with one more axis without its last, if that has size 1."""
    if predictions.shape.rank is None or labels.shape.rank is None:
        return labels, predictions
    more = predictions.shape.rank - labels.shape.rank
    if more == 1 and predictions.shape[-1] == 1:
        predictions = squeeze(predictions, -1)
    elif more == -1 and labels.shape[-1] == 1:
        labels = squeeze(labels, -1)
    return labels, predictions


def _check_pairs(labels: Any, predictions: Any) -> None:
    if labels.shape.rank == 0:
        raise ValueError("Argument `axis` = 1 not in range [-1, 1)")
    if not labels.shape.is_compatible_with(predictions.shape):
        raise wrong_argument(
            "Shapes of all inputs must match: values[0].shape = "
            f"{runtime_text(labels.shape)} != values[1].shape = {runtime_text(predictions.shape)}",
            "Shapes must be equal, but labels have the shape "
            f"{runtime_text(labels.shape)} and predictions {runtime_text(predictions.shape)}",
        )


def _classes(labels: Any, predictions: Any, num_classes: Any) -> int:
    """The number of classes, after a look at all of them."""
    given = {"labels": labels, "predictions": predictions}
    for name, value in given.items():
        if one_number(reduce_min(value), name) < 0:
            raise invalid_argument(f"`{name}` contains negative values.")
    most = {name: one_number(reduce_max(value), name) for name, value in given.items()}
    if num_classes is None:
        if labels.shape.num_elements() == 0:
            raise invalid_argument("There are no labels to tell the number of classes from.")
        return max(most.values()) + 1
    count = one_int(num_classes, "num_classes must be a scalar, not shape {shape}")
    for name, value in most.items():
        if value >= count:
            raise invalid_argument(f"`{name}` out of bound\nCondition x < y did not hold.")
    return count


def _amounts(predictions: Any, weights: Any, dtype: DType) -> Any:
    if weights is None:
        return cast(ones_like(predictions), dtype)
    weights = to_tensor(weights)
    if not predictions.shape.is_compatible_with(weights.shape):
        raise ValueError(f"Shapes {predictions.shape} and {weights.shape} are incompatible")
    return cast(weights, dtype)
