"""Queues: order, shapes, closing, and threads that wait for each other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.base.errors import OpError
from emplace.core.cancellation import Cancellation
from emplace.ops.data_flow.queues import HostQueue


def queue(capacity: int = 9, **options: Any) -> Any:
    return tf.queue.FIFOQueue(capacity, [tf.int32], shapes=[[]], **options)


class Waiting(threading.Thread):
    """Runs a function that is expected to wait, and keeps what it raises."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work, self.error, self.result = work, None, None
        self.start()

    error: OpError | None
    result: Any

    def run(self) -> None:
        try:
            self.result = self.work()
        except OpError as error:
            self.error = error

    def end(self) -> None:
        self.join(30)
        assert not self.is_alive()


def test_what_came_first_comes_out_first() -> None:
    q = queue()
    q.enqueue(1)
    q.enqueue_many([[2, 3, 4]])
    assert q.size().numpy() == 4
    assert q.dequeue().numpy() == 1
    assert q.dequeue_many(2).numpy().tolist() == [2, 3]
    assert q.dequeue_many(0).shape == [0]


def test_a_closed_queue_gives_what_is_left_and_takes_nothing() -> None:
    q = queue(shared_name="q")
    q.enqueue_many([[3, 4]])
    q.close()
    assert q.is_closed().numpy()
    with pytest.raises(tf.errors.CancelledError, match="FIFOQueue 'q' is closed"):
        q.enqueue(1)
    with pytest.raises(tf.errors.CancelledError, match="Queue 'q' is already closed"):
        q.close()
    text = r"FIFOQueue 'q' is closed and has insufficient elements \(requested 5, current size 2\)"
    with pytest.raises(tf.errors.OutOfRangeError, match=text):
        q.dequeue_many(5)
    assert q.dequeue_up_to(5).numpy().tolist() == [3, 4]
    with pytest.raises(tf.errors.OutOfRangeError, match=r"\(requested 1, current size 0\)"):
        q.dequeue()


def test_elements_have_several_components_and_names() -> None:
    q = tf.queue.FIFOQueue(3, [tf.int32, tf.string], names=["a", "b"])
    q.enqueue({"a": 1, "b": "x"})
    assert q.dequeue()["b"].numpy() == b"x"
    with pytest.raises(ValueError, match="You must enqueue a dictionary in a Queue with names"):
        q.enqueue([1, "x"])


def test_many_need_shapes() -> None:
    q = tf.queue.FIFOQueue(3, [tf.int32])
    with pytest.raises(tf.errors.InvalidArgumentError, match="to have specified shapes"):
        q.dequeue_many(1)


def test_shapes_are_checked() -> None:
    q = tf.queue.FIFOQueue(3, [tf.int32], shapes=[[2]])
    with pytest.raises(ValueError, match=r"Shapes \(\) and \(2,\) are incompatible"):
        q.enqueue(1)


def test_elements_are_padded_to_the_longest() -> None:
    q = tf.queue.PaddingFIFOQueue(4, [tf.int32], shapes=[[None]])
    q.enqueue([[1, 2]])
    q.enqueue([[3]])
    assert q.dequeue_many(2).numpy().tolist() == [[1, 2], [3, 0]]


def test_the_least_priority_comes_first() -> None:
    q = tf.queue.PriorityQueue(9, [tf.string], shapes=[[]])
    q.enqueue([tf.constant(5, tf.int64), "five"])
    q.enqueue_many([[3, 2, 2], ["three", "two", "two b"]])
    assert q.dequeue_many(4)[1].numpy().tolist() == [b"two", b"two b", b"three", b"five"]


def test_a_shuffled_queue_keeps_some_until_it_is_closed() -> None:
    q = tf.queue.RandomShuffleQueue(9, 2, [tf.int32], shapes=[[]], seed=1)
    q.enqueue_many([[1, 2, 3]])
    first = q.dequeue().numpy()
    waiting = Waiting(q.dequeue)
    q.close()
    waiting.end()
    got = [first, waiting.result.numpy(), q.dequeue().numpy()]
    assert sorted(got) == [1, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 must be < capacity 2"):
        tf.queue.RandomShuffleQueue(2, 2, [tf.int32])


def test_many_pass_through_a_small_queue() -> None:
    q = queue(2)
    waiting = Waiting(lambda: q.enqueue_many([list(range(20))]))
    assert q.dequeue_many(20).numpy().tolist() == list(range(20))
    waiting.end()


def test_closing_wakes_those_who_wait_for_elements() -> None:
    q = queue()
    waiting = Waiting(lambda: q.dequeue_many(2))
    q.enqueue(7)
    q.close()
    waiting.end()
    assert isinstance(waiting.error, tf.errors.OutOfRangeError)
    assert q.dequeue().numpy() == 7


def test_closing_can_give_up_what_waits_to_be_put() -> None:
    q = HostQueue(1, (tf.int32,), ())
    q.put([(1,)])
    waiting = Waiting(lambda: q.put([(2,)]))
    q.close(cancel_pending_enqueues=True)
    waiting.end()
    assert isinstance(waiting.error, tf.errors.CancelledError)
    assert q.take(1) == [(1,)]


@pytest.mark.parametrize("error", [tf.errors.CancelledError, tf.errors.DeadlineExceededError])
def test_a_wait_can_be_cancelled(error: type[OpError]) -> None:
    q = HostQueue(1, (tf.int32,), ())
    cancel = Cancellation()
    waiting = Waiting(lambda: q.take(1, cancel=cancel))
    cancel.cancel(error)
    waiting.end()
    assert type(waiting.error) is error
    q.put([(1,)])
    assert q.take(1) == [(1,)]


def test_functions_use_a_queue_that_was_made_before_them():
    queue = tf.queue.FIFOQueue(5, ["float32"])

    @tf.function
    def put(x):
        queue.enqueue(x)
        return queue.size()

    @tf.function
    def take():
        return queue.dequeue() + 1.0

    assert put(tf.constant(1.0)) == 1
    assert put(tf.constant(4.0)) == 2
    assert [float(take()), float(queue.dequeue())] == [2.0, 4.0]
