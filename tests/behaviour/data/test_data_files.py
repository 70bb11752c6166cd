"""Datasets of files: lines, records, tables; what is kept in files and folders."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
experimental = tf.data.experimental


def elements(dataset):
    return list(dataset.as_numpy_iterator())


def test_lines_of_several_files_without_their_ends(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\r\n\nthree")
    (tmp_path / "b.txt").write_bytes(b"four\n")
    names = [str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]
    assert elements(tf.data.TextLineDataset(names)) == [b"one", b"two", b"", b"three", b"four"]


def test_files_that_are_read_at_a_time_give_their_lines_in_turns(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\r\n\nthree")
    (tmp_path / "b.txt").write_bytes(b"four\n")
    names = D.list_files(f"{tmp_path}/*.txt", shuffle=False)
    found = elements(tf.data.TextLineDataset(names, num_parallel_reads=2))
    assert found == [b"one", b"four", b"two", b"", b"three"]


def test_compressed_lines(tmp_path):
    with gzip.open(tmp_path / "a.gz", "wb") as file:
        file.write(b"x\ny\n")
    found = tf.data.TextLineDataset(str(tmp_path / "a.gz"), compression_type="GZIP")
    assert elements(found) == [b"x", b"y"]


def test_a_file_that_is_missing_is_not_found_when_it_is_read(tmp_path):
    dataset = tf.data.TextLineDataset(str(tmp_path / "none"))
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        list(dataset)


def test_names_of_files_come_in_another_order_each_time(tmp_path):
    for i in range(20):
        (tmp_path / f"{i:02}.txt").write_text("")
    names = D.list_files(f"{tmp_path}/*.txt")
    first, second = elements(names), elements(names)
    assert sorted(first) == sorted(second)
    assert first != second
    assert elements(D.list_files(f"{tmp_path}/*.txt", shuffle=False)) == sorted(first)


def test_records_of_one_length(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(b"HHabcdefghiF")
    found = tf.data.FixedLengthRecordDataset(str(path), 3, header_bytes=2, footer_bytes=1)
    assert elements(found) == [b"abc", b"def", b"ghi"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="body length 9 bytes, which is not"):
        list(tf.data.FixedLengthRecordDataset(str(path), 4, 2, 1))


def test_records_that_a_dataset_was_written_to(tmp_path):
    path = str(tmp_path / "a.tfrecord")
    experimental.TFRecordWriter(path).write(D.from_tensor_slices(["a", "b"]))
    assert elements(tf.data.TFRecordDataset(path)) == [b"a", b"b"]


def test_batches_of_parsed_examples(tmp_path):
    path = str(tmp_path / "a.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(3):
            value = tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))
            features = tf.train.Features(feature={"i": value, "j": value})
            writer.write(tf.train.Example(features=features).SerializeToString())
    wanted = {name: tf.io.FixedLenFeature([], tf.int64) for name in ("i", "j")}
    dataset = experimental.make_batched_features_dataset(
        path, 2, wanted, label_key="j", num_epochs=1, shuffle=False
    )
    found = [(x["i"].tolist(), y.tolist()) for x, y in elements(dataset)]
    assert found == [([0, 1], [0, 1]), ([2], [2])]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('a,b,c,y\n1,2.5,x,0\n3,4.5,y,1\n5,,z,0\n7,8.5,"q,r",1\n')
    return str(path)


def test_the_columns_of_a_table(table):
    dataset = experimental.make_csv_dataset(table, 2, label_name="y", num_epochs=1, shuffle=False)
    (first, label), (second, _) = elements(dataset)
    assert list(first) == ["a", "b", "c"]
    assert first["a"].dtype == np.int32
    assert second["b"].tolist() == [0.0, 8.5]
    assert second["c"].tolist() == [b"z", b"q,r"]
    assert label.tolist() == [0, 1]


def test_a_table_without_an_end_has_batches_of_a_known_size(table):
    dataset = experimental.make_csv_dataset(table, 3, shuffle=False)
    assert int(dataset.cardinality()) == tf.data.INFINITE_CARDINALITY
    assert dataset.element_spec["a"].shape.as_list() == [3]
    assert elements(dataset.take(2))[1]["a"].tolist() == [7, 1, 3]


def test_some_columns_of_a_table(table):
    dataset = experimental.make_csv_dataset(
        table, 2, select_columns=["a", "c"], num_epochs=1, shuffle=False
    )
    assert list(elements(dataset)[0]) == ["a", "c"]


def test_a_label_that_is_no_column_is_refused(table):
    with pytest.raises(ValueError, match="`label_name` provided must be one of the columns"):
        experimental.make_csv_dataset(table, 2, label_name="nothing")


def test_the_rows_of_a_table(table):
    types = [tf.int32, tf.constant([0.0]), tf.string, tf.int32]
    found = elements(experimental.CsvDataset(table, types, header=True))
    assert found[2] == (5, 0.0, b"z", 0)


def test_a_required_field_that_is_missing(table):
    types = [tf.int32, tf.float32, tf.string, tf.int32]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Field 1 is required but missing"):
        list(experimental.CsvDataset(table, types, header=True))


def test_the_rows_of_a_query(tmp_path):
    path = str(tmp_path / "a.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a int, b text)")
        connection.execute("insert into t values (1, 'x'), (2, 'y')")
    connection.close()
    dataset = experimental.SqlDataset("sqlite", path, "select a, b from t", (tf.int32, tf.string))
    assert elements(dataset) == [(1, b"x"), (2, b"y")]


_SQL_VALUES = json.loads((Path(__file__).parents[2] / "data" / "sql_values.json").read_text())


@pytest.fixture
def all_kinds(tmp_path):
    """A table with whole numbers, fractions, texts, bytes, and numbers that may be missing."""
    path = str(tmp_path / "kinds.sqlite")
    with sqlite3.connect(path) as connection:
        connection.execute("create table s (id integer, f real, t text, b blob, n integer)")
        connection.executemany(
            "insert into s values (?, ?, ?, ?, ?)",
            [
                (1, 1.5, "12", b"\x01\x02", None),
                (-300, 2.7e10, "abc", None, 70000),
                (2**63 - 1, 1e300, "1.9z", b"\xff", "18446744073709551615"),
            ],
        )
    connection.close()
    return path


@pytest.mark.parametrize("column", sorted(_SQL_VALUES))
def test_values_of_a_query_become_the_wanted_type_as_in_tensorflow(all_kinds, column):
    for name, expected in _SQL_VALUES[column].items():
        dtype = getattr(tf, name)
        query = f"select {column} from s"
        found = elements(experimental.SqlDataset("sqlite", all_kinds, query, dtype))
        if name == "string":
            expected = [text.encode() for text in expected]
        assert found == expected, name


def test_bytes_of_a_query_stay_as_they_are(all_kinds):
    dataset = experimental.SqlDataset("sqlite", all_kinds, "select b from s", (tf.string,))
    assert elements(dataset) == [(b"\x01\x02",), (b"",), (b"\xff",)]


@pytest.mark.parametrize(
    ("query", "error", "text"),
    [
        ("select nope from s", tf.errors.UnknownError, "no such column: nope"),
        ("selekt id from s", tf.errors.UnknownError, "syntax error"),
        ("select id, f from s", tf.errors.InvalidArgumentError, r"columns in query \(2\)"),
        ("delete from s", tf.errors.InvalidArgumentError, r"columns in query \(0\)"),
    ],
)
def test_a_query_that_cannot_be_run(all_kinds, query, error, text):
    with pytest.raises(error, match=text):
        list(experimental.SqlDataset("sqlite", all_kinds, query, (tf.int32,)))
    query = "select count(*) from s"  # whatever it was, it changed nothing
    assert elements(experimental.SqlDataset("sqlite", all_kinds, query, tf.int64)) == [3]


def test_a_query_of_types_that_no_column_has(all_kinds):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be one of: DT_STRING"):
        experimental.SqlDataset("sqlite", all_kinds, "select id from s", (tf.float32,))


def test_a_database_and_a_query_that_a_session_is_fed(all_kinds):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        driver, file, query = (v1.placeholder(tf.string, []) for _ in range(3))
        dataset = experimental.SqlDataset(driver, file, query, (tf.int64,))
        iterator = v1.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        fed = {driver: "sqlite", file: all_kinds, query: "select id from s where id < 0"}
        session.run(iterator.initializer, fed)
        assert session.run(element) == (-300,)
        with pytest.raises(tf.errors.InvalidArgumentError, match="database type, mysql"):
            session.run(iterator.initializer, {**fed, driver: "mysql"})


def test_what_was_saved_is_loaded(tmp_path):
    path = str(tmp_path / "saved")
    dataset = D.from_tensor_slices(
        {
            "a": np.arange(6.0).reshape(3, 2),
            "b": ["x", "y", "z"],
            "r": tf.ragged.constant([[1], [], [2, 3]]),
        }
    )
    dataset.save(path)
    loaded = D.load(path)
    assert loaded.element_spec == dataset.element_spec
    assert int(loaded.cardinality()) == 3
    for one, other in zip(dataset, loaded, strict=True):
        assert one["a"].numpy().tolist() == other["a"].numpy().tolist()
        assert one["b"] == other["b"]
        assert one["r"].numpy().tolist() == other["r"].numpy().tolist()


def test_what_was_not_saved_is_not_found(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="element_spec file not found"):
        D.load(str(tmp_path / "nothing"))


def count_calls(calls):
    def counted(x):
        calls.append(int(x))
        return x

    return lambda x: tf.py_function(counted, [x], tf.int64)


def test_a_cache_computes_each_element_once():
    calls = []
    dataset = D.range(3).map(count_calls(calls)).cache()
    assert elements(dataset.repeat(3)) == [0, 1, 2] * 3
    assert elements(dataset) == [0, 1, 2]
    assert calls == [0, 1, 2]


def test_a_cache_keeps_nothing_of_a_pass_that_ends_early():
    calls = []
    dataset = D.range(3).map(count_calls(calls)).cache()
    next(iter(dataset))
    assert elements(dataset) == [0, 1, 2]
    assert calls == [0, 0, 1, 2]


def test_a_cache_in_a_file_serves_other_datasets(tmp_path):
    calls = []
    path = str(tmp_path / "cache")
    assert elements(D.range(3).map(count_calls(calls)).cache(path)) == [0, 1, 2]
    assert elements(D.range(3).map(count_calls(calls)).cache(path)) == [0, 1, 2]
    assert calls == [0, 1, 2]


def test_a_snapshot_serves_later_passes(tmp_path):
    calls = []
    dataset = D.range(3).map(count_calls(calls)).snapshot(str(tmp_path / "shot"))
    assert elements(dataset) == elements(dataset) == [0, 1, 2]
    assert calls == [0, 1, 2]


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"select_cols": [0], "exclude_cols": [1]}, "Either select_cols or exclude_cols should be"),
        ({"buffer_size": 0}, "buffer_size should be positive"),
    ],
)
def test_arguments_of_a_csv_dataset_that_cannot_be(table, given, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        experimental.CsvDataset(table, [tf.int32], **given)


def records_of(path):
    return [x.numpy() for x in D.from_tensors(str(path)).flat_map(tf.data.TFRecordDataset)]


def test_a_dataset_is_written_as_records_when_a_session_or_function_runs(tmp_path):
    Writer = tf.data.experimental.TFRecordWriter
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        path = tmp_path / "graph"
        written = Writer(str(path)).write(D.from_tensor_slices(tf.constant([b"a", b"b"])))
        assert not path.exists()
        session.run(written)
    assert records_of(path) == [b"a", b"b"]

    @tf.function
    def write(name, texts):
        Writer(name).write(D.from_tensor_slices(texts))

    write(tf.constant(str(tmp_path / "function")), tf.constant(["c"]))
    assert records_of(tmp_path / "function") == [b"c"]

    def of_group(key, group):
        name = tf.strings.join([str(tmp_path), "/group", tf.strings.as_string(key)])
        Writer(name).write(group.map(lambda _, text: text))
        return D.from_tensors(name)

    numbered = D.from_tensor_slices(["a", "b", "c"]).enumerate()
    names = numbered.group_by_window(lambda i, _: i % 2, of_group, tf.int64.max)
    assert [records_of(name.numpy().decode()) for name in names] == [[b"a", b"c"], [b"b"]]
