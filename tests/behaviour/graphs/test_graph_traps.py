"""What has bitten somebody: reads that change later, order, traces, dtypes, half-known values."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1

FULL = "/job:localhost/replica:0/task:0/device:"


# -- reads are values ------------------------------------------------------------------------------


def reads_of(v: Any) -> list[Any]:
    """The value of a variable, read in every way that may share its memory."""
    return [
        v + 0.0, v.value(), v.read_value(), tf.identity(v), v[0:2], tf.reshape(v, [2, 1]),
        tf.transpose(tf.reshape(v, [1, 2])), tf.stop_gradient(v), tf.split(v, 1)[0],
    ]  # fmt: skip


CHANGES = {
    "assign": lambda v: v.assign([5.0, 6.0]),
    "assign_add": lambda v: v.assign_add([1.0, 1.0]),
    "assign_sub": lambda v: v.assign_sub([1.0, 1.0]),
    "scatter": lambda v: v.scatter_update(tf.IndexedSlices(tf.constant([9.0]), tf.constant([0]))),
    "part": lambda v: v[0].assign(7.0),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_read_before_a_change_stays_what_it_was_eagerly(change: str) -> None:
    v = tf.Variable([1.0, 2.0])
    found = reads_of(v)
    CHANGES[change](v)
    assert [np.ravel(each.numpy()).tolist() for each in found] == [[1.0, 2.0]] * len(found)


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_read_before_a_change_stays_what_it_was_in_a_function(change: str) -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def function() -> Any:
        found = reads_of(v)
        CHANGES[change](v)
        return found, v.value()

    found, after = function()
    assert [np.ravel(each.numpy()).tolist() for each in found] == [[1.0, 2.0]] * len(found)
    CHANGES[change](v)
    assert after.numpy().tolist() != [1.0, 2.0]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_read_before_a_change_stays_what_it_was_in_a_session(change: str) -> None:
    with tf1.Graph().as_default():
        v = tf1.Variable([1.0, 2.0])
        found = reads_of(v)
        with tf1.control_dependencies(found):
            changed = CHANGES[change](v)
        with tf1.Session() as session:
            session.run(v.initializer)
            values, _ = session.run([found, changed])
            assert [np.ravel(each).tolist() for each in values] == [[1.0, 2.0]] * len(found)
            assert session.run(v).tolist() != [1.0, 2.0]


def test_an_array_of_a_tensor_does_not_change_with_the_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    array = v.numpy()
    held = v.value().numpy()
    v.assign_add([1.0, 1.0])
    assert array.tolist() == held.tolist() == [1.0, 2.0]


def test_a_results_memory_is_not_the_variables() -> None:
    v = tf.Variable([1.0, 2.0])
    give = tf.function(lambda: v)
    before = give()
    v.assign_add([1.0, 1.0])
    assert before.numpy().tolist() == [1.0, 2.0]


# -- order and effects -----------------------------------------------------------------------------


def test_effects_happen_in_the_order_of_the_program_even_if_nobody_needs_them() -> None:
    v = tf.Variable(0.0)

    @tf.function
    def function(x: Any) -> int:
        v.assign_add(1.0)
        tf.debugging.assert_positive(x)
        v.assign_add(10.0)
        return 3

    assert int(function(tf.constant(1.0))) == 3
    assert v.numpy() == 11.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.constant(-1.0))
    assert v.numpy() == 12.0


def test_python_runs_when_a_function_is_traced_and_not_again() -> None:
    traced = []

    @tf.function
    def function(x: Any) -> Any:
        traced.append(x)
        return x

    for value in (1, 2, 3):
        function(tf.constant(value))
    assert len(traced) == 1


def test_a_tensor_of_a_trace_is_of_no_use_outside() -> None:
    leaked = []
    function = tf.function(lambda x: leaked.append(x * 2.0))
    function(tf.constant(1.0))
    for use in (lambda x: x + 1.0, tf.function(lambda x: x + 1.0)):
        with pytest.raises(TypeError, match="is out of scope and cannot be used here"):
            use(leaked[0])
    with pytest.raises(TypeError, match="is not allowed"):
        bool(leaked[0])


def test_a_function_is_traced_for_each_thread_on_its_own_scope() -> None:
    """Scopes are of a thread: a thread that is started inside one does not inherit it."""
    seen = []
    with tf.device("/CPU:0"), tf.name_scope("outer"):
        thread = threading.Thread(
            target=lambda: seen.append(tf.function(lambda x: x + 1.0)(tf.constant(1.0)).device)
        )
        thread.start()
        thread.join()
    assert seen == [tf.constant([1.0]).device]


# -- dtypes ----------------------------------------------------------------------------------------


def test_python_numbers_take_the_tensors_dtype_in_graphs_and_tensors_do_not_mix() -> None:
    add = tf.function(lambda x, y: x + y)
    assert tf.function(lambda x: x + 1)(tf.constant(1.0)).dtype is tf.float32
    assert tf.function(lambda x: 1 + x)(tf.constant(1.0, tf.float16)).dtype is tf.float16
    with pytest.raises(TypeError, match="has type float32 that does not match type int32"):
        add(tf.constant(1), tf.constant(1.0))
    with pytest.raises(TypeError, match="has type float64 that does not match type float32"):
        add(tf.constant(1.0), np.ones(2))


# -- TF 1 ------------------------------------------------------------------------------------------


def test_a_variable_has_its_first_value_only_after_its_initializer() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable(tf1.random_normal([2]), name="v")
        for use in (v, v + 1.0, v.assign_add([1.0, 1.0])):
            wanted = "Attempting to use uninitialized value v"
            with pytest.raises(tf1.errors.FailedPreconditionError, match=wanted):
                session.run(use)
        session.run(v.initializer)
        assert session.run(v).shape == (2,)


def test_a_random_tensor_is_drawn_anew_in_each_run_and_once_within_one() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.random_normal([4])
        a, b = session.run([x, x + 0.0])
        assert a.tolist() == b.tolist()
        assert session.run(x).tolist() != a.tolist()


def test_a_constant_folded_into_a_graph_is_a_copy() -> None:
    array = np.ones(2, np.float32)
    with tf1.Graph().as_default(), tf1.Session() as session:
        c = tf1.constant(array)
        array[:] = 5.0
        assert session.run(c).tolist() == [1.0, 1.0]


def test_what_was_fed_can_be_changed_afterwards() -> None:
    array = np.ones(2, np.float32)
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, [2])
        v = tf1.Variable([0.0, 0.0])
        session.run(v.initializer)
        session.run(v.assign(x), {x: array})
        array[:] = 5.0
        assert session.run(v).tolist() == [1.0, 1.0]
        session.run(v.assign_add([1.0, 1.0]))
        assert array.tolist() == [5.0, 5.0]


def test_one_graph_in_two_sessions_has_two_states() -> None:
    with tf1.Graph().as_default():
        v = tf1.Variable(1.0)
        step = v.assign_add(1.0)
        first, second = tf1.Session(), tf1.Session()
        for session in (first, second):
            session.run(v.initializer)
        first.run(step)
        assert (first.run(v), second.run(v)) == (2.0, 1.0)


def test_a_control_dependency_on_a_read_does_not_repeat_it() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable(1.0)
        before = v.value()
        with tf1.control_dependencies([before]):
            change = v.assign_add(1.0)
        with tf1.control_dependencies([change.op]):
            after = v.read_value()
        session.run(v.initializer)
        assert session.run([before, after]) == [1.0, 2.0]


# -- devices ---------------------------------------------------------------------------------------


@pytest.mark.gpus(2, memory="1MB")
def test_a_tensor_that_is_taken_twice_is_copied_once() -> None:
    with tf.device("/GPU:1"):
        x = tf.ones([8])
    with emplace.watch() as seen, tf.device("/GPU:0"):
        y = x * x
    assert y.numpy().tolist() == [1.0] * 8
    assert [copy["count"] for copy in seen.report().to_dict()["copies"]] == [1]


@pytest.mark.gpus(1)
def test_an_int32_of_a_graph_is_where_it_says() -> None:
    shape = tf.function(lambda x: tf.shape(x) + 1)(tf.ones([2, 3]))
    assert shape.device == f"{FULL}GPU:0"
    assert shape.numpy().tolist() == [3, 4]


def test_a_graph_must_know_into_how_many_parts_a_tensor_is_taken() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, [None, 3])
        with pytest.raises(ValueError, match=r"Cannot infer argument `num` from shape \(None, 3\)"):
            tf1.unstack(x)
        with pytest.raises(ValueError, match="Cannot infer argument `num` from shape <unknown>"):
            tf1.unstack(tf1.placeholder(tf1.float32))
        first, second = tf1.unstack(x, num=2)
        assert first.shape == (3,)
        assert session.run(second, {x: np.ones((2, 3))}).tolist() == [1.0, 1.0, 1.0]
        with pytest.raises(tf1.errors.InvalidArgumentError):
            session.run(second, {x: np.ones((4, 3))})


def compared(a: Any, b: Any) -> list[Any]:
    """What == and its relatives say of two tensors."""
    return [a == b, a == a, a != b, a in [b], a in [b, a], a == 1, a == None]  # noqa: E711


def test_tensors_of_a_sessions_graph_are_equal_to_themselves_only() -> None:
    # TF 2.21's answers: as in TF 1, whatever is around is no eager mode.
    expected = [False, True, True, False, True, False, False]
    with tf1.Graph().as_default():
        a, b = tf.constant(1), tf.constant(1)
        assert compared(a, b) == expected
        assert len({a, b, a}) == 2
        found: list[Any] = []
        traced = tf.function(lambda: found.extend(compared(tf.constant(1), tf.constant(1))) or 1)
        traced()
        assert found == expected


def test_tensors_of_a_function_are_compared_element_by_element() -> None:
    @tf.function(autograph=False)
    def both(a: Any, b: Any) -> Any:
        with pytest.raises(TypeError, match="unhashable"):
            hash(a)
        return a == b, a != b

    assert [x.numpy().tolist() for x in both(tf.constant([1, 2]), tf.constant([1, 3]))] == [
        [True, False], [False, True]
    ]  # fmt: skip


def test_graphs_made_alike_have_equal_texts() -> None:
    def text(value: float) -> Any:
        with tf1.Graph().as_default() as graph:
            tf1.get_variable("v", initializer=value)
            return graph.as_graph_def()

    assert text(1.0) == text(1.0)
    assert text(1.0) != text(2.0)
