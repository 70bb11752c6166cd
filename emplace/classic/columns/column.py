"""What feature columns are, and what holds transformed features and variables for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, Protocol

from ...base import dtypes
from ...base.shapes import TensorShape
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ...graph.control_flow.branches import cond
from ...graph.recording.scopes import control_dependencies
from ...ops.array.gathering import gather_nd
from ...ops.array.select import where
from ...ops.array.shaping import expand_dims, rank as rank_of, shape
from ...ops.convert import to_tensor
from ...ops.debugging.assertions import assert_positive
from ...ops.math.elementwise import equal, not_equal
from ...ops.sparse.basic import reshape as reshape_sparse
from ...ops.sparse.tensor import SparseTensor, SparseTensorValue


class IdWeightPair(NamedTuple):
    """Categories of examples as a sparse tensor, and what each weighs (None for 1)."""

    id_tensor: SparseTensor
    weight_tensor: SparseTensor | None


class TensorSequenceLengthPair(NamedTuple):
    """Sequences padded to the longest, (batch, steps, ...), and how long each is, (batch)."""

    dense_tensor: Tensor
    sequence_length: Tensor


class States(Protocol):
    """What keeps the variables and tables of columns: a `StateManager`."""

    @property
    def create_variable(self) -> Callable[..., Any]:
        """Makes a variable of a column."""

    def add_variable(self, feature_column: FeatureColumn, var: Any, name: str = "") -> None:
        """Keeps a variable that exists."""

    def get_variable(self, feature_column: FeatureColumn, name: str) -> Any:
        """The variable of a column."""

    def add_resource(self, feature_column: FeatureColumn, name: str, resource: Any) -> None:
        """Keeps a table of a column."""

    def has_resource(self, feature_column: FeatureColumn, name: str) -> bool:
        """Whether a column has a table."""

    def get_resource(self, feature_column: FeatureColumn, name: str) -> Any:
        """The table of a column."""


class FeatureColumn(ABC):
    """One feature of a model, as a description that can be compared and saved
    (`tf.__internal__.feature_column.FeatureColumn`).

    Columns are named tuples, so two that say the same are equal.
    """

    _is_v2_column: ClassVar[bool] = True

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name; a model has every name once."""

    @property
    @abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.io.parse_example` is to read for it."""

    @property
    @abstractmethod
    def parents(self) -> list[Any]:
        """The columns and keys of features that it is made of."""

    @abstractmethod
    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The feature as this column wants it; `FeatureTransformationCache.get` keeps it."""

    def create_state(self, state_manager: States) -> None:  # noqa: B027  # many need none
        """Makes the variables that it needs."""

    def get_config(self) -> dict[str, Any]:
        """Returns the fields, as what can be saved (`serialisation.py` knows how)."""
        raise NotImplementedError

    @classmethod
    def from_config(
        cls, config: Any, custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        """Makes the column with some fields.

        Args:
            config: what `get_config` returned.
            custom_objects: functions and classes by name, beside those that are known.
            columns_by_name: columns that exist, by name.
        """
        raise NotImplementedError

    # Columns are named tuples; those of two kinds differ even where the same fields say the same.

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _fields(self) == _fields(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self).__name__, _fields(self)))

    def __lt__(self, other: object) -> bool:
        """By text, so that columns of several kinds can be sorted."""
        return str(self) < str(other)

    def __gt__(self, other: object) -> bool:
        return str(self) > str(other)


def _fields(column: object) -> tuple[Any, ...]:
    """What a column says, without its kind; one of a class of the program's own may be no tuple,
    and is equal to itself alone.
    """
    return tuple(column) if isinstance(column, tuple) else (id(column),)


class DenseColumn(FeatureColumn):
    """A column that is a dense tensor (`tf.__internal__.feature_column.DenseColumn`)."""

    @property
    @abstractmethod
    def variable_shape(self) -> TensorShape:
        """The shape of one example's part."""

    @abstractmethod
    def get_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Tensor:
        """A float32 tensor (batch, *variable_shape)."""


class SequenceDenseColumn(FeatureColumn):
    """A column of sequences (`tf.__internal__.feature_column.SequenceDenseColumn`)."""

    @abstractmethod
    def get_sequence_dense_tensor(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> TensorSequenceLengthPair:
        """Padded sequences, and their lengths."""


class CategoricalColumn(FeatureColumn):
    """A column of categories, each with a number from 0 on."""

    @property
    @abstractmethod
    def num_buckets(self) -> int:
        """How many categories there are."""

    @abstractmethod
    def get_sparse_tensors(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> IdWeightPair:
        """The numbers of the categories, and weights."""


class FeatureTransformationCache:
    """Features, and what columns made of them (`tf.__internal__.feature_column.
    FeatureTransformationCache`): two columns on top of a third ask it once.

    Args:
        features: from key to tensor, sparse tensor or array; the first axis is the batch.
    """

    def __init__(self, features: Mapping[Any, Any]) -> None:
        self._features = dict(features)
        self._found: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: States, training: bool | None = None) -> Any:
        """Returns the feature of a key, with at least two axes, or the transformed feature of a
        column.

        Args:
            key: the key of a feature, or a column.
            state_manager: what keeps the variables and tables of columns, or None.
            training: not used.

        Raises:
            ValueError: there is no such feature, or it is a single number.
            TypeError: the key is neither text nor a column.
        """
        if key in self._found:
            return self._found[key]
        if key in self._features:
            value = _with_an_axis_of_features(key, self._features[key])
        elif isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary.")
        elif not isinstance(key, FeatureColumn):
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        else:
            value = key.transform_feature(self, state_manager)
            if value is None:
                raise ValueError(f"Column {key.name} is not supported.")
        self._found[key] = value
        return value


def _with_an_axis_of_features(key: object, given: Any) -> Any:
    """A feature with its batch first; a vector is one number per example."""
    if isinstance(given, SparseTensorValue):
        given = SparseTensor.from_value(given)
    feature: Any = given if isinstance(given, CompositeTensor) else to_tensor(given)
    rank = feature.shape.rank
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {feature}")
    if rank is None:
        return _with_an_axis_where_needed(key, feature)
    return _as_rows(feature) if rank == 1 else feature


def _as_rows(feature: Any) -> Any:
    """A vector as a matrix with one column."""
    if isinstance(feature, SparseTensor):
        return reshape_sparse(feature, [feature.shape[0] if feature.shape[0] else -1, 1])
    return expand_dims(feature, -1)


def _with_an_axis_where_needed(key: object, feature: Any) -> Any:
    """The same for a feature of which a graph knows no rank before it runs."""
    axes = rank_of(feature)
    message = f"Feature (key: {key}) cannot have rank 0. Given: {feature}"
    with control_dependencies([assert_positive(axes, message)]):
        return cond(equal(axes, 1), lambda: _as_rows(feature), lambda: feature)


def as_sparse(feature: Any, left_out: Any = None) -> SparseTensor:
    """A feature of categories as a sparse tensor.

    Args:
        feature: sparse, or dense; a dense one is without "" or -1 (0 if it has floats).
        left_out: what a dense one is without, if not those.
    """
    if isinstance(feature, SparseTensorValue):
        return SparseTensor.from_value(feature)
    if isinstance(feature, SparseTensor):
        return feature
    dense = to_tensor(feature)
    if left_out is None:
        dtype = dense.dtype
        left_out = "" if dtype is dtypes.string else -1 if dtype.is_integer else 0.0
    places = where(not_equal(dense, to_tensor(left_out, hint=dense.dtype)))
    return SparseTensor(places, gather_nd(dense, places), shape(dense, dtypes.int64))


def dtype_mismatch(key: str, column: Any, feature: Any) -> ValueError:
    """The error of a feature with numbers where texts are meant, or the other way round."""
    return ValueError(
        "Column dtype and SparseTensors dtype must be compatible. "
        f"key: {key}, column dtype: {column}, tensor dtype: {feature}"
    )
