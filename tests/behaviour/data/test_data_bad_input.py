"""What `tf.data`, ragged tensors and strings say to bad input, as TensorFlow 2.21 does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
NO_TENSOR = r"Attempt to convert a value \(.*\) with an unsupported type"
TOO_LARGE = "Can't convert Python sequence with out-of-range integer to Tensor"


def two() -> list[Any]:
    return [D.range(3), D.range(3)]


CASES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "TFRecordDataset": (lambda: tf.data.TFRecordDataset(None), ValueError, NO_TENSOR),
    "TextLineDataset": (lambda: tf.data.TextLineDataset({}), ValueError, NO_TENSOR),
    "FixedLengthRecordDataset": (
        lambda: tf.data.FixedLengthRecordDataset(None, 3), ValueError, NO_TENSOR),
    "numbers for names": (
        lambda: tf.data.TFRecordDataset((1, 2)), TypeError, "must contain `tf.string` elements"),
    "list_files": (lambda: D.list_files({}), ValueError, NO_TENSOR),
    "list_files, no text": (
        lambda: D.list_files(b"\xff"), tf.errors.InvalidArgumentError, "No files matched pattern"),
    "cache": (lambda: D.range(3).cache(None), ValueError, NO_TENSOR),
    "cache, a number": (lambda: D.range(3).cache(3), TypeError, "Cannot convert 3 to EagerTensor"),
    "cache, two names": (
        lambda: D.range(3).cache(["a", "b"]), tf.errors.InvalidArgumentError,
        "filename must be a scalar"),
    "concatenate": (lambda: D.range(3).concatenate(3), TypeError, "`dataset` should be a"),
    "choose": (
        lambda: D.choose_from_datasets(two(), 3), TypeError, "`choice_dataset` should be a"),
    "choose among": (
        lambda: D.choose_from_datasets([3, D.range(3)], D.range(2)), TypeError,
        "`datasets` should be a list of `tf.data.Dataset` objects but has one of <class 'int'>"),
    "sample": (lambda: D.sample_from_datasets("xy"), TypeError, "has one of <class 'str'>"),
    "weights": (lambda: D.sample_from_datasets(two(), {}), ValueError, NO_TENSOR),
    "texts for weights": (
        lambda: D.sample_from_datasets(two(), ["a", "b"]), TypeError,
        r"type must be either `tf.float32` or `tf.float64` but is tf\.string"),
    "counter": (lambda: D.counter(None), ValueError, NO_TENSOR),
    "counter of int64": (lambda: D.counter(1.5), TypeError, "Cannot convert 1.5 to EagerTensor"),
    "padding_values": (
        lambda: D.range(3).padded_batch(2, padding_values={}), ValueError, NO_TENSOR),
    "take": (lambda: D.range(3).take(2**70), ValueError, TOO_LARGE),
    "from_list": (lambda: tf.data.experimental.from_list("ab"), ValueError, "must be a list"),
    "from_uniform_row_length": (
        lambda: tf.RaggedTensor.from_uniform_row_length([1, 2], []), ValueError,
        r"Shape \(0,\) must have rank 0"),
    "from_row_lengths": (
        lambda: tf.RaggedTensor.from_row_lengths([1, 2], 2**70), ValueError, TOO_LARGE),
    "separator": (
        lambda: tf.strings.join(["a", "b"], separator=3), TypeError,
        "Expected string for argument 'separator' not 3."),
    "input_encoding": (
        lambda: tf.strings.unicode_decode("a", None), TypeError,
        "Expected string for argument 'input_encoding' not None."),
    "output_encoding": (
        lambda: tf.strings.unicode_encode([97], 3), TypeError,
        "Expected string for argument 'output_encoding' not 3."),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_bad_input_is_told_in_tensorflows_class(name: str):
    make, kind, message = CASES[name]
    with pytest.raises(kind, match=message):
        make()


def test_names_of_files_may_stand_in_a_tuple(tmp_path: Any):
    (tmp_path / "a").write_bytes(b"one\n")
    (tmp_path / "b").write_bytes(b"two\n")
    names = (str(tmp_path / "a"), str(tmp_path / "b"))
    assert [x.numpy() for x in tf.data.TextLineDataset(names)] == [b"one", b"two"]


def test_texts_are_joined_by_nothing_where_the_separator_is_none():
    assert tf.strings.join(["a", "b"], separator=None).numpy() == b"ab"


def test_elements_are_numbered_from_below_0():
    assert [(int(i), int(x)) for i, x in D.range(2).enumerate(-3)] == [(-3, 0), (-2, 1)]


def test_a_range_over_all_integers():
    numbers = D.range(-(2**63), 2**63 - 1)
    assert int(numbers.cardinality()) == tf.data.INFINITE_CARDINALITY
    assert next(iter(numbers.batch(2))).numpy().tolist() == [-(2**63), -(2**63) + 1]
    assert [int(x) for x in D.range(5, -4, -3)] == [5, 2, -1]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint32", "uint64"])
def test_a_python_integer_of_more_than_64_bits_is_no_constant(dtype: str):
    for value in (2**64, -(2**63) - 1):
        with pytest.raises(ValueError, match=TOO_LARGE):
            tf.constant(value, dtype)


def test_a_python_integer_of_64_bits_is_a_constant_of_its_type_only():
    assert tf.constant(2**64 - 1, tf.uint64).numpy() == np.uint64(2**64 - 1)
    for value, dtype in ((2**63, tf.int64), (2**63, tf.int32), (2**63, tf.uint8), (-1, tf.uint64)):
        with pytest.raises(ValueError, match=TOO_LARGE):
            tf.constant(value, dtype)
