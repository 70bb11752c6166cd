"""Modules of `data`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import emplace.tensorflow as tf

from ..helpers import of_source

_VALUES = ("SparseTensorValue", "RaggedTensorValue")  # named tuples that are no structures


def is_nested(x: Any) -> bool:
    """Whether `tf.data` takes something for a structure: lists are leaves."""
    if hasattr(x, "__tf_flatten__"):
        return True
    return isinstance(x, tuple | Mapping) and type(x).__name__ not in _VALUES


def _below(x: Any) -> list[Any]:
    """The elements of a structure, dictionaries' in the order of their keys."""
    if hasattr(x, "__tf_flatten__"):
        return list(x.__tf_flatten__()[1])
    return [x[key] for key in sorted(x)] if isinstance(x, Mapping) else list(x)


def flatten(x: Any) -> list[Any]:
    """The leaves."""
    return [leaf for each in _below(x) for leaf in flatten(each)] if is_nested(x) else [x]


def assert_same_structure(a: Any, b: Any, check_types: bool = True) -> None:
    """Refuses two structures that differ."""
    if is_nested(a) != is_nested(b):
        raise ValueError(f"The two structures don't have the same nested structure. {a!r} {b!r}")
    if is_nested(a):
        if len(_below(a)) != len(_below(b)):
            raise ValueError(f"different lengths {a!r} {b!r}")
        if check_types and type(a) is not type(b):
            raise TypeError(f"different types {type(a)} {type(b)}")
        for x, y in zip(_below(a), _below(b), strict=True):
            assert_same_structure(x, y, check_types)


def map_structure(f: Callable[..., Any], *structures: Any) -> Any:
    """A structure of what a function makes of the leaves of several."""
    first = structures[0]
    if isinstance(first, Mapping):
        return {key: map_structure(f, *[each[key] for each in structures]) for key in first}
    if is_nested(first):
        rows = zip(*[_below(each) for each in structures], strict=False)
        values = [map_structure(f, *row) for row in rows]
        if hasattr(first, "__tf_flatten__"):
            return first.__tf_unflatten__(first.__tf_flatten__()[0], tuple(values))
        return type(first)(*values) if hasattr(first, "_fields") else tuple(values)
    return f(*structures)


def matching_files(patterns: Any) -> Any:
    """The dataset of a raw op that has no public function."""
    rows = tf.reshape(tf.convert_to_tensor(patterns, tf.string), [-1])
    variant = tf.raw_ops.MatchingFilesDataset(patterns=rows)
    return tf.data.experimental.from_variant(variant, tf.TensorSpec([], tf.string))


_SHUFFLE = "data.experimental.ops.shuffle_ops"

NAMES: dict[str, dict[str, Any]] = {
    _SHUFFLE: {"index_shuffle": of_source(_SHUFFLE, "index_shuffle")},
    "data.experimental.ops.matching_files": {"MatchingFilesDataset": matching_files},
    "data.ops.dataset_ops": {
        "AUTOTUNE": tf.data.AUTOTUNE,
        "Dataset": tf.data.Dataset,
        "DatasetV2": tf.data.Dataset,
    },
    "data.ops.test_mode": {"toggle_test_mode": lambda is_on: None},
    "data.util.nest": {
        "assert_same_structure": assert_same_structure,
        "flatten": flatten,
        "is_nested": is_nested,
        "map_structure": map_structure,
    },
}
