"""What to read of a `tf.train.Example`, feature by feature, and `tf.io.parse_example`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...base import dtypes
from ...base.dtypes import DType
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ..arguments import one_of
from ..array.joining import concat
from ..array.shaping import expand_dims, reshape
from ..convert import to_tensor
from ..math.elementwise import cast
from ..op import apply
from ..ragged.making import from_row_splits
from ..sparse.basic import reorder
from ..sparse.tensor import SparseTensor
from ..strings.basic import as_texts
from .parse_example import PARSE_EXAMPLE, TYPES
from .partitions import PARTITIONS, ExampleRows, UniformRowLength, cut, of_one, whole


class VarLenFeature(NamedTuple):
    """A feature with any number of values, read as a sparse tensor (`tf.io.VarLenFeature`)."""

    dtype: Any


class FixedLenFeature(NamedTuple):
    """A feature with as many values in every example (`tf.io.FixedLenFeature`).

    Without a `default_value`, every example must have it.
    """

    shape: Any
    dtype: Any
    default_value: Any = None


class FixedLenSequenceFeature(NamedTuple):
    """A feature with any number of entries of one shape, padded to the longest
    (`tf.io.FixedLenSequenceFeature`).
    """

    shape: Any
    dtype: Any
    allow_missing: bool = False
    default_value: Any = None


class SparseFeature(NamedTuple):
    """A sparse tensor made of features that hold its indices and its values
    (`tf.io.SparseFeature`).
    """

    index_key: Any
    value_key: str
    dtype: Any
    size: Any
    already_sorted: bool = False


class _RaggedFields(NamedTuple):
    dtype: Any
    value_key: str | None
    partitions: Sequence[Any]
    row_splits_dtype: Any
    validate: bool


class RaggedFeature(_RaggedFields):
    """A feature with any number of values, read as a ragged tensor (`tf.io.RaggedFeature`).

    `partitions` cut the values into rows, the outermost first: each names a feature that does, or
    is a `RaggedFeature.UniformRowLength`.

    Raises:
        TypeError: something else is among `partitions`.
    """

    __slots__ = ()

    def __new__(
        cls,
        dtype: Any,
        value_key: str | None = None,
        partitions: Sequence[Any] = (),
        row_splits_dtype: Any = dtypes.int32,
        validate: bool = False,
    ) -> RaggedFeature:
        """Makes one; see the class."""
        for each in partitions:
            if not isinstance(each, PARTITIONS):
                names = ", ".join(f"tf.io.RaggedFeature.{kind.__name__}" for kind in PARTITIONS)
                raise TypeError(
                    "Argument `partitions` cannot be cast to any of the partition types in "
                    f"({names}). Received: {each!r}"
                )
        return super().__new__(cls, dtype, value_key, tuple(partitions), row_splits_dtype, validate)


for _partition in PARTITIONS:  # a NamedTuple takes no classes in its body
    setattr(RaggedFeature, _partition.__name__, _partition)


class FeatureKeys:
    """The keys that the op reads, by kind, and the dtype and shape of each."""

    def __init__(self) -> None:
        self.sparse: dict[str, DType] = {}
        self.dense: dict[str, tuple[Any, tuple[int | None, ...]]] = {}
        self.ragged: dict[str, tuple[DType, DType]] = {}

    def add(self, key: str, feature: Any) -> None:
        """Notes what a feature needs.

        Raises:
            ValueError: it is none, or cannot be read.
        """
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            self._add_sparse(feature.value_key, feature.dtype)
            for index_key in _listed(feature.index_key):
                self._add_sparse(index_key, dtypes.int64)
        elif isinstance(feature, RaggedFeature):
            self._add_ragged(key, feature)
        elif isinstance(feature, FixedLenFeature):
            self._add_fixed(key, feature)
        elif isinstance(feature, FixedLenSequenceFeature):
            self._add_sequence(key, feature)
        else:
            raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")

    def _add_sparse(self, key: str, dtype: DType) -> None:
        wanted = one_of("sparse_types", dtype, TYPES)
        if self.sparse.setdefault(key, wanted) is not wanted:
            raise ValueError(
                f"Conflicting type {self.sparse[key]!r} vs {wanted!r} for feature {key}."
            )

    def _add_ragged(self, key: str, feature: RaggedFeature) -> None:
        dtype = one_of("ragged_value_types", feature.dtype, TYPES)
        split_type = one_of("ragged_split_types", feature.row_splits_dtype, dtypes.INDICES)
        self._add_ragged_key(feature.value_key or key, dtype, split_type)
        for each in feature.partitions:
            if not isinstance(each, UniformRowLength):
                self._add_ragged_key(each.key, dtypes.int64, split_type)

    def _add_ragged_key(self, key: str, dtype: DType, split_type: DType) -> None:
        known = self.ragged.setdefault(key, (dtype, split_type))
        for what, one, other in zip(
            ("type", "partition type"), known, (dtype, split_type), strict=True
        ):
            if one is not other:
                raise ValueError(f"Conflicting {what} {one!r} vs {other!r} for feature {key}.")

    def _add_fixed(self, key: str, feature: FixedLenFeature) -> None:
        dims = dims_of(feature.shape)
        if dims is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        if None in dims:
            which = "First" if dims[0] is None else "All"
            hint = "Consider using FixedLenSequenceFeature. " if which == "First" else ""
            raise ValueError(
                f"{which} dimension of shape for feature {key} unknown. {hint}Received "
                f"feature={feature}."
            )
        self._add_dense(key, feature.dtype, feature.default_value, dims)

    def _add_sequence(self, key: str, feature: FixedLenSequenceFeature) -> None:
        if not feature.allow_missing:
            raise ValueError(
                "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
            )
        dims = dims_of(feature.shape) or ()
        self._add_dense(key, feature.dtype, feature.default_value, (None, *dims))

    def _add_dense(
        self,
        key: str,
        dtype: DType,
        default: Sequence[int] | Sequence[str] | int | None,
        dims: tuple[int | None, ...],
    ) -> None:
        wanted = one_of("Tdense", dtype, TYPES)
        value = to_tensor([] if default is None else default, wanted)
        if default is not None and None not in dims:
            value = reshape(value, dims)
        self.dense[key] = value, dims

    def check(self) -> None:
        """Raises ValueError if a key is to be read in two ways."""
        dense, sparse, ragged = list(self.dense), list(self.sparse), list(self.ragged)
        for one, its, other, theirs in (
            ("dense", dense, "sparse", sparse), ("dense", dense, "ragged", ragged),
            ("ragged", ragged, "sparse", sparse),
        ):  # fmt: skip
            both = ", ".join(repr(key) for key in its if key in theirs)
            if both:
                raise ValueError(
                    f"{one.capitalize()} and {other} keys must not intersect; {one}_keys: {its}, "
                    f"{other}_keys: {theirs}, intersection: {{{both}}}"
                )

    def read(self, serialized: Any, names: Any) -> dict[str, Any]:
        """The tensors of all keys, sparse ones as SparseTensor."""
        sparse, dense, ragged = sorted(self.sparse), sorted(self.dense), sorted(self.ragged)
        attrs = {
            "sparse_keys": tuple(sparse), "dense_keys": tuple(dense), "ragged_keys": tuple(ragged),
            "sparse_types": tuple(self.sparse[key] for key in sparse),
            "ragged_value_types": tuple(self.ragged[key][0] for key in ragged),
            "ragged_split_types": tuple(self.ragged[key][1] for key in ragged),
            "dense_shapes": tuple(self.dense[key][1] for key in dense),
        }  # fmt: skip
        defaults = [self.dense[key][0] for key in dense]
        outputs = apply(PARSE_EXAMPLE, (serialized, names, *defaults), attrs)
        flat = iter(outputs if isinstance(outputs, (list, tuple)) else [outputs])
        parts = [[next(flat) for _ in sparse] for _ in range(3)]
        found: dict[str, Any] = {
            key: SparseTensor(*each) for key, *each in zip(sparse, *parts, strict=True)
        }
        found |= {key: next(flat) for key in dense}
        values = [next(flat) for _ in ragged]
        is_one = serialized.shape.rank == 0
        for key, value, splits in zip(ragged, values, flat, strict=True):
            found[key] = value if is_one else from_row_splits(value, splits, validate=False)
        return found


def dims_of(shape: Any) -> tuple[int | None, ...] | None:
    """The sizes of a feature's shape, None for unknown ones; None if the rank is unknown."""
    known = TensorShape(shape)
    return None if known.rank is None else tuple(known.as_list())


