"""Details of transformations that TensorFlow was asked for: texts that are padded, caches side by
side, weights of sampled datasets, states that grow, records of CSV files.
"""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
import emplace.v1 as tf1

D = tf.data.Dataset


def listed(dataset):
    return [np.asarray(x.numpy()).tolist() for x in dataset]


def test_scalar_texts_in_padded_batches_are_texts():
    dataset = D.from_tensor_slices((["a", "b"], [1, 2])).padded_batch(2, ([], []))
    ((texts, numbers),) = list(dataset)
    assert list(map(repr, texts.numpy().tolist())) == ["b'a'", "b'b'"]
    assert numbers.numpy().tolist() == [1, 2]


def test_caches_in_files_side_by_side_are_all_written(tmp_path):
    caches = [D.range(20).shuffle(20).cache(str(tmp_path / str(i))) for i in range(3)]
    dataset = D.zip(tuple(caches))
    first = [tuple(map(int, x)) for x in dataset]
    assert [tuple(map(int, x)) for x in dataset] == first


def test_what_ends_asks_those_beside_it_once_more():
    calls = []

    def noting(x):
        calls.append(int(x))
        return x

    noted = D.range(5).map(lambda x: tf.py_function(noting, [x], tf.int64))
    assert len(list(D.zip((D.range(2), noted)))) == 2
    assert calls == [0, 1, 2]  # TF: so


