"""Arrays as parts of summaries: histograms, pictures, sounds, tensors."""

from __future__ import annotations

import functools
import io
import wave
from typing import Any

import numpy as np
from tensorboard.compat.proto.histogram_pb2 import HistogramProto
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto

from ..base.errors import invalid_argument
from ..ops.host_values import raw_of
from ..ops.image.encoding import encode_png_kernel
from ..ops.io.tensor_proto import serialize_kernel

Array = np.ndarray[Any, Any]
_LARGEST = float(np.finfo(np.float64).max)
_BAD_COLOUR = (255, 0, 0, 255)


@functools.cache
def bucket_limits() -> Array:
    """TF: the ends of a histogram's buckets grow by a tenth each, from 1e-12 on, on both sides."""
    ends, end = [], 1e-12
    while end < 1e20:
        ends.append(end)
        end *= 1.1
    above = np.array([*ends, _LARGEST])
    return np.concatenate([-above[::-1], [0.0], above])


def histogram(values: Array) -> Any:
    """The histogram of numbers; empty buckets side by side are one."""
    flat = values.astype(np.float64).reshape(-1)
    limits = bucket_limits()
    places = np.minimum(np.searchsorted(limits, flat, "right"), len(limits) - 1)
    counts = np.bincount(places, minlength=len(limits))
    found = HistogramProto(
        min=flat.min() if flat.size else _LARGEST, max=flat.max() if flat.size else -_LARGEST,
        num=flat.size, sum=flat.sum(), sum_squares=(flat * flat).sum(),
    )  # fmt: skip
    last_of_run = np.append((counts[:-1] > 0) | (counts[1:] > 0), True)
    found.bucket_limit.extend(limits[last_of_run].tolist())
    found.bucket.extend(counts[last_of_run].tolist())
    return found


def png(pixels: Array) -> bytes:
    """A picture of bytes as a PNG file."""
    made: bytes = encode_png_kernel(raw_of(np.ascontiguousarray(pixels)))[()]
    return made


def image(pixels: Array) -> Any:
    """The picture of an array of [height, width, channels]."""
    pixels = pixels if pixels.dtype == np.uint8 else _as_bytes(pixels.astype(np.float32))
    height, width, channels = pixels.shape
    return Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=png(pixels)
    )


def _as_bytes(pixels: Array) -> Array:
    """TF: numbers are stretched to 0..255; with negative ones among them, 0 becomes 128."""
    is_good = np.isfinite(pixels).all(-1)
    good = pixels[is_good]
    lowest, highest = (good.min(), good.max()) if good.size else (0.0, 0.0)
    largest = max(abs(lowest), abs(highest)) if lowest < 0 else highest
    room, offset = (127.0, 128.0) if lowest < 0 else (255.0, 0.0)
    scale = 0.0 if largest < 1e-6 else room / largest
    result = np.empty(pixels.shape, np.uint8)
    result[is_good] = (good * np.float32(scale) + np.float32(offset)).astype(np.uint8)
    result[~is_good] = _BAD_COLOUR[: pixels.shape[-1]]
    return result


def wav(samples: Array, rate: float) -> bytes:
    """Sound of [frames, channels], from -1 to 1, as a WAV file of 16 bits.

    Raises:
        InvalidArgumentError: the rate is not above 0.
    """
    if not rate > 0:
        raise invalid_argument(f"sample_rate must be > 0, got: {rate:g}")
    numbers = np.clip(np.rint(samples.astype(np.float32) * 32768.0), -32768, 32767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(samples.shape[-1])
        writer.setsampwidth(2)
        writer.setframerate(max(1, round(rate)))
        writer.writeframes(numbers.tobytes())
    return file.getvalue()


def audio(samples: Array, rate: float) -> Any:
    """The sound of an array of [frames, channels]."""
    frames, channels = samples.shape
    return Summary.Audio(
        sample_rate=rate, num_channels=channels, length_frames=frames,
        encoded_audio_string=wav(samples, rate), content_type="audio/wav",
    )  # fmt: skip


def tensor(raw: Any) -> Any:
    """A raw value as a `TensorProto`."""
    return TensorProto.FromString(serialize_kernel(raw)[()])
