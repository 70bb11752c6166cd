"""Tables whose files and keys are unusual."""

from __future__ import annotations

from pathlib import Path

import pytest

import emplace.tensorflow as tf


def lines(path: object) -> tf.lookup.StaticHashTable:
    """The numbers of a file's lines."""
    whole, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    made = tf.lookup.TextFileInitializer(path, tf.string, whole, tf.int64, number)
    return tf.lookup.StaticHashTable(made, -1)


def test_the_name_of_a_tables_file_may_be_a_tensor(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("a\nb\n")
    assert int(lines(tf.constant(str(path))).lookup(tf.constant("b"))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"a single string, but got \[1\]"):
        lines(tf.constant([str(path)]))


@pytest.mark.parametrize("name", ["", None])
def test_a_table_of_lines_needs_a_file(name: str | None) -> None:
    with pytest.raises(ValueError, match="`filename` argument required"):
        lines(name)


def test_a_vocabulary_without_words_has_only_buckets() -> None:
    words = tf.constant(["brain", "salad"])
    table = tf.lookup.StaticVocabularyTable(None, 5)
    assert table.resource_handle is None
    assert table.key_dtype == tf.string
    assert table.lookup(words).numpy().tolist() == [3, 1]

    @tf.function
    def f(keys):
        return table.lookup(keys), table.size()

    ids, size = f(words)
    assert (ids.numpy().tolist(), int(size)) == ([3, 1], 5)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        table = tf.compat.v1.lookup.StaticVocabularyTable(None, 5)
        session.run(table.initializer)
        assert session.run(table.lookup(tf.constant("brain"))) == 3


def test_default_values_that_a_graph_computes_must_fit_the_keys() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, [-1, -2])

    @tf.function(input_signature=[tf.TensorSpec(None, tf.int64)] * 2)
    def f(keys, default):
        return table.lookup(keys, default)

    assert f([1], [7, 8]).numpy().tolist() == [[7, 8]]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Expected shape \[2\] or \[3,2\] for default value"
    ):
        f([1, 2, 3], [[7, 8]])