def _listed(keys: str) -> list[str]:
    return [keys] if isinstance(keys, str) else list(keys)


def _joined(feature: SparseFeature, found: Mapping[str, Any]) -> SparseTensor:
    """A sparse tensor out of those that hold its indices and its values."""
    keys = _listed(feature.index_key)
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    parts, values = [found[key] for key in keys], found[feature.value_key]
    columns = [expand_dims(part.values, 1) for part in parts]
    indices = concat([parts[0].indices[:, :-1], *columns], 1)
    shape = concat([parts[0].dense_shape[:-1], cast(to_tensor(sizes), dtypes.int64)], 0)
    joined = SparseTensor(indices, values.values, shape)
    result: SparseTensor = joined if feature.already_sorted else reorder(joined)
    return result


def partitioned(
    key: str, feature: RaggedFeature, values: Mapping[str, Any], is_list: bool = False
) -> Any:
    """The values of a feature, cut into the rows that it asks for.

    Args:
        key: its key.
        feature: what is asked for.
        values: what has been read, by key.
        is_list: whether they are of lists; each time is cut by itself then.
    """
    found = values[feature.value_key or key]
    if not feature.partitions:
        return found
    is_outer = is_list and found.ragged_rank > 1  # of several examples
    is_one = not isinstance(found, RaggedTensor)

    def rows_of(value: Any) -> ExampleRows:
        if is_one:
            return of_one(value, feature.row_splits_dtype)
        inner = value.values if is_outer else value
        return ExampleRows(inner.values, inner.row_splits)

    names = [each.key for each in feature.partitions if not isinstance(each, UniformRowLength)]
    read = {name: rows_of(values[name]) for name in names}
    rows = whole(cut(rows_of(found), feature.partitions, read, feature.validate), is_one)
    return from_row_splits(rows, found.row_splits, validate=False) if is_outer else rows


