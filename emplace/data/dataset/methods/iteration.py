"""The methods that go through the elements, and tell how many there are."""

from __future__ import annotations

from typing import Any

from ....base import dtypes
from ....core.context import LOCAL
from ....devices.inventory import INVENTORY
from ....graph.recording.scopes import current_graph
from ....ops.convert import to_tensor
from ....ops.op import apply
from ...iteration.iterator import (
    CARDINALITY,
    MAKE_ITERATOR,
    NEW_ITERATOR,
    Iterator,
    NumpyIterator,
    OwnedIterator,
)
from ...iteration.node import INFINITE, UNKNOWN, symbols_of
from ..base import DatasetBase


class Iteration(DatasetBase):
    """Goes through the elements."""

    def __iter__(self) -> Iterator:
        """Returns an iterator over the elements.

        Raises:
            RuntimeError: a graph of a session takes ops, whose iterators are made otherwise.
        """
        graph = current_graph()
        if graph is None:
            INVENTORY.devices()
            return OwnedIterator(self.node.structure, self.bound_dataset())
        if not graph.is_function:
            raise RuntimeError(
                "`tf.data.Dataset` only supports Python-style iteration in eager mode or within "
                "tf.function."
            )
        handle = apply(NEW_ITERATOR, ())
        apply(MAKE_ITERATOR, (self.variant_tensor(), handle))
        return Iterator(self.node.structure, handle)

    def as_numpy_iterator(self) -> NumpyIterator:
        """Returns an iterator over the elements as NumPy values.

        Raises:
            TypeError: an element has parts that NumPy does not know.
            RuntimeError: it is not eager mode.

        >>> [int(x) for x in tf.data.Dataset.range(3).as_numpy_iterator()]
        [0, 1, 2]
        """
        if not LOCAL.state.target.is_eager:
            raise RuntimeError(
                "`tf.data.Dataset.as_numpy_iterator()` is only supported in eager mode."
            )
        return NumpyIterator(self)

    def cardinality(self) -> Any:
        """Returns the number of elements: int64, `tf.data.INFINITE_CARDINALITY` (-1) or
        `tf.data.UNKNOWN_CARDINALITY` (-2).

        >>> int(tf.data.Dataset.range(10).batch(3).cardinality())
        4
        """
        if self.node.cardinality == UNKNOWN and symbols_of(self.node):  # told when the graph runs
            return apply(CARDINALITY, (self.variant_tensor(),))
        return to_tensor(self.node.cardinality, dtypes.int64)

    def __len__(self) -> int:
        if not LOCAL.state.target.is_eager:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use "
                "`tf.data.Dataset.cardinality()` instead."
            )
        count = self.node.cardinality
        if count == INFINITE:
            raise TypeError("The dataset is infinite.")
        if count == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return count

    def __bool__(self) -> bool:
        return True
