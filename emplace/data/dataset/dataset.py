"""`tf.data.Dataset`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.convert import to_tensor
from ..nodes.transforms import Passed
from .base import DatasetBase, options_of
from .fingerprints import text_of
from .methods.batching import Batching
from .methods.combining import Combining
from .methods.elementwise import Elementwise
from .methods.grouping import Grouping
from .methods.iteration import Iteration
from .methods.reductions import Reductions
from .methods.selection import Selecting
from .methods.sources import Sources
from .methods.storing import Storing
from .options import Options


class Dataset(
    Sources, Elementwise, Selecting, Combining, Batching, Grouping, Storing, Reductions, Iteration
):
    """A pipeline of elements (`tf.data.Dataset`). Made by its own methods that begin with `from_`,
    by `range` and others, and by the methods of datasets.

    An element is a tensor, or tuples and dictionaries of tensors. Nothing is computed before
    somebody iterates.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * x).batch(2)
    >>> for batch in dataset:
    ...     print(batch.numpy())
    [1 4]
    [9]
    """

    def apply(self, transformation_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Returns what a function makes of the dataset (`tf.data.Dataset.apply`).

        Raises:
            TypeError: that is no dataset.

        >>> [int(x) for x in tf.data.Dataset.range(4).apply(lambda dataset: dataset.skip(2))]
        [2, 3]
        """
        made = transformation_func(self)
        if not isinstance(made, DatasetBase):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}."
            )
        return made

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """Returns the dataset, of which more is asked (`tf.data.Dataset.with_options`)."""
        node = Passed(self.node)
        node.options = options
        return self.of_node(node)

    def options(self) -> Options:
        """Returns what has been asked of the pipeline (`tf.data.Dataset.options`).

        >>> tf.data.Dataset.range(3).options().deterministic is None
        True
        """
        return options_of(self.node).read_only()

    def fingerprint(self) -> Any:
        """Returns a number that is the same for pipelines of the same steps and functions over the
        same values (`tf.data.Dataset.fingerprint`).

        >>> one, other = tf.data.Dataset.range(3), tf.data.Dataset.range(3)
        >>> int(one.fingerprint()) == int(other.fingerprint())
        True
        """
        text = f"{text_of(self.node)} {self.element_spec!r}"
        digest = hashlib.sha256(text.encode()).digest()
        return to_tensor(np.array(int.from_bytes(digest[:8], "little"), np.uint64))


DatasetBase._kind = Dataset
Dataset._kind = Dataset
