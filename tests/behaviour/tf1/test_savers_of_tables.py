"""`tf.train.Saver` of TF 1 and tables that change: what they hold is saved, and comes back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow.compat.v1 as tf1


def mutable(name: str = "t1", checkpoint: bool = True) -> Any:
    """A table of texts."""
    return tf1.lookup.experimental.MutableHashTable(
        tf1.string, tf1.int64, -1, name=name, checkpoint=checkpoint
    )


def dense(name: str = "t1", checkpoint: bool = True) -> Any:
    """A table with keys that nobody may use."""
    return tf1.lookup.experimental.DenseHashTable(
        tf1.string, tf1.int64, -1, "", "deleted", name=name, checkpoint=checkpoint
    )


@pytest.mark.parametrize("make", [mutable, dense])
@pytest.mark.parametrize("is_alone", [False, True])
def test_a_saver_saves_what_tables_hold(
    tmp_path: Path, make: Callable[..., Any], is_alone: bool
) -> None:
    def saver(table: Any) -> Any:
        return tf1.train.Saver([table] if is_alone else None)

    with tf1.Graph().as_default(), tf1.Session() as session:
        v = tf1.get_variable("v", initializer=10.0)
        table = make()
        written = saver(table)
        session.run(tf1.global_variables_initializer())
        session.run(table.insert(["b", "c", "d"], tf1.constant([0, 1, 2], tf1.int64)))
        path = written.save(session, str(tmp_path / "model"))
    with tf1.Graph().as_default(), tf1.Session() as session:
        v = tf1.get_variable("v", initializer=-1.0)
        table = make()
        session.run(tf1.global_variables_initializer())
        session.run(table.insert(["a", "c"], tf1.constant([12, 24], tf1.int64)))
        saver(table).restore(session, path)
        assert session.run(v) == (-1.0 if is_alone else 10.0)
        assert session.run(table.size()) == 3
        assert session.run(table.lookup(["a", "b", "c", "d", "e"])).tolist() == [-1, 0, 1, 2, -1]


def test_tables_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    path = str(tmp_path / "model")
    for values in ([1, 2], [0, 0]):
        with tf1.Graph().as_default(), tf1.Session() as session:
            tables = [mutable(), mutable()]
            for table, value in zip(tables, values, strict=True):
                session.run(table.insert(["a"], tf1.constant([value], tf1.int64)))
            saver = tf1.train.Saver()
            if values == [1, 2]:
                saver.save(session, path)
            else:
                saver.restore(session, path)
                assert [session.run(table.lookup(["a"])).tolist() for table in tables] == [[1], [2]]


def test_a_table_that_is_not_to_be_saved_is_not(tmp_path: Path) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        tf1.get_variable("v", initializer=1.0)
        mutable(checkpoint=False)
        session.run(tf1.global_variables_initializer())
        path = tf1.train.Saver().save(session, str(tmp_path / "model"))
    assert [name for name, _ in tf1.train.list_variables(path)] == ["v"]


def test_the_names_in_a_checkpoint_are_tensorflows(tmp_path: Path) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        table = mutable()
        session.run(table.insert(["a"], tf1.constant([1], tf1.int64)))
        path = tf1.train.Saver().save(session, str(tmp_path / "model"))
    assert sorted(name for name, _ in tf1.train.list_variables(path)) == ["t1-keys", "t1-values"]
