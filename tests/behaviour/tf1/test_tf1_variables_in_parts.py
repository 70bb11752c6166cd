"""TF 1's variables in parts are divided, named, shared, trained and saved as TensorFlow's are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import parts_cases
import pytest
from test_tf1_programs import close

import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "variables_in_parts.json").read_text())
BY_TWO = tf1.fixed_size_partitioner(2)


@pytest.mark.parametrize("name", parts_cases.CASES)
def test_variables_in_parts_do_what_tensorflow_s_do(name: str) -> None:
    ours, theirs = parts_cases.run(tf1, name), RECORDED[name]
    assert close(ours, theirs), f"\nours   {ours}\ntheirs {theirs}"


def test_in_eager_mode_parts_are_variables_with_values() -> None:
    v = tf1.get_variable("v", [3, 2], initializer=tf1.ones_initializer(), partitioner=BY_TWO)
    w = tf1.get_variable("v", [3, 2], initializer=tf1.ones_initializer(), partitioner=BY_TWO)
    assert w is not v  # TF: nothing is shared by default
    assert [part.name for part in v] == ["v/part_0:0", "v/part_1:0"]
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.identity(v) * 2.0)
    assert [grad.shape.as_list() for grad in tape.gradient(total, list(v))] == [[2, 2], [1, 2]]
    v.assign(np.zeros([3, 2], np.float32))
    assert v.as_tensor().numpy().tolist() == [[0.0, 0.0]] * 3


def test_a_function_of_tf_2_makes_and_joins_parts() -> None:
    made = []

    @tf.function
    def scaled(factor: tf.Tensor) -> tf.Tensor:
        if not made:
            made.append(tf1.get_variable("v", initializer=[1.0, 2.0, 3.0], shape=[3],
                                         partitioner=BY_TWO))  # fmt: skip
        return tf.identity(made[0]) * factor

    assert scaled(tf.constant(2.0)).numpy().tolist() == [2.0, 4.0, 6.0]
    made[0].assign_add(tf.ones([3]))
    assert scaled(tf.constant(2.0)).numpy().tolist() == [4.0, 6.0, 8.0]


def test_a_wrapped_function_shares_parts_by_name() -> None:
    def scaled(factor: tf.Tensor) -> tf.Tensor:
        with tf1.variable_scope("m", reuse=tf1.AUTO_REUSE, partitioner=BY_TWO):
            first = tf1.get_variable("v", [4], initializer=tf1.ones_initializer())
            assert tf1.get_variable("v", [4]) is first
        return tf.identity(first) * factor

    wrapped = tf1.wrap_function(scaled, [tf.TensorSpec([], tf.float32)])
    assert wrapped(tf.constant(2.0)).numpy().tolist() == [2.0] * 4
    assert [each.name for each in wrapped.variables] == ["m/v/part_0:0", "m/v/part_1:0"]


def test_variables_of_a_strategy_stay_whole() -> None:
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        assert tf1.get_variable("v", [4], partitioner=BY_TWO).name == "v:0"
        with pytest.raises(ValueError, match="Private access to _get_partitioned_variable"):
            tf1.create_partitioned_variables([4], [2], tf1.ones_initializer())


def test_a_custom_getter_is_given_the_partitioner() -> None:
    given = []

    def whole(getter, name, **kwargs):
        given.append(kwargs.pop("partitioner"))
        return getter(name, **kwargs)

    with tf.Graph().as_default(), tf1.variable_scope("s", partitioner=BY_TWO, custom_getter=whole):
        assert tf1.get_variable("v", [4]).name == "s/v:0"
        with pytest.raises(ValueError, match="not allowed when a custom getter is set"):
            tf1.create_partitioned_variables([4], [2], tf1.ones_initializer())
    assert given == [BY_TWO]


def test_an_initializer_with_more_keywords_is_told_its_part_too() -> None:
    told = []

    def initializer(shape, dtype=None, partition_info=None, **more):
        told.append(partition_info and partition_info.var_offset)
        return tf.zeros(shape, dtype)

    with tf.Graph().as_default():
        tf1.get_variable("v", [4], initializer=initializer, partitioner=BY_TWO)
        tf1.get_variable("w", [4], initializer=initializer)
    assert told == [[0], [2], None]


def test_layers_below_a_partitioner_have_parts_as_weights() -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        layer = tf1.layers.Dense(4, kernel_initializer=tf1.ones_initializer())
        with tf1.variable_scope("m", partitioner=BY_TWO):
            y = layer(tf.ones([2, 6]))
        assert [each.name for each in layer.trainable_weights] == [
            f"m/dense/{name}/part_{i}:0" for name in ("kernel", "bias") for i in (0, 1)
        ]
        session.run(tf1.global_variables_initializer())
        assert session.run(y).tolist() == [[6.0] * 4] * 2


def test_a_layer_may_say_how_one_of_its_variables_is_divided() -> None:
    with tf.Graph().as_default():
        layer = tf1.layers.Dense(2, name="d")
        layer.add_weight("scale", [4], partitioner=BY_TWO)
        layer.add_weight("shift", [4])
        names = [each.name for each in layer.weights]
        assert names == ["scale/part_0:0", "scale/part_1:0", "shift:0"]


def test_moving_statistics_stay_whole() -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf1.variable_scope("m", partitioner=BY_TWO) as scope:
            tf1.layers.batch_normalization(tf.ones([2, 4]), training=True)
            assert scope.partitioner is BY_TWO
        last = [each.name.partition("/")[2] for each in tf1.global_variables()]
        assert last == [
            *(f"batch_normalization/{name}/part_{i}:0" for name in ("gamma", "beta")
              for i in (0, 1)),
            "batch_normalization/moving_mean:0", "batch_normalization/moving_variance:0",
        ]  # fmt: skip
        session.run(tf1.global_variables_initializer())
        session.run(tf1.get_collection(tf1.GraphKeys.UPDATE_OPS))
        mean = session.run(tf1.global_variables()[4])
        assert mean.tolist() == pytest.approx([0.01] * 4)


def test_rows_that_nobody_looked_up_keep_their_slots() -> None:
    """With dense gradients RMSProp moves rows whose gradient is zero by their momentum."""
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.get_variable("v", [4, 1], initializer=tf1.ones_initializer(), partitioner=BY_TWO)
        ids = tf1.placeholder(tf.int32, [None])
        rows = tf1.nn.embedding_lookup(v, ids, "div")
        step = tf1.train.RMSPropOptimizer(0.1, momentum=0.9).minimize(tf.reduce_sum(rows))
        session.run(tf1.global_variables_initializer())
        session.run(step, {ids: [0, 2]})
        first = session.run(v.as_tensor()).ravel().tolist()
        assert first[1] == first[3] == 1.0
        session.run(step, {ids: [1]})
        assert session.run(v.as_tensor()).ravel().tolist()[::2] == first[::2]


def test_columns_below_a_partitioner_have_tables_in_parts() -> None:
    column = tf.feature_column.categorical_column_with_identity("id", 5)
    embedded = tf.feature_column.embedding_column(
        column, 2, "sum", initializer=lambda shape, dtype, partition_info=None: tf.ones(shape)
    )
    with tf.Graph().as_default(), tf1.Session() as session:
        features = {"id": tf.constant([[0, 1], [4, 2]])}
        found: dict = {}
        with tf1.variable_scope("m", partitioner=BY_TWO):
            rows = tf1.feature_column.input_layer(features, [embedded], cols_to_vars=found)
            tf1.feature_column.linear_model(features, [column], cols_to_vars=found)
        assert [each.shape.as_list() for each in found[embedded]] == [[3, 2], [2, 2]]
        assert [each.shape.as_list() for each in found[column]] == [[3, 1], [2, 1]]
        assert [each.shape.as_list() for each in found["bias"]] == [[1]]
        session.run(tf1.global_variables_initializer())
        assert session.run(rows).tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_parts_are_saved_together_or_not_at_all(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf1.Session() as session:
        v = tf1.get_variable("v", [4], partitioner=BY_TWO)
        session.run(tf1.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="2 of 4 elements"):
            tf1.train.Saver([next(iter(v))]).save(session, str(tmp_path / "c"))
        tf1.train.Saver().save(session, str(tmp_path / "c"))
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.get_variable("v", [6], partitioner=BY_TWO)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"spec \[6\] does not match"):
            tf1.train.Saver().restore(session, str(tmp_path / "c"))


def test_a_saver_of_eager_mode_writes_parts_as_one_tensor(tmp_path: Path) -> None:
    v = tf1.get_variable("v", [3], initializer=tf1.ones_initializer(), partitioner=BY_TWO)
    path = tf1.train.Saver(list(v)).save(None, str(tmp_path / "c"))
    assert tf.train.list_variables(path) == [("v", [3])]
    v.assign(tf.zeros([3]))
    tf1.train.Saver({"v": v}).restore(None, path)
    assert v.as_tensor().numpy().tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("specs", "text"),
    [
        (["4 0,2", "4 1,2"], "lies in another part"),
        (["4 0,2", "5 2,2"], "must be parts of one tensor"),
        (["4 0,2", ""], "there twice"),
        (["", "4 0,2"], "there twice"),
        (["4 0,1", "4 2,2"], "has the shape"),
        (["4 0,2", "4 3,2"], "outside of the tensor"),
        (["4 2 0,2", "4 2,2"], "differ in rank"),
        (["4 0,2", "x"], "says no part"),
    ],
)
def test_the_raw_op_refuses_parts_that_make_no_whole(
    tmp_path: Path, specs: list[str], text: str
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.raw_ops.SaveV2(
            prefix=str(tmp_path / "c"), tensor_names=["a", "a"], shape_and_slices=specs,
            tensors=[tf.ones([2]), tf.zeros([2])],
        )  # fmt: skip


def test_the_raw_ops_write_and_read_parts(tmp_path: Path) -> None:
    path = str(tmp_path / "c")
    tf.raw_ops.SaveV2(
        prefix=path, tensor_names=["a", "a"], shape_and_slices=["4 2,2", "4 0,2"],
        tensors=[tf.constant([3, 4]), tf.constant([1, 2])],
    )  # fmt: skip
    read = tf.raw_ops.RestoreV2(
        prefix=path, tensor_names=["a"] * 3, shape_and_slices=["", "4 1,2", "4 -"],
        dtypes=[tf.int32] * 3,
    )  # fmt: skip
    assert [each.numpy().tolist() for each in read] == [[1, 2, 3, 4], [2, 3], [1, 2, 3, 4]]


@pytest.mark.parametrize("way", ["mod", "div"])
def test_lookups_in_a_list_of_variables_have_slices_as_gradients(way: str) -> None:
    """They were dense, so that optimizers changed rows that nobody had looked up."""
    parts = [tf.Variable([[0.0], [1.0]]), tf.Variable([[2.0], [3.0]])]
    sparse = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([0, 3], tf.int64), [2, 1])
    for look in (
        lambda: tf1.nn.embedding_lookup(parts, [0, 3], way),
        lambda: tf1.nn.embedding_lookup_sparse(parts, sparse, None, way),
        lambda: tf1.nn.safe_embedding_lookup_sparse(parts, sparse, partition_strategy=way),
    ):
        with tf.GradientTape() as tape:
            rows = look()
        assert rows.numpy().tolist() == [[0.0], [3.0]]
        grads = tape.gradient(rows, parts)
        assert [grad.indices.numpy().tolist() for grad in grads] == [[0], [1]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf1.nn.embedding_lookup(parts, [4], way)
    ragged = tf1.nn.embedding_lookup(parts, tf.ragged.constant([[0], [], [3, 3]]), way)
    assert ragged.to_list() == [[[0.0]], [], [[3.0], [3.0]]]


def test_graphs_know_the_shape_of_a_part_that_is_restored():
    with tf.Graph().as_default():
        parts = tf.raw_ops.RestoreV2(
            prefix="nowhere", tensor_names=["a", "b", "c"], dtypes=[tf.float32] * 3,
            shape_and_slices=["", "4 16 0,1:-", "4 16 0,2:1,3"],
        )  # fmt: skip
    assert [part.shape.rank and part.shape.as_list() for part in parts] == [None, [1, 16], [2, 3]]
