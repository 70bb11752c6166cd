"""`tf.summary` of TF 2: numbers, distributions, pictures, sounds and texts for TensorBoard."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from tensorboard.plugins.audio import metadata as audio_metadata
from tensorboard.plugins.histogram import metadata as histogram_metadata
from tensorboard.plugins.image import metadata as image_metadata
from tensorboard.plugins.scalar import metadata as scalar_metadata
from tensorboard.plugins.text import metadata as text_metadata

from ..base import dtypes
from ..base.typing import IntLike
from ..core.summaries import STATE
from ..core.tensor import torch_to_numpy
from ..ops.array.making import constant
from ..ops.convert import to_tensor
from ..ops.host_values import raw_of
from ..ops.image.color import convert_image_dtype
from ..ops.math.elementwise import cast
from ..ops.strings.basic import text_array
from . import encoding
from .writers import summary_scope, tensor_summary, write_with

Array = np.ndarray[Any, Any]
_BUCKETS = 30


def scalar(
    name: str, data: Any, step: IntLike | None = None, description: str | None = None
) -> Any:
    """Writes one number (`tf.summary.scalar`).

    Args:
        name: its name in TensorBoard, below the open name scope.
        data: a real number or a scalar tensor; it becomes float32.
        step: its step; the default one if None.
        description: what TensorBoard says about it, in Markdown.

    Returns:
        Whether it was written, as a bool tensor: not without a writer, or outside `record_if`.

    Raises:
        ValueError: there is no step, or `data` is no scalar.

    >>> bool(scalar("loss", 0.5, step=1))  # there is no writer
    False
    """
    if STATE.writer is None:
        return constant(False)
    with summary_scope(name, "scalar_summary") as (tag, _):
        data = to_tensor(data)
        if data.shape.rank not in (None, 0):
            raise ValueError(f"Expected scalar shape, saw shape: {data.shape}.")
        metadata = scalar_metadata.create_summary_metadata(None, description)
        encode = functools.partial(tensor_summary, tag, metadata.SerializeToString())
        return write_with(encode, cast(data, dtypes.float32), step)


def histogram(
    name: str, data: Any, step: IntLike | None = None, buckets: int | None = None,
    description: str | None = None,
) -> Any:  # fmt: skip
    """Writes how numbers are distributed (`tf.summary.histogram`).

    Args:
        name: see `scalar`.
        data: real numbers, of any shape; those that are not finite are left out.
        step: see `scalar`.
        buckets: into how many parts of one width their range is cut; 30 if None.
        description: see `scalar`.

    Returns:
        Whether it was written, as a bool tensor.

    Raises:
        ValueError: there is no step.
    """
    if STATE.writer is None:
        return constant(False)
    with summary_scope(name, "histogram_summary") as (tag, _):
        metadata = histogram_metadata.create_summary_metadata(None, description)
        packed, count = metadata.SerializeToString(), _BUCKETS if buckets is None else int(buckets)

        def encode(raw: Any) -> Any:
            table = bucket_table(torch_to_numpy(raw), count)
            return tensor_summary(tag, packed, raw_of(table))

        return write_with(encode, data, step)


def bucket_table(values: Array, count: int) -> Array:
    """Where each bucket begins and ends, and how many numbers are in it: [count, 3]."""
    flat = values.astype(np.float64).reshape(-1)
    flat = flat[np.isfinite(flat)]
    if not flat.size or not count:
        return np.zeros((count, 3))
    lowest, highest = flat.min(), flat.max()
    edges = np.linspace(lowest, highest, count + 1)
    if lowest == highest:  # all in the last one
        places = np.full(flat.size, count - 1)
    else:
        places = np.floor((flat - lowest) / ((highest - lowest) / count)).astype(np.int64)
    numbers = np.bincount(np.minimum(places, count - 1), minlength=count)
    return np.stack([edges[:-1], edges[1:], numbers], 1)


def image(
    name: str,
    data: Any,
    step: IntLike | None = None,
    max_outputs: int = 3,
    description: str | None = None,
) -> Any:
    """Writes some pictures (`tf.summary.image`).

    Args:
        name: see `scalar`.
        data: [batch, height, width, channels]: bytes, or numbers from 0 to 1; 1 to 4 channels.
        step: see `scalar`.
        max_outputs: how many of the batch.
        description: see `scalar`.

    Returns:
        Whether it was written, as a bool tensor.

    Raises:
        ValueError: there is no step, or the shape is another.
    """
    if STATE.writer is None:
        return constant(False)
    with summary_scope(name, "image_summary") as (tag, _):
        data = _of_rank(data, 4)
        metadata = image_metadata.create_summary_metadata(None, description)
        packed = metadata.SerializeToString()

        def encode(raw: Any) -> Any:
            pixels = torch_to_numpy(raw)
            height, width = (str(size).encode() for size in pixels.shape[1:3])
            files = [encoding.png(picture) for picture in pixels[:max_outputs]]
            texts = [width, height, *files]
            return tensor_summary(tag, packed, text_array(texts, (len(texts),)))

        return write_with(encode, convert_image_dtype(data, dtypes.uint8, saturate=True), step)


def audio(
    name: str, data: Any, sample_rate: Any, step: IntLike | None = None, max_outputs: int = 3,
    encoding: str | None = None, description: str | None = None,
) -> Any:  # fmt: skip
    """Writes some sounds (`tf.summary.audio`).

    Args:
        name: see `scalar`.
        data: [batch, frames, channels], from -1 to 1.
        sample_rate: frames per second.
        step: see `scalar`.
        max_outputs: how many of the batch.
        encoding: "wav" or None.
        description: see `scalar`.

    Returns:
        Whether it was written, as a bool tensor.

    Raises:
        ValueError: there is no step, or the shape or the encoding is another.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")
    if STATE.writer is None:
        return constant(False)
    with summary_scope(name, "audio_summary") as (tag, _):
        data = cast(_of_rank(data, 3), dtypes.float32)
        kind = audio_metadata.Encoding.Value("WAV")
        metadata = audio_metadata.create_summary_metadata(None, description, kind)
        rate = float(sample_rate)
        encode = functools.partial(_sounds, tag, metadata.SerializeToString(), rate, max_outputs)
        return write_with(encode, data, step)


