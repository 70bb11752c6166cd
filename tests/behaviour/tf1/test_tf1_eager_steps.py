"""TF 1's global step where eager execution is on. Values are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import emplace.tensorflow.compat.v1 as tf


@pytest.fixture(autouse=True)
def fresh_list():
    steps = tf.get_default_graph().get_collection_ref("global_step")
    steps.clear()
    yield
    steps.clear()


def test_optimizers_count_eager_steps():
    assert tf.executing_eagerly()
    assert tf.train.get_global_step() is None
    x = tf.Variable(5.0)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    for _ in range(2):
        step = tf.train.get_or_create_global_step()
        optimizer.apply_gradients([(tf.constant(1.0), x)], global_step=step)
    assert (x.numpy(), step.numpy()) == (pytest.approx(4.8), 2)
    assert tf.train.get_or_create_global_step() is step
    assert tf.train.get_global_step() is step
    assert step.name == "global_step:0"
    with pytest.raises(ValueError, match='"global_step" already exists'):
        tf.train.create_global_step()


def test_eager_steps_are_saved_and_restored(tmp_path):
    step = tf.train.get_or_create_global_step()
    step.assign(7)
    saved = tf.train.Checkpoint(step=step).save(str(tmp_path / "c"))
    step.assign(1)
    tf.train.Checkpoint(step=step).restore(saved)
    assert step.numpy() == 7


def test_graphs_keep_steps_of_their_own():
    eager = tf.train.get_or_create_global_step()
    with tf.Graph().as_default():
        assert tf.train.get_global_step() is None
        assert tf.train.get_or_create_global_step() is not eager
    assert tf.train.get_global_step() is eager


@pytest.mark.parametrize(  # with slots TensorFlow 2.21 fails: AttributeError: '_unique_id'
    ("optimizer_class", "expected"),
    [(tf.train.GradientDescentOptimizer, [0.9, 0.8]), (tf.train.AdamOptimizer, [0.9, 0.9])],
)
def test_optimizers_take_steps_on_variables_of_keras(optimizer_class, expected):
    layer = tf.keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    layer.build([None, 2])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant([[1.0, 2.0]])))
    gradients = tape.gradient(loss, layer.trainable_variables)
    optimizer = optimizer_class(0.1)
    optimizer.apply_gradients(
        zip(gradients, layer.trainable_variables, strict=True),
        global_step=tf.train.get_or_create_global_step(),
    )
    assert layer.kernel.numpy()[:, 0].tolist() == pytest.approx(expected)
    assert tf.train.get_global_step().numpy() == 1


def test_steps_of_eager_mode_are_read_without_a_session() -> None:
    step = tf.train.get_or_create_global_step()
    step.assign(7)
    assert tf.train.global_step(None, step) == 7


def test_a_tensor_may_be_the_global_step_by_its_name() -> None:
    with tf.Graph().as_default():
        step = tf.constant(1, name="global_step")
        assert tf.train.get_global_step() is step
