"""Rows of raw ops on datasets that are older versions of others, hold functions that make datasets,
or are named after what TensorFlow does with them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import nest
from ..base.errors import invalid_argument
from ..core.tensor import Tensor
from ..data.dataset.base import FromVariant
from ..data.dataset.dataset import Dataset
from ..data.dataset.files import TFRecordDataset
from ..data.elements import optional
from ..data.iteration import iterator as iterators
from ..data.library import experimental
from ..data.library.experimental import to_variant
from ..data.library.tables import CsvDataset, TFRecordWriter
from ..ops.array.making import constant
from ..ops.op import apply_any
from ..ops.sparse.tensor import SparseTensor
from .datasets import (
    ROWS as PLAIN,
    Shapes,
    Types,
    as_dataset,
    changed,
    first,
    fixed_length,
    listed,
    on_parts,
    one,
    padded,
    same,
    structure_of,
    text,
)
from .rows import Row, composed


def _making(f: object, more: Sequence[Tensor], types: Types, shapes: Shapes) -> Callable[..., Any]:
    """A function of elements that makes a dataset of each."""
    call, structure = on_parts(f, more), structure_of(types, shapes)
    return lambda *e: Dataset.of_node(FromVariant(first(call(*e)), structure))


def _flat_mapped(
    input_dataset: Tensor, other_arguments: Sequence[Tensor], f: object, output_types: Types,
    output_shapes: Shapes, **given: Any,
) -> Any:  # fmt: skip
    make = _making(f, other_arguments, output_types, output_shapes)
    return to_variant(as_dataset(input_dataset).flat_map(make))


def _interleaved(
    input_dataset: Tensor, other_arguments: Sequence[Tensor], cycle_length: Tensor,
    block_length: Tensor, f: object, output_types: Types, output_shapes: Shapes, **given: Any,
) -> Any:  # fmt: skip
    make = _making(f, other_arguments, output_types, output_shapes)
    made = as_dataset(input_dataset).interleave(make, one(cycle_length), one(block_length))
    return to_variant(made)


def _interleaved_in_parallel(
    input_dataset: Tensor, other_arguments: Sequence[Tensor], cycle_length: Tensor,
    block_length: Tensor, f: object, output_types: Types, output_shapes: Shapes, **given: Any,
) -> Any:  # fmt: skip
    make = _making(f, other_arguments, output_types, output_shapes)
    how = experimental.parallel_interleave(make, one(cycle_length), one(block_length))
    return to_variant(as_dataset(input_dataset).apply(how))


def _windowed_by_key(
    input_dataset: Tensor, key_func_other_arguments: Sequence[Tensor],
    reduce_func_other_arguments: Sequence[Tensor],
    window_size_func_other_arguments: Sequence[Tensor], key_func: Any, reduce_func: Any,
    window_size_func: Any, output_types: Types, output_shapes: Shapes, **given: Any,
) -> Any:  # fmt: skip
    structure = structure_of(output_types, output_shapes)
    key = on_parts(key_func, key_func_other_arguments)
    size = on_parts(window_size_func, window_size_func_other_arguments)
    on_parts(reduce_func)

    def reduce(of: Tensor, window: Dataset) -> Any:
        made = reduce_func(of, to_variant(window), *reduce_func_other_arguments)
        return Dataset.of_node(FromVariant(first(made), structure))

    made = as_dataset(input_dataset).group_by_window(
        lambda *e: first(key(*e)), reduce, window_size_func=lambda of: first(size(of))
    )
    return to_variant(made)


def _reduced_by_key(
    input_dataset: Tensor, key_func_other_arguments: Sequence[Tensor],
    init_func_other_arguments: Sequence[Tensor], reduce_func_other_arguments: Sequence[Tensor],
    finalize_func_other_arguments: Sequence[Tensor], key_func: Any, init_func: Any,
    reduce_func: Any, finalize_func: Any, **given: Any,
) -> Any:  # fmt: skip
    key = on_parts(key_func, key_func_other_arguments)
    for each in (init_func, reduce_func, finalize_func):
        on_parts(each)
    reducer = experimental.Reducer(
        lambda of: tuple(listed(init_func(of, *init_func_other_arguments))),
        lambda state, *e: tuple(
            listed(reduce_func(*state, *nest.flatten(e), *reduce_func_other_arguments))
        ),
        lambda *state: listed(finalize_func(*nest.flatten(state), *finalize_func_other_arguments)),
    )
    how = experimental.group_by_reducer(lambda *e: first(key(*e)), reducer)
    return to_variant(as_dataset(input_dataset).apply(how))


def _sharded(
    input_dataset: Tensor, num_workers: Tensor, index: Tensor, auto_shard_policy: int = 0,
    **given: Any,
) -> Any:  # fmt: skip
    source, count = as_dataset(input_dataset), one(num_workers)
    if auto_shard_policy == -1 or count == 1:
        return input_dataset
    if auto_shard_policy != 2:
        raise NotImplementedError(
            "tf.raw_ops.AutoShardDataset: Emplace shards by elements alone, got auto_shard_policy="
            f"{auto_shard_policy}. Use 2 (DATA), or tf.data.Dataset.shard over the files."
        )
    return to_variant(source.shard(count, one(index)))


def _of_rows_of_text(
    filenames: Tensor, compression_type: Tensor, buffer_size: Tensor, header: Tensor,
    field_delim: Tensor, use_quote_delim: Tensor, na_value: Tensor, select_cols: Tensor,
    record_defaults: Sequence[Tensor], **given: Any,
) -> Any:  # fmt: skip
    if one(buffer_size) <= 0:
        raise invalid_argument("buffer_size should be positive")
    defaults = [each if each.shape.num_elements() else each.dtype for each in record_defaults]
    chosen = [int(each) for each in select_cols.numpy().reshape(-1)]
    left_out = given.get("exclude_cols")
    left_out = [] if left_out is None else [int(each) for each in left_out.numpy().reshape(-1)]
    made = CsvDataset(
        filenames, defaults, text(compression_type) or None, header=bool(one(header)),
        field_delim=text(field_delim), use_quote_delim=bool(one(use_quote_delim)),
        na_value=text(na_value), select_cols=chosen or None,
        exclude_cols=left_out or None,
    )  # fmt: skip
    return to_variant(made)


def _fastest(input_datasets: Sequence[Tensor], **given: Any) -> Any:
    """All of them have the same elements."""
    as_dataset(input_datasets[0])
    return input_datasets[0]


def _written(input_dataset: Tensor, filename: Tensor, compression_type: Tensor) -> Any:
    writer = TFRecordWriter(text(filename), text(compression_type))
    return writer.write(as_dataset(input_dataset).map(lambda *e: nest.flatten(e)[0]))


def _of_list(tensors: Sequence[Tensor], output_types: Types, **given: Any) -> Any:
    count = len(output_types)
    rows = [tuple(tensors[i : i + count]) for i in range(0, len(tensors), count)]
    made = Dataset.from_tensors(rows[0])
    for row in rows[1:]:
        made = made.concatenate(Dataset.from_tensors(row))
    return to_variant(made)


def _rebatched(
    input_dataset: Tensor, batch_sizes: Tensor, drop_remainder: Tensor, **given: Any
) -> Any:
    sizes = [int(each) for each in batch_sizes.numpy().reshape(-1)]
    made = as_dataset(input_dataset).rebatch(
        sizes if batch_sizes.shape.rank else sizes[0], bool(one(drop_remainder))
    )
    return to_variant(made)


def _seed(given: Any) -> int | None:
    """One seed of two; None stands for none, which TensorFlow writes as two zeros."""
    seeds = [one(given.get(name, 0)) for name in ("seed", "seed2")]
    known = getattr(given.get("seed_generator"), "seeds", None)
    seeds = seeds if known is None else known
    return hash(tuple(seeds)) % 2**31 if any(seeds) else None


def _random(**given: Any) -> Any:
    again = given.get("rerandomize_each_iteration")
    seeds = (one(given["seed"]), one(given["seed2"]))
    return to_variant(Dataset.random(seeds[1] or seeds[0] or None, again))


def _shuffled(input_dataset: Tensor, buffer_size: Tensor, **given: Any) -> Any:
    again = given.get("reshuffle_each_iteration", True)
    made = as_dataset(input_dataset).shuffle(one(buffer_size), _seed(given), bool(again))
    return to_variant(made.repeat(one(given["count"])) if "count" in given else made)


def _records(
    filenames: Tensor, compression_type: Tensor, byte_offsets: Tensor, **given: Any
) -> Any:
    if any(byte_offsets.numpy().reshape(-1)):
        raise NotImplementedError(
            "tf.raw_ops.TFRecordDatasetV2: Emplace reads files from their beginning, got "
            "byte_offsets. Skip records with tf.data.Dataset.skip."
        )
    return to_variant(TFRecordDataset(filenames, text(compression_type)))


def _of_sparse_slices(indices: Tensor, values: Tensor, dense_shape: Tensor, **given: Any) -> Any:
    made = Dataset.from_tensor_slices(SparseTensor(indices, values, dense_shape))
    return to_variant(made.map(lambda row: (row.indices, row.values, row.dense_shape)))


def _windows(
    input_dataset: Tensor, size: Tensor, shift: Tensor, stride: Tensor, drop_remainder: Tensor,
    **given: Any,
) -> Any:  # fmt: skip
    made = as_dataset(input_dataset).window(
        one(size), one(shift), one(stride), bool(one(drop_remainder))
    )
    return to_variant(made)


def _token(**given: Any) -> Any:
    """A handle that only tells what it is made of."""
    made = apply_any(iterators.NEW_ITERATOR, ())
    made.seeds = tuple(one(given.get(name, 0)) for name in ("seed", "seed2"))
    return made


def _token_and_deleter(**given: Any) -> Any:
    return _token(**given), apply_any(optional.NONE, ())


def _nothing(**given: Any) -> None:
    """Handles end when nobody holds them."""


def _device(resource: Tensor) -> Any:
    return constant(resource.device)


def _held(input_handle: Tensor) -> Any:
    if input_handle.dtype.name != "variant":
        raise invalid_argument("Tensor must be a variant.")
    return input_handle


_row = composed

ROWS: dict[str, Row] = {
    "AnonymousIterator": _row(_token),
    "AnonymousIteratorV2": _row(_token_and_deleter),
    "AnonymousMemoryCache": _row(_token_and_deleter),
    "AnonymousSeedGenerator": _row(_token_and_deleter),
    "AutoShardDataset": _row(_sharded),
    "BatchDataset": _row(changed("batch", "batch_size")),
    "BytesProducedStatsDataset": _row(same),
    "CSVDataset": _row(_of_rows_of_text),
    "CSVDatasetV2": _row(_of_rows_of_text),
    "CacheDatasetV2": PLAIN["CacheDataset"],
    "ChooseFastestDataset": _row(_fastest),
    "DatasetToTFRecord": _row(_written),
    "DeleteIterator": _row(_nothing),
    "DummyMemoryCache": _row(_token),
    "DummySeedGenerator": _row(_token),
    "ExperimentalAutoShardDataset": _row(_sharded),
    "ExperimentalBytesProducedStatsDataset": _row(same),
    "ExperimentalCSVDataset": _row(_of_rows_of_text),
    "ExperimentalChooseFastestDataset": _row(_fastest),
    "ExperimentalDatasetToTFRecord": _row(_written),
    "ExperimentalGroupByReducerDataset": _row(_reduced_by_key),
    "ExperimentalGroupByWindowDataset": _row(_windowed_by_key),
    "ExperimentalIteratorGetDevice": _row(_device),
    "ExperimentalLatencyStatsDataset": _row(same),
    "ExperimentalParallelInterleaveDataset": _row(_interleaved_in_parallel),
    "ExperimentalRandomDataset": _row(_random),
    "FixedLengthRecordDataset": _row(fixed_length),
    "FlatMapDataset": _row(_flat_mapped),
    "GroupByReducerDataset": _row(_reduced_by_key),
    "GroupByWindowDataset": _row(_windowed_by_key),
    "InterleaveDataset": _row(_interleaved),
    "IteratorGetDevice": _row(_device),
    "LatencyStatsDataset": _row(same),
    "LegacyParallelInterleaveDatasetV2": _row(_interleaved_in_parallel),
    "ListDataset": _row(_of_list),
    "PaddedBatchDataset": _row(padded),
    "ParallelFilterDataset": PLAIN["FilterDataset"],
    "ParallelInterleaveDataset": _row(_interleaved_in_parallel),
    "ParallelInterleaveDatasetV2": _row(_interleaved),
    "ParallelInterleaveDatasetV3": _row(_interleaved),
    "ParallelInterleaveDatasetV4": _row(_interleaved),
    "RandomDataset": _row(_random),
    "RandomDatasetV2": _row(_random),
    "RebatchDatasetV2": _row(_rebatched),
    "ShuffleAndRepeatDataset": _row(_shuffled),
    "ShuffleAndRepeatDatasetV2": _row(_shuffled),
    "ShuffleDataset": _row(_shuffled),
    "ShuffleDatasetV3": _row(_shuffled),
    "SparseTensorSliceDataset": _row(_of_sparse_slices),
    "TFRecordDatasetV2": _row(_records),
    "UnwrapDatasetVariant": _row(_held),
    "WindowDataset": _row(_windows),
    "WrapDatasetVariant": _row(_held),
}