def _sounds(tag: str, metadata: bytes, rate: float, most: int, raw: Any) -> Any:
    files = [encoding.wav(each, rate) for each in torch_to_numpy(raw)[:most]]
    texts = [part for file in files for part in (file, b"")]
    return tensor_summary(tag, metadata, text_array(texts, (len(files), 2)))


def text(name: str, data: Any, step: IntLike | None = None, description: str | None = None) -> Any:
    """Writes texts, which TensorBoard shows as Markdown (`tf.summary.text`).

    Args:
        name: see `scalar`.
        data: strings.
        step: see `scalar`.
        description: see `scalar`.

    Returns:
        Whether it was written, as a bool tensor.

    Raises:
        ValueError: there is no step.
        TypeError: `data` holds no strings.
    """
    if STATE.writer is None:
        return constant(False)
    with summary_scope(name, "text_summary") as (tag, _):
        data = to_tensor(data)
        if data.dtype is not dtypes.string:
            raise TypeError(f"[tf.summary.text] takes strings, got {data.dtype.name}.")
        metadata = text_metadata.create_summary_metadata(None, description)
        encode = functools.partial(tensor_summary, tag, metadata.SerializeToString())
        return write_with(encode, data, step)


def _of_rank(data: Any, rank: int) -> Any:
    tensor = to_tensor(data)
    if tensor.shape.rank not in (None, rank):
        raise ValueError(f"Tensor must have rank {rank}. Received rank {tensor.shape.rank}, shape "
                         f"{tensor.shape}")  # fmt: skip
    return tensor
