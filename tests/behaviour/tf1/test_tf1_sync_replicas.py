"""Steps that workers take together: `tf.compat.v1.train.SyncReplicasOptimizer`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import emplace.tensorflow.compat.v1 as tf1

train = tf1.train


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


class Program:
    """A variable of which workers have gradients: x for each of its rows, or for some."""

    def __init__(self, count: int, total: int, rows: Any = None, averages: Any = None) -> None:
        self.count = train.get_or_create_global_step()
        self.v = tf1.get_variable("v", initializer=[1.0, 2.0, 3.0])
        self.x = tf1.placeholder_with_default(0.0, [])
        kept = [self.v] if averages is not None else None
        self.optimizer = train.SyncReplicasOptimizer(
            train.GradientDescentOptimizer(0.1), count, total, averages, kept
        )
        value = self.v if rows is None else tf1.gather(self.v, rows)
        loss = tf1.reduce_sum(value) * self.x
        self.step = self.optimizer.minimize(loss, global_step=self.count)

    def session(self) -> Any:
        """A session of the chief."""
        hook = self.optimizer.make_session_run_hook(is_chief=True)
        return train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=1)


def wait_for(asked: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not asked():
        assert time.monotonic() < deadline, "no step was taken"
        time.sleep(0.01)


@pytest.mark.parametrize("rows", [None, [0, 2]], ids=["tensor", "rows"])
def test_a_step_goes_along_the_mean_of_gradients_and_late_ones_do_not_count(rows: Any) -> None:
    made = Program(2, 1, rows)
    with made.session() as session:
        for x in (1.0, 3.0):
            session.run(made.step, {made.x: x})
        wait_for(lambda: session.run(made.count) == 1)
        middle = 1.8 if rows is None else 2.0
        assert session.run(made.v).tolist() == pytest.approx([0.8, middle, 2.8])
        for x in (100.0, 1.0, 1.0):  # the first one is of the step before
            session.run(made.step, {made.x: x})
        wait_for(lambda: session.run(made.count) == 2)
        middle = 1.7 if rows is None else 2.0
        assert session.run(made.v).tolist() == pytest.approx([0.7, middle, 2.7])


def test_workers_wait_for_each_other() -> None:
    made = Program(2, 2)
    with made.session() as session:
        threads = [
            threading.Thread(target=session.run, args=(made.step, {made.x: x})) for x in (1.0, 5.0)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join(60)
        wait_for(lambda: session.run(made.count) == 1)
        assert session.run(made.v).tolist() == pytest.approx([0.7, 1.7, 2.7])


def test_averages_follow_each_step() -> None:
    averages = train.ExponentialMovingAverage(0.5)
    made = Program(1, 1, averages=averages)
    with made.session() as session:
        session.run(made.step, {made.x: 2.0})
        average = averages.average(made.v)
        wait_for(lambda: session.run(average)[0] != 1.0)
        assert session.run(average).tolist() == pytest.approx([0.9, 1.9, 2.9])


def test_it_has_the_slots_of_its_optimizer_and_a_step_of_each_worker() -> None:
    v = tf1.get_variable("v", [2])
    optimizer = train.SyncReplicasOptimizer(train.AdamOptimizer(), 4, 1)
    step = train.get_or_create_global_step()
    optimizer.minimize(tf1.reduce_sum(v), global_step=step)
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(v, "m").name == "v/Adam:0"
    assert [each.name for each in optimizer.variables()] == [
        "beta1_power:0", "beta2_power:0", "v/Adam:0", "v/Adam_1:0",
    ]  # fmt: skip
    assert [each.name for each in tf1.local_variables()] == ["sync_rep_local_step:0"]
    with pytest.raises(ValueError, match=r"Too few tokens .*: 2 \(given\) vs 3 \(needed\)"):
        optimizer.get_init_tokens_op(2)


def test_what_is_called_too_early_or_without_a_step_says_so() -> None:
    optimizer = train.SyncReplicasOptimizer(train.GradientDescentOptimizer(0.1), 2)
    with pytest.raises(ValueError, match=r"Should be called after apply_gradients\(\)"):
        optimizer.get_chief_queue_runner()
    with pytest.raises(ValueError, match=r"get_init_tokens_op\(\) should be called after"):
        optimizer.get_init_tokens_op()
    with pytest.raises(ValueError, match="apply_gradient should be called before using the hook"):
        optimizer.make_session_run_hook(True).begin()
    with pytest.raises(ValueError, match="Must supply at least one variable"):
        optimizer.apply_gradients([])
    v = tf1.get_variable("v", [2])
    with pytest.raises(ValueError, match="Global step is required to check staleness"):
        optimizer.apply_gradients([(tf1.ones([2]), v)])
