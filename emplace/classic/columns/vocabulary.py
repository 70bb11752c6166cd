"""Columns of categories that stand in a list or in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import FailedPreconditionError
from ...base.typing import DTypeLike
from ...graph.recording.scopes import init_scope
from ...ops.io import gfile
from ...ops.io.records import TFRecordOptions, tf_record_iterator
from ...ops.lookup.initializers import (
    KeyValueTensorInitializer,
    TableInitializer,
    TextFileIndex,
    TextFileInitializer,
)
from ...ops.lookup.tables import LookupInterface, StaticHashTable, StaticVocabularyTable
from ...ops.math.elementwise import cast
from .categorical import KeyedColumn
from .checks import key_of, texts_or_integers
from .column import FeatureTransformationCache, States


class _VocabularyColumn(KeyedColumn):
    """Categories in a table, which is made outside of functions, once per model."""

    dtype: DType
    num_oov_buckets: int
    default_value: int

    def _initializer(self, key_dtype: DType) -> TableInitializer:
        raise NotImplementedError

    def transform_feature(
        self, transformation_cache: FeatureTransformationCache, state_manager: States
    ) -> Any:
        """The number of each value."""
        feature = self._texts_or_integers(transformation_cache, state_manager)
        if feature.dtype.is_integer:
            feature = feature.with_values(cast(feature.values, dtypes.int64))
        return self._table(feature.dtype, state_manager).lookup(feature)

    def _table(self, key_dtype: DType, state_manager: States) -> LookupInterface:
        name = f"{self.key}_lookup"
        if state_manager is not None and state_manager.has_resource(self, name):
            return state_manager.get_resource(self, name)  # type: ignore[no-any-return]
        with init_scope():
            table = self._made(self._initializer(key_dtype), key_dtype, name)
        if state_manager is not None:
            state_manager.add_resource(self, name, table)
        return table

    def _made(self, filled: TableInitializer, key_dtype: DType, name: str) -> LookupInterface:
        if self.num_oov_buckets:
            return StaticVocabularyTable(filled, self.num_oov_buckets, key_dtype, name)
        return StaticHashTable(filled, np.int64(self.default_value), name)


class _VocabularyFile(NamedTuple):
    key: str
    vocabulary_file: str
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int
    file_format: str | None = None


class VocabularyFileCategoricalColumn(_VocabularyColumn, _VocabularyFile):
    """See `categorical_column_with_vocabulary_file`."""

    @property
    def num_buckets(self) -> int:
        """The lines, and the buckets for other values."""
        return self.vocabulary_size + self.num_oov_buckets

    def _initializer(self, key_dtype: DType) -> TableInitializer:
        if self.file_format == _RECORDS:
            words = list(_records(self.vocabulary_file))[: self.vocabulary_size]
            if len(words) < self.vocabulary_size:
                raise FailedPreconditionError(
                    None, None, f"Input dataset was expected to contain {self.vocabulary_size} "
                    f"elements but contained only {len(words)} elements.",
                )  # fmt: skip
            keys = words if key_dtype is dtypes.string else list(map(int, words))
            return _numbered(keys, key_dtype)
        column = TextFileIndex.WHOLE_LINE if key_dtype is dtypes.string else 0
        return TextFileInitializer(
            self.vocabulary_file, key_dtype, column, dtypes.int64, TextFileIndex.LINE_NUMBER,
            vocab_size=self.vocabulary_size,
        )  # fmt: skip


_RECORDS = "tfrecord_gzip"


def _records(path: str) -> Any:
    return tf_record_iterator(path, TFRecordOptions("GZIP"))


def _numbered(keys: Sequence[Any], key_dtype: DType) -> KeyValueTensorInitializer:
    numbers = np.arange(len(keys), dtype=np.int64)
    return KeyValueTensorInitializer(list(keys), numbers, key_dtype, dtypes.int64)


class _VocabularyList(NamedTuple):
    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: DType
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_VocabularyColumn, _VocabularyList):
    """See `categorical_column_with_vocabulary_list`."""

    @property
    def num_buckets(self) -> int:
        """The words, and the buckets for other values."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def _initializer(self, key_dtype: DType) -> TableInitializer:
        return _numbered(self.vocabulary_list, key_dtype)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    dtype: DTypeLike = dtypes.string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Makes a column of the categories in a file, one per line
    (`tf.feature_column.categorical_column_with_vocabulary_file`).

    Args:
        key: the feature: texts or integers, sparse or dense; "" and -1 of dense ones are none.
        vocabulary_file: the file; of records, if its name ends in "tfrecord.gz".
        vocabulary_size: how many lines are used; all if None.
        dtype: the dtype of the feature.
        default_value: the category of other values; none (-1) if None.
        num_oov_buckets: categories behind the last one, for other values by their hash.
        file_format: None for lines, "tfrecord_gzip" for compressed records.

    Raises:
        ValueError: there is no such file, there are no lines, both a default and buckets are
            given, or the feature is neither text nor integer.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if file_format is None and vocabulary_file.endswith("tfrecord.gz"):
        file_format = _RECORDS
    if vocabulary_size is None:
        vocabulary_size = _counted(key, vocabulary_file, file_format)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value is not None)
    kind = texts_or_integers(dtype, f"column_name: {key}")
    return VocabularyFileCategoricalColumn(
        key_of(key), vocabulary_file, vocabulary_size, num_oov_buckets or 0, kind,
        -1 if default_value is None else default_value, file_format,
    )  # fmt: skip


def categorical_column_with_vocabulary_file_v1(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: DTypeLike = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    """Makes a column of the categories in a file
    (`tf.compat.v1.feature_column.categorical_column_with_vocabulary_file`).

    Args:
        key: the feature.
        vocabulary_file: the file, one category per line.
        vocabulary_size: how many lines are used; all if None.
        num_oov_buckets: categories behind the last one, for other values by their hash.
        default_value: the category of other values; none (-1) if None.
        dtype: the dtype of the feature.
    """
    return categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )


def _counted(key: str, path: str, file_format: str | None) -> int:
    if not gfile.exists(path):
        raise ValueError(f"vocabulary_file in {key} does not exist.")
    if file_format == _RECORDS:
        return sum(1 for _ in _records(path))
    with gfile.GFile(path, "rb") as file:
        return sum(1 for _ in file)


def _check_buckets(key: str, num_oov_buckets: int, has_default: bool) -> None:
    if num_oov_buckets and has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets and num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: DTypeLike | None = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Makes a column of the categories in a list
    (`tf.feature_column.categorical_column_with_vocabulary_list`).

    Args:
        key: the feature: texts or integers, sparse or dense; "" and -1 of dense ones are none.
        vocabulary_list: the values, in the order of their numbers.
        dtype: the dtype of the feature; that of the values if None.
        default_value: the category of other values; -1 for none.
        num_oov_buckets: categories behind the last one, for other values by their hash.

    Raises:
        ValueError: there are no values, or some twice, they are neither texts nor integers, or
            both a default and buckets are given.

    >>> categorical_column_with_vocabulary_list("sex", ["male", "female"]).num_buckets
    2
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    words_dtype = as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    texts_or_integers(words_dtype, f"column_name: {key} vocabulary")
    kind = words_dtype if dtype is None else as_dtype(dtype)
    if kind.is_integer != words_dtype.is_integer:
        raise ValueError(
            f"dtype {kind} and vocabulary dtype {words_dtype} do not match, column_name: {key}"
        )
    texts_or_integers(kind, f"column_name: {key}")
    return VocabularyListCategoricalColumn(
        key_of(key), tuple(vocabulary_list), kind, default_value, num_oov_buckets
    )
