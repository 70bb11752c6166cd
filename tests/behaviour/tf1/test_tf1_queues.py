"""Queues under sessions: each session has its own, threads wait for each other, closing wakes."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import emplace
import emplace.tensorflow.compat.v1 as tf1
from emplace.base.errors import (
    CancelledError,
    DeadlineExceededError,
    InvalidArgumentError,
    OutOfRangeError,
)


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    tf1.disable_v2_behavior()
    with tf1.Graph().as_default() as graph:
        yield graph


class Waiter:
    """A thread that runs something which waits; `error` is what ended it."""

    def __init__(self, session: Any, fetch: Any, count: int = 1) -> None:
        self.found: list[Any] = []
        self.error: Exception | None = None
        self._session, self._fetch, self._count = session, fetch, count
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            for _ in range(self._count):
                self.found.append(self._session.run(self._fetch))
        except Exception as error:
            self.error = error

    def ends(self) -> None:
        """Waits for it, and says so if it does not end."""
        self.thread.join(30)
        assert not self.thread.is_alive(), "it still waits"


def wait_for_waiters(queue: Any, session: Any, count: int = 1) -> None:
    """Until so many runs wait at a queue of a session."""
    made_by = queue.queue_ref.op
    while (host := session.resources.find(made_by.type, made_by.name)) is None:
        time.sleep(0.001)
    while host.waiting < count:
        time.sleep(0.001)


def test_a_queue_keeps_its_elements_between_runs():
    queue = tf1.FIFOQueue(3, tf1.float32, shapes=[[]])
    put, taken, size = queue.enqueue(2.0), queue.dequeue(), queue.size()
    with tf1.Session() as session:
        session.run(put)
        session.run(put)
        assert session.run(size) == 2
        assert session.run(taken) == 2.0
        assert session.run(size) == 1


def test_every_session_has_a_queue_of_its_own():
    queue = tf1.FIFOQueue(3, tf1.float32, shapes=[[]])
    put, size = queue.enqueue(2.0), queue.size()
    with tf1.Session() as one, tf1.Session() as other:
        one.run(put)
        assert (one.run(size), other.run(size)) == (1, 0)


def test_queues_share_what_has_one_shared_name():
    one = tf1.FIFOQueue(3, tf1.float32, shapes=[[]], shared_name="both")
    other = tf1.FIFOQueue(3, tf1.float32, shapes=[[]], shared_name="both")
    third = tf1.FIFOQueue(4, tf1.float32, shapes=[[]], shared_name="both")
    with tf1.Session() as session:
        session.run(one.enqueue(5.0))
        assert session.run(other.dequeue()) == 5.0
        with pytest.raises(InvalidArgumentError, match="capacity 3 but requested capacity was 4"):
            session.run(third.size())


def test_the_operations_of_a_queue_are_named_after_it():
    queue = tf1.FIFOQueue(3, tf1.float32, shapes=[[2]])
    assert queue.name == "fifo_queue"
    p = tf1.placeholder(tf1.float32, [2])
    assert queue.enqueue(p).name == "fifo_queue_enqueue"
    assert queue.dequeue().name == "fifo_queue_Dequeue:0"
    assert queue.dequeue_many(2).op.name == "fifo_queue_DequeueMany"
    assert queue.dequeue(name="mine").name == "mine:0"
    assert queue.size().op.name == "fifo_queue_Size"


def test_shapes_of_what_is_taken_are_known():
    queue = tf1.FIFOQueue(3, [tf1.float32, tf1.int32], shapes=[[2], []])
    assert [x.shape.as_list() for x in queue.dequeue()] == [[2], []]
    assert [x.shape.as_list() for x in queue.dequeue_many(4)] == [[4, 2], [4]]
    assert [x.shape.as_list() for x in queue.dequeue_up_to(4)] == [[None, 2], [None]]
    n = tf1.placeholder(tf1.int32, [])
    assert queue.dequeue_many(n)[0].shape.as_list() == [None, 2]


def test_elements_with_names_are_dictionaries():
    queue = tf1.FIFOQueue(3, [tf1.float32, tf1.string], names=["x", "y"], shapes=[[], []])
    with tf1.Session() as session:
        session.run(queue.enqueue({"x": 1.0, "y": "a"}))
        assert session.run(queue.dequeue()) == {"x": 1.0, "y": b"a"}


def test_a_padding_queue_fills_up_to_the_longest():
    queue = tf1.PaddingFIFOQueue(5, tf1.int32, shapes=[[None]])
    row = tf1.placeholder(tf1.int32, [None])
    put = queue.enqueue(row)
    with tf1.Session() as session:
        session.run(put, {row: [1, 2, 3]})
        session.run(put, {row: [4]})
        assert session.run(queue.dequeue_many(2)).tolist() == [[1, 2, 3], [4, 0, 0]]


def test_a_priority_queue_gives_the_least_first():
    queue = tf1.PriorityQueue(5, tf1.string, shapes=[[]])
    with tf1.Session() as session:
        session.run(queue.enqueue_many(([3, 1, 2], ["c", "a", "b"])))
        taken = queue.dequeue()
        assert [session.run(taken)[1] for _ in range(3)] == [b"a", b"b", b"c"]


def test_a_shuffle_queue_keeps_some_until_it_is_closed():
    queue = tf1.RandomShuffleQueue(10, 2, tf1.int32, shapes=[[]], seed=1)
    taken, close = queue.dequeue(), queue.close()
    with tf1.Session() as session:
        session.run(queue.enqueue_many([[1, 2, 3]]))
        found = [session.run(taken)]
        waiter = Waiter(session, taken, count=2)
        wait_for_waiters(queue, session)
        session.run(close)
        waiter.ends()
        assert sorted([*found, *waiter.found]) == [1, 2, 3]


def test_a_program_chooses_between_queues_when_it_runs():
    queues = [tf1.FIFOQueue(3, tf1.float32, shapes=[[]]) for _ in range(2)]
    which = tf1.placeholder(tf1.int32, [])
    chosen = tf1.QueueBase.from_list(which, queues)
    size = chosen.size()
    with tf1.Session() as session:
        session.run(queues[1].enqueue(1.0))
        assert session.run(size, {which: 0}) == 0
        assert session.run(size, {which: 1}) == 1
        assert session.run(chosen.dequeue(), {which: 1}) == 1.0


@pytest.mark.parametrize(
    ("shapes", "common"),
    [
        ([[1, None], [None]], None),
        ([[1], [2]], [None]),
        ([[1, 1], [1, 2]], [1, None]),
        ([[1], [1], [1]], [1]),
    ],
)
def test_a_chosen_queue_has_the_shapes_that_all_have(shapes, common):
    queues = [tf1.PaddingFIFOQueue(3, [tf1.float32], [shape]) for shape in shapes]
    for which in (1, tf1.constant(1), tf1.placeholder(tf1.int32, [])):
        [found] = tf1.QueueBase.from_list(which, queues).shapes
        assert (None if found.rank is None else found.as_list()) == common


def test_queues_that_cannot_be_chosen_between_are_refused():
    one, other = (tf1.FIFOQueue(3, [tf1.float32], names=[name]) for name in "ab")
    with pytest.raises(TypeError, match="matching component names"):
        tf1.QueueBase.from_list(0, [one, other])
    for place in (-1, 2):
        with pytest.raises(InvalidArgumentError, match=rf"indices = {place} is not in \[0, 2\)"):
            tf1.QueueBase.from_list(place, [one, one])


def test_a_closed_queue_ends_with_out_of_range():
    queue = tf1.FIFOQueue(3, tf1.float32, shapes=[[]])
    with tf1.Session() as session:
        session.run(queue.enqueue(1.0))
        session.run(queue.close())
        assert session.run(queue.is_closed())
        assert session.run(queue.dequeue()) == 1.0
        with pytest.raises(OutOfRangeError, match="is closed and has insufficient elements"):
            session.run(queue.dequeue())
        with pytest.raises(CancelledError, match="FIFOQueue 'fifo_queue' is closed"):
            session.run(queue.enqueue(1.0))


def test_threads_that_run_one_session_wait_for_each_other():
    queue = tf1.FIFOQueue(1, tf1.int32, shapes=[[]])
    number = tf1.Variable(0, dtype=tf1.int32)
    put, taken = queue.enqueue(tf1.assign_add(number, 1)), queue.dequeue()
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        putter = Waiter(session, put, count=40)
        takers = [Waiter(session, taken, count=20) for _ in range(2)]
        for each in [putter, *takers]:
            each.ends()
            assert each.error is None
        assert sorted(takers[0].found + takers[1].found) == list(range(1, 41))


def test_what_waits_does_not_stop_other_runs():
    queue = tf1.FIFOQueue(1, tf1.int32, shapes=[[]])
    taken, put, other = queue.dequeue(), queue.enqueue(7), tf1.constant(1) + 1
    with tf1.Session() as session:
        waiter = Waiter(session, taken)
        wait_for_waiters(queue, session)
        assert session.run(other) == 2
        session.run(tf1.constant(3) * 3)  # another version of the graph
        session.run(put)
        waiter.ends()
        assert waiter.found == [7]


def test_waiting_works_while_somebody_watches():
    queue = tf1.FIFOQueue(1, tf1.int32, shapes=[[]])
    taken, put = queue.dequeue(), queue.enqueue(7)
    with tf1.Session() as session, emplace.watch():
        session.run(queue.size())
        waiter = Waiter(session, taken)
        wait_for_waiters(queue, session)
        session.run(put)
        waiter.ends()
        assert waiter.found == [7]


@pytest.mark.parametrize(("kind", "text"), [("put", "Enqueue"), ("take", "Dequeue")])
def test_closing_a_session_wakes_what_waits(kind, text):
    queue = tf1.FIFOQueue(1, tf1.int32, shapes=[[]])
    put, taken = queue.enqueue(1), queue.dequeue()
    session = tf1.Session()
    session.run(queue.size())
    if kind == "put":
        session.run(put)
    waiter = Waiter(session, put if kind == "put" else taken)
    wait_for_waiters(queue, session)
    session.close()
    waiter.ends()
    assert isinstance(waiter.error, CancelledError)
    assert f"{text} operation was cancelled" in str(waiter.error)


def test_closing_a_queue_can_cancel_what_waits_to_be_put():
    queue = tf1.FIFOQueue(1, tf1.int32, shapes=[[]])
    put = queue.enqueue(1)
    with tf1.Session() as session:
        session.run(put)
        waiter = Waiter(session, put)
        wait_for_waiters(queue, session)
        session.run(queue.close(cancel_pending_enqueues=True))
        waiter.ends()
        assert isinstance(waiter.error, CancelledError)
        assert session.run(queue.size()) == 1


def test_a_run_waits_no_longer_than_its_options_say():
    queue = tf1.FIFOQueue(1, tf1.int32, shapes=[[]])
    taken = queue.dequeue()
    with tf1.Session() as session, pytest.raises(DeadlineExceededError, match="Timed out"):
        session.run(taken, options=tf1.RunOptions(timeout_in_ms=20))


def test_a_session_waits_no_longer_than_its_configuration_says():
    taken = tf1.FIFOQueue(1, tf1.int32, shapes=[[]]).dequeue()
    config = tf1.ConfigProto(operation_timeout_in_ms=20)
    with tf1.Session(config=config) as session, pytest.raises(DeadlineExceededError):
        session.run(taken)


@pytest.mark.gpus(2)
def test_queues_are_on_the_host_and_what_is_taken_goes_to_the_device():
    with tf1.device("/gpu:1"):
        queue = tf1.FIFOQueue(3, tf1.float32, shapes=[[2]])
        put = queue.enqueue(([1.0, 2.0],))
        y = queue.dequeue() * 2.0
    assert queue.queue_ref.device == "/device:CPU:0"
    with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
        session.run(put)
        assert session.run(y).tolist() == [2.0, 4.0]


def test_feeding_another_shape_than_the_queue_takes_is_told_by_the_run():
    queue = tf1.FIFOQueue(3, tf1.float32, shapes=[[2]])
    p = tf1.placeholder(tf1.float32)
    put = queue.enqueue(p)
    text = r"Shape mismatch in tuple component 0. Expected \[2\], got \[3\]"
    with tf1.Session() as session, pytest.raises(InvalidArgumentError, match=text):
        session.run(put, {p: [1.0, 2.0, 3.0]})


def test_deferred_operations_of_several_threads_leave_the_settings_alone():
    x = tf1.placeholder(tf1.float32)
    found, _ = tf1.unique(tf1.reshape(x, [-1]))  # only the run tells how many
    fetch = tf1.searchsorted(found, [1.5]) + tf1.size(found)
    with tf1.Session() as session:
        call = session.make_callable(fetch, [x])

        class Caller:
            def run(self, dims: Any) -> Any:
                return call([float(i) for i in range(dims)])

        waiters = [Waiter(Caller(), 3 + i, count=200) for i in range(4)]
        for i, each in enumerate(waiters):
            each.ends()
            assert each.error is None
            assert {int(found[0]) for found in each.found} == {2 + 3 + i}
    assert tf1.config.get_soft_device_placement() is False
