"""`tf.train.Coordinator`: threads stop together, and errors reach the one who joins."""

from __future__ import annotations

import threading

import pytest

import emplace.tensorflow as tf


def started(work: object) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)  # type: ignore[arg-type]
    thread.start()
    return thread


def test_a_thread_stops_when_asked() -> None:
    coord = tf.train.Coordinator()
    coord.register_thread(started(coord.wait_for_stop))
    coord.request_stop()
    coord.join(stop_grace_period_secs=30)
    assert coord.should_stop()
    assert coord.joined


def test_what_a_thread_raises_reaches_join() -> None:
    coord = tf.train.Coordinator()

    def work() -> None:
        with coord.stop_on_exception():
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        coord.join([started(work)], stop_grace_period_secs=30)


def test_the_end_of_a_sequence_is_no_error() -> None:
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "end"))
    coord.join()


def test_threads_that_do_not_stop_are_named() -> None:
    coord, event = tf.train.Coordinator(), threading.Event()
    thread = started(event.wait)
    coord.request_stop()
    with pytest.raises(RuntimeError, match="stopped with threads still running: Thread-"):
        coord.join([thread], stop_grace_period_secs=0)
    event.set()
    thread.join(30)


def test_a_coordinator_can_be_used_again() -> None:
    coord = tf.train.Coordinator()
    coord.request_stop(ValueError("x"))
    coord.clear_stop()
    assert not coord.should_stop()
    coord.raise_requested_exception()
