"""Pooling as programs call it: `tf.nn.max_pool`, `tf.nn.avg_pool` and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.dtypes import DType
from ...base.errors import invalid_argument
from ...base.typing import IntsLike, TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ..arguments import one_of, static_ints
from ..array.shaping import ensure_shape, expand_dims, squeeze
from ..array.space import batch_to_space, space_to_batch
from ..convert import to_tensor
from ..deferred import deferrable
from ..op import Op, apply
from .pool_kernels import (
    AVG_POOL,
    AVG_POOL3D,
    MAX_POOL,
    MAX_POOL3D,
    MAX_POOL3D_KEEPING,
    MAX_POOL_KEEPING,
    MAX_POOL_WITH_ARGMAX,
)
from .window import FORMATS, check_layout, is_last, padding_of, sequence_of, space_of

_MAX = {2: MAX_POOL, 3: MAX_POOL3D}
_MAX_KEEPING = {2: MAX_POOL_KEEPING, 3: MAX_POOL3D_KEEPING}
_MEAN = {2: AVG_POOL, 3: AVG_POOL3D}


def _pool(
    records: dict[int, Op],
    rank: int,
    input: TensorLike,
    ksize: IntsLike | None,
    strides: IntsLike | None,
    padding: TensorLike,
    data_format: str | None,
) -> Tensor:
    layout = data_format or FORMATS[rank][0]
    is_max = records is _MAX
    kind, explicit = _padding_of(padding, rank, layout) if is_max else (_named(padding), ())
    check_layout(layout, rank)
    input = to_tensor(input)
    attrs = {
        "ksize": sequence_of(ksize, rank, layout, "ksize"),
        "strides": sequence_of(strides, rank, layout, "strides"),
        "padding": kind,
        "data_format": layout,
    }
    if explicit:
        attrs["explicit_paddings"] = explicit
    if rank > 1:
        return _applied(records, rank, input, attrs)
    return _of_sequence(records, input, attrs)


def _applied(records: dict[int, Op], rank: int, input: Tensor, attrs: dict[str, Any]) -> Tensor:
    # While a tape listens, the places of maxima are kept: finding them again costs as much.
    if records is _MAX and LOCAL.state.tapes and input.dtype in dtypes.FLOATS:
        return apply(_MAX_KEEPING[rank], (input,), attrs)[0]
    return apply(records[rank], (input,), attrs)


def _padding_of(padding: Any, rank: int, layout: str) -> tuple[str, tuple[int, ...]]:
    """A padding of maxima, with its sizes if these are listed, which volumes know not."""
    if not isinstance(padding, str):
        if layout == "NCHW_VECT_C":
            raise ValueError(
                "`data_format='NCHW_VECT_C'` is not supported with explicit padding. Received: "
                f"padding={padding}"
            )
        if rank == 3:
            raise ValueError(
                "Explicit padding is not supported with an input tensor of rank 5. Received: "
                f"padding={padding}"
            )
    return padding_of(padding, rank)


def _named(padding: TensorLike) -> str:
    """A padding that has a name; means know no other."""
    if not isinstance(padding, str):
        raise TypeError(f"Expected string for argument 'padding' not {padding!r}.")
    if padding == "EXPLICIT":
        raise invalid_argument(
            "Value for attr 'padding' of \"EXPLICIT\" is not in the list of allowed values: "
            '"SAME", "VALID"'
        )
    return padding


def _of_sequence(records: dict[int, Op], input: Tensor, attrs: dict[str, Any]) -> Tensor:
    """Pooling of a sequence, as that of images of height 1."""
    layout = attrs["data_format"]
    height = 1 if is_last(layout) else 2
    taller = {
        name: (*attrs[name][:height], 1, *attrs[name][height:]) for name in ("ksize", "strides")
    }
    if "explicit_paddings" in attrs:
        ends = attrs["explicit_paddings"]
        taller["explicit_paddings"] = (*ends[: 2 * height], 0, 0, *ends[2 * height :])
    wider = {**attrs, **taller, "data_format": "NHWC" if is_last(layout) else "NCHW"}
    return squeeze(_applied(records, 2, expand_dims(input, height), wider), [height])


def max_pool(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the largest value in windows over one to three dimensions (`tf.nn.max_pool`).

    Args:
        input: a tensor of shape (batch, space, channels), or (batch, channels, space).
        ksize: the sizes of the window: one number, one per dimension of space, or of the tensor.
        strides: how far the window moves, likewise.
        padding: "SAME", "VALID", or a list of (before, after) per dimension.
        data_format: a layout such as "NHWC" or "NCW"; None for channels last.
        name: a name in graphs.

    Raises:
        ValueError: arguments of a wrong form.
        InvalidArgumentError: the window does not fit.

    >>> max_pool([[[1.0], [3.0], [2.0]]], 2, 1, "VALID").numpy().reshape(-1).tolist()
    [3.0, 3.0]
    """
    return _pool(_MAX, *_rank_of(input, data_format), ksize, strides, padding, data_format)


