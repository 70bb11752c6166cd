"""Large vectors are added up in parts, around a ring of workers or in memory that all of them see:
the sum is right for every number of workers, wherever parts and values end, in the memory of the
values and beside it.
"""

from __future__ import annotations

import errno
import os
import queue
import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

from emplace.distribute.workers.processes import shared
from emplace.distribute.workers.processes.ring import Ring
from emplace.distribute.workers.processes.shared import Box, SharedMemory
from emplace.distribute.workers.processes.sums import Laid


class Post:
    """What the groups of all workers share: one queue for each pair of them."""

    def __init__(self):
        self.queues = defaultdict(queue.Queue)
        self.sent = defaultdict(list)


class Group:
    """A process group of one process: what is sent lies in a queue."""

    def __init__(self, post, number):
        self._post, self._number = post, number

    def send(self, tensors, to, tag):
        (sent,) = tensors
        self._post.sent[self._number].append(sent.numel())
        self._post.queues[self._number, to].put(sent.clone())
        return Done()

    def recv(self, tensors, by, tag):
        return Awaited(self._post.queues[by, self._number], tensors[0])


class Done:
    def wait(self):
        pass


class Awaited:
    def __init__(self, coming, place):
        self._coming, self._place = coming, place

    def wait(self):
        came = self._coming.get(timeout=20)
        assert came.shape == self._place.shape
        self._place.copy_(came)


def laid(sizes, number, dtype, in_place):
    """A vector of values that end at some places."""
    random = torch.Generator().manual_seed(number)
    values = [torch.randint(0, 9, (size,), generator=random).to(dtype) for size in sizes]
    kept = torch.cat(values)
    if in_place:
        own = kept.clone()
        return Laid(own, [own]), kept
    return Laid(torch.full_like(kept, 77), values), kept


def ring(number, workers, memory):
    return Ring(number, workers)


def shared_memory(number, workers, memory):
    return SharedMemory(number, memory[:workers])


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(Ring, "_PART_BYTES", 64)
    monkeypatch.setattr(shared, "_PART_BYTES", 64)
    monkeypatch.setattr(shared, "_BOX_BYTES", 3 * 64)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("way", [ring, shared_memory])
@pytest.mark.parametrize("workers", [2, 3, 4, 5])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64])
def test_the_sum_of_all_workers_is_what_each_has_in_the_end(way, workers, dtype, small_parts):
    many = [[5], [33, 0, 1, 2, 61, 7], [257], [1] * 97, [64, 64], [10, 500]]
    post = Post()
    memory = [torch.zeros(3 * 64, dtype=torch.uint8) for _ in range(workers)]
    ways = [way(number, workers, memory) for number in range(workers)]
    for _ in range(2):  # the second time with what the first one left
        given = []
        for number in range(workers):
            # Who sums where the values are is every worker's own affair.
            made = [
                laid(sizes, number, dtype, (number + i) % 2 == 0) for i, sizes in enumerate(many)
            ]
            given.append(made)
        work = [
            ways[number].start(Group(post, number), [vector for vector, _ in made])
            for number, made in enumerate(given)
        ]
        for each in work:
            each.wait(timedelta(seconds=30))
            assert each.is_completed()
        for i in range(len(many)):
            expected = sum(made[i][1] for made in given)
            for made in given:
                assert torch.equal(made[i][0].total, expected)
    if way is ring:
        length = 2 * sum(map(sum, many))
        sent = [sum(post.sent[number]) for number in range(workers)]
        assert sum(sent) == 2 * (workers - 1) * length  # no number more than a ring must
        assert all(most <= 64 // dtype.itemsize for most in map(max, post.sent.values()))


def test_boxes_are_the_same_memory_and_have_no_names_later(tmp_path, monkeypatch):
    monkeypatch.setattr(shared, "_PLACE", tmp_path)
    boxes = [Box(), Box()]
    names = [bytes(box.name.tolist()) for box in boxes]
    seen = [box.among(names) for box in boxes]
    assert len(os.listdir(tmp_path)) == 2
    for box in boxes:
        box.hide()
    assert os.listdir(tmp_path) == []
    seen[0][0][7], seen[1][1][9] = 5, 6
    assert seen[1][0][7] == 5
    assert seen[0][1][9] == 6


def test_a_box_that_is_not_to_be_seen_is_no_box(tmp_path, monkeypatch):
    monkeypatch.setattr(shared, "_PLACE", tmp_path)
    own, other = Box(), Box()
    names = [bytes(box.name.tolist()) for box in (own, other)]
    other.hide()  # as in a container, or on another machine
    assert own.among(names) == []
    own.hide()

    def has_no_room(file, start, length):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", has_no_room)
    none = Box()
    assert os.listdir(tmp_path) == []
    assert not none.name.any()
    assert none.name.shape == own.name.shape
    assert own.among([names[0], bytes(none.name.tolist())]) == []
    none.hide()


@pytest.mark.parametrize("start", [0, 3, 31])
@pytest.mark.parametrize("end", [1, 5, 32, 40])
def test_values_that_are_kept_stay_as_they_are(start, end):
    values = [torch.arange(4.0), torch.arange(0.0), torch.arange(28.0), torch.arange(8.0)]
    kept = [each.clone() for each in values]
    vector = Laid(torch.zeros(40), values)
    if start < end:
        assert torch.equal(vector.begin(start, end), torch.cat(kept)[start:end])
        vector.total[:] = 100.0
        vector.add(start, end, vector.total[start:end])
        assert torch.equal(vector.total[start:end], torch.cat(kept)[start:end] + 100)
        assert (vector.total[:start] == 100).all()
        assert (vector.total[end:] == 100).all()
    assert all(map(torch.equal, values, kept))


def test_what_fails_in_the_thread_is_raised_where_it_is_waited_for():
    class Broken(Group):
        def recv(self, tensors, by, tag):
            raise RuntimeError("Connection closed by peer")

    vector = torch.ones(100)
    work = Ring(0, 2).start(Broken(Post(), 0), [Laid(vector, [vector])])
    with pytest.raises(RuntimeError, match="Connection closed by peer"):
        work.wait(timedelta(seconds=20))


def test_what_is_not_done_can_be_waited_for_again():
    post = Post()
    vectors = [torch.ones(8), torch.full((8,), 2.0)]
    work = Ring(0, 2).start(Group(post, 0), [Laid(vectors[0], [vectors[0]])])
    with pytest.raises(RuntimeError, match="not done"):
        work.wait(timedelta(milliseconds=20))
    assert not work.is_completed()
    other = Ring(1, 2).start(Group(post, 1), [Laid(vectors[1], [vectors[1]])])
    for each in (work, other):
        each.wait(timedelta(seconds=20))
    assert all((each == 3.0).all() for each in vectors)


def test_a_sum_that_is_given_up_leaves_no_thread_behind():
    # One that waits for Gloo when Python ends comes back to it then, and aborts the process.
    store = dist.HashStore()
    with ThreadPoolExecutor(2) as threads:
        groups = list(
            threads.map(
                lambda i: dist.ProcessGroupGloo(store, i, 2, timedelta(seconds=60)), range(2)
            )
        )
    vector = torch.ones(100)
    work = Ring(0, 2).start(groups[0], [Laid(vector, [vector])])
    with pytest.raises(RuntimeError, match="not done"):
        work.wait(timedelta(milliseconds=20))
    work.give_up()
    assert work.is_completed()
    assert not [each for each in threading.enumerate() if each.name == "emplace-sums"]
    with pytest.raises(RuntimeError, match="pair closure"):
        work.wait(timedelta(seconds=20))
