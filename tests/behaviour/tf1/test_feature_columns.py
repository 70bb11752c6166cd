"""Feature columns, and tables in sessions, give the names and the numbers that TensorFlow gives."""

from __future__ import annotations

import json
import pickle
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import feature_column_cases
import numpy as np
import pytest
from test_tf1_programs import close

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace.tensorflow import feature_column as fc

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "feature_columns.json").read_text())
INSIDE: Any = tf.__internal__.feature_column


@pytest.mark.parametrize("name", feature_column_cases.CASES)
def test_a_case_gives_what_tensorflow_gives(name):
    ours, theirs = feature_column_cases.run(tf1, name), RECORDED[name]
    assert close(ours, theirs), f"\nours   {ours}\ntheirs {theirs}"


def test_columns_can_be_compared_kept_and_saved():
    age = fc.bucketized_column(fc.numeric_column("age", normalizer_fn=np.abs), [18.0, 65.0])
    words = fc.categorical_column_with_vocabulary_list("word", ["a", "b"], num_oov_buckets=2)
    crossed = fc.crossed_column([age, "word"], 10)
    for column in (
        age, words, crossed, fc.indicator_column(words), fc.weighted_categorical_column(words, "w"),
        fc.sequence_numeric_column("steps", 2), fc.embedding_column(crossed, 3),
        fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 4)),
    ):  # fmt: skip
        saved = INSIDE.serialize_feature_column(column)
        json.dumps(saved)
        made = INSIDE.deserialize_feature_column(saved, {"absolute": np.abs})
        assert type(made) is type(column)
        assert made.name == column.name
        assert INSIDE.serialize_feature_column(made) == saved
    assert fc.numeric_column("a") == fc.numeric_column("a") != fc.numeric_column("b")
    assert pickle.loads(pickle.dumps(words)) == words
    assert hash(words) == hash(words._replace())
    assert fc.indicator_column(words) != fc.sequence_categorical_column_with_identity("word", 2)
    with pytest.raises(ValueError, match="Unknown feature_column: Nothing"):
        INSIDE.deserialize_feature_column({"class_name": "Nothing", "config": {}})
    with pytest.raises(ValueError, match="is not a FeatureColumn"):
        INSIDE.serialize_feature_column(3)


class Layer:
    """What `StateManager` asks of the layer of a model."""

    def add_weight(self, name, shape, dtype, initializer, trainable, **unused):
        self.trainable = trainable
        return tf.Variable(initializer(shape, dtype), trainable=trainable, name=name)


def dense(column, features, in_function):
    """A column's tensor, as layers of Keras 2 ask for it."""
    state = INSIDE.StateManager(Layer(), trainable=True)
    column.create_state(state)

    def ask(given):
        return column.get_dense_tensor(INSIDE.FeatureTransformationCache(given), state)

    return (tf.function(ask) if in_function else ask)(features).numpy().tolist()


@pytest.mark.parametrize("in_function", [False, True])
def test_columns_in_eager_mode_and_functions(in_function):
    words = fc.categorical_column_with_vocabulary_list("word", ["a", "b"])
    given = {"word": tf.constant([["a", "b"], ["z", ""], ["b", "b"]]), "n": tf.constant([1, 5, 9])}
    assert dense(fc.indicator_column(words), given, in_function) == [[1, 1], [0, 0], [0, 2]]
    table = fc.embedding_column(words, 2, initializer=lambda shape, dtype: tf.eye(2))
    assert dense(table, given, in_function) == [[0.5, 0.5], [0, 0], [0, 1]]
    buckets = fc.bucketized_column(fc.numeric_column("n", dtype=tf.int32), [5])
    assert dense(buckets, given, in_function) == [[[1, 0]], [[0, 1]], [[0, 1]]]


@pytest.mark.parametrize("in_function", [False, True])
def test_sequences(in_function):
    def ask(column, given):
        got = column.get_sequence_dense_tensor(INSIDE.FeatureTransformationCache(given), None)
        return list(got)

    ask = tf.function(ask) if in_function else ask
    sparse = tf.SparseTensor([[0, 0], [0, 1], [2, 0], [2, 1], [2, 2], [2, 3]],
                             [1.0, 2, 3, 4, 5, 6], [3, 4])  # fmt: skip
    steps, lengths = ask(fc.sequence_numeric_column("x", 2, default_value=-1.0), {"x": sparse})
    assert steps.numpy().tolist() == [[[1, 2], [-1, -1]], [[-1, -1], [-1, -1]], [[3, 4], [5, 6]]]
    assert lengths.numpy().tolist() == [1, 0, 2]
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([1, 2, 0], tf.int64), [3, 2])
    counted = fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 3))
    rows, lengths = ask(counted, {"id": ids})
    assert rows.numpy().tolist() == [[[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0] * 3], [[0] * 3] * 2]
    assert lengths.numpy().tolist() == [2, 1, 0]
    plain = fc.indicator_column(fc.categorical_column_with_identity("id", 3))
    with pytest.raises(ValueError, match="must be of type SequenceCategoricalColumn to use"):
        plain.get_sequence_dense_tensor(INSIDE.FeatureTransformationCache({"id": ids}), None)


