"""A step that is refused memory changes no variable, however late the refusal comes."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.eager import rollback
from emplace.ops.variables.resource import Storage

MB = 1 << 20
LENGTH = MB // 4  # float32 values of a MiB
v1 = tf.compat.v1
bounded = pytest.mark.gpus(1, memory="32MB")
ResourceExhausted = tf.errors.ResourceExhaustedError


def in_use() -> int:
    found: int = tf.config.experimental.get_memory_info("GPU:0")["current"]
    return found


def variables(count: int) -> list[Any]:
    with tf.device("GPU:0"):
        return [tf.Variable(tf.ones([LENGTH])) for _ in range(count)]


def with_free(mib: float, step: Callable[[], Any]) -> None:
    """Runs a step while so much of the GPU is free."""
    gc.collect()
    with tf.device("GPU:0"):
        fill = tf.zeros([(32 * MB - in_use() - int(mib * MB)) // 4 // 64 * 64])
        step()
    del fill


def values(some: list[Any]) -> list[float]:
    return [float(each[0]) for each in some]


@bounded
@pytest.mark.parametrize("trained", [False, True], ids=["first step", "after a step"])
def test_a_function_changes_all_its_variables_or_none(trained):
    small, (large,) = variables(3), variables(1)

    @tf.function
    def step() -> None:
        with tf.device("GPU:0"):
            for each in small:
                each.assign_add(tf.ones([LENGTH]))
            large.assign(tf.concat([large * 2.0, large], 0)[:LENGTH])

    if trained:
        step()
    before = values([*small, large])
    with pytest.raises(ResourceExhausted):
        with_free(1.5, step)
    assert values([*small, large]) == before
    with_free(8, step)
    assert values(small) == [each + 1.0 for each in before[:3]]


@bounded
def test_a_session_changes_all_its_variables_or_none():
    with v1.Graph().as_default() as graph:
        with tf.device("GPU:0"):
            a, b = (v1.get_variable(name, initializer=tf.ones([LENGTH])) for name in "ab")
            first = a.assign_add(tf.ones([LENGTH]), read_value=False)
            with v1.control_dependencies([first]):
                step = b.assign(tf.concat([b, b, b], 0)[:LENGTH] * 3.0, read_value=False)
        head = [a[0], b[0]]
        ready = v1.global_variables_initializer()
    session = v1.Session(graph=graph)
    session.run(ready)
    with pytest.raises(ResourceExhausted):
        with_free(1.5, lambda: session.run(step))
    assert session.run(head) == [1.0, 1.0]
    session.run(step)
    assert session.run(head) == [2.0, 3.0]


@bounded
def test_a_loop_that_is_refused_in_a_later_iteration_has_changed_nothing():
    (v,) = variables(1)

    @tf.function
    def step(iterations: Any) -> None:
        with tf.device("GPU:0"):
            for i in tf.range(iterations):
                v.assign_add(tf.ones([LENGTH]))
                tf.debugging.assert_equal(tf.size(tf.zeros([LENGTH * (i + 1)])) >= 0, True)

    step(tf.constant(3))
    assert values([v]) == [4.0]
    with pytest.raises(ResourceExhausted):
        with_free(3.5, lambda: step(tf.constant(20)))
    assert values([v]) == [4.0]


@bounded
def test_an_optimizer_takes_its_step_whole_or_not_at_all():
    some = variables(3)
    optimizer = v1.train.MomentumOptimizer(0.5, 0.9)
    with tf.device("GPU:0"):
        ones = tf.ones([LENGTH])
        rows = tf.IndexedSlices(ones, tf.range(LENGTH), [LENGTH])
    pairs = [(ones, some[0]), (ones, some[1]), (rows, some[2])]
    optimizer.apply_gradients(pairs)
    slots = optimizer.variables()
    assert values(some) == [0.5] * 3
    with pytest.raises(ResourceExhausted):
        with_free(0.5, lambda: optimizer.apply_gradients(pairs))
    assert values(some) == [0.5] * 3
    assert values(slots) == [1.0] * 3


@bounded
def test_a_checkpoint_is_restored_whole_or_not_at_all(tmp_path):
    path = tf.train.Checkpoint(v=variables(3)).save(str(tmp_path / "ck"))
    some = variables(3)
    for each in some:
        each.assign(tf.zeros([LENGTH]))
    kept = some[1].value()  # so that its old value stays beside the new one
    checkpoint = tf.train.Checkpoint(v=some)
    with pytest.raises(ResourceExhausted):
        with_free(0.5, lambda: checkpoint.restore(path))
    assert values(some) == [0.0] * 3
    checkpoint.restore(path)
    assert values(some) == [1.0] * 3
    assert float(kept[0]) == 0.0


@bounded
def test_an_error_that_is_no_refusal_leaves_what_came_before_it_as_eager_mode_does():
    (v,) = variables(1)

    @tf.function
    def step(x: Any) -> None:
        v.assign_add(tf.ones([LENGTH]))
        tf.debugging.assert_equal(x, 1)

    with pytest.raises(tf.errors.InvalidArgumentError):
        step(tf.constant(2))
    assert values([v]) == [2.0]


@bounded
def test_nothing_is_copied_while_a_refusal_is_far(monkeypatch):
    some = variables(2)

    @tf.function
    def step() -> None:
        for each in some:
            each.assign_add(tf.ones([LENGTH]))

    copied: list[Any] = []
    note = rollback._Journal.note

    def counting(journal: Any, storage: Any) -> None:
        note(journal, storage)
        copied.extend(journal._old)

    monkeypatch.setattr(rollback._Journal, "note", counting)
    step()
    assert copied  # of the first step nothing is known
    del copied[:]
    step()
    assert not copied
    with_free(2.5, step)
    assert copied


@pytest.mark.gpus(0)
def test_where_no_device_is_bounded_nothing_is_noted(monkeypatch):
    def noted(*args: Any) -> None:
        raise AssertionError("a journal was begun")

    monkeypatch.setattr(rollback, "_Journal", noted)
    v = tf.Variable(1.0)
    with emplace.watch():
        tf.function(lambda: v.assign_add(1.0))()
    v1.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == 1.0


@pytest.mark.gpus(1, memory="16MB")
def test_what_a_step_needs_after_its_first_write_is_kept_free_of_other_threads(monkeypatch):
    budget = find_devices(type="GPU", index=0)[0].budget
    with tf.device("GPU:0"):
        v, w = tf.Variable(tf.zeros([256, 256])), tf.Variable(tf.zeros([256, 256]))
        x = tf.random.uniform([256, 256])

    @tf.function
    def step(n):  # a loop keeps it from running in reserved memory
        y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.tanh(y) + x), [0, x])[1]
        v.assign_add(y)
        w.assign_add(y)

    n = tf.constant(2)
    for _ in range(8):
        tensors = v.value(), w.value()  # so that changes are copies, which take memory
        step(n)
    others, held, update = [], [], Storage.update

    def fill():
        size = 512
        while size >= 8:
            try:
                with tf.device("GPU:0"):
                    held.append(tf.zeros([size, size]) + 1.0)
            except tf.errors.ResourceExhaustedError:
                size //= 2

    def meanwhile(storage, *change):
        if storage is w.handle._value and not others:
            others.append(threading.Thread(target=fill))
            others[0].start()
            others[0].join()
        update(storage, *change)

    monkeypatch.setattr(Storage, "update", meanwhile)
    tensors = v.value(), w.value()
    step(n)
    assert others
    assert budget.usage().in_use > 14 << 20
    assert np.array_equal(v.numpy(), w.numpy())
    held.clear()
    del tensors
