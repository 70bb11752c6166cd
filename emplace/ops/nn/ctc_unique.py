"""The labels of sequences, each once."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.typing import TensorLike
from ..array.gathering import gather
from ..array.making import range_
from ..array.select import where
from ..array.shaping import expand_dims, shape
from ..convert import to_tensor
from ..math.cumulative import cumsum
from ..math.elementwise import cast, equal, logical_and
from ..math.reduction import reduce_min, reduce_sum


def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> tuple[Any, Any]:
    """Returns the labels of each sequence once, and where each label's one is
    (`tf.nn.ctc_unique_labels`).

    Args:
        labels: (batch, longest), integers.
        name: a name in graphs.

    Returns:
        The labels in the order in which they come first, followed by zeros, as int64; and the
        place of each label among them.

    >>> [x.numpy().tolist() for x in ctc_unique_labels([[3, 4, 4, 3]])]
    [[[3, 4, 0, 0]], [[0, 1, 1, 0]]]
    """
    labels = cast(to_tensor(labels), dtypes.int64)
    places = range_(shape(labels)[1])
    alike = equal(expand_dims(labels, 2), expand_dims(labels, 1))
    first = reduce_min(where(alike, places, dtypes.int32.max), axis=2)
    is_first = equal(first, places)
    rank = cumsum(cast(is_first, dtypes.int32), axis=1) - 1
    is_there = logical_and(expand_dims(is_first, 2), equal(expand_dims(rank, 2), places))
    zero = cast(0, dtypes.int64)
    unique = reduce_sum(where(is_there, expand_dims(labels, 2), zero), axis=1)
    return unique, gather(rank, first, batch_dims=1)
