"""The methods that make one dataset of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.errors import invalid_argument
from ....base.typing import IntLike, TensorLike
from ....core.tensor import Tensor
from ....core.tensor_spec import TensorSpec
from ...elements import nesting
from ...elements.structure import one_tensor
from ...functions.traced import traced
from ...iteration.node import AUTOTUNE, parameter
from ...iteration.seeds import given_seeds
from ...nodes.mixing import Directed, Weighted, WeightedInTurn
from ...nodes.selecting import Take
from ...nodes.transforms import Concatenate, Zip
from ..base import DatasetBase
from ..nested import FlatMap, Interleave

if TYPE_CHECKING:
    from ..dataset import Dataset


class Combining(DatasetBase):
    """Makes one dataset of several."""

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """Puts the elements of datasets side by side (`tf.data.Dataset.zip`); it ends with the
        shortest.

        Args:
            args: datasets, or one structure of datasets.
            datasets: the same, by its old name.
            name: not used.

        Raises:
            TypeError: something is no dataset.

        >>> few, more = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)
        >>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(few, more)]
        [(0, 5), (1, 6)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = (args[0] if len(args) == 1 else args) if args else datasets
        nodes = [_checked(each) for each in nesting.flatten(given)]
        return cls.of_node(Zip(nodes, given))

    def concatenate(self, dataset: DatasetBase, name: str | None = None) -> Dataset:
        """Appends the elements of another dataset (`tf.data.Dataset.concatenate`).

        Raises:
            TypeError: they have elements of different kinds.

        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(1))]
        [0, 1, 0]
        """
        if not isinstance(dataset, DatasetBase):
            raise TypeError(
                "Invalid `dataset`. `dataset` should be a `tf.data.Dataset` but is "
                f"{type(dataset)}."
            )
        return self.of_node(Concatenate(self.node, dataset.node))

    @classmethod
    def choose_from_datasets(
        cls, datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """Takes elements of several datasets, in turns that another dataset tells
        (`tf.data.Dataset.choose_from_datasets`).

        Args:
            datasets: the datasets.
            choice_dataset: their numbers: scalars of int64.
            stop_on_empty_dataset: end with the first dataset that ends; else pass it over.

        Raises:
            TypeError: the numbers are something else, or elements are of different kinds.
            ValueError: there are no datasets.

        >>> turns = tf.data.Dataset.from_tensor_slices(tf.constant([1, 0, 1], tf.int64))
        >>> datasets = [tf.data.Dataset.range(3), tf.data.Dataset.range(5, 9)]
        >>> [int(x) for x in tf.data.Dataset.choose_from_datasets(datasets, turns)]
        [5, 0, 6]
        """
        if not isinstance(choice_dataset, DatasetBase):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        nodes = _several(datasets)
        spec = choice_dataset.element_spec
        if spec != TensorSpec((), dtypes.int64):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {spec}."
            )
        return cls.of_node(Directed(choice_dataset.node, nodes, bool(stop_on_empty_dataset)))

    @classmethod
    def sample_from_datasets(
        cls, datasets: Sequence[Any], weights: TensorLike | None = None, seed: Any = None,
        stop_on_empty_dataset: bool = False, rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:  # fmt: skip
        """Takes elements of several datasets, drawn by chance
        (`tf.data.Dataset.sample_from_datasets`).

        Args:
            datasets: the datasets.
            weights: how likely each is, or a dataset of such vectors, one for each element; all
                alike if None.
            seed: makes the draws repeatable.
            stop_on_empty_dataset: end with the first dataset that ends; else pass it over.
            rerandomize_each_iteration: whether each pass draws anew.

        Raises:
            TypeError: elements are of different kinds.
            ValueError: there are no datasets, or not as many weights.
        """
        nodes, stops = _several(datasets), bool(stop_on_empty_dataset)
        seeds, changes = given_seeds(seed), bool(rerandomize_each_iteration)
        if isinstance(weights, DatasetBase):
            drawn: Any = WeightedInTurn(weights.node, len(nodes), seeds, changes)
            return cls.of_node(Directed(drawn, nodes, stops))
        shares = [1.0] * len(nodes) if weights is None else _weights(weights)
        if isinstance(shares, Tensor):  # of a graph, which tells them later
            return cls.of_node(Directed(Weighted(shares, seeds, changes), nodes, stops))
        if len(shares) != len(nodes):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(shares)}` vs. `len(datasets)={len(nodes)}`."
            )
        drawn_from = [(node, share) for node, share in zip(nodes, shares, strict=True) if share > 0]
        if not drawn_from:
            return cls.of_node(Take(nodes[0], 0))
        nodes, shares = [node for node, _ in drawn_from], [share for _, share in drawn_from]
        if len(nodes) == 1:
            return cls.of_node(nodes[0])
        return cls.of_node(Directed(Weighted(shares, seeds, changes), nodes, stops))

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Dataset:
        """Joins the datasets that a function makes of elements
        (`tf.data.Dataset.flat_map`).

        Raises:
            TypeError: it returns something else.

        >>> [int(x) for x in tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x))]
        [0, 0, 1]
        """
        return self.of_node(FlatMap(self.node, traced(map_func, [self.node.structure], "FlatMap")))

    def interleave(
        self,
        map_func: Callable[..., Any],
        cycle_length: IntLike | None = None,
        block_length: IntLike | None = None,
        num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """Joins the datasets that a function makes of elements, in turns
        (`tf.data.Dataset.interleave`).

        Args:
            map_func: makes a dataset of an element.
            cycle_length: how many datasets are open at a time.
            block_length: how many elements each gives before it is the next one's turn.
            num_parallel_calls: whether the open ones make elements in threads of their own.
            deterministic: not needed: elements come in the same order in any case.
            name: not used.

        Raises:
            InvalidArgumentError: a length is not positive.
            TypeError: `map_func` returns no dataset.

        >>> ds = tf.data.Dataset.range(1, 3).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
        >>> [int(x) for x in ds]
        [1, 1, 2, 2, 1, 2]
        """
        function = traced(map_func, [self.node.structure], "Interleave")
        cycle = parameter(AUTOTUNE if cycle_length is None else cycle_length)
        if isinstance(cycle, int) and cycle < 1 and cycle != AUTOTUNE:
            raise invalid_argument(
                "cycle_length must be greater than zero. [Op:InterleaveDataset] name: "
            )
        block = parameter(
            1 if block_length is None else block_length, 1,
            "block_length must be greater than zero. [Op:InterleaveDataset] name: ",
        )  # fmt: skip
        calls = None if num_parallel_calls is None else parameter(num_parallel_calls)
        return self.of_node(Interleave(self.node, function, cycle, block, calls))


def _checked(value: TensorLike) -> Any:
    if isinstance(value, DatasetBase):
        return value.node
    if isinstance(value, list):
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
            "`tf.data.Dataset` objects. Python `list` is not supported and you should use `tuple` "
            "instead."
        )
    raise TypeError(
        "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
        f"`tf.data.Dataset` objects but encountered object of type {type(value)}."
    )


def _several(datasets: Sequence[Any]) -> list[Any]:
    listed = list(datasets)
    if not listed:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    for each in listed:
        if not isinstance(each, DatasetBase):
            raise TypeError(
                "Invalid `datasets`. `datasets` should be a list of `tf.data.Dataset` objects but "
                f"has one of {type(each)}."
            )
    return [each.node for each in listed]


def _weights(value: TensorLike) -> Any:
    tensor = one_tensor(value)
    if tensor.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            "Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is "
            f"{tensor.dtype!r}."
        )
    if tensor.shape.rank not in (None, 1):
        raise ValueError(
            "Invalid `weights`. The shape of `weights` should be compatible with `[len(datasets)]` "
            f"but is {tensor.shape}."
        )
    known = tensor.static_value()
    return tensor if known is None else known.tolist()
