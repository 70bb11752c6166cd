"""`tf.lookup`: tables that are filled once, and tables that change."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.typing import DTypeLike, TensorLike
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...core.tracking import Trackable
from ..array.making import constant
from ..array.select import where
from ..convert import to_tensor
from ..math.elementwise import add, cast, equal
from ..op import apply
from ..sparse.tensor import SparseTensor
from ..strings.hashing import to_hash_bucket_fast
from ..strings.numbers import as_string
from .initializers import TableInitializer
from .saving import TableSaveable, let_savers_know, saveable_of
from .table_ops import (
    DENSE_TABLE,
    EXPORT,
    FIND,
    HASH_TABLE,
    IMPORT,
    INSERT,
    MUTABLE_TABLE,
    REMOVE,
    RESERVING_TABLE,
    SIZE,
)

_NUMBERS = itertools.count()
_INITIALIZERS = "table_initializer"  # TF 1's list: GraphKeys.TABLE_INITIALIZERS


class LookupInterface(Trackable):
    """What all tables can do: look up, be counted, be listed."""

    def __init__(
        self, key_dtype: DTypeLike, value_dtype: DTypeLike, default_value: TensorLike, name: str
    ) -> None:
        self._key_dtype: DType = as_dtype(key_dtype)
        self._value_dtype: DType = as_dtype(value_dtype)
        self._default = to_tensor(default_value, self._value_dtype)
        self._name = f"{name}_{next(_NUMBERS)}"
        attrs = {
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "value_shape": tuple(self._default.shape),
        }
        self._handle = self._made(attrs)

    def _made(self, attrs: dict[str, Any]) -> Tensor:
        """A table of these dtypes and this shape."""
        handle: Tensor = apply(MUTABLE_TABLE, (), attrs)
        return handle

    @property
    def key_dtype(self) -> DType:
        """The dtype of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of values."""
        return self._value_dtype

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @property
    def resource_handle(self) -> Tensor:
        """The resource that is the table."""
        return self._handle

    def size(self, name: str | None = None) -> Any:
        """The number of keys, an int64 scalar."""
        return apply(SIZE, (self._handle,))

    def export(self, name: str | None = None) -> tuple[Any, Any]:
        """All keys and their values, in the same order."""
        attrs = {"Tkeys": self._key_dtype, "Tvalues": self._value_dtype}
        keys, values = apply(EXPORT, (self._handle,), attrs)
        return keys, values

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The values of keys; the default value for those that are not there.

        Args:
            keys: a tensor, a sparse or a ragged one.
            name: a name in graphs.

        Raises:
            TypeError: the keys are of another dtype.
        """
        return self._each(keys, self._find)

    def _find(self, keys: Tensor) -> Any:
        return apply(FIND, (self._handle, keys, self._default))

    def __getitem__(self, keys: TensorLike) -> Any:
        return self.lookup(keys)

    def _each(self, keys: Any, find: Callable[[Any], Any]) -> Any:
        """What `find` says of keys, in the structure of the keys."""
        if isinstance(keys, RaggedTensor):
            return keys.with_flat(self._each(keys.flat_values, find))
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, self._each(keys.values, find), keys.dense_shape)
        if not hasattr(keys, "dtype"):
            keys = to_tensor(keys, self._key_dtype)
        if as_dtype(keys.dtype) is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}"
            )
        return find(to_tensor(keys))


