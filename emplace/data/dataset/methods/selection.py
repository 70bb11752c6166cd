"""The methods that choose among elements or put them in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.errors import invalid_argument
from ....base.typing import IntLike
from ...elements.structure import to_element
from ...functions.traced import traced
from ...iteration.node import UNKNOWN, parameter
from ...iteration.seeds import given_seeds
from ...nodes.mixing import Resample
from ...nodes.selecting import Repeat, Shard, Shuffle, Skip, Take
from ...nodes.transforms import Filter, TakeWhile, UniqueElements
from ..base import DatasetBase

if TYPE_CHECKING:
    from ..dataset import Dataset


_UNIQUE_TYPES = (*dtypes.INDICES, dtypes.string)


class Selecting(DatasetBase):
    """Chooses among elements, and orders them."""

    def take(self, count: IntLike, name: str | None = None) -> Dataset:
        """Keeps the first `count` elements; all of them for -1 (`tf.data.Dataset.take`).

        >>> [int(x) for x in tf.data.Dataset.range(9).take(2)]
        [0, 1]
        """
        return self.of_node(Take(self.node, parameter(count)))

    def skip(self, count: IntLike, name: str | None = None) -> Dataset:
        """Drops the first `count` elements; all of them for -1 (`tf.data.Dataset.skip`).

        >>> [int(x) for x in tf.data.Dataset.range(4).skip(2)]
        [2, 3]
        """
        return self.of_node(Skip(self.node, parameter(count)))

    def shard(self, num_shards: IntLike, index: IntLike, name: str | None = None) -> Dataset:
        """Keeps one of `num_shards` equal parts: element `index` and each `num_shards`-th after it
        (`tf.data.Dataset.shard`).

        Raises:
            InvalidArgumentError: there is no such part.

        >>> [int(x) for x in tf.data.Dataset.range(7).shard(3, 1)]
        [1, 4]
        """
        return self.of_node(Shard(self.node, parameter(num_shards), parameter(index)))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Keeps the elements for which a function is true (`tf.data.Dataset.filter`).

        Raises:
            ValueError: `predicate` does not return one bool.

        >>> [int(x) for x in tf.data.Dataset.range(4).filter(lambda x: x > 1)]
        [2, 3]
        """
        function = traced(predicate, [self.node.structure], "Filter")
        return self.of_node(Filter(self.node, function))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Dataset:
        """Keeps the elements before the first for which a function is false
        (`tf.data.Dataset.take_while`).

        >>> [int(x) for x in tf.data.Dataset.range(9).take_while(lambda x: x < 2)]
        [0, 1]
        """
        function = traced(predicate, [self.node.structure], "TakeWhile")
        return self.of_node(TakeWhile(self.node, function))

    def unique(self, name: str | None = None) -> Dataset:
        """Keeps each element once (`tf.data.Dataset.unique`).

        Raises:
            TypeError: elements are no integers of 32 or 64 bits, and no strings.
            InvalidArgumentError: they have several parts.

        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique()]
        [1, 2]
        """
        components = self.node.structure.components
        for each in components:
            if each.dtype not in _UNIQUE_TYPES:
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {each.dtype} -- only "
                    "`tf.int32`, `tf.int64`, and `tf.string` are supported."
                )
        if len(components) != 1:
            raise invalid_argument(
                "UniqueDataset only supports inputs with a single component. [Op:UniqueDataset] "
                "name: "
            )
        return self.of_node(UniqueElements(self.node))

    def repeat(self, count: IntLike | None = None, name: str | None = None) -> Dataset:
        """Repeats the elements `count` times; without an end for None and -1
        (`tf.data.Dataset.repeat`).

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self.of_node(Repeat(self.node, -1 if count is None else parameter(count)))

    def shuffle(
        self,
        buffer_size: IntLike,
        seed: IntLike | None = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """Shuffles the elements (`tf.data.Dataset.shuffle`).

        Args:
            buffer_size: each element is drawn from the next `buffer_size`; as many as there are,
                or `tf.data.UNKNOWN_CARDINALITY`, mix perfectly.
            seed: makes the order repeatable; with it and `tf.random.set_seed` the order is a
                function of both, of `buffer_size`, and of the number of the pass.
            reshuffle_each_iteration: whether each pass has another order.
            name: not used.

        Raises:
            InvalidArgumentError: `buffer_size` is not positive.

        >>> sorted(int(x) for x in tf.data.Dataset.range(3).shuffle(3))
        [0, 1, 2]
        """
        size = parameter(buffer_size)
        if isinstance(size, int) and size < 1 and size != UNKNOWN:
            raise invalid_argument(
                "buffer_size must be greater than zero or UNKNOWN_CARDINALITY "
                "[Op:ShuffleDatasetV3] name: "
            )
        changes = reshuffle_each_iteration is None or bool(reshuffle_each_iteration)
        return self.of_node(Shuffle(self.node, size, given_seeds(seed), changes))

    def rejection_resample(
        self, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None,
        seed: int | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Makes pairs of a class and an element, and leaves some out by chance
        (`tf.data.Dataset.rejection_resample`).

        Args:
            class_func: tells the class of an element: a scalar of int32.
            target_dist: the share that each class is to have.
            initial_dist: the share that it has; None to count on the way.
            seed: makes the chances repeatable.
            name: not used.
        """
        function = traced(class_func, [self.node.structure], "RejectionResample")
        shares = [None if x is None else to_element(x).numpy() for x in (target_dist, initial_dist)]
        return self.of_node(Resample(self.node, function, shares, given_seeds(seed)))
