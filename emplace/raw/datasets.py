"""Rows of raw ops on datasets, iterators and optionals. A dataset is a variant tensor; only eager
programs make one of another by raw ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base import dtypes, nest
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..core.tensor_spec import TensorSpec
from ..data.dataset.base import FromVariant
from ..data.dataset.dataset import Dataset
from ..data.dataset.files import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from ..data.dataset.methods.reductions import SINGLE
from ..data.elements import optional
from ..data.elements.structure import Structure
from ..data.iteration import bound, iterator as iterators
from ..data.library import experimental
from ..data.library.access import AT
from ..data.library.experimental import to_variant
from ..ops.op import apply_any
from .rows import Row, composed

Types = Sequence[DType]
Shapes = Sequence[TensorShape]


def as_dataset(variant: Tensor) -> Any:
    """The dataset in a variant.

    Raises:
        NotImplementedError: in a graph, whose variants do not tell what their elements are.
        InvalidArgumentError: it holds something else.
    """
    if not LOCAL.state.target.is_eager:
        raise NotImplementedError(
            "Raw ops make datasets in eager mode alone. Use tf.data.Dataset, in graphs as well."
        )
    raw = getattr(variant, "_value", None)
    if not isinstance(raw, bound.BoundDataset):
        raise invalid_argument("Tensor must be a Dataset object.")
    return Dataset.of_node(FromVariant(variant, raw.node.structure))


def one(value: object) -> Any:
    """A number as Python has it."""
    return value.numpy().item() if hasattr(value, "numpy") else value


def text(value: Tensor) -> str:
    """A text as Python has it."""
    return str(value.numpy().decode())


def structure_of(types: Types, shapes: Shapes) -> Structure:
    """What elements are, as `output_types` and `output_shapes` say."""
    if len(types) != len(shapes):
        raise invalid_argument(
            f"`output_types` and `output_shapes` must have the same length: {len(types)} vs. "
            f"{len(shapes)}"
        )
    return Structure(tuple(TensorSpec(s, t) for s, t in zip(shapes, types, strict=True)))


def on_parts(f: object, more: Sequence[Tensor] = ()) -> Callable[..., Any]:
    """A function of the tensors of an element, laid flat, and of what it takes besides."""
    if not callable(f):
        raise NotImplementedError(
            f"Raw ops on datasets call functions, got {f!r}. Hand in a tf.function, or what its "
            "get_concrete_function returns."
        )

    def call(*element: Any) -> Any:
        return f(*nest.flatten(element), *more)

    return call


def listed(answer: object) -> tuple[Any, ...]:
    """The tensors that a function returned."""
    return tuple(answer) if isinstance(answer, (list, tuple)) else (answer,)


def first(answer: object) -> Any:
    """The one tensor that a function returned."""
    return answer[0] if isinstance(answer, (list, tuple)) else answer


def changed(method: str, *names: str) -> Callable[..., Any]:
    """A row that is a method of datasets, with some inputs as its arguments."""

    def run(input_dataset: Tensor, **given: Any) -> Any:
        arguments = [one(given[name]) for name in names]
        return to_variant(getattr(as_dataset(input_dataset), method)(*arguments))

    return run


def same(input_dataset: Tensor, **given: Any) -> Any:
    """Of what only says how to run a dataset."""
    as_dataset(input_dataset)
    return input_dataset


def _mapped(input_dataset: Tensor, other_arguments: Sequence[Tensor], f: Any, **given: Any) -> Any:
    call = on_parts(f, other_arguments)
    return to_variant(as_dataset(input_dataset).map(lambda *e: listed(call(*e))))


def _mapped_in_batches(
    input_dataset: Tensor, other_arguments: Sequence[Tensor], f: Any, batch_size: Tensor,
    drop_remainder: Tensor, **given: Any,
) -> Any:  # fmt: skip
    call = on_parts(f, other_arguments)
    made = as_dataset(input_dataset).map(lambda *e: listed(call(*e)))
    return to_variant(made.batch(one(batch_size), one(drop_remainder)))


def _filtered(
    input_dataset: Tensor, other_arguments: Sequence[Tensor], predicate: Any, **given: Any
) -> Any:
    call = on_parts(predicate, other_arguments)
    return to_variant(as_dataset(input_dataset).filter(lambda *e: first(call(*e))))


def _taken_while(
    input_dataset: Tensor, other_arguments: Sequence[Tensor], predicate: Any, **given: Any
) -> Any:
    call = on_parts(predicate, other_arguments)
    return to_variant(as_dataset(input_dataset).take_while(lambda *e: first(call(*e))))


def _scanned(
    input_dataset: Tensor, initial_state: Sequence[Tensor], other_arguments: Sequence[Tensor],
    f: Any, **given: Any,
) -> Any:  # fmt: skip
    count = len(initial_state)

    def step(state: Any, *element: Any) -> Any:
        made = listed(f(*state, *nest.flatten(element), *other_arguments))
        return tuple(made[:count]), tuple(made[count:])

    on_parts(f)
    # A scan hands on the state and one element.
    return to_variant(
        as_dataset(input_dataset).scan(tuple(initial_state), lambda s, *e: step(s, *e))
    )


def _reduced(
    input_dataset: Tensor, initial_state: Sequence[Tensor], other_arguments: Sequence[Tensor],
    f: Any, **given: Any,
) -> Any:  # fmt: skip
    on_parts(f)
    made = as_dataset(input_dataset).reduce(
        tuple(initial_state),
        lambda state, *e: listed(f(*state, *nest.flatten(e), *other_arguments)),
    )
    return list(listed(made))


def _range(start: Tensor, stop: Tensor, step: Tensor, output_types: Types) -> Any:
    made = Dataset.range(one(start), one(stop), one(step))
    kind = output_types[0] if output_types else dtypes.int64
    return to_variant(made if kind is dtypes.int64 else Dataset.range(
        one(start), one(stop), one(step), output_type=kind))  # fmt: skip


def _of_tensors(components: Sequence[Tensor], **given: Any) -> Any:
    return to_variant(Dataset.from_tensors(tuple(components)))


def _of_slices(components: Sequence[Tensor], **given: Any) -> Any:
    return to_variant(Dataset.from_tensor_slices(tuple(components)))


def _concatenated(input_dataset: Tensor, another_dataset: Tensor, **given: Any) -> Any:
    return to_variant(as_dataset(input_dataset).concatenate(as_dataset(another_dataset)))


def _zipped(input_datasets: Sequence[Tensor], **given: Any) -> Any:
    made = Dataset.zip(tuple(as_dataset(each) for each in input_datasets))
    return to_variant(made)


def padded(
    input_dataset: Tensor, batch_size: Tensor, padded_shapes: Sequence[Tensor],
    padding_values: Sequence[Tensor], drop_remainder: Any = False, **given: Any,
) -> Any:  # fmt: skip
    """Batches of elements of several lengths."""
    source = as_dataset(input_dataset)
    flat = source.map(lambda *e: tuple(nest.flatten(e)))
    shapes = tuple([int(n) for n in each.numpy()] for each in padded_shapes)
    made = flat.padded_batch(
        one(batch_size), shapes, tuple(padding_values), bool(one(drop_remainder))
    )
    return to_variant(made)


def _slid(
    input_dataset: Tensor, window_size: Tensor, window_shift: Tensor, window_stride: Tensor,
    **given: Any,
) -> Any:  # fmt: skip
    if not given.get("drop_remainder", True):
        raise NotImplementedError(
            "tf.raw_ops.SlidingWindowDataset: Emplace has drop_remainder=True alone."
        )
    size, shift, stride = (one(each) for each in (window_size, window_shift, window_stride))
    windows = as_dataset(input_dataset).window(size, shift, stride, drop_remainder=True)
    made = windows.flat_map(lambda *parts: Dataset.zip(tuple(nest.flatten(parts))).batch(size))
    return to_variant(made)


def _lines(filenames: Tensor, compression_type: Tensor, **given: Any) -> Any:
    return to_variant(TextLineDataset(filenames, text(compression_type)))


def _records(filenames: Tensor, compression_type: Tensor, **given: Any) -> Any:
    return to_variant(TFRecordDataset(filenames, text(compression_type)))


def fixed_length(
    filenames: Tensor, header_bytes: Tensor, record_bytes: Tensor, footer_bytes: Tensor,
    **given: Any,
) -> Any:  # fmt: skip
    """Records of one length."""
    kind = given.get("compression_type")
    made = FixedLengthRecordDataset(
        filenames, one(record_bytes), one(header_bytes), one(footer_bytes),
        compression_type=None if kind is None else text(kind),
    )  # fmt: skip
    return to_variant(made)


def _cached(input_dataset: Tensor, filename: Tensor, **given: Any) -> Any:
    return to_variant(as_dataset(input_dataset).cache(text(filename)))


def _certain(input_dataset: Tensor, cardinality: Tensor, **given: Any) -> Any:
    made = as_dataset(input_dataset).apply(experimental.assert_cardinality(one(cardinality)))
    return to_variant(made)


def _directed(selector_input_dataset: Tensor, data_input_datasets: Sequence[Tensor],
              **given: Any) -> Any:  # fmt: skip
    choices = as_dataset(selector_input_dataset).map(lambda *e: nest.flatten(e)[0])
    made = Dataset.choose_from_datasets(
        [as_dataset(each) for each in data_input_datasets], choices,
        bool(given.get("stop_on_empty_dataset", False)),
    )  # fmt: skip
    return to_variant(made)


def _matching(patterns: Tensor, **given: Any) -> Any:
    return to_variant(Dataset.list_files(patterns, shuffle=False))


def _cardinality(input_dataset: Tensor, **given: Any) -> Any:
    return as_dataset(input_dataset).cardinality()


def _single(dataset: Tensor, output_types: Types, output_shapes: Shapes) -> Any:
    attrs = {"structure": structure_of(output_types, output_shapes)}
    return list(listed(apply_any(SINGLE, (dataset,), attrs)))


def _at(dataset: Tensor, index: Tensor, output_types: Types, output_shapes: Shapes) -> Any:
    attrs = {"structure": structure_of(output_types, output_shapes)}
    return list(listed(apply_any(AT, (dataset, index), attrs)))


def _next(iterator: Tensor, output_types: Types, output_shapes: Shapes) -> Any:
    attrs = {"structure": structure_of(output_types, output_shapes)}
    return list(listed(apply_any(iterators.GET_NEXT, (iterator,), attrs)))


def _next_optional(iterator: Tensor, **given: Any) -> Any:
    return apply_any(iterators.GET_NEXT_AS_OPTIONAL, (iterator,))


def _new_iterator(**given: Any) -> Any:
    return apply_any(iterators.NEW_ITERATOR, ())


def _value(optional_: Tensor, output_types: Types, output_shapes: Shapes) -> Any:
    attrs = {"structure": structure_of(output_types, output_shapes)}
    return list(listed(apply_any(optional.GET_VALUE, (optional_,), attrs)))


def _get_value(**given: Any) -> Any:
    return _value(given["optional"], given["output_types"], given["output_shapes"])


_BATCH = changed("batch", "batch_size", "drop_remainder")
_MAP = composed(_mapped)
_row = composed

ROWS: dict[str, Row] = {
    "AnonymousIteratorV3": _row(_new_iterator),
    "AssertCardinalityDataset": _row(_certain),
    "BatchDatasetV2": _row(_BATCH),
    "CacheDataset": _row(_cached),
    "ConcatenateDataset": _row(_concatenated),
    "DatasetCardinality": _row(_cardinality),
    "DatasetToSingleElement": _row(_single, ignored="metadata"),
    "DirectedInterleaveDataset": _row(_directed),
    "ExperimentalDirectedInterleaveDataset": _row(_directed),
    "ExperimentalDatasetCardinality": _row(_cardinality),
    "ExperimentalIgnoreErrorsDataset": _row(changed("ignore_errors")),
    "ExperimentalMapAndBatchDataset": _row(_mapped_in_batches),
    "ExperimentalMatchingFilesDataset": _row(_matching),
    "ExperimentalMaxIntraOpParallelismDataset": _row(same),
    "ExperimentalNonSerializableDataset": _row(same),
    "ExperimentalPrivateThreadPoolDataset": _row(same),
    "ExperimentalScanDataset": _row(_scanned),
    "ExperimentalSleepDataset": _row(same),
    "ExperimentalSlidingWindowDataset": _row(_slid),
    "ExperimentalTakeWhileDataset": _row(_taken_while),
    "ExperimentalUnbatchDataset": _row(changed("unbatch")),
    "ExperimentalUniqueDataset": _row(changed("unique")),
    "FilterDataset": _row(_filtered),
    "FinalizeDataset": _row(same),
    "FixedLengthRecordDatasetV2": _row(fixed_length),
    "GetElementAtIndex": _row(_at),
    "IgnoreErrorsDataset": _row(changed("ignore_errors")),
    "IteratorGetNext": _row(_next),
    "IteratorGetNextAsOptional": _row(_next_optional),
    "IteratorGetNextSync": _row(_next),
    "MakeIterator": _row(
        lambda dataset, iterator: apply_any(iterators.MAKE_ITERATOR, (dataset, iterator))
    ),
    "MapAndBatchDataset": _row(_mapped_in_batches),
    "MapDataset": _MAP,
    "MatchingFilesDataset": _row(_matching),
    "MaxIntraOpParallelismDataset": _row(same),
    "ModelDataset": _row(same),
    "NonSerializableDataset": _row(same),
    "OptimizeDataset": _row(same),
    "OptimizeDatasetV2": _row(same),
    "OptionalFromValue": _row(lambda components: apply_any(optional.FROM_VALUE, tuple(components))),
    "OptionalGetValue": _row(_get_value),
    "OptionalHasValue": _row(lambda **given: apply_any(optional.HAS_VALUE, (given["optional"],))),
    "OptionalNone": _row(lambda: apply_any(optional.NONE, ())),
    "OptionsDataset": _row(same),
    "PaddedBatchDatasetV2": _row(padded),
    "ParallelBatchDataset": _row(_BATCH),
    "ParallelMapDataset": _MAP,
    "ParallelMapDatasetV2": _MAP,
    "PrefetchDataset": _row(changed("prefetch", "buffer_size")),
    "PrivateThreadPoolDataset": _row(same),
    "RangeDataset": _row(_range, ignored="output_shapes replicate_on_split metadata"),
    "ReduceDataset": _row(_reduced),
    "RepeatDataset": _row(changed("repeat", "count")),
    "ScanDataset": _row(_scanned),
    "ShardDataset": _row(changed("shard", "num_shards", "index"), fixed="require_non_empty"),
    "SkipDataset": _row(changed("skip", "count")),
    "SleepDataset": _row(same),
    "SlidingWindowDataset": _row(_slid),
    "TFRecordDataset": _row(_records),
    "TakeDataset": _row(changed("take", "count")),
    "TakeWhileDataset": _row(_taken_while),
    "TensorDataset": _row(_of_tensors),
    "TensorSliceDataset": _row(_of_slices, fixed="is_files"),
    "TextLineDataset": _row(_lines),
    "UnbatchDataset": _row(changed("unbatch")),
    "UniqueDataset": _row(changed("unique")),
    "ZipDataset": _row(_zipped),
}