def avg_pool(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the mean in windows over one to three dimensions, without padding (`tf.nn.avg_pool`).

    Args:
        input: a tensor of shape (batch, space, channels), or (batch, channels, space).
        ksize: the sizes of the window: one number, one per dimension of space, or of the tensor.
        strides: how far the window moves, likewise.
        padding: "SAME" or "VALID".
        data_format: a layout such as "NHWC" or "NCW"; None for channels last.
        name: a name in graphs.

    >>> avg_pool([[[1.0], [3.0], [2.0]]], 2, 2, "SAME").numpy().reshape(-1).tolist()
    [2.0, 2.0]
    """
    return _pool(_MEAN, *_rank_of(input, data_format), ksize, strides, padding, data_format)


def _rank_of(input: TensorLike, data_format: str | None) -> tuple[int, Any]:
    """(the number of dimensions of space, the input as a tensor)."""
    input = to_tensor(input)
    rank = (input.shape.rank or 0) - 2
    if rank not in FORMATS:
        raise ValueError(
            "`input.shape.rank` must be 3, 4 or 5. Received: input.shape="
            f"{input.shape} of rank {input.shape.rank}."
        )
    return rank, input


def max_pool1d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Applies `max_pool` to sequences (`tf.nn.max_pool1d`).

    Args:
        input: sequences, shape (batch, steps, channels).
        ksize: the size of the window: one number, a list of one or one per axis.
        strides: how far apart windows are: one number, a list of one or one per axis.
        padding: as of `max_pool`.
        data_format: the order of the axes.
        name: a name in graphs.
    """
    return _pool(_MAX, 1, input, ksize, strides, padding, data_format)


def max_pool2d(
    input: TensorLike,
    ksize: IntsLike | None,
    strides: IntsLike | None,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Applies `max_pool` to images (`tf.nn.max_pool2d`).

    Args:
        input: images, shape (batch, height, width, channels).
        ksize: the size of the window: one number, two or one per axis.
        strides: how far apart windows are: one number, two or one per axis.
        padding: as of `max_pool`.
        data_format: the order of the axes.
        name: a name in graphs.
    """
    return _pool(_MAX, 2, input, ksize, strides, padding, data_format)


def max_pool3d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Applies `max_pool` to volumes (`tf.nn.max_pool3d`).

    Args:
        input: volumes, shape (batch, depth, height, width, channels).
        ksize: the size of the window: one number, three or one per axis.
        strides: how far apart windows are: one number, three or one per axis.
        padding: as of `max_pool`.
        data_format: the order of the axes.
        name: a name in graphs.
    """
    return _pool(_MAX, 3, input, ksize, strides, padding, data_format)


def avg_pool1d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NWC",
    name: str | None = None,
) -> Tensor:
    """Applies `avg_pool` to sequences (`tf.nn.avg_pool1d`).

    Args:
        input: sequences, shape (batch, steps, channels).
        ksize: the size of the window: one number, a list of one or one per axis.
        strides: how far apart windows are: one number, a list of one or one per axis.
        padding: as of `avg_pool`.
        data_format: the order of the axes.
        name: a name in graphs.
    """
    return _pool(_MEAN, 1, input, ksize, strides, padding, data_format)


def avg_pool2d(
    input: TensorLike,
    ksize: IntsLike | None,
    strides: IntsLike | None,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Tensor:
    """Applies `avg_pool` to images (`tf.nn.avg_pool2d`).

    Args:
        input: images, shape (batch, height, width, channels).
        ksize: the size of the window: one number, two or one per axis.
        strides: how far apart windows are: one number, two or one per axis.
        padding: as of `avg_pool`.
        data_format: the order of the axes.
        name: a name in graphs.
    """
    return _pool(_MEAN, 2, input, ksize, strides, padding, data_format)


def avg_pool3d(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str | Sequence[Sequence[int]],
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """Applies `avg_pool` to volumes (`tf.nn.avg_pool3d`).

    Args:
        input: volumes, shape (batch, depth, height, width, channels).
        ksize: the size of the window: one number, three or one per axis.
        strides: how far apart windows are: one number, three or one per axis.
        padding: as of `avg_pool`.
        data_format: the order of the axes.
        name: a name in graphs.
    """
    return _pool(_MEAN, 3, input, ksize, strides, padding, data_format)


class MaxPoolWithArgmax(NamedTuple):
    """The maxima, and the place of each."""

    output: Any
    argmax: Any


def max_pool_with_argmax(
    input: TensorLike,
    ksize: IntsLike,
    strides: IntsLike,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: DType = dtypes.int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the largest values in windows, and where they are (`tf.nn.max_pool_with_argmax`).

    Args:
        input: images of shape (batch, height, width, channels).
        ksize: the sizes of the window: 1, 2 or 4 numbers.
        strides: how far it moves, likewise.
        padding: "SAME" or "VALID".
        data_format: "NHWC".
        output_dtype: int32 or int64, of the places.
        include_batch_in_index: count places over the whole batch, not in each image.
        name: a name in graphs.

    Returns:
        (values, places), a place being (y * width + x) * channels + channel.
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other than 'NHWC' are not supported. Received: {data_format}"
        )
    attrs = {
        "ksize": sequence_of(ksize, 2, data_format, "ksize"),
        "strides": sequence_of(strides, 2, data_format, "strides"),
        "padding": padding,
        "Targmax": one_of("Targmax", output_dtype, dtypes.INDICES),
        "include_batch_in_index": bool(include_batch_in_index),
    }
    return MaxPoolWithArgmax(*apply(MAX_POOL_WITH_ARGMAX, (to_tensor(input),), attrs))


def pool(
    input: TensorLike,
    window_shape: IntsLike,
    pooling_type: str,
    strides: IntsLike | None = None,
    padding: str = "VALID",
    data_format: str | None = None,
    dilations: IntsLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Does pooling with windows whose places may be apart (`tf.nn.pool`).

    Args:
        input: a tensor of shape (batch, space, channels), one to three dimensions of space.
        window_shape: the sizes of the window in space.
        pooling_type: "AVG" or "MAX".
        strides: how far it moves; None for 1.
        padding: "SAME" or "VALID"; with dilations only "VALID".
        data_format: a layout such as "NHWC"; None for channels last.
        dilations: the distance between the places of a window; None for 1.
        name: a name in graphs.

    Raises:
        ValueError: arguments of a wrong form, dilations with SAME or with strides.
    """
    input = to_tensor(input)
    window = static_ints(window_shape, "window_shape")
    rank = len(window)
    if rank not in FORMATS:
        raise ValueError(
            "`len(window_shape)` must be 1, 2 or 3. Received: window_shape="
            f"{window_shape} of length {rank}"
        )
    if input.shape.rank is None:
        input = ensure_shape(input, [None] * (rank + 2))
    if input.shape.rank != rank + 2:
        raise ValueError(f"Shape {input.shape} must have rank {rank + 2}")
    layout = data_format or FORMATS[rank][0]
    steps = _per_dimension(strides, rank, "strides")
    far = _per_dimension(dilations, rank, "dilations")
    if pooling_type not in ("AVG", "MAX"):
        raise ValueError(
            f"`pooling_type` must be one of ('AVG', 'MAX'). Received: pooling_type={pooling_type}"
        )
    records = _MEAN if pooling_type == "AVG" else _MAX
    if max(far) > 1 and padding == "SAME":
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: "
            f"padding={padding} and dilation_rate={list(far)}"
        )
    if any(step > wide for step, wide in zip(steps, window, strict=True)):
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={list(steps)} and window_shape={list(window)}"
        )
    if max(far) == 1:
        return _pool(records, rank, input, window, steps, padding, layout)
    if max(steps) > 1:
        raise ValueError(
            "`strides > 1` is not supported in conjunction with `dilations > 1`. Received: "
            f"strides={strides} and dilations={dilations}"
        )
    return _dilated(records, input, window, layout, far)


def _per_dimension(value: object, rank: int, name: str) -> tuple[int, ...]:
    numbers = (1,) * rank if value is None else static_ints(value, name)
    if len(numbers) != rank:
        raise ValueError(
            f"`len({name})` must be {rank}, one per spatial dimension. Received: {name}={value}"
        )
    if min(numbers) < 1:
        raise ValueError(f"All values of `{name}` must be positive. Received: {name}={value}")
    return numbers


@deferrable
def _dilated(
    records: dict[int, Op], input: Tensor, window: tuple[int, ...], layout: str,
    far: tuple[int, ...],
) -> Tensor:  # fmt: skip
    """Pooling of every `far`-th place, by moving those between into the batch."""
    rank = len(window)
    sizes = space_of(input.shape.as_list(), layout)
    rests = [-size % each for size, each in zip(sizes, far, strict=True)]
    ends = [(0, rest) for rest in rests]
    if is_last(layout):
        parts = space_to_batch(input, far, ends)
        return batch_to_space(_pool(records, rank, parts, window, 1, "VALID", layout), far, ends)
    parts = space_to_batch(input, (1, *far), [(0, 0), *ends])
    made = _pool(records, rank, parts, window, 1, "VALID", layout)
    return batch_to_space(made, (1, *far), [(0, 0), *ends])
