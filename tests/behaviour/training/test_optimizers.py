"""TF 1's optimizers take the steps that TensorFlow takes, dense and by rows, eagerly and in
sessions, and make variables of the same names.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from optimizer_problems import eagerly, in_session, optimizers

import emplace.tensorflow as tf

RECORDED = json.loads((Path(__file__).parents[2] / "oracle" / "optimizers.json").read_text())
NAMES = sorted(RECORDED["eagerly"])


@pytest.mark.parametrize("name", NAMES)
def test_five_eager_steps_end_where_tensorflows_end(name):
    found, wanted = eagerly(tf, optimizers(tf)[name]), RECORDED["eagerly"][name]
    for key in wanted:
        np.testing.assert_allclose(found[key], wanted[key], rtol=2e-5, atol=1e-6)


@pytest.mark.gpus(1)
@pytest.mark.parametrize("name", NAMES)
def test_five_steps_of_a_session_end_where_tensorflows_end(name):
    found, wanted = in_session(tf, optimizers(tf)[name]), RECORDED["in_session"][name]
    for key in ("w", "e"):
        np.testing.assert_allclose(found.pop(key), wanted[key], rtol=2e-5, atol=1e-6)
    assert found == {key: wanted[key] for key in found}


def test_slots_are_beside_their_variables_and_can_be_asked_for():
    v = tf.Variable([1.0, 2.0], name="v")
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    optimizer.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
    assert optimizer.get_slot(v, "m").shape == [2]
    assert optimizer.get_slot(v, "missing") is None
    np.testing.assert_allclose(optimizer.get_slot(v, "m"), [0.2, 0.4], rtol=1e-6)


def test_a_value_read_before_a_step_stays_what_it_was():
    v = tf.Variable([1.0, 2.0])
    before = v.value()
    tf.compat.v1.train.MomentumOptimizer(0.1, 0.9).minimize(lambda: tf.reduce_sum(v), var_list=[v])
    assert before.numpy().tolist() == [1.0, 2.0]
    np.testing.assert_allclose(v, [0.9, 1.9], rtol=1e-6)


def test_a_loss_that_depends_on_no_variable_is_refused():
    v = tf.Variable(1.0)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.minimize(lambda: tf.constant(1.0), var_list=[v])


def test_an_eager_loss_must_be_a_function():
    v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="should be a function when eager execution is enabled"):
        tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(v * v, var_list=[v])


@pytest.mark.parametrize("name", NAMES)
def test_slots_may_be_made_while_a_function_is_traced(name):
    make = optimizers(tf)[name]
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    optimizer, eager = make(), make()

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    for _ in range(3):
        step()
        eager.minimize(lambda: tf.reduce_sum(w * w), var_list=[w])
    np.testing.assert_allclose(v, w, rtol=1e-6)


def test_a_learning_rate_that_is_a_function_is_asked_once_per_step():
    asked = []
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(lambda: asked.append(1) or 0.1)
    optimizer.minimize(lambda: v + w, var_list=[v, w])
    assert len(asked) == 1


def test_slices_without_a_shape_take_a_step_of_adam():
    v = tf.Variable([1.0, 2.0, 3.0])
    grad = tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]))
    tf.compat.v1.train.AdamOptimizer(0.1).apply_gradients([(grad, v)])
    np.testing.assert_allclose(v, [1.0, 1.9, 3.0], rtol=1e-6)


def test_averages_of_a_session_follow_its_variables():
    tf1 = tf.compat.v1
    with tf1.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable(1.0, name="v")
        loss = v * 2.0
        average = tf1.train.ExponentialMovingAverage(0.5)
        follow = average.apply([v, loss])
        assert average.average(v).name == "v/ExponentialMovingAverage:0"
        assert average.average_name(v) in average.variables_to_restore([v])
        session.run([each.initializer for each in (v, average.average(v), average.average(loss))])
        session.run(v.assign(3.0))
        session.run(follow)
        assert session.run([average.average(v), average.average(loss)]) == [2.0, 3.0]


@pytest.mark.parametrize(
    ("optimizer", "expected"),
    [
        (lambda: tf.compat.v1.train.AdamOptimizer(0.1), [4.800103, 2.8004127]),
        (lambda: tf.compat.v1.train.MomentumOptimizer(0.1, 0.9), [3.38, 2.46]),
        (lambda: tf.compat.v1.train.AdagradOptimizer(0.1), [4.830684, 2.8347373]),
        (lambda: tf.compat.v1.train.RMSPropOptimizer(0.1), [4.511806, 2.6872513]),
    ],
    ids=["Adam", "Momentum", "Adagrad", "RMSProp"],
)
def test_slots_of_variables_whose_shape_a_graph_does_not_know(
    optimizer: Any, expected: list[float]
) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        first = tf.compat.v1.placeholder_with_default([5.0, 3.0], shape=None)
        x = tf.compat.v1.Variable(first, validate_shape=False)
        made = optimizer()
        step = made.minimize((x - 2.0) ** 2, var_list=[x])
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(step)
        session.run(step)
        np.testing.assert_allclose(session.run(x), expected, rtol=1e-5)
        assert made.variables()[0].shape.rank is None


@pytest.mark.parametrize("where", ["eager", "function", "graph"])
def test_gradients_of_a_function_to_a_tensor(where):
    def gradient() -> Any:
        x = tf.constant(1.0)
        optimizer = tf.compat.v1.train.GradientDescentOptimizer(3.0)
        ((found, to),) = optimizer.compute_gradients(lambda: x * x, [x])
        assert to is x
        with pytest.raises(NotImplementedError, match=r"^Trying to update a Tensor "):
            optimizer.apply_gradients([(found, to)])
        return found

    if where == "graph":
        with tf.Graph().as_default(), tf.compat.v1.Session() as session:
            assert session.run(gradient()) == 2.0
    else:
        assert float(tf.function(gradient)() if where == "function" else gradient()) == 2.0


def test_numbers_of_python_are_rounded_as_tensorflow_rounds_them():
    with tf.Graph().as_default():
        v = tf.Variable(np.array([1.0, 2.0]))
        step = tf.compat.v1.train.AdamOptimizer(0.1, epsilon=0.1).minimize(tf.reduce_sum(v * v))
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            session.run(step)
            np.testing.assert_allclose(
                session.run(v), [0.9612575638795235, 1.9441520022784637], rtol=1e-14
            )


def test_the_powers_of_adam_are_float32_beside_variables_of_any_type():
    with tf.Graph().as_default():
        v = tf.Variable(np.array([1.0, 2.0], np.float16), name="v")
        optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
        optimizer.minimize(tf.reduce_sum(v * v))
        assert {each.name: each.dtype for each in optimizer.variables()} == {
            "beta1_power:0": tf.float32, "beta2_power:0": tf.float32, "v/Adam:0": tf.float16,
            "v/Adam_1:0": tf.float16,
        }  # fmt: skip


def test_slots_of_several_optimizers_of_a_graph_have_names_of_their_own():
    train = tf.compat.v1.train
    with tf.Graph().as_default(), tf.compat.v1.variable_scope("vs"):
        v = tf.compat.v1.get_variable("v", [2])
        found = []
        for _ in range(2):
            for optimizer in (
                train.FtrlOptimizer(0.1, name="A", accum_name="acc"),
                train.RMSPropOptimizer(0.1, name="A"),
            ):
                optimizer.minimize(tf.reduce_sum(v * v))
                found += [each.name for each in optimizer.variables()]
    beside = ["A", "acc", "A_1", "A_2", "A_3", "acc_1", "A_4", "A_5"]
    assert found == [f"vs/vs/v/{each}:0" for each in beside]


def test_eager_slots_beside_variables_of_one_name_have_names_of_their_own():
    v, w = (tf.Variable([1.0], name="of_one_name") for _ in range(2))
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)

    @tf.function
    def step():
        optimizer.minimize(lambda: tf.reduce_sum(v + w), var_list=[v, w])

    step()
    found = [each.name for each in optimizer.variables()]
    assert found == [
        "beta1_power:0", "beta2_power:0", "of_one_name/Adam:0", "of_one_name/Adam_1:0",
        "of_one_name/Adam_2:0", "of_one_name/Adam_3:0",
    ]  # fmt: skip
    average = tf.train.ExponentialMovingAverage(0.9)
    average.apply([v, w])
    assert [average.average(each).name for each in (v, w)] == [
        "of_one_name/ExponentialMovingAverage:0", "of_one_name/ExponentialMovingAverage_1:0",
    ]  # fmt: skip


def test_each_graph_has_variables_of_the_optimizer_of_its_own():
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    own = ["beta1_power:0", "beta2_power:0"]

    def step(name: str) -> list[str]:
        variable = tf.compat.v1.get_variable(name, initializer=[1.0, 2.0], use_resource=True)
        optimizer.apply_gradients([(tf.constant([1.0, 2.0]), variable)])
        return [each.name for each in optimizer.variables()]

    for name in ("first", "second"):
        with tf.Graph().as_default():
            assert optimizer.variables() == []
            assert optimizer._get_beta_accumulators() == (None, None)
            assert step(name) == sorted([*own, f"{name}/Adam:0", f"{name}/Adam_1:0"])
    assert optimizer.variables() == []
    apart = tf.Variable([1.0, 2.0], name="apart")
    optimizer.apply_gradients([(tf.constant([1.0, 2.0]), apart)])
    names = [each.name for each in optimizer.variables()]
    assert names == ["apart/Adam:0", "apart/Adam_1:0", *own]
    with tf.Graph().as_default():
        assert optimizer.variables() == []

    @tf.function
    def inside() -> None:
        assert [each.name for each in optimizer.variables()] == names

    inside()
