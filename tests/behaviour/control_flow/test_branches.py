"""Branches in graphs: all functions are called, whatever decides; errors of branches and loops."""

from __future__ import annotations

import re
from typing import Any

import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("decide", [lambda x: tf.constant(True), lambda x: tf.rank(x) < 1])
def test_both_branches_are_traced_though_a_constant_decides(decide: Any) -> None:
    # TF: the variable of a branch that is not taken is there, with its name, in checkpoints.
    made: dict[str, tf.Variable] = {}

    def branch(name: str) -> tf.Tensor:
        if name not in made:
            made[name] = tf.Variable(len(made) + 1.0, name=name)
        return made[name] + 0.0

    @tf.function
    def f(x: tf.Tensor) -> Any:
        return tf.cond(decide(x), lambda: branch("yes"), lambda: branch("no"))

    assert float(f(tf.constant(1.0))) == 1.0
    assert {each.name for each in made.values()} == {"yes:0", "no:0"}


def test_branches_that_differ_are_an_error_though_a_constant_decides() -> None:
    @tf.function
    def f() -> Any:
        return tf.cond(tf.constant(True), lambda: 1, lambda: 2.0)

    with pytest.raises(TypeError, match="must have the same number, type, and overall structure"):
        f()


def test_all_branches_of_a_switch_are_traced_though_a_constant_decides() -> None:
    called = []

    def branch(i: int) -> Any:
        called.append(i)
        return i * 10

    @tf.function
    def f() -> Any:
        return tf.switch_case(tf.constant(1), [lambda i=i: branch(i) for i in range(3)])

    assert int(f()) == 10
    assert called == [0, 1, 2]


def test_smart_cond_calls_the_function_that_a_constant_decides_for() -> None:
    called = []

    @tf.function
    def f() -> Any:
        choose = tf.__internal__.smart_cond.smart_cond
        return choose(tf.constant(False), lambda: called.append(1) or 1, lambda: 2.0)

    assert float(f()) == 2.0
    assert not called


def test_a_branch_that_is_not_taken_by_a_constant_has_no_effect() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f() -> Any:
        return tf.cond(tf.constant(False), lambda: v.assign(5.0), lambda: v + 1.0)

    assert float(f()) == 2.0
    assert float(v) == 1.0


def test_a_tensor_of_one_branch_is_no_tensor_of_the_other() -> None:
    @tf.function
    def f(x: tf.Tensor) -> Any:
        made = []

        def yes() -> Any:
            made.append(tf.identity(x * 2.0, name="twice"))
            return made[0]

        return tf.cond(x > 0.0, yes, lambda: made[0] + 0.0)

    with pytest.raises(ValueError, match="Tensor twice:0 in true_fn is accessed from false_fn"):
        f(tf.constant(1.0))


def test_a_tensor_of_one_branch_of_a_switch_is_no_tensor_of_another() -> None:
    @tf.function
    def f(i: tf.Tensor) -> Any:
        made = []

        def first() -> Any:
            made.append(tf.identity(i * 2, name="twice"))
            return made[0]

        return tf.switch_case(i, [lambda: i, first, lambda: i, lambda: made[0] + 0])

    with pytest.raises(ValueError, match="Tensor twice:0 in branch 1 is accessed from branch 3"):
        f(tf.constant(1))


def test_a_loop_variable_that_changes_its_type_is_told_of_as_in_tensorflow() -> None:
    @tf.function
    def f() -> Any:
        return tf.while_loop(
            lambda x: x < 10.0, lambda x: tf.cast(x, tf.float16), [tf.constant(1.0)]
        )

    text = (
        "Loop var Const:0 enters the loop with type <dtype: 'float32'> but has type "
        "<dtype: 'float16'> after 1 iteration. Const:0 type should remain constant."
    )
    with pytest.raises(TypeError, match=re.escape(text)):
        f()


def test_slices_in_one_branch_and_a_tensor_in_the_other_are_told() -> None:
    @tf.function(autograph=False)
    def f(x: tf.Tensor) -> Any:
        return tf.cond(x[0] > 0, lambda: tf.IndexedSlices(x, tf.constant([0])), lambda: x)

    # TensorFlow's words.
    with pytest.raises(TypeError, match=r"reconcile tf\.cond 0-th outputs:\n  branches returned"):
        f(tf.constant([10.0]))


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_an_index_of_a_switch_that_is_no_scalar_is_refused(wrap: Any) -> None:
    branches = [lambda: tf.constant(1), lambda: tf.constant(2)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"must be a scalar, .* shape \(1,\)"):
        wrap(lambda index: tf.switch_case(index, branches))(tf.constant([0]))
    with pytest.raises(TypeError, match=r"must be an integer Tensor, got <dtype: 'float32'>"):
        wrap(lambda index: tf.switch_case(index, branches))(tf.constant(1.0))


def test_graphs_refuse_an_unknown_wish_for_unconnected_gradients() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'other'"):
            tf.gradients(x * 2.0, [x], unconnected_gradients="other")
