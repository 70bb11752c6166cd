"""Signals in frames: frame, overlap_and_add, stft, mdct and their inverses, mel coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape
from ...base.typing import Axis, DTypeLike, TensorLike
from ...core.tensor import Tensor
from ...devices.constants import constants
from .. import infer
from ..arguments import host_value, one_number
from ..array.shaping import reshape, shape as shape_of
from ..convert import to_tensor
from ..infer import Spec
from ..math.elementwise import cast, multiply, rsqrt, square
from ..math.guarded import divide_no_nan
from ..math.reduction import reduce_sum
from ..op import apply, op
from .cosine import dct, idct
from .fourier import irfft, rfft
from .windows import hann_window, vorbis_window

Window = Callable[..., Any] | None


def frame_kernel(
    signal: torch.Tensor,
    *,
    frame_length: int,
    frame_step: int,
    pad_end: bool,
    pad_value: float,
    axis: int,
) -> torch.Tensor:
    """Pieces of an axis, each of which starts a step behind the one before."""
    axis = _axis(axis, signal.ndim)
    size = signal.shape[axis]
    count = _frames(size, frame_length, frame_step, pad_end)
    if count == 0 or frame_length == 0:
        dims = (*signal.shape[:axis], count, frame_length, *signal.shape[axis + 1 :])
        return signal.new_empty(dims)
    missing = (count - 1) * frame_step + frame_length - size
    if missing > 0:
        dims = (*signal.shape[:axis], missing, *signal.shape[axis + 1 :])
        signal = torch.cat([signal, signal.new_full(dims, pad_value)], axis)
    pieces = signal.unfold(axis, frame_length, frame_step).narrow(axis, 0, count)
    return pieces.movedim(-1, axis + 1).clone()


def _axis(axis: int, rank: int) -> int:
    if rank == 0:
        raise invalid_argument("[frame] signal must have an axis, got a scalar.")
    return axis % rank


def _frames(size: int, length: int, step: int, pad_end: bool) -> int:
    if step == 0:
        raise invalid_argument("Integer division by zero")
    return -(-size // step) if pad_end else max(0, 1 + (size - length) // step)


def _frame_spec(
    signal: Spec,
    *,
    frame_length: int,
    frame_step: int,
    pad_end: bool,
    pad_value: float,
    axis: int,
) -> Spec:
    dims = infer.known_dims(signal)
    axis = _axis(axis, len(dims))
    count = _frames(dims[axis], frame_length, frame_step, pad_end)
    return Spec((*dims[:axis], count, frame_length, *dims[axis + 1 :]), signal.dtype)


FRAME = op("_Frame", "signal: T -> frames: T", frame_kernel, _frame_spec, T=dtypes.ANY_FIXED)


def overlap_and_add_kernel(signal: torch.Tensor, *, frame_step: int) -> torch.Tensor:
    """Frames laid a step apart, added where they overlap."""
    *batch, count, length = signal.shape
    size = known_size(count, length, frame_step)
    flat = signal.reshape(*batch, count * length)
    places = _places(signal.device, count, length, frame_step)
    return signal.new_zeros((*batch, size)).index_add(-1, places, flat)


@constants
def _places(count: int, length: int, step: int) -> torch.Tensor:
    """Where in the sum each element of the frames goes."""
    return (torch.arange(count)[:, None] * step + torch.arange(length)).reshape(-1)


def known_size(count: int, length: int, step: int) -> int:
    """How long overlapping frames are together.

    Raises:
        InvalidArgumentError: they are laid no step apart.
    """
    if step < 1:
        raise invalid_argument(f"Paddings must be non-negative: 0 {step - length}")
    return length + step * (count - 1) if count else max(0, length - step)


def _overlap_spec(signal: Spec, *, frame_step: int) -> Spec:
    *batch, count, length = infer.known_dims(signal)
    return Spec((*batch, known_size(count, length, frame_step)), signal.dtype)


OVERLAP_AND_ADD = op(
    "_OverlapAndAdd", "signal: T -> sum: T", overlap_and_add_kernel, _overlap_spec,
    T=dtypes.NUMBERS,
)  # fmt: skip


def _check_single(*numbers: TensorLike) -> None:
    for number in numbers:
        dims = number.shape if isinstance(number, Tensor) else np.asarray(number).shape
        if dims.rank if isinstance(dims, TensorShape) else dims:
            raise ValueError(f"Shape {dims} must have rank 0")


def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: Any = 0,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """Returns pieces of an axis, which may overlap (`tf.signal.frame`).

    Args:
        signal: a tensor of rank 1 or more.
        frame_length: how long each piece is.
        frame_step: how far the next piece starts behind it.
        pad_end: also make pieces that reach beyond the end.
        pad_value: what stands there.
        axis: which axis.
        name: a name in graphs.

    Returns:
        A tensor with two axes, frames and places in them, for that axis.

    >>> frame([1, 2, 3, 4, 5], 3, 2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    """
    signal = to_tensor(signal)
    rank = signal.shape.rank  # None where only running the graph tells it: then the kernel looks
    if rank == 0:
        raise ValueError(f"Shape {signal.shape} must have rank at least 1")
    place = np.asarray(axis)
    _check_single(frame_length, frame_step, pad_value, place)
    if rank is not None and not -rank <= int(place) < rank:
        raise IndexError("list index out of range")
    attrs = {
        "frame_length": one_number(frame_length, "frame_length"),
        "frame_step": one_number(frame_step, "frame_step"),
        "pad_end": bool(pad_end),
        "pad_value": host_value(to_tensor(pad_value, hint=signal.dtype)).item() if pad_end else 0,
        "axis": int(place),
    }
    return apply(FRAME, (signal,), attrs)


def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """Frames laid a step apart, added where they overlap (`tf.signal.overlap_and_add`).

    Args:
        signal: a tensor of shape (..., frames, frame length).
        frame_step: the step.
        name: a name in graphs.

    Raises:
        ValueError: less than two axes.

    >>> overlap_and_add([[1, 2, 3], [4, 5, 6]], 1).numpy().tolist()
    [1, 6, 8, 6]
    """
    signal = to_tensor(signal)
    if signal.shape.rank in (0, 1):
        raise ValueError(f"Shape {signal.shape} must have rank at least 2")
    step = one_number(frame_step, "frame_step")
    return apply(OVERLAP_AND_ADD, (signal,), {"frame_step": step})


def _power_of_two(length: int) -> int:
    return 1 << max(0, length - 1).bit_length()


def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window = hann_window,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """Returns the Fourier transforms of the frames of signals (`tf.signal.stft`).

    Args:
        signals: a tensor of shape (..., samples).
        frame_length: samples in a frame.
        frame_step: samples from one frame to the next.
        fft_length: the length of a transform, by default the next power of two.
        window_fn: makes the window that frames are multiplied with; None for none.
        pad_end: also make frames that reach beyond the end.
        name: a name in graphs.

    Returns:
        Complex numbers of shape (..., frames, fft_length // 2 + 1).
    """
    length = one_number(frame_length, "frame_length")
    size = _power_of_two(length) if fft_length is None else one_number(fft_length, "length")
    frames = frame(signals, length, frame_step, pad_end)
    if window_fn is not None:
        frames = multiply(frames, window_fn(length, dtype=frames.dtype))
    return rfft(frames, [size])


def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Window = hann_window,
    name: str | None = None,
) -> Tensor:
    """Returns signals from the transforms of their frames (`tf.signal.inverse_stft`).

    Args:
        stfts: what `stft` returns.
        frame_length: samples in a frame.
        frame_step: samples from one frame to the next.
        fft_length: the length of a transform, by default the next power of two.
        window_fn: makes the window that frames are multiplied with; None for none.
        name: a name in graphs.
    """
    length = one_number(frame_length, "frame_length")
    size = _power_of_two(length) if fft_length is None else one_number(fft_length, "length")
    frames = irfft(to_tensor(stfts), [size])
    frames = apply(RESIZE, (frames,), {"length": length})
    if window_fn is not None:
        frames = multiply(frames, window_fn(length, dtype=frames.dtype))
    return overlap_and_add(frames, frame_step)


def resize_kernel(input: torch.Tensor, *, length: int) -> torch.Tensor:
    """The last axis cut, or padded with zeros, to a length."""
    missing = length - input.shape[-1]
    if missing > 0:
        return torch.nn.functional.pad(input, (0, missing))
    return input[..., :length].clone()


def _resize_spec(input: Spec, *, length: int) -> Spec:
    return Spec((*infer.known_dims(input)[:-1], length), input.dtype)


RESIZE = op("_Resize", "input: T -> output: T", resize_kernel, _resize_spec, T=dtypes.FLOATS)


def inverse_stft_window_fn(
    frame_step: TensorLike,
    forward_window_fn: Callable[..., Any] = hann_window,
    name: str | None = None,
) -> Callable[..., Any]:
    """The window for `inverse_stft` that undoes the one of `stft`
    (`tf.signal.inverse_stft_window_fn`).

    Args:
        frame_step: samples from one frame to the next.
        forward_window_fn: the window of `stft`.
        name: a name in graphs.

    Returns:
        A function of frame length and dtype.
    """
    step = one_number(frame_step, "frame_step")

    def inverse_window(frame_length: int, dtype: DTypeLike) -> Tensor:
        length = one_number(frame_length, "frame_length")
        forward = forward_window_fn(length, dtype=dtype)
        overlaps = -(-length // step)
        padded = apply(RESIZE, (square(forward),), {"length": overlaps * step})
        sums = reduce_sum(reshape(padded, [overlaps, step]), 0, keepdims=True)
        total = multiply(sums, np.ones((overlaps, 1)))
        total = reshape(total, [overlaps * step])
        total = apply(RESIZE, (total,), {"length": length})
        return divide_no_nan(forward, total)  # where no frame has weight, there is nothing to undo

    return inverse_window


def fold_kernel(frames: torch.Tensor) -> torch.Tensor:
    """Frames folded to half their length, as the transform of type 4 needs them."""
    a, b, c, d = frames.chunk(4, -1)
    return torch.cat([-c.flip(-1) - d, a - b.flip(-1)], -1)


def _fold_spec(frames: Spec) -> Spec:
    dims = infer.known_dims(frames)
    return Spec((*dims[:-1], dims[-1] // 2), frames.dtype)


def unfold_kernel(halves: torch.Tensor) -> torch.Tensor:
    """The transpose of `fold_kernel`."""
    first, second = halves.chunk(2, -1)
    return torch.cat([second, -second.flip(-1), -first.flip(-1), -first], -1)


def _unfold_spec(halves: Spec) -> Spec:
    dims = infer.known_dims(halves)
    return Spec((*dims[:-1], dims[-1] * 2), halves.dtype)


FOLD = op("_MdctFold", "frames: T -> halves: T", fold_kernel, _fold_spec, T=dtypes.WIDE)
UNFOLD = op("_MdctUnfold", "halves: T -> frames: T", unfold_kernel, _unfold_spec, T=dtypes.WIDE)


def _windowed(frames: Tensor, length: int, window_fn: Window) -> Tensor:
    if window_fn is None:
        return multiply(frames, 0.5**0.5)
    return multiply(frames, window_fn(length, dtype=frames.dtype))


def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Window = vorbis_window,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the modified cosine transforms of the frames of signals (`tf.signal.mdct`).

    Args:
        signals: a tensor of shape (..., samples).
        frame_length: samples in a frame, a multiple of 4; frames overlap by half.
        window_fn: makes the window that frames are multiplied with; None for a flat one.
        pad_end: also make frames that reach beyond the end.
        norm: None or "ortho".
        name: a name in graphs.

    Returns:
        A tensor of shape (..., frames, frame_length // 2).

    Raises:
        ValueError: `frame_length` is no multiple of 4, or `norm` is something else.
    """
    length = one_number(frame_length, "frame_length")
    if length % 4:
        raise ValueError("The frame length must be a multiple of 4.")
    frames = _windowed(frame(signals, length, length // 2, pad_end), length, window_fn)
    return dct(apply(FOLD, (frames,)), type=4, norm=norm)


def inverse_mdct(
    mdcts: Any,
    window_fn: Window = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns signals from the modified cosine transforms of their frames
    (`tf.signal.inverse_mdct`).

    Args:
        mdcts: what `mdct` returns.
        window_fn: the window of `mdct`.
        norm: the norm of `mdct`.
        name: a name in graphs.
    """
    mdcts = to_tensor(mdcts)
    half = mdcts.shape[-1]
    if half is None:  # TF: in these words
        raise ValueError("None values not supported.")
    halves = idct(mdcts, type=4, norm=norm)
    if norm is None:
        halves = multiply(halves, 0.5 / half)
    frames = _windowed(apply(UNFOLD, (halves,)), 2 * half, window_fn)
    return overlap_and_add(frames, half)


def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients (`tf.signal.mfccs_from_log_mel_spectrograms`).

    Args:
        log_mel_spectrograms: a tensor of shape (..., mel bins).
        name: a name in graphs.

    Raises:
        ValueError: there are no bins.
    """
    spectrograms = to_tensor(log_mel_spectrograms)
    bins = spectrograms.shape[-1]
    if bins == 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {log_mel_spectrograms}")
    if bins is None:  # TF: then none of them is no error
        count = cast(shape_of(spectrograms)[-1], spectrograms.dtype)
        return multiply(dct(spectrograms), rsqrt(2.0 * count))
    return multiply(dct(spectrograms), (2.0 * bins) ** -0.5)
