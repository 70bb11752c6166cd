"""Accumulators of gradients: means, sums, late gradients, and threads that wait for enough."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.base.errors import CancelledError, DeadlineExceededError, InvalidArgumentError

tf1 = tf.compat.v1


def dense(**more: Any) -> Any:
    return tf1.ConditionalAccumulator(tf.float32, **{"shape": [2], **more})


@pytest.fixture
def session() -> Any:
    """A session of a graph of its own."""
    with tf.Graph().as_default(), tf1.Session() as session:
        yield session


def test_the_mean_of_gradients_is_taken_and_late_ones_are_dropped(session):
    sums = dense(name="mean")
    count, taken = sums.num_accumulated(), sums.take_grad(1)
    assert (sums.name, sums.dtype, taken.shape) == ("mean", tf.float32, [2])
    session.run([sums.apply_grad([1.0, 2.0]), sums.apply_grad([3.0, 4.0], local_step=5)])
    assert session.run(count) == 2
    assert session.run(taken).tolist() == [2.0, 3.0]
    assert session.run(count) == 0
    session.run(sums.apply_grad([9.0, 9.0]))  # of step 0, which is over
    assert session.run(count) == 0
    session.run(sums.set_global_step(7))
    session.run(sums.apply_grad([9.0, 9.0], local_step=6))
    session.run(sums.apply_grad([8.0, 8.0], local_step=tf.constant(7)))
    assert session.run(taken).tolist() == [8.0, 8.0]


def test_a_gradient_that_is_taken_is_nobody_elses(session):
    sums, gradient = dense(reduction_type="SUM"), tf1.placeholder(tf.float32, [2])
    given = np.array([1.0, 2.0], np.float32)
    for _ in range(3):
        session.run(sums.apply_grad(gradient), {gradient: given})
    first = session.run(sums.take_grad(1))
    session.run(sums.apply_grad(gradient, 1), {gradient: given})
    assert first.tolist() == [3.0, 6.0]
    assert given.tolist() == [1.0, 2.0]


def test_accumulators_work_eagerly_and_in_functions():
    sums = dense()
    assert sums.name == ""
    sums.apply_grad([1.0, 2.0])
    sums.apply_grad([2.0, 2.0])
    assert int(sums.num_accumulated()) == 2
    assert sums.take_grad(2).numpy().tolist() == [1.5, 2.0]

    @tf.function
    def f(x):
        own = dense(shape=[])
        for factor in (1.0, 2.0):
            own.apply_grad(x * factor)
        return own.take_grad(2), own.num_accumulated()

    mean, left = f(tf.constant(4.0))
    assert (float(mean), int(left)) == (6.0, 0)


@pytest.mark.gpus(1, memory="64MB")
def test_gradients_of_a_gpu_are_added_up_on_the_host():
    with tf.device("/GPU:0"):
        sums = dense()
        sums.apply_grad(tf.constant([1.0, 2.0]) * 2.0)
    assert "CPU" in sums.take_grad(1).device
    with tf.Graph().as_default(), tf1.Session() as session:
        with tf.device("/GPU:0"):
            sums = dense()
            put = sums.apply_grad(tf.constant([1.0, 2.0]) * 2.0)
            taken = sums.take_grad(1) + 1.0
        session.run(put)
        assert session.run(taken).tolist() == [3.0, 5.0]


def test_who_takes_waits_for_enough_gradients(session):
    sums = dense(shape=[], reduction_type="SUM")
    taken, put = sums.take_grad(2), sums.apply_grad(5.0, local_step=9)
    found: list[float] = []
    waiter = threading.Thread(target=lambda: found.append(float(session.run(taken))))
    waiter.start()
    session.run(put)
    time.sleep(0.05)
    assert waiter.is_alive()
    session.run(put)
    waiter.join(30)
    assert found == [10.0]


def test_a_sessions_end_and_deadline_wake_who_waits():
    with tf.Graph().as_default():
        taken, errors = dense().take_grad(1), []
        session = tf1.Session()

        def wait() -> None:
            try:
                session.run(taken)
            except CancelledError as error:
                errors.append(str(error))

        waiter = threading.Thread(target=wait)
        waiter.start()
        node = taken.op.inputs[0].op
        while (host := session.resources.find(node.type, node.name)) is None or not host.waiting:
            time.sleep(0.001)
        session.close()
        waiter.join(30)
        assert "TakeGrad operation was cancelled" in errors[0]
        options = tf1.ConfigProto(operation_timeout_in_ms=50)
        with tf1.Session(config=options) as session, pytest.raises(DeadlineExceededError):
            session.run(taken)


def test_sessions_share_accumulators_by_name(session):
    one, other = dense(shared_name="both"), dense(shared_name="both")
    session.run(one.apply_grad([1.0, 2.0]))
    assert session.run(other.num_accumulated()) == 1
    with tf1.Session() as second:
        assert second.run(one.num_accumulated()) == 0


@pytest.mark.parametrize(
    ("do", "text"),
    [
        (lambda x: dense().take_grad(0), "num_required must be positive, but was 0"),
        (lambda x: dense().apply_grad(x), r"Shape mismatch: expected \[2\], got \[3\]"),
        (lambda x: dense(shape=[None, 2]).apply_grad(x), r"expected \[\?,2\], got \[3\]"),
        (
            lambda x: tf1.ConditionalAccumulator(tf.int64).num_accumulated(),
            r"No OpKernel was registered.* half, float and double, got int64",
        ),
    ],
)
def test_what_does_not_fit_an_accumulator_is_refused_when_it_runs(session, do, text):
    gradient = tf1.placeholder(tf.float32)
    with pytest.raises(InvalidArgumentError, match=text):
        session.run(do(gradient), {gradient: [1.0, 2.0, 3.0]})


def test_what_is_known_not_to_fit_is_refused_at_once():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match=r"Shapes \(3,\) and \(2,\) are incompatible"):
            dense().apply_grad([1.0, 2.0, 3.0])
        with pytest.raises(ValueError, match="Tensor conversion requested dtype float32"):
            dense().apply_grad(tf.constant([1, 2]))
        with pytest.raises(ValueError, match='passed string \'MAX\' not in: "MEAN", "SUM"'):
            dense(reduction_type="MAX")


def test_the_first_gradient_tells_the_shape_of_the_others(session):
    sums, gradient = dense(shape=None), tf1.placeholder(tf.float32)
    put, taken = sums.apply_grad(gradient, 9), sums.take_grad(1)
    assert taken.shape.rank is None
    session.run(put, {gradient: [1.0, 2.0]})
    with pytest.raises(InvalidArgumentError, match=r"expected \[2\], got \[3\]"):
        session.run(put, {gradient: [1.0, 2.0, 3.0]})
    assert session.run(taken).tolist() == [1.0, 2.0]
    session.run(put, {gradient: [1.0, 2.0, 3.0]})
    assert session.run(taken).tolist() == [1.0, 2.0, 3.0]


# -- rows ------------------------------------------------------------------------------------------


def sparse(**more: Any) -> Any:
    return tf1.SparseConditionalAccumulator(tf.float32, **{"shape": [None, 2], **more})


def test_each_row_is_the_mean_over_the_gradients_that_have_it(session):
    sums = sparse()
    session.run(sums.apply_grad([0, 2], [[1.0, 2.0], [3.0, 4.0]], [3, 2]))
    session.run(sums.apply_grad([1, 2], [[5.0, 5.0], [1.0, 0.0]]))
    found = session.run(sums.take_grad(2))
    assert found.indices.tolist() == [0, 1, 2]
    assert found.values.tolist() == [[1.0, 2.0], [5.0, 5.0], [2.0, 2.0]]
    assert found.shape.tolist() == [-1, 2]
    session.run(sums.apply_grad([0], [[1.0, 2.0]]))  # late
    assert session.run(sums.num_accumulated()) == 0


def test_rows_that_are_not_in_order_are_gone_through_once(session):
    sums = sparse()
    session.run(sums.apply_grad([0, 2], [[1.0, 2.0], [3.0, 4.0]]))
    session.run(sums.apply_grad([2, 1, 0], [[1.0, 1.0], [3.0, 4.0], [5.0, 5.0]]))
    found = session.run(sums.take_grad(1))
    assert found.indices.tolist() == [0, 2, 1, 0]
    assert found.values.tolist() == [[1.0, 2.0], [2.0, 2.5], [3.0, 4.0], [5.0, 5.0]]


def test_gradients_of_lookups_are_added_up(session):
    sums = sparse(shape=[4, 2], reduction_type="SUM")
    table = tf1.get_variable("table", initializer=tf.ones([4, 2]))
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [3, 1]) * [[1.0, 2.0], [3.0, 4.0]])
    [gradient] = tf1.gradients(loss, [table])
    session.run(tf1.global_variables_initializer())
    put = sums.apply_indexed_slices_grad(gradient)
    session.run(put)
    taken = session.run(sums.take_indexed_slices_grad(1))
    assert dict(zip(taken.indices.tolist(), taken.values.tolist(), strict=True)) == {
        3: [1.0, 2.0],
        1: [3.0, 4.0],
    }
    assert taken.dense_shape.tolist() == [4, 2]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (([[0]], [[1.0, 2.0]], [3, 2]), r"should be vector but received shape: \[1,1\]"),
        (([0], [1.0, 2.0]), "Expected 1 non-empty input values, got 2"),
        (([0], [[1.0, 2.0, 3.0]]), "expected values dim 1 to be 2, got 3"),
        (([0], [[1.0, 2.0]], [3, 4]), "expected shape dim 1 to be 2, got 4"),
        (([0], [[1.0, 2.0]], [3]), "expected shape rank at least 2, got 1"),
        (([0], [1.0]), "expected values rank at least 2, got 1"),
    ],
)
def test_rows_that_do_not_fit_are_refused(session, rows, text):
    with pytest.raises(InvalidArgumentError, match=text):
        session.run(sparse().apply_grad(*rows))


def test_rows_behind_the_last_one_are_refused(session):
    with pytest.raises(InvalidArgumentError, match=r"index of slice 1 .* index is 4 exceeded 4"):
        session.run(sparse(shape=[4, 2]).apply_grad([0, 4], [[1.0, 2.0], [1.0, 2.0]]))


def test_accumulators_of_rows_are_for_graphs_as_in_tensorflow():
    with pytest.raises(RuntimeError, match="does not support eager execution"):
        sparse()
    assert tf1.sparse.SparseConditionalAccumulator is tf1.SparseConditionalAccumulator
