"""What to read of a `tf.train.SequenceExample`: its context and its lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ..arguments import one_of
from ..op import apply
from ..ragged.making import from_row_splits
from ..sparse.tensor import SparseTensor
from ..strings.basic import as_texts
from .features import (
    FeatureKeys,
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
    dims_of,
    partitioned,
)
from .parse_example import TYPES
from .parse_sequence import PARSE_SEQUENCE
from .partitions import UniformRowLength

Found = dict[str, Any]
_CONTEXT = (VarLenFeature, FixedLenFeature, RaggedFeature)
_LISTS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


class _Lists:
    """The keys of lists that the op reads, by kind, with what the kernel wants to know of each."""

    def __init__(self) -> None:
        self.sparse: dict[str, tuple[DType]] = {}
        self.dense: dict[str, tuple[DType, Any, bool]] = {}
        self.ragged: dict[str, tuple[DType, DType]] = {}

    def add(self, key: str, feature: Any) -> None:
        """Notes what a feature needs.

        Raises:
            ValueError: it has a default value, which lists have not.
        """
        if isinstance(feature, VarLenFeature):
            self.sparse[key] = (one_of("feature_list_sparse_types", feature.dtype, TYPES),)
        elif isinstance(feature, RaggedFeature):
            value_type = one_of("feature_list_ragged_value_types", feature.dtype, TYPES)
            split_type = one_of(
                "feature_list_ragged_split_types", feature.row_splits_dtype, dtypes.INDICES
            )
            self._add_ragged(feature.value_key or key, value_type, split_type)
            for each in feature.partitions:
                if not isinstance(each, UniformRowLength):
                    self._add_ragged(each.key, dtypes.int64, split_type)
        elif feature.default_value is not None:
            raise ValueError(f"Value feature_list.dense_defaults[{key}] must be None")
        else:
            dtype = one_of("feature_list_dense_types", feature.dtype, TYPES)
            self.dense[key] = dtype, dims_of(feature.shape) or (), bool(feature.allow_missing)

    def _add_ragged(self, key: str, value_type: DType, split_type: DType) -> None:
        known = self.ragged.setdefault(key, (value_type, split_type))
        if known != (value_type, split_type):
            raise ValueError(
                f"Conflicting type {known} vs {(value_type, split_type)} for feature {key}."
            )


def _check_kinds(features: Mapping[str, Any] | None, kinds: tuple[type, ...]) -> None:
    for key in sorted(features or {}):
        feature = (features or {})[key]
        if not isinstance(feature, kinds):
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key {key!r}")


def _planned(
    context_features: Mapping[str, Any] | None, sequence_features: Mapping[str, Any] | None
) -> tuple[FeatureKeys, _Lists]:
    if not context_features and not sequence_features:
        raise ValueError(
            "Both context_features and sequence_features are None, but at least one should have "
            "values."
        )
    _check_kinds(context_features, _CONTEXT)
    _check_kinds(sequence_features, _LISTS)
    context, lists = FeatureKeys(), _Lists()
    for key in sorted(context_features or {}):
        context.add(key, (context_features or {})[key])
    context.check()
    for key in sorted(sequence_features or {}):
        lists.add(key, (sequence_features or {})[key])
    return context, lists


def _entries(found: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple((key, *found[key]) for key in sorted(found))


def _applied(context: FeatureKeys, lists: _Lists, serialized: Tensor, names: Any) -> Iterator[Any]:
    attrs = {
        "context_sparse": tuple(sorted(context.sparse.items())),
        "context_dense": tuple((key, context.dense[key][1]) for key in sorted(context.dense)),
        "context_ragged": _entries(context.ragged),
        "list_sparse": _entries(lists.sparse),
        "list_dense": _entries(lists.dense),
        "list_ragged": _entries(lists.ragged),
    }
    defaults = [context.dense[key][0] for key in sorted(context.dense)]
    outputs = apply(PARSE_SEQUENCE, (serialized, names, *defaults), attrs)
    return iter(outputs if isinstance(outputs, (list, tuple)) else [outputs])


def _parts(flat: Iterator[Any], keys: Mapping[str, Any], count: int) -> dict[str, list[Any]]:
    """The next outputs: all first parts of some keys, then all second ones."""
    columns = [[next(flat) for _ in keys] for _ in range(count)]
    return {key: [column[i] for column in columns] for i, key in enumerate(sorted(keys))}


def _read(
    context: FeatureKeys, lists: _Lists, serialized: Tensor, names: Any
) -> tuple[Found, Found, Found]:
    """The context, the lists and the lengths of the dense lists."""
    flat = _applied(context, lists, serialized, names)
    is_one = serialized.shape.rank == 0
    found: Found = {k: SparseTensor(*each) for k, each in _parts(flat, context.sparse, 3).items()}
    found |= {k: each[0] for k, each in _parts(flat, context.dense, 1).items()}
    for key, (values, splits) in _parts(flat, context.ragged, 2).items():
        found[key] = values if is_one else from_row_splits(values, splits, validate=False)
    times: Found = {k: SparseTensor(*each) for k, each in _parts(flat, lists.sparse, 3).items()}
    dense = _parts(flat, lists.dense, 2)
    times |= {k: each[0] for k, each in dense.items()}
    for key, (values, outer, inner) in _parts(flat, lists.ragged, 3).items():
        rows = from_row_splits(values, inner, validate=False)
        times[key] = rows if is_one else from_row_splits(rows, outer, validate=False)
    return found, times, {k: each[1] for k, each in dense.items()}


def _named(found: Found, features: Mapping[str, Any] | None, is_list: bool = False) -> Found:
    """By the names that the program gave: ragged features may read another key, and cut its values
    into rows by yet others.
    """
    renamed: Found = {}
    for key in [*found]:
        names = [
            name
            for name, each in (features or {}).items()
            if isinstance(each, RaggedFeature) and (each.value_key or name) == key
        ]
        for name in names:
            renamed[name] = partitioned(name, (features or {})[name], found, is_list)
        if key in (features or {}) and not isinstance((features or {})[key], RaggedFeature):
            renamed[key] = found[key]
    return renamed


def parse_sequence_example(
    serialized: Any, context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None, example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Found, Found, Found]:  # fmt: skip
    """Returns the contexts and lists of serialized `SequenceExample`s
    (`tf.io.parse_sequence_example`).

    Args:
        serialized: strings, shape (batch).
        context_features: what to read of contexts by key: `FixedLenFeature`, `VarLenFeature` or
            `RaggedFeature`.
        sequence_features: what to read of lists by key: `FixedLenSequenceFeature`, which is padded
            with zeros to the longest time, `VarLenFeature` or `RaggedFeature`.
        example_names: a name for each example, for errors.
        name: a name in graphs.

    Returns:
        Dictionaries of the contexts' tensors, of the lists' tensors, and of the lengths of the
        dense lists before they were padded.

    Raises:
        ValueError: there are no features, or one is wrong.
        InvalidArgumentError: an example lacks a feature, or has other or too many values.

    >>> from emplace.ops.io.examples import SequenceExample
    >>> data = SequenceExample()
    >>> steps = data.feature_lists.feature_list["t"].feature
    >>> for number in (5, 6):
    ...     steps.add().int64_list.value.append(number)
    >>> wanted = {"t": FixedLenSequenceFeature([], dtypes.int64)}
    >>> parse_sequence_example([data.SerializeToString()], None, wanted)[1]["t"].numpy().tolist()
    [[5, 6]]
    """
    context, lists = _planned(context_features, sequence_features)
    names = as_texts([] if example_names is None else example_names)
    context_values, times, lengths = _read(context, lists, as_texts(serialized), names)
    return (
        _named(context_values, context_features),
        _named(times, sequence_features, is_list=True),
        lengths,
    )


def parse_single_sequence_example(
    serialized: TensorLike, context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None, example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Found, Found]:  # fmt: skip
    """Returns the context and lists of one serialized `SequenceExample`
    (`tf.io.parse_single_sequence_example`).

    Args:
        serialized: a scalar string.
        context_features: as for `parse_sequence_example`.
        sequence_features: likewise.
        example_name: its name, for errors.
        name: a name in graphs.

    Returns:
        Dictionaries of the context's tensors and of the lists' tensors.

    Raises:
        ValueError: as `parse_sequence_example`, or `serialized` is no scalar.
        InvalidArgumentError: as `parse_sequence_example`.
    """
    context, lists = _planned(context_features, sequence_features)
    text = as_texts(serialized)
    if text.shape.rank not in (None, 0):
        raise ValueError("Input serialized must be a scalar")
    names = as_texts([] if example_name is None else example_name)
    found, times, _ = _read(context, lists, text, names)
    return _named(found, context_features), _named(times, sequence_features, is_list=True)
