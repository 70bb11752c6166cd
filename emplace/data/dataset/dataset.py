"""`tf.data.Dataset`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ...ops.convert import to_tensor
from ..iteration.node import Node
from ..nodes.transforms import Passed
from .base import DatasetBase
from .branching import Branching
from .options import Options
from .reductions import single


class Dataset(Branching):
    """A pipeline of elements (`tf.data.Dataset`). Made by its own methods that begin with `from_`,
    by `range` and others, and by the methods of datasets.

    An element is a tensor, or tuples and dictionaries of tensors. Nothing is computed before
    somebody iterates.

    >>> import emplace.tensorflow as tf
    >>> dataset = tf.data.Dataset.from_tensor_slices([1, 2, 3]).map(lambda x: x * x).batch(2)
    >>> for batch in dataset:
    ...     print(batch.numpy())
    [1 4]
    [9]
    """

    def apply(self, transformation_func: Callable[[Any], Any]) -> Any:
        """What a function makes of the dataset (`tf.data.Dataset.apply`).

        Raises:
            TypeError: that is no dataset.

        >>> [int(x) for x in Dataset.range(4).apply(lambda dataset: dataset.skip(2))]
        [2, 3]
        """
        made = transformation_func(self)
        if not isinstance(made, DatasetBase):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(made)}."
            )
        return made

    def with_options(self, options: Options, name: str | None = None) -> Any:
        """The dataset, of which more is asked (`tf.data.Dataset.with_options`)."""
        node = Passed(self._node)
        node.options = options
        return self._made(node)

    def fingerprint(self) -> Any:
        """A number that is the same for pipelines of the same steps over elements of the same kind
        (`tf.data.Dataset.fingerprint`).

        >>> int(Dataset.range(3).fingerprint()) == int(Dataset.range(3).fingerprint())
        True
        """
        text = f"{_steps(self._node)} {self.element_spec!r} {self._node.cardinality}"
        digest = hashlib.sha256(text.encode()).digest()
        return to_tensor(np.array(int.from_bytes(digest[:8], "little"), np.uint64))

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element (`tf.data.Dataset.get_single_element`).

        Raises:
            InvalidArgumentError: there is none, or more than one.

        >>> int(Dataset.from_tensors(7).get_single_element())
        7
        """
        return single(self)


def _steps(node: Node) -> str:
    return f"{node.label}({', '.join(_steps(each) for each in node.inputs)})"


DatasetBase._kind = Dataset
Dataset._kind = Dataset
