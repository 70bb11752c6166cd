"""The methods that join elements to batches and take them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....base import dtypes
from ....base.dtypes import as_dtype
from ....base.shapes import TensorShape
from ....base.typing import DTypeLike, IntLike, TensorLike
from ....core.symbolic_value import specialise_on
from ....core.tensor import Tensor
from ....ops.math.elementwise import cast
from ...elements.padding import filled_shapes, fillers
from ...elements.structure import to_element
from ...iteration.node import known, parameter
from ...nodes.batching import Batch, PaddedBatch, Rebatch, Unbatch
from ...nodes.dense_to_ragged import SparseBatch, ToRagged
from ..base import DatasetBase

if TYPE_CHECKING:
    from ..dataset import Dataset


class Batching(DatasetBase):
    """Joins elements to batches."""

    def batch(
        self,
        batch_size: IntLike,
        drop_remainder: IntLike = False,
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Stacks so many elements to one (`tf.data.Dataset.batch`).

        Args:
            batch_size: how many.
            drop_remainder: leave a last batch out that is not full; the size of batches is then
                known.
            num_parallel_calls: not needed.
            deterministic: not needed.
            name: not used.

        Raises:
            InvalidArgumentError: `batch_size` is not positive; or, on the way, elements differ in
                shape.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        size = _batch_size(batch_size)
        is_parallel = num_parallel_calls is not None
        return self.of_node(Batch(self.node, size, bool(drop_remainder), is_parallel))

    def unbatch(self, name: str | None = None) -> Dataset:
        """Splits elements into their rows (`tf.data.Dataset.unbatch`).

        Raises:
            ValueError: elements are scalars.

        >>> [int(x) for x in tf.data.Dataset.range(4).batch(3).unbatch()]
        [0, 1, 2, 3]
        """
        return self.of_node(Unbatch(self.node))

    def padded_batch(
        self,
        batch_size: IntLike,
        padded_shapes: Any = None,
        padding_values: TensorLike | None = None,
        drop_remainder: IntLike = False,
        name: str | None = None,
    ) -> Dataset:
        """Stacks so many elements to one, each filled up to one shape
        (`tf.data.Dataset.padded_batch`).

        Args:
            batch_size: how many.
            padded_shapes: the shapes, in the structure of elements; -1 and None are the longest of
                a batch. None for the elements' own.
            padding_values: what to fill with; zeros and empty texts if None.
            drop_remainder: leave a last batch out that is not full.
            name: not used.

        Raises:
            DataLossError: on the way, an element is larger than its shape.
            InvalidArgumentError: `batch_size` is not positive.
            TypeError: an element has parts that are no tensors, or a value is of another type.
            ValueError: a shape does not fit, or a value is no scalar.

        >>> from emplace.ops.array.making import range_
        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(1, 4).map(range_).padded_batch(2)]
        [[[0, 0], [0, 1]], [[0, 1, 2]]]
        """
        size = _batch_size(batch_size, "PaddedBatchDatasetV2")
        shapes, structure = filled_shapes(self.node.structure, padded_shapes)
        values = fillers(self.node.structure, padding_values)
        drops = bool(drop_remainder)
        batches = structure.batched(known(size) if drops else None)
        return self.of_node(PaddedBatch(self.node, size, shapes, values, drops, batches))

    def ragged_batch(
        self,
        batch_size: IntLike,
        drop_remainder: IntLike = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """Stacks so many elements to one; tensors of unknown size become ragged tensors
        (`tf.data.Dataset.ragged_batch`).

        Args:
            batch_size: how many.
            drop_remainder: leave a last batch out that is not full.
            row_splits_dtype: int32 or int64.
            name: not used.

        >>> from emplace.ops.array.making import range_
        >>> for x in tf.data.Dataset.range(1, 3).map(range_).ragged_batch(2):
        ...     print(x.to_list())
        [[0], [0, 1]]
        """
        ragged = ToRagged(self.node, as_dtype(row_splits_dtype))
        return self.of_node(Batch(ragged, _batch_size(batch_size), bool(drop_remainder)))

    def sparse_batch(self, batch_size: IntLike, row_shape: Any, name: str | None = None) -> Dataset:
        """Joins so many elements to one sparse tensor (`tf.data.Dataset.sparse_batch`).

        Args:
            batch_size: how many.
            row_shape: the room for an element; -1 and None for the largest of a batch.
            name: not used.
        """
        dims = [None if size is None or size < 0 else size for size in TensorShape(row_shape)]
        return self.of_node(SparseBatch(self.node, int(_batch_size(batch_size)), dims))

    def rebatch(
        self, batch_size: IntLike, drop_remainder: IntLike = False, name: str | None = None
    ) -> Dataset:
        """Makes batches of other sizes (`tf.data.Dataset.rebatch`).

        Args:
            batch_size: the size, or sizes that take turns.
            drop_remainder: leave a last batch out that is not full.
            name: not used.

        Raises:
            ValueError: elements are scalars.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(3).rebatch(2)]
        [[0, 1], [2, 3], [4]]
        """
        structure = self.node.structure
        if any(x.dims == () for x in structure.components):
            raise ValueError(
                "Invalid `batch_sizes`. Expected dataset with rank of >= 1 but found a dataset "
                "with scalar elements. Fix the issue by adding the `batch` transformation to the "
                "dataset."
            )
        sizes = cast(to_element(batch_size), dtypes.int64)
        drops = bool(drop_remainder)
        size = _only_size(
            sizes, drops, {x.dims[0] if x.dims else None for x in structure.components}
        )
        batches = structure.unbatched().batched(size)
        return self.of_node(Rebatch(self.node, sizes, drops, batches))


def _only_size(sizes: Tensor, drops: bool, before: set[int | None]) -> int | None:
    """The size that all batches have, made of batches of sizes `before`; None if there is none."""
    known = sizes.static_value()
    if known is None or len({*np.ravel(known).tolist()}) != 1:
        return None
    size = int(np.ravel(known)[0])
    there = before.pop() if len(before) == 1 else None
    if not drops and (there is None or not size or there % size):
        return None
    specialise_on(sizes)
    return size


def _batch_size(value: TensorLike, op: str = "BatchDatasetV2") -> Any:
    return parameter(value, 1, f"Batch size must be greater than zero. [Op:{op}] name: ")