class StaticHashTable(LookupInterface):
    """A table that is filled when it is made (`tf.lookup.StaticHashTable`).

    Args:
        initializer: a `KeyValueTensorInitializer` or a `TextFileInitializer`.
        default_value: the value of keys that are not there, a scalar.
        name: a name in graphs.

    Raises:
        ValueError: `default_value` is no scalar.
        FailedPreconditionError: a key is given two values.

    >>> import emplace.tensorflow as tf
    >>> numbers = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> tf.lookup.StaticHashTable(numbers, -1).lookup(["b", "z"]).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self,
        initializer: TableInitializer,
        default_value: TensorLike,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(
            initializer.key_dtype, initializer.value_dtype, default_value, name or "hash_table"
        )
        self._default.shape.assert_is_compatible_with(())
        self._initializer = initializer
        self._init_op = self._initialize()
        target: Any = LOCAL.state.target
        if not target.is_eager and not target.graph.is_function:  # a session runs it
            target.graph.add_to_collection(_INITIALIZERS, self._init_op)

    def _made(self, attrs: dict[str, Any]) -> Tensor:
        handle: Tensor = apply(HASH_TABLE, (), attrs)
        return handle

    def _initialize(self) -> Any:
        return self._initializer.initialize(self)

    @property
    def initializer(self) -> Any:
        """What fills it: in TF 1's graphs an operation, which `tables_initializer` runs, too."""
        return self._init_op

    def fill(self, keys: TensorLike, values: TensorLike) -> Any:
        """Fills the table; initializers call it."""
        return apply(IMPORT, (self._handle, keys, values))

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not there."""
        return self._default


class MutableHashTable(LookupInterface):
    """A table that changes (`tf.lookup.experimental.MutableHashTable`).

    Args:
        key_dtype: the dtype of keys.
        value_dtype: the dtype of values.
        default_value: the value of keys that are not there; values have its shape.
        name: a name in graphs.
        checkpoint: whether `tf.train.Checkpoint` saves what it holds.
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype, default_value, name)
        self._is_saved = checkpoint
        self._own_name = name
        if checkpoint:
            let_savers_know(self, name)

    def as_saveable(self) -> TableSaveable:
        """What `tf.compat.v1.train.Saver` writes of it."""
        return saveable_of(self, self._own_name)

    def _serialize_to_tensors(self) -> dict[str, Any]:
        """What a checkpoint keeps of it."""
        if not self._is_saved:
            return {}
        keys, values = self.export()
        return {"table-keys": keys, "table-values": values}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Tensor:
        """Takes what a checkpoint keeps, in the place of what it holds."""
        kept = restored_tensors["table-keys"], restored_tensors["table-values"]
        return apply(IMPORT, (self._handle, *kept))

    def lookup(  # type: ignore[override]  # TensorFlow's order
        self, keys: TensorLike, dynamic_default_values: Any = None, name: str | None = None
    ) -> Any:
        """The values of keys; the default, or the row of `dynamic_default_values`, for others.

        Raises:
            ValueError: the keys are of another dtype.
            InvalidArgumentError: there are not as many default values as keys.
        """
        if dynamic_default_values is None:
            return self._each(keys, self._find)
        default = to_tensor(dynamic_default_values, self._value_dtype)
        return self._each(keys, lambda given: apply(FIND, (self._handle, given, default)))

    def _each(self, keys: Any, find: Callable[[Any], Any]) -> Any:
        if isinstance(keys, (RaggedTensor, SparseTensor)):
            return super()._each(keys, find)
        return find(to_tensor(keys, self._key_dtype))

    def insert(self, keys: TensorLike, values: TensorLike, name: str | None = None) -> Any:
        """Puts values in, in the place of those that are there.

        Raises:
            InvalidArgumentError: there are not as many values as keys.
        """
        keys, values = to_tensor(keys, self._key_dtype), to_tensor(values, self._value_dtype)
        return apply(INSERT, (self._handle, keys, values))

    def remove(self, keys: TensorLike, name: str | None = None) -> Any:
        """Takes keys out; those that are not there do not matter.

        Raises:
            TypeError: they are of another dtype.
        """
        given = getattr(keys, "dtype", self._key_dtype)
        if as_dtype(given) is not self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {given}"
            )
        return apply(REMOVE, (self._handle, to_tensor(keys, self._key_dtype)))


