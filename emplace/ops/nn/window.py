"""Windows that slide over images: their sizes, strides, paddings and layouts, for conv and pooling.

TensorFlow lists strides, window sizes and dilations per dimension of the tensor, batch and channels
included; torch lists those of the space only, pads both ends alike and wants channels first. This
file turns the one into the other. An NHWC tensor seen through `permute` is what torch calls
channels_last: nothing is copied for it.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from ...base.errors import InvalidArgumentError, OpError, UnimplementedError, invalid_argument
from ...base.shapes import Dims

Ints = tuple[int, ...]

# What kernels refuse and shape rules do not, so that a graph says so when it runs.
Refusal = tuple[type[OpError], str]

PADDINGS = ("SAME", "VALID", "EXPLICIT")
FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


class Slide(NamedTuple):
    """How windows slide along the space: output sizes, and what is padded before and after."""

    out: Dims
    before: Ints
    after: Ints

    @property
    def is_even(self) -> bool:
        """True if both ends are padded alike, as torch can."""
        return self.before == self.after


@functools.lru_cache(4096)
def slide(
    sizes: Dims, window: Ints, strides: Ints, dilations: Ints, padding: str, explicit: Ints
) -> Slide:
    """How windows slide along the space.

    Args:
        sizes: the sizes of the input's space; None where unknown.
        window: the sizes of the window there.
        strides: its steps.
        dilations: the distance of its taps.
        padding: "SAME", "VALID" or "EXPLICIT".
        explicit: (before, after) of each dimension, laid flat, for "EXPLICIT".

    Raises:
        InvalidArgumentError: the window is larger than the padded input.
    """
    out: list[int | None] = []
    before, after = [], []
    for i, (size, taps, step, far) in enumerate(
        zip(sizes, window, strides, dilations, strict=True)
    ):
        extent = (taps - 1) * far + 1
        low = high = 0
        if padding == "EXPLICIT":
            low, high = explicit[2 * i : 2 * i + 2]
        elif padding == "SAME" and size is not None:
            missing = max(0, ((size + step - 1) // step - 1) * step + extent - size)
            low, high = missing // 2, missing - missing // 2
        out.append(None if size is None else _places(size + low + high, extent, step, padding))
        before.append(low)
        after.append(high)
    return Slide(tuple(out), tuple(before), tuple(after))


def _places(size: int, extent: int, step: int, padding: str) -> int:
    if padding == "SAME":
        return (size - extent) // step + 1 if size >= extent else 0
    count = (size - extent + step) // step
    if -step < size - extent + step < 0:  # TF's division leaves out what is behind the point
        return 0
    if count < 0:
        raise invalid_argument(
            f"Computed output size would be negative: {count} [input_size: {size}, "
            f"effective_filter_size: {extent}, stride: {step}]"
        )
    return count


def bounded_steps(steps: Ints, sizes: Dims, found: Slide) -> Ints:
    """The steps of a slide, none longer than the padded input: those make one window, too, and
    torch's kernels multiply them in 32 bits.
    """
    ends = zip(steps, sizes, found.before, found.after, strict=True)
    return tuple(
        step if size is None else min(step, max(1, low + size + high))
        for step, size, low, high in ends
    )


def is_last(data_format: str) -> bool:
    """True for layouts with the channels at the end (NHWC)."""
    return data_format[-1] == "C"


def space_of(values: Sequence[Any], data_format: str) -> tuple[Any, ...]:
    """The entries of a per-dimension list that belong to the space."""
    return tuple(values[1:-1]) if data_format[-1] == "C" else tuple(values[2:])


def laid_out(batch: Any, space: Sequence[Any], channels: Any, data_format: str) -> tuple[Any, ...]:
    """A per-dimension list in the order of the layout."""
    if data_format[-1] == "C":
        return (batch, *space, channels)
    return (batch, channels, *space)


def channels_of(values: Sequence[Any], data_format: str) -> Any:
    """The entry of a per-dimension list that belongs to the channels."""
    return values[-1] if data_format[-1] == "C" else values[1]


_TO_FIRST = {3: (0, 2, 1), 4: (0, 3, 1, 2), 5: (0, 4, 1, 2, 3)}
_TO_LAST = {3: (0, 2, 1), 4: (0, 2, 3, 1), 5: (0, 2, 3, 4, 1)}


def channels_first(x: torch.Tensor, data_format: str) -> torch.Tensor:
    """The tensor as torch wants to see it; a view."""
    return x.permute(_TO_FIRST[x.ndim]) if data_format[-1] == "C" else x


def as_given(x: torch.Tensor, data_format: str) -> torch.Tensor:
    """What torch returned, in the layout that was asked for; a view."""
    return x.permute(_TO_LAST[x.ndim]) if data_format[-1] == "C" else x


def torch_pads(before: Ints, after: Ints) -> Ints:
    """Paddings in the order of torch's `pad`: the last dimension first."""
    pads: list[int] = []
    for low, high in zip(reversed(before), reversed(after), strict=True):
        pads += (low, high)
    return tuple(pads)


def cropped(x: torch.Tensor, before: Ints, sizes: Sequence[int], data_format: str) -> torch.Tensor:
    """The inside of a channels-first tensor, without what was padded, laid out anew."""
    for axis, (low, size) in enumerate(zip(before, sizes, strict=True), 2):
        x = x.narrow(axis, low, size)
    return as_given(x, data_format).contiguous()


