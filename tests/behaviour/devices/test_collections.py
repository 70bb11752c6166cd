"""How often a refused allocation looks for garbage: collections are counted, not timed."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.devices import memory

MB = 1 << 20
small = pytest.mark.gpus(1, memory="64MB")


class Counted:
    """How many collections there were of the young (0) and of all generations (1)."""

    def __init__(self) -> None:
        self.young = self.full = 0

    def __call__(self, generation: int = 2) -> int:
        self.full += generation == 2
        self.young += generation < 2
        return 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """CollectionPacer that only count."""
    found = Counted()
    monkeypatch.setattr(memory, "_COLLECTIONS", memory.CollectionPacer())
    monkeypatch.setattr(gc, "collect", found)
    yield found
    monkeypatch.undo()


def made(mib: int) -> Any:
    with tf.device("/GPU:0"):
        return tf.zeros([mib * MB // 4])


def is_refused(mib: int) -> bool:
    try:
        made(mib)
    except tf.errors.ResourceExhaustedError:
        return True
    return False


@small
def test_what_is_larger_than_the_device_is_refused_without_a_collection(counted):
    assert all(is_refused(65) for _ in range(20))
    assert (counted.young, counted.full) == (0, 0)


@small
def test_one_thread_gets_a_collection_for_each_refusal(counted):
    held = made(40)
    assert all(is_refused(40) for _ in range(3))
    assert (counted.young, counted.full) == (3, 3)
    del held
    assert not is_refused(40)
    assert (counted.young, counted.full) == (3, 3)


class Slow(memory.CollectionPacer):
    """CollectionPacer that seem to take a thousand seconds each."""

    def _collect(self) -> None:
        super()._collect()
        self._took = 1000.0


@small
def test_threads_that_are_refused_at_once_share_collections(counted, monkeypatch):
    monkeypatch.setattr(memory, "_COLLECTIONS", Slow())
    held, begin = made(40), threading.Barrier(8)
    refused: list[bool] = []

    def run() -> None:
        begin.wait()
        refused.extend(is_refused(40) for _ in range(5))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == [True] * 40
    assert 1 <= counted.full <= 5  # one thread's, while it was alone
    del held


@small
def test_a_young_cycle_is_found_without_a_full_collection(monkeypatch):
    monkeypatch.setattr(memory._COLLECTIONS, "_collect", lambda: pytest.fail("a full collection"))
    gc.disable()
    try:
        for _ in range(3):
            knot: list[Any] = [made(40)]
            knot.append(knot)
            del knot
    finally:
        gc.enable()


@small
def test_an_old_cycle_that_died_since_the_last_refusal_is_found():
    knot: list[Any] = [made(40)]
    knot.append(knot)
    gc.collect()  # now it is old
    assert is_refused(40)
    del knot
    assert not is_refused(40)