@pytest.mark.parametrize("stop", [False, True])
def test_a_dataset_without_an_end_makes_a_sample_endless(stop):
    endless, some = D.from_tensors(np.int64(1)).repeat(), D.range(5)
    sample = D.sample_from_datasets([endless, some], stop_on_empty_dataset=stop)
    assert int(sample.cardinality()) == tf.data.INFINITE_CARDINALITY
    sample = D.sample_from_datasets([some, some], stop_on_empty_dataset=stop)
    assert int(sample.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    chosen = D.choose_from_datasets([endless, some], D.range(2), stop_on_empty_dataset=stop)
    assert int(chosen.cardinality()) == tf.data.INFINITE_CARDINALITY


def test_weights_of_zero():
    both = [D.range(3), D.range(10, 13)]
    assert listed(D.sample_from_datasets(both, [0.0, 0.0])) == []
    assert listed(D.sample_from_datasets(both, [0.0, 1.0])) == [10, 11, 12]


def test_a_dataset_of_weights_has_one_vector_for_each_element():
    weights = D.from_tensor_slices([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    assert listed(D.sample_from_datasets([D.range(3), D.range(10, 13)], weights)) == [0, 10, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Weights of 2 datasets"):
        listed(D.sample_from_datasets([D.range(3), D.range(3)], D.from_tensors([1.0])))


def test_weights_must_be_floats_of_one_axis():
    both = [D.range(3), D.range(3)]
    for wrong in ([1, 1], np.array([0.5, 0.5], np.float16)):
        with pytest.raises(TypeError, match=r"must be either `tf.float32` or `tf.float64`"):
            D.sample_from_datasets(both, wrong)
    with pytest.raises(ValueError, match="The shape of `weights` should be compatible"):
        D.sample_from_datasets(both, tf.constant([[0.5, 0.5]]))


def test_weights_of_a_graph_are_known_when_it_runs():
    with tf1.Graph().as_default():
        weights = tf1.placeholder(tf.float32, [2])
        sample = D.sample_from_datasets([D.range(3), D.range(10, 13)], weights)
        iterator = tf1.data.make_initializable_iterator(sample)
        following = iterator.get_next()
        with tf1.Session() as session:
            session.run(iterator.initializer, {weights: [0.0, 1.0]})
            assert [session.run(following) for _ in range(3)] == [10, 11, 12]


def test_a_state_that_grows_has_no_static_shape():
    def grown(state, x):
        return (tf.concat([state[0], state[0]], 0), tf.expand_dims(state[1], 0)), (state, x)

    dataset = D.from_tensors(0).repeat(4).scan(([0], 1), grown)
    (vector, ranked), number = dataset.element_spec
    assert vector.shape.as_list() == [None]
    assert ranked.shape.rank is None
    assert number.shape.as_list() == []
    assert [x[0][0].shape[0] for x in dataset] == [1, 2, 4, 8]
    assert [x[0][1].shape.rank for x in dataset] == [0, 1, 2, 3]
    fixed = D.range(3).scan(np.int64(0), lambda state, x: (state + x, state))
    assert fixed.element_spec.shape.as_list() == []


def test_an_endless_cache_is_asked_for_elements_by_number():
    dataset = D.range(3).repeat().cache()
    assert int(tf.data.experimental.at(dataset, 4)) == 1


def rows(path, text, defaults, **kwargs):
    path.write_bytes(text)
    dataset = tf.data.experimental.CsvDataset(str(path), defaults, **kwargs)
    return [[x.numpy() for x in row] for row in dataset]


def test_quotes_of_csv_files_may_hold_line_ends(tmp_path):
    file = tmp_path / "a.csv"
    assert rows(file, b'1,"2\n3",4\n5,6,7\n', ["", "", ""]) == [
        [b"1", b"2\n3", b"4"], [b"5", b"6", b"7"],
    ]  # fmt: skip
    assert rows(file, b'1,"2""3"\r\n3,4', ["", ""]) == [[b"1", b'2"3'], [b"3", b"4"]]
    assert rows(file, b"1,2\r3,4\r", [0, 0]) == [[1, 2], [3, 4]]
    assert rows(file, b'a,"b\nc"\n1,2\n', [0, 0], header=True) == [[1, 2]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="without closing quoted field"):
        rows(file, b'1,"2\n4,5\n', ["", ""])


def test_make_csv_dataset_reads_such_quotes_too(tmp_path):
    (tmp_path / "a.csv").write_text('x,y\n1,"2\n3"\n')
    dataset = tf.data.experimental.make_csv_dataset(
        str(tmp_path / "a.csv"), 1, num_epochs=1, column_defaults=[0, ""], shuffle=False
    )
    (batch,) = list(dataset)
    assert batch["y"].numpy().tolist() == [b"2\n3"]


def test_what_is_wrong_with_a_csv_dataset_is_told(tmp_path):
    file, error = tmp_path / "a.csv", tf.errors.InvalidArgumentError
    with pytest.raises(error, match="Can't read header of file"):
        rows(file, b"", [0, 0], header=True)
    assert rows(file, b"a,b\n", [0, 0], header=True) == []
    with pytest.raises(error, match="Each record default should be at most rank 1"):
        rows(file, b"1,2", [[[1]], 1])
    with pytest.raises(error, match="field_delim should be only 1 char"):
        rows(file, b"1,2", ["", ""], field_delim="::")
    with pytest.raises(error, match="select_cols should match output size"):
        rows(file, b"1,2,3", ["", ""], select_cols=[1])
    for wrong in ([2, 1], [1, 1]):
        with pytest.raises(error, match="select_cols should be strictly increasing indices"):
            rows(file, b"1,2,3", ["", ""], select_cols=wrong)
    assert rows(file, b"1,2,3", ["", ""], select_cols=[], exclude_cols=[0]) == [[b"2", b"3"]]
    for line, have in ((b"1,2,3,4", "more"), (b"1,2", "1")):  # TF: what is left out does not count
        with pytest.raises(error, match=f"Expect 2 fields but have {have} in record"):
            rows(file, line, ["", ""], exclude_cols=[0])
    with pytest.raises(error, match="Field 1 is required but missing in record!"):
        rows(file, b"1,", [tf.int32, tf.int32])
    with pytest.raises(error, match="Field 1 in record is not a valid int32: q"):
        rows(file, b"1,q", [0, 0])


def test_an_empty_line_of_a_csv_file_is_one_empty_field(tmp_path):
    file = tmp_path / "a.csv"
    assert rows(file, b"0\n\n2\n", [7]) == [[0], [7], [2]]
    assert rows(file, b"0\n\n2\n", ["NA"], use_quote_delim=False) == [[b"0"], [b"NA"], [b"2"]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expect 2 fields but have 1"):
        rows(file, b"1,2\n\n", ["", ""])


def numbered_files(folder, counts):
    """Files of one column with so many rows: 0, 1, ... in the first, 10, 11, ... in the second."""
    for i, count in enumerate(counts):
        lines = "".join(f"{10 * i + j}\n" for j in range(count))
        (folder / f"{i}.csv").write_text("a\n" + lines)
    return str(folder / "*.csv")


def column(files, size=1, **kwargs):
    dataset = tf.data.experimental.make_csv_dataset(
        files, size, num_epochs=1, shuffle=False, **kwargs
    )
    return [batch["a"].numpy().tolist() for batch in dataset]


def test_csv_files_that_are_read_in_parallel_give_rows_in_turns(tmp_path):
    files = numbered_files(tmp_path, (1, 5, 1, 5, 3))
    plain = [0, 10, 11, 12, 13, 14, 20, 30, 31, 32, 33, 34, 40, 41, 42]
    two = [0, 10, 11, 20, 12, 13, 30, 14, 31, 32, 40, 33, 41, 34, 42]  # TF 2.21
    three = [0, 10, 20, 11, 30, 12, 40, 31, 13, 41, 32, 14, 42, 33, 34]
    for turns, wanted in ((None, plain), (1, plain), (2, two), (3, three)):
        found = column(files, num_parallel_reads=turns)
        assert [row for (row,) in found] == wanted


def test_rows_of_csv_files_that_cannot_be_parsed_are_left_out_alone(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n0,1\n1,x\n2,1\n3,1\n4\n5,1\n")
    files = str(tmp_path / "a.csv")
    found = column(files, 2, column_defaults=[0, 0], ignore_errors=True)
    assert found == [[0, 2], [3, 5]]  # TF 2.21
    with tf1.Graph().as_default(), tf1.Session() as session:
        dataset = tf1.data.experimental.make_csv_dataset(
            files, 2, column_defaults=[[0], [0]], num_epochs=1, shuffle=False, ignore_errors=True
        )
        taken = tf1.data.make_one_shot_iterator(dataset).get_next()["a"]
        assert [session.run(taken).tolist() for _ in range(2)] == found


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"column_defaults": [0, 0, 0], "select_columns": ["a"]}, "must have the same length"),
        ({"select_columns": ["a", "a"]}, "contains duplicate columns: \\['a'\\]"),
        ({"select_columns": ["q"]}, "Column q specified in `select_columns` must be of one of"),
        ({"select_columns": [0, 2]}, "Column index 2 specified in `select_columns` should be >= 0"),
        ({"select_columns": [0.5]}, "Column 0.5 specified"),
        ({"column_names": ["a"]}, "CSV row 2 has 2 number of fields. Expected: 1."),
        ({"column_names": ["a", "b", "c"]}, "CSV row 2 has 2 number of fields. Expected: 3."),
        ({"column_names": ["a", "a"]}, "contains duplicate column names: \\{'a'\\}"),
        ({"header": False}, "Expected `column_names` or `header` arguments"),
        ({"compression_type": "ZLIB"}, "ZLIB is not supported for probing columns"),
        ({"compression_type": "Z"}, "Received unknown `compression_type` Z"),
    ],
)
def test_what_is_wrong_with_the_columns_of_csv_files_is_told(tmp_path, given, text):
    (tmp_path / "a.csv").write_text("a,b\n0,1\n")
    with pytest.raises(ValueError, match=text):
        column(str(tmp_path / "a.csv"), **given)


def test_what_is_wrong_with_csv_files_is_told(tmp_path):
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "b.csv").write_text("a,b\n")
    (tmp_path / "c.csv").write_text("a,c\n")
    names = [str(tmp_path / f"{name}.csv") for name in "abc"]
    for files, text in (
        ([], "`file_pattern` should not be empty"),
        (str(tmp_path / "d*"), "No files match `file_pattern`"),
        (names[0], "Failed when reading the header line of .*a.csv. Is it an empty file?"),
        (str(tmp_path), "Failed when reading the header line"),
        (names[1:], "File .*c.csv has different column names"),
    ):
        with pytest.raises(ValueError, match=text):
            column(files)


def test_optimizers_of_tf_1_keep_the_constraints_of_variables():
    with tf1.Graph().as_default():
        variable = tf1.get_variable(
            "v", initializer=[1.0, 2.0], constraint=lambda v: tf.clip_by_value(v, -0.1, 0.0)
        )
        free = tf1.get_variable("free", initializer=[3.0])
        optimizer = tf1.train.GradientDescentOptimizer(3.0)
        train = optimizer.minimize(5 * tf.reduce_sum(variable) + free)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(train)
            assert np.allclose(session.run(variable), [-0.1, -0.1])
            assert np.allclose(session.run(free), [0.0])
    sparse = tf.Variable([[1.0], [2.0]], constraint=lambda v: v * 0)
    with pytest.raises(RuntimeError, match="Cannot use a constraint function on a sparse variable"):
        tf1.train.GradientDescentOptimizer(1.0).apply_gradients(
            [(tf.IndexedSlices(tf.ones([1, 1]), [0]), sparse)]
        )


def test_a_loop_of_python_over_a_dataset_of_a_graph_ends_by_an_error():
    @tf.function(autograph=False)
    def looping(dataset):
        for _ in dataset:
            pass

    with pytest.raises(ValueError, match="with AutoGraph disabled"):
        looping(D.range(10))
