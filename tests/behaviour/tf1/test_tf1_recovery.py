"""TF 1: how monitored sessions go on after errors that may pass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tensorboard.compat.proto import config_pb2, debug_pb2

import emplace.tensorflow.compat.v1 as tf1

train = tf1.train


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph


class Creator:
    """Counts the sessions that it makes."""

    def __init__(self) -> None:
        self.made = 0

    def create_session(self) -> Any:
        self.made += 1
        return tf1.Session()


class StopsItsThreads(train.SessionRunHook):
    """Lets the coordinator stop with an error in the second run of the first session."""

    def __init__(self) -> None:
        self.coord: Any = None
        self.runs = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.coord = self.coord or coord

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.runs += 1
        if self.runs == 2:
            self.coord.request_stop(tf1.errors.AbortedError(None, None, "gone"))


def with_hooks(fetch: Any, value: int) -> Any:
    return lambda step_context: step_context.run_with_hooks(fetch, {"x:0": value})


def below_hooks(fetch: Any, value: int) -> Any:
    def step(step_context: Any) -> Any:
        step_context.run_with_hooks(fetch, {"x:0": value})
        return step_context.session.run(fetch, {"x:0": value})

    return step


@pytest.mark.parametrize("step", [None, with_hooks, below_hooks])
def test_a_session_is_made_again_when_a_thread_has_stopped_it(step: Any) -> None:
    x = tf1.placeholder(tf1.int32, name="x")
    y, creator = tf1.identity(x), Creator()
    with train.MonitoredSession(creator, [StopsItsThreads()]) as session:
        for value, sessions in ((51, 1), (42, 2), (43, 2)):
            run = (
                session.run(y, {x: value}) if step is None else session.run_step_fn(step(y, value))
            )
            assert run == value
            assert not session.should_stop()
            assert creator.made == sessions


@pytest.mark.parametrize("kind", [tf1.errors.AbortedError, tf1.errors.UnavailableError])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_step_is_taken_again_after_an_error_that_may_pass(kind: Any, when: str) -> None:
    x, creator, calls = tf1.constant(3.2), Creator(), []

    def step(step_context: Any) -> Any:
        calls.append(step_context.session)
        found = None if when == "before" else step_context.run_with_hooks(x)
        if len(calls) == 1:
            raise kind(None, None, "gone")
        return step_context.run_with_hooks(x) if found is None else found

    with train.MonitoredSession(creator) as session:
        assert float(session.run_step_fn(step)) == pytest.approx(3.2)
    assert creator.made == len(calls) == 2
    assert calls[0] is not calls[1]


def test_the_whole_step_is_taken_again_when_a_hook_fails() -> None:
    x, creator, steps = tf1.constant(3.2), Creator(), []

    class Fails(train.SessionRunHook):
        runs = 0

        def before_run(self, run_context: Any) -> None:
            self.runs += 1
            if self.runs == 1:
                raise tf1.errors.AbortedError(None, None, "gone")

    def step(step_context: Any) -> Any:
        steps.append(1)
        return step_context.run_with_hooks(x)

    with train.MonitoredSession(creator, [Fails()]) as session:
        session.run_step_fn(step)
    assert creator.made == len(steps) == 2


def test_other_errors_and_singular_sessions_end_with_the_first_one() -> None:
    calls = []

    def step(step_context: Any) -> Any:
        calls.append(1)
        raise kind(None, None, "gone")

    kind: Any = tf1.errors.InternalError
    with pytest.raises(kind, match="gone"), train.MonitoredSession() as session:
        session.run_step_fn(step)
    kind = tf1.errors.AbortedError
    with pytest.raises(kind, match="gone"), train.SingularMonitoredSession() as session:
        session.run_step_fn(step)
    assert len(calls) == 2


def test_all_that_hooks_and_callers_want_of_a_run_is_merged() -> None:
    watches = [debug_pb2.DebugTensorWatch(node_name=name) for name in "abc"]

    class Wants(train.SessionRunHook):
        def __init__(self, **options: Any) -> None:
            self.options = config_pb2.RunOptions(**options)

        def before_run(self, run_context: Any) -> Any:
            return train.SessionRunArgs(None, None, self.options)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.got = run_values.options

    def watch(i: int) -> Any:
        return debug_pb2.DebugOptions(debug_tensor_watch_opts=[watches[i]])

    hooks = [
        Wants(debug_options=watch(0), timeout_in_ms=60000),
        Wants(debug_options=watch(1), report_tensor_allocations_upon_oom=True),
    ]
    mine = config_pb2.RunOptions(debug_options=watch(2), timeout_in_ms=30000)
    x = tf1.constant(1.0)
    with train.MonitoredSession(hooks=hooks) as session:
        session.run(x, options=mine)
    got = hooks[0].got
    assert [each.node_name for each in got.debug_options.debug_tensor_watch_opts] == ["c", "a", "b"]
    assert got.timeout_in_ms == 60000
    assert got.report_tensor_allocations_upon_oom
    assert not got.output_partition_graphs
