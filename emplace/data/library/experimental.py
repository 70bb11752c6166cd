"""`tf.data.experimental`: transformations as functions, to be used with `Dataset.apply`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.typing import DTypeLike, IntLike, TensorLike
from ...core.context import LOCAL
from ...core.tensor_spec import TensorSpec
from ...ops.op import apply
from ..dataset.base import FromVariant
from ..dataset.dataset import Dataset
from ..dataset.nested import GroupByReducer
from ..elements import nesting
from ..elements.optional import Optional
from ..elements.structure import Structure, one_tensor
from ..functions.traced import traced, traced_over_states
from ..iteration.devices import OnDevice
from ..iteration.iterator import Iterator
from ..iteration.node import AUTOTUNE, parameter
from ..nodes.mixing import Counted
from .access import AT, at_kernel

Transformation = Callable[[Any], Any]


def assert_cardinality(expected_cardinality: IntLike) -> Transformation:
    """States how many elements there are (`tf.data.experimental.assert_cardinality`); iterating
    raises FailedPreconditionError if that is wrong.

    >>> ds = Dataset.range(4).filter(lambda x: x < 2).apply(assert_cardinality(2))
    >>> len(ds)
    2
    """
    return lambda dataset: dataset.of_node(Counted(dataset.node, parameter(expected_cardinality)))


def cardinality(dataset: Dataset) -> Any:
    """As `Dataset.cardinality` (`tf.data.experimental.cardinality`)."""
    return dataset.cardinality()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec` (`tf.data.experimental.get_structure`).

    Raises:
        TypeError: it is neither a dataset nor an iterator.
    """
    if isinstance(dataset_or_iterator, Dataset | Iterator):
        return dataset_or_iterator.element_spec
    raise TypeError(
        f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
        f"tf.data.Iterator object, but got {type(dataset_or_iterator)}."
    )


def get_single_element(dataset: Any) -> Any:
    """As `Dataset.get_single_element` (`tf.data.experimental.get_single_element`)."""
    return dataset.get_single_element()


def get_next_as_optional(iterator: Iterator) -> Optional:
    """As `Iterator.get_next_as_optional` (`tf.data.experimental.get_next_as_optional`)."""
    return iterator.get_next_as_optional()


def from_variant(variant: Any, structure: Structure) -> Any:
    """The dataset that is in a tensor (`tf.data.experimental.from_variant`)."""
    return Dataset.of_node(FromVariant(variant, Structure(structure)))


def to_variant(dataset: Dataset) -> Any:
    """A dataset as a tensor (`tf.data.experimental.to_variant`)."""
    return dataset.variant_tensor()


def from_list(elements: Any, name: str | None = None) -> Any:
    """A dataset of the elements of a list (`tf.data.experimental.from_list`).

    Raises:
        ValueError: there are none.
        TypeError: they are of different kinds.

    >>> [int(x) for x in from_list([1, 2])]
    [1, 2]
    """
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    if not elements:
        raise ValueError("Empty dataset. `elements` should not be empty.")
    first, *rest = [Dataset.from_tensors(each) for each in elements]
    for each in rest:
        first = first.concatenate(each)
    return first


def at(dataset: Any, index: IntLike) -> Any:
    """An element by its number (`tf.data.experimental.at`), of an order that stays the same:
    shuffled elements are a permutation of all of them.

    Raises:
        OutOfRangeError: there is none.

    >>> int(at(Dataset.range(5), 3))
    3
    """
    structure, place = dataset.node.structure, one_tensor(index, dtypes.int64)
    if LOCAL.state.target.is_eager:
        found = at_kernel(dataset.bound_dataset(), place._value, structure=structure)
        return structure.packer()(found)
    made = apply(AT, (dataset.variant_tensor(), place), {"structure": structure})
    return structure.value(made if isinstance(made, list) else [made])