def parse_example(
    serialized: Any, features: Mapping[str, Any], example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Returns the features of serialized `Example` messages as tensors (`tf.io.parse_example`).

    Args:
        serialized: strings, shape (batch) or ().
        features: what to read by key: `FixedLenFeature`, `FixedLenSequenceFeature`,
            `VarLenFeature`, `SparseFeature` or `RaggedFeature`; of float32, int64 or string.
        example_names: a name for each example, for errors.
        name: a name in graphs.

    Returns:
        A dictionary of tensors, sparse tensors and ragged tensors.

    Raises:
        ValueError: there are no features, or one is wrong.
        InvalidArgumentError: an example lacks a feature, or has other or too many values.

    >>> from emplace.ops.io.examples import Example
    >>> data = Example()
    >>> data.features.feature["age"].int64_list.value.append(7)
    >>> parse_example([data.SerializeToString()], {"age": FixedLenFeature([], dtypes.int64)})
    {'age': <tf.Tensor: shape=(1,), dtype=int64, numpy=array([7])>}
    """
    if not features:
        raise ValueError(f"Argument `features` cannot be None or falsy. Got {features}")
    plan = FeatureKeys()
    for key in sorted(features):
        plan.add(key, features[key])
    plan.check()
    names = as_texts([] if example_names is None else example_names)
    values = plan.read(as_texts(serialized), names)
    # In TensorFlow's order: sparse, dense, ragged features, then those made of other keys.
    result = dict(values)
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            result[key] = _joined(feature, values)
        elif isinstance(feature, RaggedFeature):
            result[key] = partitioned(key, feature, values)
    return {key: value for key, value in result.items() if key in features}


def parse_single_example(
    serialized: TensorLike, features: Mapping[str, Any], example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Returns the features of one serialized `Example` as tensors (`tf.io.parse_single_example`).

    Args:
        serialized: a scalar string.
        features: as for `parse_example`.
        example_names: a name for it, for errors.
        name: a name in graphs.

    Returns:
        A dictionary of tensors and sparse tensors.

    Raises:
        ValueError: as `parse_example`, or `serialized` is no scalar.
        InvalidArgumentError: as `parse_example`.
    """
    text = as_texts(serialized)
    if text.shape.rank not in (None, 0):
        raise ValueError(f"Input serialized must be a scalar, got shape {text.shape}")
    return parse_example(text, features, example_names, name)


def parse_example_v1(
    serialized: TensorLike, features: Mapping[str, Any], name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Does as `parse_example`, with the order of `tf.compat.v1.parse_example`."""
    return parse_example(serialized, features, example_names, name)


def parse_single_example_v1(
    serialized: TensorLike, features: Mapping[str, Any], name: str | None = None,
    example_names: TensorLike | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Does as `parse_single_example`, with the order of `tf.compat.v1.parse_single_example`."""
    return parse_single_example(serialized, features, example_names, name)
