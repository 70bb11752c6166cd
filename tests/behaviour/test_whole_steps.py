"""A step that is refused memory changes no variable, however late the refusal comes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf
from emplace.eager import rollback

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
def test_a_loop_that_is_refused_in_a_later_round_has_changed_nothing():
    (v,) = variables(1)

    @tf.function
    def step(rounds: Any) -> None:
        with tf.device("GPU:0"):
            for i in tf.range(rounds):
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


def test_where_no_device_is_bounded_nothing_is_noted(monkeypatch):
    def noted(*args: Any) -> None:
        raise AssertionError("a journal was begun")

    monkeypatch.setattr(rollback, "_Journal", noted)
    v = tf.Variable(1.0)
    with emplace.watch():
        tf.function(lambda: v.assign_add(1.0))()
    v1.train.GradientDescentOptimizer(1.0).apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == 1.0
