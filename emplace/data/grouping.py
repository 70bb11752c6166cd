"""The methods that join elements to batches and take them apart."""

from __future__ import annotations

from typing import Any

from .batching import Batch, Unbatch
from .calling import Calling
from .node import parameter


class Grouping(Calling):
    """Joins elements."""

    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """So many elements as one, stacked (`tf.data.Dataset.batch`).

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

        >>> [x.numpy().tolist() for x in Calling.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        size = parameter(
            batch_size, 1, "Batch size must be greater than zero. [Op:BatchDatasetV2] name: "
        )
        return self._made(Batch(self._node, size, bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> Any:
        """The rows of the elements (`tf.data.Dataset.unbatch`).

        Raises:
            ValueError: elements are scalars.

        >>> [int(x) for x in Calling.range(4).batch(3).unbatch()]
        [0, 1, 2, 3]
        """
        return self._made(Unbatch(self._node))