def test_words_of_a_file(tmp_path):
    words, numbers = tmp_path / "words.txt", tmp_path / "numbers.txt"
    words.write_text("a\nb\nc\n")
    numbers.write_text("70\n12\n")
    column = fc.categorical_column_with_vocabulary_file("w", str(words), num_oov_buckets=1)
    assert column.num_buckets == 4
    given = {"w": tf.constant([["c"], ["a"], ["?"]]), "n": tf.constant([[12], [70], [0]])}
    assert dense(fc.indicator_column(column), given, False) == [
        [0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]  # fmt: skip
    integers = fc.categorical_column_with_vocabulary_file("n", str(numbers), dtype=tf.int64)
    assert dense(fc.indicator_column(integers), given, False) == [[0, 1], [1, 0], [0, 0]]
    with tf.io.TFRecordWriter(str(tmp_path / "w.tfrecord.gz"), "GZIP") as writer:
        for each in (b"b", b"a"):
            writer.write(each)
    records = fc.categorical_column_with_vocabulary_file("w", str(tmp_path / "w.tfrecord.gz"))
    assert dense(fc.indicator_column(records), given, False) == [[0, 0], [0, 1], [0, 0]]


def test_a_table_of_its_own_is_shared_in_graphs_alone():
    ids = [fc.categorical_column_with_identity(key, 9) for key in ("a", "b")]
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        fc.shared_embeddings(ids, 2)
    with tf.Graph().as_default():
        one, other = fc.shared_embeddings(ids, 2, initializer=tf1.ones_initializer())
        cache = INSIDE.FeatureTransformationCache({"a": [[1]], "b": [[2]]})
        both = [each.get_dense_tensor(cache, None) for each in (one, other)]
        assert [each.name for each in tf1.global_variables()] == ["a_b_shared_embedding:0"]
        with pytest.raises(ValueError, match="not supported in `linear_model` or `input_layer`"):
            tf1.feature_column.input_layer({"a": [[1]]}, [one])
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert [each.tolist() for each in session.run(both)] == [[[1, 1]], [[1, 1]]]


def test_a_table_from_a_checkpoint(tmp_path):
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.get_variable("table", initializer=[[5.0, 6.0], [7.0, 8.0]])
        session.run(tf1.global_variables_initializer())
        path = tf1.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf1.Session() as session:
        column = fc.embedding_column(
            fc.categorical_column_with_identity("id", 2), 2,
            ckpt_to_load_from=path, tensor_name_in_ckpt="table",
        )  # fmt: skip
        layer = tf1.feature_column.input_layer({"id": tf.constant([[1], [0]])}, [column])
        session.run(tf1.global_variables_initializer())
        assert session.run(layer).tolist() == [[7, 8], [5, 6]]


def test_sparse_ids_of_unknown_rank_are_looked_up():
    """What TensorFlow gave: a row per place of the ids, without their last axis."""
    table = np.arange(12.0, dtype=np.float32).reshape(4, 3)
    with tf1.Graph().as_default(), tf1.Session() as session:
        ids = tf1.sparse_placeholder(tf.int64)
        rows = tf1.nn.safe_embedding_lookup_sparse(tf.constant(table), ids)
        assert rows.shape.rank is None

        def asked(shape: list[int], indices: list[list[int]]) -> list[Any]:
            value = tf1.SparseTensorValue(np.array(indices), np.array([1, 2]), np.array(shape))
            return session.run(rows, {ids: value}).tolist()

        zero = [0.0, 0.0, 0.0]
        assert asked([2, 2], [[0, 0], [1, 1]]) == [[3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
        assert asked([2, 3, 2], [[0, 1, 0], [1, 2, 1]]) == [
            [zero, [3.0, 4.0, 5.0], zero], [zero, zero, [6.0, 7.0, 8.0]],
        ]  # fmt: skip


def test_a_linear_model_takes_sparse_ids_of_unknown_rank():
    column = tf1.feature_column.categorical_column_with_identity("a", 4)
    with tf1.Graph().as_default(), tf1.Session() as session:
        ids = tf1.sparse_placeholder(tf.int64)
        variables: dict[Any, Any] = {}
        sums = tf1.feature_column.linear_model({"a": ids}, [column], cols_to_vars=variables)
        assert sums.shape.as_list() == [None, 1]
        session.run(tf1.global_variables_initializer())
        variables[column][0].load([[1.0], [2.0], [4.0], [8.0]], session)
        value = tf1.SparseTensorValue([[0, 0], [1, 0], [1, 1]], [3, 0, 2], [2, 2])
        assert session.run(sums, {ids: value}).tolist() == [[8.0], [5.0]]


def test_vectors_of_unknown_rank_become_columns() -> None:
    price = tf.feature_column.numeric_column("price")
    body = tf.feature_column.categorical_column_with_vocabulary_list("body", ["h", "w", "s"])
    one_hot = tf.feature_column.indicator_column(body)
    with tf.Graph().as_default():
        prices, bodies = tf1.placeholder(tf.float32), tf1.sparse_placeholder(tf.string)
        features = {"price": prices, "body": bodies}
        rows = tf1.feature_column.input_layer(features, [price, one_hot])
        with tf1.Session() as session:
            session.run(tf1.tables_initializer())
            for of_body, of_price in [
                (tf1.SparseTensorValue([(0,), (1,)], ["s", "h"], (2,)), [1.0, 2.0]),
                (tf1.SparseTensorValue([(0, 0), (1, 1)], ["s", "h"], (2, 2)), [[1.0], [2.0]]),
            ]:
                made = session.run(rows, {prices: of_price, bodies: of_body})
                assert made.tolist() == [[0, 0, 1, 1], [1, 0, 0, 2]]
            wrong = {prices: 1.0, bodies: of_body}
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"price.* cannot have rank 0"):
                session.run(rows, wrong)


def test_columns_with_different_numbers_of_examples_are_refused() -> None:
    one, two, three = [tf.feature_column.numeric_column(name) for name in ("a", "b", "c")]
    for graph in (tf.Graph(), None):
        with nullcontext() if graph is None else graph.as_default():
            features = {"a": [[1.0], [5.0], [7.0]], "b": [[3.0], [4.0]]}
            said = r"Batch size \(first dimension\) of each feature must be same\. Batch size of "
            for make in (tf1.feature_column.input_layer, tf1.feature_column.linear_model):
                with pytest.raises(ValueError, match=said + r"columns \(a, b\): \(3, 2\)"):
                    make(features, [one, two])
            if graph is not None:
                more = {**features, "c": tf1.placeholder(tf.float32)}
                with pytest.raises(ValueError, match=said):
                    tf1.feature_column.input_layer(more, [three, two, one])


def test_a_normalizer_of_a_sequence_gets_the_sparse_tensor():
    def more(feature):
        return tf.sparse.add(feature, tf.SparseTensor([[0, 0], [1, 1]], [2.0, 2.0], [2, 2]))

    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.0, 1.0, 10.0], [2, 2])
    column = fc.sequence_numeric_column("x", normalizer_fn=more)
    cache = INSIDE.FeatureTransformationCache({"x": sparse})
    steps, _ = column.get_sequence_dense_tensor(cache, None)
    assert steps.numpy().tolist() == [[[2], [1]], [[10], [2]]]