def check_attrs(
    values: dict[str, Ints],
    data_format: str,
    padding: str,
    explicit: Ints,
    rank: int,
) -> None:
    """Raises InvalidArgumentError unless these are attributes of windows over `rank` dimensions
    of space.
    """
    check_layout(data_format, rank)
    if padding not in PADDINGS:
        raise invalid_argument(
            f"Value for attr 'padding' of \"{padding}\" is not in the list of allowed values: "
            f"{', '.join(f'{name!r}' for name in PADDINGS)}"
        )
    for name, numbers in values.items():
        _check_numbers(name, numbers, rank)
    if padding == "EXPLICIT":
        _check_explicit(explicit, data_format, rank)
    elif explicit:
        raise invalid_argument(
            "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
        )


def check_layout(data_format: object, rank: int) -> None:
    """Raises InvalidArgumentError unless this is a layout of `rank` dimensions of space."""
    if data_format not in FORMATS[rank]:
        raise invalid_argument(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed "
            f"values: {', '.join(f'{name!r}' for name in FORMATS[rank])}"
        )


def _check_numbers(name: str, numbers: Ints, rank: int) -> None:
    if len(numbers) != rank + 2:
        raise invalid_argument(f"Sliding window {name} field must specify {rank + 2} dimensions")
    worst = next((number for number in numbers if number <= 0), None)
    if worst is None or name == "ksize":
        return
    if name == "strides":
        raise invalid_argument(f"Stride must be > 0, but got {worst}")
    raise invalid_argument(f"Dilation rate must be >= 1, but got {worst}")


def pooling_refusal(ksize: Ints, strides: Ints) -> Refusal | None:
    """What pooling kernels refuse of windows and steps, if anything."""
    if min(ksize) <= 0:
        sizes = ",".join(map(str, ksize))
        return InvalidArgumentError, (
            "Sliding window ksize must be positive. The specified or inferred ksize is: " + sizes
        )
    if ksize[0] != 1 or strides[0] != 1:
        return UnimplementedError, "Pooling is not yet supported on the batch dimension."
    return None


def sliding_refusal(strides: Ints, dilations: Ints, data_format: str) -> Refusal | None:
    """What convolutions refuse of steps and distances, if anything."""
    for kind, name, numbers in (
        (UnimplementedError, "strides", strides), (InvalidArgumentError, "dilations", dilations),
    ):  # fmt: skip
        if numbers[0] != 1 or channels_of(numbers, data_format) != 1:
            return kind, (
                f"Current implementation does not yet support {name} in the batch and depth "
                "dimensions."
            )
    return None


def raise_refusal(refusal: Refusal) -> None:
    """Raises what a kernel refuses."""
    kind, text = refusal
    raise kind(None, None, text)


def _check_explicit(explicit: Ints, data_format: str, rank: int) -> None:
    if len(explicit) != 2 * (rank + 2):
        raise invalid_argument(
            f"explicit_paddings attribute must contain {2 * (rank + 2)} values, but got: "
            f"{len(explicit)}"
        )
    if min(explicit) < 0:
        raise invalid_argument("All elements of explicit_paddings must be nonnegative")
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True))
    if any(pairs[0]) or any(channels_of(pairs, data_format)):
        raise invalid_argument(
            "Nonzero explicit padding in the batch or depth dimensions is not supported"
        )


def explicit_space(explicit: Ints, data_format: str) -> Ints:
    """The explicit paddings of the space alone."""
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True))
    return tuple(size for pair in space_of(pairs, data_format) for size in pair)


def without_explicit(kernel: Callable[..., Any], is_without: bool) -> Callable[..., Any]:
    """The kernel, not asking for explicit paddings where its op knows none (`is_without`)."""
    if is_without:
        signature = inspect.signature(kernel, eval_str=True)
        kept = [each for each in signature.parameters.values() if each.name != "explicit_paddings"]
        kernel.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return kernel


def sequence_of(value: Any, rank: int, data_format: str, name: str) -> Ints:
    """Strides or the like as public functions take them, as one number per dimension of the
    tensor: one number, one per dimension of the space, or all.

    Raises:
        ValueError: their count is another one.
    """
    numbers = [1] if value is None else list(value) if _is_sequence(value) else [value]
    numbers = [int(number) for number in numbers]
    if len(numbers) == rank + 2:
        return tuple(numbers)
    if len(numbers) == 1:
        numbers = numbers * rank
    if len(numbers) != rank:
        raise ValueError(
            f"`{name}` should be of length 1, {rank} or {rank + 2}. Received: {name}={value} of "
            f"length {len(numbers)}"
        )
    return laid_out(1, numbers, 1, data_format)


def _is_sequence(value: object) -> bool:
    return hasattr(value, "__len__") and getattr(value, "ndim", 1) != 0


def padding_of(padding: Any, rank: int) -> tuple[str, Ints]:
    """Padding as public functions take it: (its name, explicit paddings laid flat).

    Raises:
        ValueError: a list of another form.
    """
    if isinstance(padding, str):
        if padding == "EXPLICIT":
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, "
                "`padding` must be a list."
            )
        return padding, ()
    if not isinstance(padding, (list, tuple)):
        raise ValueError(f"`padding` must be a string or a list. Received: padding={padding}")
    flat: list[int] = []
    for i, ends in enumerate(padding):
        if not isinstance(ends, (list, tuple)) or len(ends) != 2:
            raise ValueError(
                f"When `padding` is a list, each element of `padding` must be a list/tuple of "
                f"size 2. Element with index {i} of `padding` has the value {ends}."
            )
        flat += [int(end) for end in ends]
    if len(padding) != rank + 2:
        raise ValueError(
            f"When padding is a list, it must be of size {rank + 2}. Received: "
            f"padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", tuple(flat)
