"""Tables of `tf.lookup` in functions, and out of files."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


def _words():
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)


def test_a_function_looks_up_in_a_table_from_outside():
    table = _words()
    find = tf.function(lambda keys: table.lookup(keys) * 10)
    assert find(tf.constant(["b", "?"])).numpy().tolist() == [20, -10]


def test_a_function_sees_what_was_put_in_since_it_was_traced():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    count = tf.function(lambda: table.size())
    assert int(count()) == 0
    table.insert(["a"], tf.constant([1], tf.int64))
    assert int(count()) == 1


def test_lines_of_a_file_fill_a_table(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("x\ny\nz\n")
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(
        str(path), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    )
    table = tf.lookup.StaticHashTable(lines, -1)
    assert table.lookup(tf.constant(["z", "q"])).numpy().tolist() == [2, -1]


def test_columns_of_a_file_fill_a_table(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("x,10\ny,20\n")
    pairs = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter=",")
    assert tf.lookup.StaticHashTable(pairs, -1)[tf.constant("y")].numpy() == 20


def test_a_line_with_too_few_columns_is_named(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("x,10\ny\n")
    pairs = tf.lookup.TextFileInitializer(str(path), tf.string, 0, tf.int64, 1, delimiter=",")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"line 1 \(y\) : expected at least 2"):
        tf.lookup.StaticHashTable(pairs, -1)


@pytest.mark.parametrize(
    ("text", "size", "error", "told"),
    [
        ("", None, tf.errors.OutOfRangeError, "Read less bytes than requested"),
        ("x\n\ny\n", None, tf.errors.InvalidArgumentError, "empty line found at position 2"),
        ("\nx\n", 2, tf.errors.InvalidArgumentError, "empty line found at position 1"),
        ("x\n", 2, tf.errors.InvalidArgumentError, "expected 2 but got 1"),
    ],
)
def test_a_file_with_empty_or_too_few_lines_is_refused(tmp_path, text, size, error, told):
    path = tmp_path / "words.txt"
    path.write_text(text)
    lines = tf.lookup.TextFileInitializer(str(path), tf.string, -2, tf.int64, -1, vocab_size=size)
    with pytest.raises(error, match=told):
        tf.lookup.StaticHashTable(lines, -1)


def test_an_empty_line_behind_those_that_are_read_is_not_seen(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("x\ny\n\n")
    lines = tf.lookup.TextFileInitializer(str(path), tf.string, -2, tf.int64, -1, vocab_size=2)
    assert tf.lookup.StaticHashTable(lines, -1).size().numpy() == 2


def test_a_file_that_is_not_there_is_named(tmp_path):
    lines = tf.lookup.TextFileInitializer(str(tmp_path / "no"), tf.string, -2, tf.int64, -1)
    with pytest.raises(tf.errors.NotFoundError, match="no; No such file"):
        tf.lookup.StaticHashTable(lines, -1)


@pytest.mark.gpus(1, memory="64MB")
def test_a_table_is_on_the_cpu_whatever_the_scope():
    with tf.device("GPU:0"):
        found = _words().lookup(tf.constant(["a"]))
    assert found.device.endswith("CPU:0")