def test_fewer_records_than_words_are_refused(tmp_path):
    path = str(tmp_path / "w.tfrecord.gz")
    with tf.io.TFRecordWriter(path, "GZIP") as writer:
        writer.write(b"a")
    column = fc.categorical_column_with_vocabulary_file("w", path, vocabulary_size=2)
    text = "Input dataset was expected to contain 2 elements but contained only 1 elements."
    with pytest.raises(tf.errors.FailedPreconditionError, match=text):
        dense(fc.indicator_column(column), {"w": tf.constant([["a"]])}, False)


def test_a_column_of_a_class_of_the_program_is_transformed_once():
    class Counted(INSIDE.FeatureColumn):
        name, parse_example_spec, parents, _is_v2_column = "counted", {}, [], True
        calls = 0

        def transform_feature(self, transformation_cache, state_manager):
            self.calls += 1
            return transformation_cache.get("a", state_manager)

        def get_config(self):
            return {}

        @classmethod
        def from_config(cls, config, custom_objects=None, columns_by_name=None):
            return cls()

    cache = INSIDE.FeatureTransformationCache({"a": tf.constant([[2.0]])})
    column = Counted()
    assert cache.get(column, None) is cache.get(column, None)
    assert column.calls == 1
    assert column == column
    assert column != Counted()
