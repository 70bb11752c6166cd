"""Jacobians, hessians and forward-mode derivatives, eagerly and in graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

X = [1.0, 2.0]
BATCH = [[1.0, 2.0], [3.0, 4.0]]
DIAGONALS = [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]


def jacobian_of(f: Callable[[Any], Any], x: Any, **options: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, x, **options)


def batch_jacobian_of(f: Callable[[Any], Any], x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.batch_jacobian(y, x)


def test_a_jacobian_has_the_targets_shape_and_then_the_sources() -> None:
    found = jacobian_of(lambda x: x**2 * tf.constant([[1.0], [2.0], [3.0]]), tf.constant(X))
    assert found.numpy().tolist() == [[[2.0 * i, 0.0], [0.0, 4.0 * i]] for i in (1, 2, 3)]


def test_a_jacobian_takes_a_structure_of_tensors_and_variables() -> None:
    x, v = tf.constant(X), tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * v
    found = tape.jacobian(y, {"x": x, "v": v})
    assert found["x"].numpy().tolist() == [[3.0, 0.0], [0.0, 4.0]]
    assert found["v"].numpy().tolist() == [[1.0, 0.0], [0.0, 2.0]]


def test_what_does_not_matter_has_no_jacobian_or_zeros() -> None:
    x = tf.constant(X)
    assert jacobian_of(lambda x: tf.constant([1.0]), x) is None
    found = jacobian_of(lambda x: tf.constant([1.0]), x, unconnected_gradients="zero")
    assert found.numpy().tolist() == [[0.0, 0.0]]
    assert jacobian_of(lambda x: x[:0], x).shape == (0, 2)


def test_a_tape_gives_one_jacobian_unless_it_is_persistent() -> None:
    x = tf.constant(X)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * 2.0
    tape.jacobian(y, x)
    with pytest.raises(RuntimeError, match=r"one set of gradients \(or jacobians\)"):
        tape.jacobian(y, x)


def test_the_jacobian_of_a_gradient_is_the_hessian() -> None:
    x = tf.constant(X)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x**3)
        return inner.gradient(y, x)

    assert jacobian_of(slope, x).numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]


def test_a_batch_jacobian_is_one_per_part() -> None:
    x = tf.constant(BATCH)
    assert batch_jacobian_of(lambda x: x**2, x).numpy().tolist() == DIAGONALS
    zeros = batch_jacobian_of(lambda x: tf.constant([[1.0], [2.0]]), x)
    assert zeros.numpy().tolist() == [[[0.0, 0.0]], [[0.0, 0.0]]]
    wanted = r"Need first dimension of target shape \(\(1, 2\)\) and source shape \(\(2, 2\)\) to"
    with pytest.raises(ValueError, match=wanted):
        batch_jacobian_of(lambda x: x[:1], x)


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
@pytest.mark.parametrize("part", [lambda x: x[:, 0], lambda x: tf.reduce_sum(x)])
def test_a_batch_jacobian_needs_parts_that_have_elements(run, part):
    def jacobian():
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = part(x)
        return tape.batch_jacobian(y, x)

    with pytest.raises(ValueError, match=r"Shape \(2?,?\) must have rank at least 2"):
        run(jacobian)


def test_a_function_with_an_open_batch_has_jacobians() -> None:
    spec = [tf.TensorSpec([None, 2])]
    square = tf.function(lambda x: batch_jacobian_of(lambda x: x**2, x), input_signature=spec)
    assert square(tf.constant(BATCH)).numpy().tolist() == DIAGONALS
    spec = [tf.TensorSpec([None])]
    whole = tf.function(lambda x: jacobian_of(lambda x: x**2, x), input_signature=spec)
    for size in (1, 3):
        x = np.arange(size, dtype=np.float32)
        np.testing.assert_array_equal(whole(x), np.diag(2 * x))


def test_hessians_are_operations_of_a_graph() -> None:
    cubes = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x))
    assert cubes(tf.constant(X))[0].numpy().tolist() == [[6.0, 0.0], [0.0, 12.0]]
    assert cubes(tf.ones([2, 2]))[0].shape == (2, 2, 2, 2)
    both = tf.function(lambda x, y: tf.hessians(tf.reduce_sum(x**3) * tf.reduce_sum(y**2), [x, y]))
    found = [each.numpy().tolist() for each in both(tf.constant(X), tf.constant(X))]
    assert found == [[[30.0, 0.0], [0.0, 60.0]], [[18.0, 0.0], [0.0, 18.0]]]
    with pytest.raises(RuntimeError, match=r"tf\.gradients is not supported when eager"):
        tf.hessians(tf.constant(X), tf.constant(X))


def test_hessians_of_open_shapes_are_found_by_a_loop() -> None:
    spec = [tf.TensorSpec(None)]
    cubes = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x), input_signature=spec)
    assert cubes(tf.ones([2, 1]))[0].numpy().tolist() == [[[[6.0], [0.0]]], [[[0.0], [6.0]]]]


def test_hessians_need_ys_that_depend_on_xs() -> None:
    function = tf.function(lambda x, y: tf.hessians(tf.reduce_sum(x), y))
    with pytest.raises(ValueError, match="None values not supported"):
        function(tf.constant(X), tf.constant(X))


# -- forward ---------------------------------------------------------------------------------------


def along(f: Callable[[Any], Any], **options: Any) -> Any:
    """How f changes at (1, 2) in the direction (1, 3)."""
    x = tf.constant(X)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 3.0])) as accumulator:
        y = f(x)
    found = accumulator.jvp(y, **options)
    return tf.nest.map_structure(lambda t: None if t is None else t.numpy().tolist(), found)


FORWARD: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "sum of cubes": (lambda x: tf.reduce_sum(x**3), 39.0),
    "relu": (lambda x: tf.nn.relu(x - 1.5), [0.0, 3.0]),
    "gather": (lambda x: tf.gather(x, [0, 0]), [1.0, 1.0]),
    "matmul": (lambda x: tf.matmul(x[None], x[:, None]), [[14.0]]),
    "structure": (lambda x: {"a": x, "b": tf.cast(x, tf.int32)}, {"a": [1.0, 3.0], "b": None}),
    "max": (tf.reduce_max, 3.0),
    "while": (
        lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), (0, x))[1],
        [4.0, 96.0],
    ),
    "cond": (lambda x: tf.cond(x[0] > 0.0, lambda: x * x, lambda: x), [2.0, 12.0]),
    "function": (tf.function(lambda x: tf.reduce_sum(x * x)), 14.0),
    "nothing": (lambda x: tf.constant(1.0), None),
}


@pytest.mark.parametrize("name", FORWARD)
def test_an_accumulator_tells_how_results_change(name: str) -> None:
    function, wanted = FORWARD[name]
    assert along(function) == wanted


def test_an_accumulator_works_inside_of_a_function() -> None:
    @tf.function
    def change(x: Any) -> Any:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = x**3
        return accumulator.jvp(y)

    assert change(tf.constant(X)).numpy().tolist() == [3.0, 12.0]


def test_accumulators_nest_and_mix_with_tapes() -> None:
    x, ones = tf.constant(X), tf.ones([2])
    with tf.autodiff.ForwardAccumulator(x, ones) as outer:
        with tf.autodiff.ForwardAccumulator(x, ones) as inner:
            y = x**3
        slope = inner.jvp(y)
    assert outer.jvp(slope).numpy().tolist() == [6.0, 12.0]
    with tf.autodiff.ForwardAccumulator(x, ones) as accumulator:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x**3)
        gradient = tape.gradient(y, x)
    assert accumulator.jvp(gradient).numpy().tolist() == [6.0, 12.0]


def test_an_accumulator_can_be_asked_while_it_records() -> None:
    x = tf.constant(X)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 3.0])) as accumulator:
        slope = accumulator.jvp(x * x)
        assert accumulator.jvp(slope * x).numpy().tolist() == [2.0, 36.0]


def test_variables_are_primals_too() -> None:
    v = tf.Variable(X)
    with tf.autodiff.ForwardAccumulator(v, tf.ones([2])) as accumulator:
        y = v * v
    assert accumulator.jvp(y).numpy().tolist() == [2.0, 4.0]


def test_what_an_accumulator_cannot_do_it_says() -> None:
    x = tf.constant(X)
    with pytest.raises(ValueError, match="specified as a primal multiple times"):
        tf.autodiff.ForwardAccumulator([x, x], [x, x])
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.autodiff.ForwardAccumulator(x, [x])
    with pytest.raises(ValueError, match="'bogus' is not a valid UnconnectedGradients"):
        along(lambda x: tf.constant(1.0), unconnected_gradients="bogus")
    accumulator = tf.autodiff.ForwardAccumulator(x, x)
    wanted = r"Accumulator is already recording\."
    with accumulator, pytest.raises(ValueError, match=wanted), accumulator:
        pass


def test_a_jacobian_of_no_elements_has_their_shape():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = v[0] * tf.zeros([0, 3])
        z = v * tf.zeros([0, 2])
    assert tape.jacobian(y, v).shape == [0, 3, 2]
    assert tape.jacobian(z, [v])[0].shape == [0, 2, 2]


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
def test_accumulators_that_have_ended_know_directions_of_directions(run):  # TensorFlow's numbers
    def directions():
        x, one = tf.constant(1.1), tf.constant(1.0)
        accumulator = tf.autodiff.ForwardAccumulator
        with accumulator(x, one) as outer, accumulator(x, one) as inner:
            y = x**3.5
        first = inner.jvp(y)
        assert inner.jvp(outer.jvp(y)) is None
        return [first, outer.jvp(first)]

    assert [float(each) for each in run(directions)] == pytest.approx([4.4417057, 10.0947857])


def test_a_tape_that_has_ended_knows_the_gradient_of_a_direction():
    x = tf.constant(1.1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = x**3.5
    assert float(tape.gradient(accumulator.jvp(y), x)) == pytest.approx(10.0947857)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("what", ["jacobian", "batch_jacobian"])
def test_a_jacobian_without_pfor_wants_a_persistent_tape(what, persistent):
    x = tf.constant(BATCH)
    with tf.GradientTape(persistent) as tape:
        tape.watch(x)
        y = x * x
    find = getattr(tape, what)
    if persistent:
        assert find(y, x, experimental_use_pfor=False).shape[0] == 2
        return
    with pytest.raises(RuntimeError, match=f"with persistent=True to compute the {what} with eage"):
        find(y, x, experimental_use_pfor=False)


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
def test_a_jacobian_of_a_batch_in_turns_wants_a_persistent_tape(run):
    def jacobian(persistent, turns):
        x = tf.constant([[3.0]])
        with tf.GradientTape(persistent) as tape:
            tape.watch(x)
            y = tf.tile(x**4, [1, 16])
        return tape.batch_jacobian(y, x, parallel_iterations=turns)

    with pytest.raises(RuntimeError, match="to compute the batch_jacobian with parallel_iteration"):
        run(lambda: jacobian(False, 8))
    for persistent, turns in ((True, 8), (False, 16)):
        found = run(lambda: jacobian(persistent, turns))  # noqa: B023
        assert found.numpy().tolist() == [[[108.0]] * 16]