def shuffle_and_repeat(
    buffer_size: IntLike, count: IntLike | None = None, seed: IntLike | None = None
) -> Transformation:
    """`shuffle`, then `repeat` (`tf.data.experimental.shuffle_and_repeat`)."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def map_and_batch(
    map_func: Callable[..., Any], batch_size: IntLike, num_parallel_batches: object = None,
    drop_remainder: bool = False, num_parallel_calls: IntLike | None = None,
) -> Transformation:  # fmt: skip
    """`map`, then `batch` (`tf.data.experimental.map_and_batch`)."""
    calls = AUTOTUNE if num_parallel_calls is None else num_parallel_calls
    return lambda dataset: dataset.map(map_func, calls).batch(batch_size, drop_remainder)


def dense_to_ragged_batch(
    batch_size: IntLike, drop_remainder: bool = False, row_splits_dtype: DTypeLike = dtypes.int64
) -> Transformation:
    """As `Dataset.ragged_batch` (`tf.data.experimental.dense_to_ragged_batch`)."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: IntLike, row_shape: Any) -> Transformation:
    """As `Dataset.sparse_batch` (`tf.data.experimental.dense_to_sparse_batch`)."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def bucket_by_sequence_length(*args: Any, **kwargs: Any) -> Transformation:
    """As `Dataset.bucket_by_sequence_length`
    (`tf.data.experimental.bucket_by_sequence_length`).
    """
    return lambda dataset: dataset.bucket_by_sequence_length(*args, **kwargs)


def group_by_window(*args: Any, **kwargs: Any) -> Transformation:
    """As `Dataset.group_by_window` (`tf.data.experimental.group_by_window`)."""
    return lambda dataset: dataset.group_by_window(*args, **kwargs)


def enumerate_dataset(start: TensorLike = 0) -> Transformation:
    """As `Dataset.enumerate` (`tf.data.experimental.enumerate_dataset`)."""
    return lambda dataset: dataset.enumerate(start)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """As `Dataset.ignore_errors` (`tf.data.experimental.ignore_errors`)."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: IntLike,
    block_length: IntLike = 1,
    sloppy: object = False,
    buffer_output_elements: object = None,
    prefetch_input_elements: object = None,
) -> Transformation:
    """As `Dataset.interleave` in threads (`tf.data.experimental.parallel_interleave`)."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, cycle_length)


def rejection_resample(
    class_func: Callable[..., Any],
    target_dist: Any,
    initial_dist: Any = None,
    seed: IntLike | None = None,
) -> Transformation:
    """As `Dataset.rejection_resample` (`tf.data.experimental.rejection_resample`)."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def scan(initial_state: TensorLike, scan_func: Callable[..., Any]) -> Transformation:
    """As `Dataset.scan` (`tf.data.experimental.scan`)."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def snapshot(
    path: str, compression: str = "AUTO", reader_func: Any = None, shard_func: Any = None
) -> Transformation:
    """As `Dataset.snapshot` (`tf.data.experimental.snapshot`)."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """As `Dataset.take_while` (`tf.data.experimental.take_while`)."""
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """As `Dataset.unbatch` (`tf.data.experimental.unbatch`)."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """As `Dataset.unique` (`tf.data.experimental.unique`)."""
    return lambda dataset: dataset.unique()


def save(
    dataset: Any, path: str, compression: str | None = None, shard_func: Any = None,
    checkpoint_args: Any = None,
) -> Any:  # fmt: skip
    """As `Dataset.save` (`tf.data.experimental.save`)."""
    return dataset.save(path, compression, shard_func, checkpoint_args)


def load(
    path: str, element_spec: Any = None, compression: str | None = None, reader_func: Any = None
) -> Any:
    """As `Dataset.load` (`tf.data.experimental.load`)."""
    return Dataset.load(path, element_spec, compression, reader_func)


def choose_from_datasets(
    datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = False
) -> Any:
    """As `Dataset.choose_from_datasets` (`tf.data.experimental.choose_from_datasets`)."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def sample_from_datasets(
    datasets: Sequence[Any],
    weights: TensorLike | None = None,
    seed: IntLike | None = None,
    stop_on_empty_dataset: bool = False,
) -> Any:
    """As `Dataset.sample_from_datasets` (`tf.data.experimental.sample_from_datasets`)."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def Counter(start: TensorLike = 0, step: IntLike = 1, dtype: DTypeLike = dtypes.int64) -> Any:  # noqa: N802
    """As `Dataset.counter` (`tf.data.experimental.Counter`)."""
    return Dataset.counter(start, step, dtype)


def RandomDataset(  # noqa: N802  # TensorFlow's name
    seed: int | None = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Any:
    """As `Dataset.random` (`tf.data.experimental.RandomDataset`)."""
    return Dataset.random(seed, rerandomize_each_iteration)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """Brings the elements to a device (`tf.data.experimental.copy_to_device`); `prefetch` may
    follow.

    Raises:
        ValueError: there is no such device.
    """
    return lambda dataset: dataset.of_node(OnDevice(dataset.node, target_device))


def prefetch_to_device(device: str, buffer_size: IntLike | None = None) -> Transformation:
    """Brings the elements to a device in advance (`tf.data.experimental.prefetch_to_device`).

    Raises:
        ValueError: there is no such device.
    """
    return lambda dataset: copy_to_device(device)(dataset).prefetch(
        AUTOTUNE if buffer_size is None else buffer_size
    )


def pad_to_cardinality(cardinality: int, mask_key: str = "valid") -> Transformation:
    """Adds elements of zeros until there are so many, and says which are real
    (`tf.data.experimental.pad_to_cardinality`). Elements are dictionaries.

    Args:
        cardinality: how many.
        mask_key: the key of the bool that says it.

    Raises:
        ValueError: there are more, or nobody knows how many.
    """

    def apply(dataset: Any) -> Any:
        count = dataset.node.cardinality
        if count < 0:
            raise ValueError(  # TF: its spelling
                "The dataset passed into `pad_to_cardinality` must have a known cardinalty, but "
                f"has cardinality {count}"
            )
        if count > cardinality:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the "
                f"target cardinality ({cardinality}), but has cardinality {count}"
            )
        spec = dataset.element_spec
        if not isinstance(spec, Mapping):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        zeros = nesting.map_leaves(_zeros_of, spec)
        real = dataset.map(lambda element: {**element, mask_key: True})
        padding = Dataset.from_tensors({**zeros, mask_key: False}).repeat(cardinality - count)
        return real.concatenate(padding)

    return apply


def _zeros_of(spec: Any) -> Any:
    """An element of zeros, or of empty strings."""
    shape = [size or 0 for size in spec.shape]
    if spec.dtype is dtypes.string:
        return np.full(shape, b"", object)
    return np.zeros(shape, spec.dtype.as_numpy_dtype)


class Reducer:
    """Three functions that reduce elements (`tf.data.experimental.Reducer`).

    Args:
        init_func: makes the first state of a key.
        reduce_func: makes the next state of a state and an element.
        finalize_func: makes what is given of the last state.
    """

    def __init__(
        self, init_func: Callable[..., Any], reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:  # fmt: skip
        self.init_func, self.reduce_func = init_func, reduce_func
        self.finalize_func = finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """What is left of the elements of each key (`tf.data.experimental.group_by_reducer`).

    Args:
        key_func: tells the key of an element: a scalar of int64.
        reducer: the three functions.

    Raises:
        TypeError: the next state is of another kind than the first.
        ValueError: a key is something else.
    """

    def apply(dataset: Any) -> Any:
        structure = dataset.node.structure
        key = traced(key_func, [structure], "GroupByReducer")
        if key.structure.spec != TensorSpec((), dtypes.int64):
            kinds = nesting.map_leaves(lambda leaf: str(leaf.dtype), key.structure.spec)
            shapes = nesting.map_leaves(lambda leaf: leaf.shape, key.structure.spec)
            raise ValueError(
                "Invalid `key_func`. Expected `key_func` to return a scalar tf.int64 tensor, but "
                f"instead `key_func` has output types={kinds} and shapes={shapes}."
            )
        first = traced(reducer.init_func, [key.structure], "GroupByReducer")
        reduce, state = traced_over_states(
            reducer.reduce_func, first.structure, structure, "GroupByReducer"
        )
        last = traced(reducer.finalize_func, [state], "GroupByReducer")
        return dataset.of_node(GroupByReducer(dataset.node, key, (first, reduce, last)))

    return apply


def enable_debug_mode() -> None:
    """Does nothing: functions of elements are always traced
    (`tf.data.experimental.enable_debug_mode`).
    """