class DenseHashTable(MutableHashTable):
    """A table that changes, two of whose keys nobody may use
    (`tf.lookup.experimental.DenseHashTable`).

    Args:
        key_dtype: the dtype of keys.
        value_dtype: the dtype of values.
        default_value: the value of keys that are not there; values have its shape.
        empty_key: a key that nobody uses; keys have its shape.
        deleted_key: another one.
        initial_num_buckets: a power of 2, at least 4; without effect.
        name: a name in graphs.
        checkpoint: whether `tf.train.Checkpoint` saves what it holds.

    Raises:
        InvalidArgumentError: the two keys are equal, or that is no number of buckets.

    >>> import emplace.tensorflow as tf
    >>> table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -2, -3)
    >>> _ = table.insert([4, 5], [1, 2])
    >>> table.lookup([5, 6]).numpy().tolist()
    [2, -1]
    """

    def __init__(
        self,
        key_dtype: DTypeLike,
        value_dtype: DTypeLike,
        default_value: TensorLike,
        empty_key: TensorLike,
        deleted_key: TensorLike,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        dtype = as_dtype(key_dtype)
        self._reserved = to_tensor(empty_key, dtype), to_tensor(deleted_key, dtype)
        self._buckets = 131072 if initial_num_buckets is None else int(initial_num_buckets)
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint)

    def _made(self, attrs: dict[str, Any]) -> Tensor:
        more: dict[str, Any] = {
            "value_dtype": attrs["value_dtype"],
            "value_shape": attrs["value_shape"],
        }
        known = [key.static_value() for key in self._reserved]
        if not LOCAL.state.target.is_eager and all(value is not None for value in known):
            # A session keeps tables that need no value of a run.
            keys = [(tuple(np.ravel(value).tolist()), np.shape(value)) for value in known]
            more.update(key_dtype=attrs["key_dtype"], empty_key=keys[0], deleted_key=keys[1])
            kept: Tensor = apply(RESERVING_TABLE, (), {**more, "num_buckets": self._buckets})
            return kept
        handle: Tensor = apply(DENSE_TABLE, self._reserved, {**more, "num_buckets": self._buckets})
        return handle

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:  # type: ignore[override]
        """The values of keys; the default value for those that are not there.

        Raises:
            ValueError: the keys are of another dtype.
            InvalidArgumentError: they are neither one key nor a row of them, or a reserved one.
        """
        return self._each(keys, self._find)

    def insert_or_assign(
        self, keys: TensorLike, values: TensorLike, name: str | None = None
    ) -> Any:
        """Puts values in, in the place of those that are there; see `insert`."""
        return self.insert(keys, values, name)

    def erase(self, keys: TensorLike, name: str | None = None) -> Any:
        """Takes keys out; see `remove`."""
        return self.remove(keys, name)


class StaticVocabularyTable(LookupInterface):
    """A table of ids from 0 on, in which unknown keys get buckets by their hash
    (`tf.lookup.StaticVocabularyTable`).

    Args:
        initializer: keys and their ids, int64; None if all keys get buckets.
        num_oov_buckets: ids behind the last one for keys that are not there.
        lookup_key_dtype: the dtype of the keys that are looked up; the initializer's if None.
        name: a name in graphs.

    Raises:
        ValueError: there are no buckets.
        TypeError: values are not int64, or keys of `lookup_key_dtype` are never in the table.
    """

    def __init__(
        self,
        initializer: TableInitializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        # TF: without a table the keys are strings, whatever is asked for.
        wanted = dtypes.string
        if initializer is not None:
            wanted = initializer.key_dtype if lookup_key_dtype is None else lookup_key_dtype
            _check_vocabulary(initializer, as_dtype(wanted))
        self._key_dtype, self._value_dtype = as_dtype(wanted), dtypes.int64
        self._name = f"{name or 'hash_bucket'}"
        self._table = None if initializer is None else StaticHashTable(initializer, np.int64(-1))
        self._buckets = num_oov_buckets

    @property
    def initializer(self) -> Any:
        """What fills it; see `StaticHashTable`. Without one, something that can be run, too."""
        return self.size() if self._table is None else self._table.initializer

    @property
    def resource_handle(self) -> Any:
        """The resource that is the table of the known keys; None without one."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Any:
        """The number of ids, those of the buckets among them."""
        buckets = constant(self._buckets, dtypes.int64)
        return buckets if self._table is None else add(self._table.size(), buckets)

    def lookup(self, keys: TensorLike, name: str | None = None) -> Any:
        """The ids of keys.

        Raises:
            TypeError: the keys are of another dtype.
        """
        return self._each(keys, self._ids)

    def _ids(self, keys: Tensor) -> Tensor:
        texts = keys if keys.dtype is dtypes.string else as_string(keys)
        bucket = to_hash_bucket_fast(texts, self._buckets)
        if self._table is None:
            return bucket
        given = keys if keys.dtype is self._table.key_dtype else cast(keys, self._table.key_dtype)
        found = self._table.lookup(given)
        bucket = add(bucket, self._table.size())
        return where(equal(found, constant(-1, dtypes.int64)), bucket, found)


def _check_vocabulary(initializer: TableInitializer, wanted: DType) -> None:
    """Raises TypeError unless keys of this dtype can have the initializer's ids."""
    if initializer.value_dtype is not dtypes.int64:
        raise TypeError(
            f"Invalid `value_dtype`, expected {dtypes.int64} but got {initializer.value_dtype}."
        )
    held = initializer.key_dtype
    if wanted.is_integer != held.is_integer:
        kind = "integer" if wanted.is_integer else "non-integer"
        raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {held}.")
