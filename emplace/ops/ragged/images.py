"""Batches of images of several sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..array.joining import stack
from ..array.making import zeros
from ..deferred import value_dependent
from .methods import to_dense
from .pick import pick


@value_dependent
def each_resized(
    images: RaggedTensor, size: Any, resize: Callable[..., Tensor], options: dict[str, Any]
) -> Tensor:
    """Images of several sizes, each brought to the same one by itself.

    Args:
        images: a batch of images, whose heights and widths may differ.
        size: the new height and width.
        resize: what resizes one image (height, width, channels).
        options: its arguments by name besides these two.

    Raises:
        ValueError: images have no channels, or are no batch.
    """
    if images.shape.rank != 4:
        raise ValueError("tf.image.resize: images.shape.rank must be 4 if images is ragged.")
    rows = images.row_splits.shape[0] - 1
    dense = [_dense(pick(images, (("at", i),))) for i in range(rows)]
    channels = images.shape[3]
    if not rows:  # for the size and the type of the results
        dense = [zeros([1, 1, 1 if channels is None else channels], images.dtype)]
    return stack([resize(image, size, **options) for image in dense])[:rows]


def _dense(image: Any) -> Any:
    return to_dense(image) if isinstance(image, RaggedTensor) else image
