"""Tables in checkpoints: those that change are saved, those that are filled once are not."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


def dense(default=-1, empty=-2, deleted=-3, **kwargs):
    return tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, default, empty, deleted, **kwargs
    )


def names(path):
    return [name for name, _ in tf.train.list_variables(path)]


@pytest.mark.parametrize("make", [dense, lambda: mutable(tf.int64)])
def test_what_a_table_held_comes_back(make, tmp_path):
    table, other = make(), make()
    table.insert([4, 5], [1, 2])
    path = tf.train.Checkpoint(t=table).write(str(tmp_path / "saved"))
    assert names(path)[1:] == ["t/.ATTRIBUTES/table-keys", "t/.ATTRIBUTES/table-values"]
    table.insert([8], [9])
    other.insert([4, 7], [6, 6])
    for each in (table, other):
        tf.train.Checkpoint(t=each).read(path).assert_consumed()
        assert int(each.size()) == 2
        assert each.lookup([4, 5, 7, 8]).numpy().tolist() == [1, 2, -1, -1]


def mutable(key_dtype):
    return tf.lookup.experimental.MutableHashTable(key_dtype, tf.int64, -1)


def test_a_table_of_a_module_is_saved_with_it(tmp_path):
    module = tf.Module()
    module.table = mutable(tf.string)
    module.table.insert(["a"], [3])
    path = tf.train.Checkpoint(m=module).write(str(tmp_path / "saved"))
    module.table.insert(["a"], [4])
    tf.train.Checkpoint(m=module).read(path).assert_consumed()
    assert int(module.table.lookup(["a"])[0]) == 3


def test_tables_that_are_filled_once_are_not_saved(tmp_path):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    words = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64)), 1
    )
    path = tf.train.Checkpoint(a=table, b=words).write(str(tmp_path / "saved"))
    assert names(path) == ["_CHECKPOINTABLE_OBJECT_GRAPH"]
    tf.train.Checkpoint(a=table, b=words).read(path).assert_consumed()


def test_a_dense_table_refuses_the_keys_that_stand_for_none():
    table = dense()
    error = tf.errors.InvalidArgumentError
    with pytest.raises(error, match="Using the empty_key as a table key is not allowed"):
        table.lookup([-2])
    with pytest.raises(error, match="Using the deleted_key as a table key is not allowed"):
        table.insert([1, -3], [1, 2])
    assert int(table.size()) == 0
    with pytest.raises(error, match="Empty and deleted keys cannot be equal"):
        dense(-1, -2, -2)
    with pytest.raises(error, match="at least 4 and a power of 2, got: 3"):
        dense(initial_num_buckets=3)
    with pytest.raises(error, match=r"Expected shape \[2\] for value, got \[1\]"):
        table.insert([1, 2], [3])


def test_a_dense_table_takes_vectors_as_keys_and_as_values(tmp_path):
    make = tf.lookup.experimental.DenseHashTable
    pairs = make(tf.int64, tf.int64, -1, [-2, -2], [-3, -3])
    pairs.insert([[1, 2]], [5])
    assert pairs.lookup([[1, 2], [2, 1]]).numpy().tolist() == [5, -1]
    path = tf.train.Checkpoint(t=pairs).write(str(tmp_path / "saved"))
    pairs.erase(tf.constant([[1, 2]], tf.int64))
    assert int(pairs.size()) == 0
    tf.train.Checkpoint(t=pairs).read(path)
    assert pairs.lookup([[1, 2]]).numpy().tolist() == [5]
    rows = make(tf.int64, tf.float32, [0.0, 0.0], -2, -3)
    rows.insert_or_assign([1], [[1.0, 2.0]])
    assert rows.lookup([1, 2]).numpy().tolist() == [[1.0, 2.0], [0.0, 0.0]]
    texts = make(tf.string, tf.int64, -1, "", "$")
    texts.insert(["a"], [5])
    assert texts.lookup(["a", "b"]).numpy().tolist() == [5, -1]


def test_callbacks_are_told_of_checkpoints_that_have_been_written(tmp_path):
    told = []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[told.append, lambda: told.append("written")]
    )
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    paths = [
        checkpoint.write(str(tmp_path / "a"), options=options),
        checkpoint.save(str(tmp_path / "b"), options=options),
        tf.train.CheckpointManager(checkpoint, str(tmp_path), 3).save(options=options),
    ]
    assert told == [paths[0], "written", paths[1], "written", paths[2], "written"]
    with pytest.raises(TypeError, match="3 is not a callable object"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[3])
