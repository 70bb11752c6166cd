"""TF 1: monitored sessions and their hooks: start, stop, save, log, feed, recover."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import emplace.tensorflow.compat.v1 as tf1

train = tf1.train


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf1.Graph]:
    """An empty graph that takes the ops of a test."""
    with tf1.Graph().as_default() as graph:
        yield graph
    tf1.summary.FileWriterCache.clear()


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[Any]:
    """The messages of the level INFO and above."""
    tf1.logging.set_verbosity(tf1.logging.INFO)
    with caplog.at_level(logging.INFO, "tensorflow"):
        yield lambda: [record.getMessage() for record in caplog.records]
    tf1.get_logger().setLevel(logging.NOTSET)


def counter() -> tuple[Any, Any]:
    """The global step, and what adds one."""
    step = train.get_or_create_global_step()
    return step, step.assign_add(1).op


def checkpoints(folder: Path) -> list[str]:
    return sorted(each.name.removesuffix(".safetensors") for each in folder.glob("*.safetensors"))


def read(folder: Path) -> EventAccumulator:
    """What TensorBoard reads in a folder."""
    tf1.summary.FileWriterCache.clear()
    return EventAccumulator(str(folder)).Reload()


class Recorder(train.SessionRunHook):
    """A hook that takes down what it is called with."""

    def __init__(self, fetches: Any = None) -> None:
        self.calls: list[Any] = []
        self.fetches = fetches

    def begin(self) -> None:
        self.calls.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.calls.append(("created", type(session).__name__, type(coord).__name__))

    def before_run(self, run_context: Any) -> Any:
        self.calls.append("before")
        return None if self.fetches is None else train.SessionRunArgs(self.fetches)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.calls.append(("after", run_values.results))

    def end(self, session: Any) -> None:
        self.calls.append("end")


# -- MonitoredTrainingSession ----------------------------------------------------------------------


def test_a_training_goes_on_where_the_last_one_stopped(tmp_path):
    for last in (3, 5):
        with tf1.Graph().as_default():
            _, count = counter()
            hooks = [train.StopAtStepHook(last_step=last)]
            runs = 0
            with train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), hooks=hooks) as s:
                while not s.should_stop():
                    s.run(count)
                    runs += 1
            assert runs == (3 if last == 3 else 2)
    assert checkpoints(tmp_path) == [f"model.ckpt-{i}" for i in (0, 3, 5)]
    assert train.load_variable(str(tmp_path), "global_step") == 5


def test_checkpoints_and_summaries_are_written_every_few_steps(tmp_path):
    step, count = counter()
    tf1.summary.scalar("loss", tf1.cast(step, tf1.float32) * 2.0)
    with train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path),
        hooks=[train.StopAtStepHook(num_steps=4)],
        save_checkpoint_steps=2,
        save_summaries_steps=2,
        log_step_count_steps=2,
    ) as session:
        while not session.should_stop():
            session.run(count)
    assert checkpoints(tmp_path) == [f"model.ckpt-{i}" for i in (0, 2, 4)]
    found = read(tmp_path)
    assert [each.step for each in found.Scalars("loss")] == [1, 3]
    assert [each.step for each in found.Scalars("global_step/sec")] == [3]
    assert "global_step" in [node.name for node in found.Graph().node]


def test_nothing_is_written_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, count = counter()
    with train.MonitoredTrainingSession() as session:
        session.run(count)
    assert list(tmp_path.iterdir()) == []


def test_the_messages_of_a_training_are_tensorflows(tmp_path, logged):
    step, count = counter()
    hooks = [train.StopAtStepHook(last_step=1), train.LoggingTensorHook({"s": step}, 1)]
    with train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), hooks=hooks) as session:
        session.run(count)
    path = tmp_path / "model.ckpt"
    assert logged() == [
        "Create CheckpointSaverHook.",
        "Graph was finalized.",
        "Running local_init_op.",
        "Done running local_init_op.",
        "Calling checkpoint listeners before saving checkpoint 0...",
        f"Saving checkpoints for 0 into {path}.",
        "Calling checkpoint listeners after saving checkpoint 0...",
        "s = 0",
        "Calling checkpoint listeners before saving checkpoint 1...",
        f"Saving checkpoints for 1 into {path}.",
        "Calling checkpoint listeners after saving checkpoint 1...",
    ]


# -- the life of a session -------------------------------------------------------------------------


def test_hooks_are_called_in_order():
    step, count = counter()
    hook = Recorder({"step": step})
    with train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(count) is None
    assert hook.calls == [
        "begin",
        ("created", "Session", "Coordinator"),
        "before",
        ("after", {"step": 0}),
        "end",
    ]


def test_variables_of_all_kinds_are_initialised():
    v = tf1.get_variable("v", initializer=tf1.constant(3.0))
    w = tf1.get_local_variable("w", initializer=tf1.constant(4.0))
    with train.MonitoredSession() as session:
        assert session.run([v, w]) == [3.0, 4.0]


def test_the_graph_cannot_be_changed_while_the_session_is_open(graph):
    v = tf1.get_variable("v", initializer=tf1.constant(3.0))
    with train.MonitoredSession() as session:
        assert session.graph is graph
        with pytest.raises(RuntimeError, match="Graph is finalized and cannot be modified"):
            v + 1.0
    v + 1.0


def test_the_end_of_an_input_ends_the_session_like_any_other():
    hook = Recorder()
    counter()
    with train.MonitoredSession(hooks=[hook]) as session:
        raise tf1.errors.OutOfRangeError(None, None, "no more")
    assert hook.calls[-1] == "end"
    assert session.should_stop()


def test_an_error_goes_on_and_hooks_do_not_end():
    hook = Recorder()
    counter()
    with pytest.raises(ValueError, match="mine"), train.MonitoredSession(hooks=[hook]):
        raise ValueError("mine")
    assert "end" not in hook.calls


def test_a_closed_session_does_not_run():
    _, count = counter()
    session = train.MonitoredSession()
    session.close()
    with pytest.raises(RuntimeError, match="closed"):
        session.run(count)
    with pytest.raises(RuntimeError, match="Session is already closed"):
        session.close()


def test_a_session_that_was_asked_to_stop_does_not_run():
    _, count = counter()
    with train.MonitoredSession(hooks=[train.StopAtStepHook(1)]) as session:
        session.run(count)
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested"):
            session.run(count)


def test_a_program_can_save_the_session_below_the_hooks(tmp_path):
    tf1.get_variable("v", initializer=tf1.constant(1.0))
    saver = train.Saver()
    with train.MonitoredSession() as session:
        below = session
        while type(below).__name__ != "Session":
            below = below._sess
        assert saver.save(below, str(tmp_path / "m"))


class FailingOnce(train.SessionRunHook):
    """Lets the second run fail."""

    def __init__(self, error: Exception) -> None:
        self.error, self.runs, self.sessions = error, 0, 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.sessions += 1

    def before_run(self, run_context: Any) -> None:
        self.runs += 1
        if self.runs == 2:
            raise self.error


@pytest.mark.parametrize("kind", [tf1.errors.AbortedError, tf1.errors.UnavailableError])
def test_a_session_is_made_again_after_errors_that_pass(tmp_path, kind):
    _, count = counter()
    hook = FailingOnce(kind(None, None, "gone"))
    hooks = [train.StopAtStepHook(last_step=3), hook]
    with train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=hooks, save_checkpoint_steps=1
    ) as session:
        while not session.should_stop():
            session.run(count)
    assert hook.sessions == 2
    assert hook.runs == 4
    assert train.load_variable(str(tmp_path), "global_step") == 3


def test_a_singular_session_fails_with_the_first_error():
    _, count = counter()
    hook = FailingOnce(tf1.errors.AbortedError(None, None, "gone"))
    with train.SingularMonitoredSession(hooks=[hook]) as session:
        assert isinstance(session.raw_session(), tf1.Session)
        session.run(count)
        with pytest.raises(tf1.errors.AbortedError, match="gone"):
            session.run(count)


def test_a_step_may_be_a_function_of_several_runs():
    step, count = counter()

    def two(step_context: Any) -> Any:
        step_context.session.run(count)
        return step_context.run_with_hooks(step)

    hook = Recorder()
    with train.MonitoredSession(hooks=[hook]) as session:
        assert session.run_step_fn(two) == 1
        with pytest.raises(ValueError, match="`step_fn` may either have one `step_context`"):
            session.run_step_fn(lambda other: None)
        session.run_step_fn(lambda step_context: step_context.request_stop())
    assert hook.calls.count("before") == 1
    assert hook.calls[-1] == "end"


class Runner:
    """A queue runner: a thread that waits for the end."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def create_threads(self, sess: Any, coord: Any, daemon: bool, start: bool) -> list[Any]:
        thread = threading.Thread(target=self.run, args=(coord,), daemon=daemon)
        coord.register_thread(thread)
        if start:
            thread.start()
        return [thread]

    def run(self, coord: Any) -> None:
        coord.wait_for_stop()
        self.stopped.set()


def test_queue_runners_are_started_and_stopped():
    counter()
    runner = Runner()
    tf1.add_to_collection(tf1.GraphKeys.QUEUE_RUNNERS, runner)
    with train.MonitoredSession():
        assert not runner.stopped.is_set()
    assert runner.stopped.is_set()


def test_a_training_ends_with_its_queue():
    _, count = counter()
    queue = train.input_producer([1, 2, 3], num_epochs=2, shuffle=False)
    with tf1.control_dependencies([count]):
        row = queue.dequeue()
    hook = Recorder()
    found = []
    with train.MonitoredTrainingSession(hooks=[hook]) as session:
        while not session.should_stop():
            found.append(session.run(row))
    assert found == [1, 2, 3, 1, 2, 3]
    assert hook.calls[-1] == "end"


def test_an_error_in_a_queues_thread_reaches_the_program():
    def fail() -> Any:
        raise KeyError("broken")

    row = tf1.py_func(fail, [], tf1.int64)
    row.set_shape([])
    batch = train.batch([row], 2)

    def run_all() -> None:
        with train.MonitoredSession() as session:
            while not session.should_stop():
                session.run(batch)

    with pytest.raises(tf1.errors.UnknownError, match="KeyError: 'broken'"):
        run_all()


def test_the_end_of_a_python_iterator_ends_a_queue():
    rows = iter(range(3))
    row = tf1.py_func(lambda: np.int64(next(rows)), [], tf1.int64)
    row.set_shape([])
    batch = train.batch([row], 1)
    found = []
    with train.MonitoredSession() as session:
        while not session.should_stop():
            found.append(int(session.run(batch)[0]))
    assert found == [0, 1, 2]


# -- hooks -----------------------------------------------------------------------------------------


def test_a_hook_stops_after_some_steps():
    step, count = counter()
    with train.MonitoredSession(hooks=[train.StopAtStepHook(num_steps=2)]) as session:
        while not session.should_stop():
            session.run(count)
            last = session.run_step_fn(lambda step_context: step_context.session.run(step))
    assert last == 2


def test_a_loss_that_is_no_number_ends_a_training(logged):
    loss = tf1.constant(np.nan)
    with (
        pytest.raises(train.NanLossDuringTrainingError, match="NaN loss during training"),
        train.MonitoredSession(hooks=[train.NanTensorHook(loss)]) as session,
    ):
        session.run(loss)
    assert "Model diverged with loss = NaN." in logged()


def test_a_loss_that_is_no_number_may_only_stop_a_training():
    loss = tf1.constant(np.nan)
    hook = train.NanTensorHook(loss, fail_on_nan_loss=False)
    with train.MonitoredSession(hooks=[hook]) as session:
        session.run(loss)
        assert session.should_stop()


def test_values_are_logged_now_and_then(logged):
    x = tf1.placeholder(tf1.float32, [], name="x")
    hooks = [
        train.LoggingTensorHook(["x:0"], every_n_iter=2, at_end=False),
        train.LoggingTensorHook({"x": x}, every_n_iter=3, formatter=lambda v: f"<{v['x']}>"),
    ]
    with train.MonitoredSession(hooks=hooks) as session:
        for value in range(4):
            session.run(x, {x: value})
    values = [text for text in logged() if text.startswith(("x:0", "<"))]
    assert [text.split(" (")[0] for text in values] == ["x:0 = 0.0", "<0.0>", "x:0 = 2.0", "<3.0>"]


def test_a_hook_runs_something_at_the_end():
    v = tf1.get_variable("v", initializer=tf1.constant(1.0))
    hook = train.FinalOpsHook({"a": v * 3.0})
    with train.MonitoredSession(hooks=[hook]) as session:
        session.run(v)
        assert hook.final_ops_values is None
    assert hook.final_ops_values == {"a": 3.0}


def test_a_hook_feeds_what_a_function_returns():
    x = tf1.placeholder(tf1.float32, [])
    y = x * 2.0
    hook = train.FeedFnHook(lambda: {x: 3.0})
    with train.MonitoredSession(hooks=[hook]) as session:
        assert session.run(y) == 6.0
        with pytest.raises(RuntimeError, match=r"by a SessionRunHook and user\. Conflict"):
            session.run(y, {x: 1.0})


def test_hooks_may_ask_for_traces():
    metadata = []

    class Tracer(train.SessionRunHook):
        def before_run(self, run_context: Any) -> Any:
            options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
            return train.SessionRunArgs(None, options=options)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            metadata.append(run_values.run_metadata)

    v = tf1.get_variable("v", initializer=tf1.constant(1.0)) + 1.0
    with train.MonitoredSession(hooks=[Tracer()]) as session:
        session.run(v)
    assert metadata[0].step_stats.dev_stats


class Listener(train.CheckpointSaverListener):
    """Takes down checkpoints, and stops at a step."""

    def __init__(self, last: int) -> None:
        self.calls: list[Any] = []
        self.last = last

    def begin(self) -> None:
        self.calls.append("begin")

    def before_save(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("before", global_step_value))

    def after_save(self, session: Any, global_step_value: int) -> bool:
        self.calls.append(("after", global_step_value))
        return global_step_value >= self.last

    def end(self, session: Any, global_step_value: int) -> None:
        self.calls.append(("end", global_step_value))


def test_listeners_are_told_of_checkpoints_and_may_stop(tmp_path):
    _, count = counter()
    listener = Listener(2)
    scaffold = train.Scaffold()
    hook = train.CheckpointSaverHook(
        tmp_path, save_steps=2, scaffold=scaffold, listeners=[listener]
    )
    creator = train.ChiefSessionCreator(scaffold)
    with train.MonitoredSession(creator, [hook]) as session:
        while not session.should_stop():
            session.run(count)
    assert listener.calls == [
        "begin",
        ("before", 0),
        ("after", 0),
        ("before", 2),
        ("after", 2),
        ("end", 2),
    ]


def test_a_summary_hook_writes_what_it_is_given(tmp_path):
    step, count = counter()
    summary = tf1.summary.scalar("a", tf1.cast(step, tf1.float32), collections=[])
    hook = train.SummarySaverHook(save_steps=1, output_dir=tmp_path, summary_op=[summary])
    with train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(2):
            session.run(count)
    assert [(each.step, each.value) for each in read(tmp_path).Scalars("a")] == [(1, 1), (2, 2)]


def test_a_step_that_stands_still_is_warned_of(logged):
    step, _ = counter()
    with train.MonitoredSession(hooks=[train.StepCounterHook(1)]) as session:
        session.run(step)
        session.run(step)
    assert any("global step (tf.train.get_global_step) has not been increased" in text
               for text in logged())  # fmt: skip


def test_a_hook_waits_for_a_step():
    step, _ = counter()
    bump = step.assign(5).op

    class Bump(train.SessionRunHook):
        def before_run(self, run_context: Any) -> None:
            run_context.session.run(bump)

    with train.MonitoredSession(hooks=[Bump(), train.GlobalStepWaiterHook(5)]) as session:
        assert session.run(step) == 5


def test_a_timer_is_due_by_steps_or_seconds():
    timer = train.SecondOrStepTimer(every_steps=2)
    due = []
    for step in range(5):
        if timer.should_trigger_for_step(step):
            due.append(step)
            timer.update_last_triggered_step(step)
    assert due == [0, 2, 4]
    assert timer.last_triggered_step() == 4
    seconds = train.SecondOrStepTimer(every_secs=1000)
    assert seconds.update_last_triggered_step(1) == (None, None)
    assert not seconds.should_trigger_for_step(99)
    assert seconds.update_last_triggered_step(3)[1] == 2


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: train.StopAtStepHook(), "One of num_steps or last_step must be specified"),
        (lambda: train.StopAtStepHook(1, 2), "Only one of num_steps or last_step"),
        (lambda: train.LoggingTensorHook([]), "either at_end and/or exactly one of every_n_iter"),
        (lambda: train.LoggingTensorHook([], 0), "invalid every_n_iter=0"),
        (lambda: train.CheckpointSaverHook(".", 1, 2), "Can not provide both every_secs and"),
        (lambda: train.SummarySaverHook(1), "Exactly one of scaffold or summary_op must be"),
        (lambda: train.SecondOrStepTimer(), "Either every_secs or every_steps should be provided"),
        (lambda: train.CheckpointSaverHook(".", saver=1, scaffold=2), "both saver and scaffold"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_hooks_that_count_need_a_global_step():
    with pytest.raises(RuntimeError, match="Global step should be created to use StopAtStepHook"):
        train.MonitoredSession(hooks=[train.StopAtStepHook(3)])


def test_timelines_of_runs_are_written(tmp_path):
    _, count = counter()
    hook = train.ProfilerHook(save_steps=2, output_dir=tmp_path)
    with train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(5):
            session.run(count)
    names = sorted(each.name for each in tmp_path.glob("timeline-*"))
    assert names == ["timeline-2.json", "timeline-4.json"]
    events = json.loads((tmp_path / names[0]).read_text())["traceEvents"]
    assert any("AssignAddVariableOp" in str(event) for event in events)
    assert read(tmp_path).RunMetadata("step_2").step_stats.dev_stats


# -- scaffolds and session managers ----------------------------------------------------------------


def test_a_scaffold_says_how_a_model_starts():
    v = tf1.get_variable("v", initializer=tf1.constant(1.0))
    x = tf1.placeholder(tf1.float32, [])
    seen = []
    scaffold = train.Scaffold(
        init_op=v.assign(x).op,
        init_feed_dict={x: 7.0},
        init_fn=lambda scaffold, session: seen.append(session.run(v)),
    )
    with train.MonitoredSession(train.ChiefSessionCreator(scaffold)) as session:
        assert session.run(v) == 7.0
    assert seen == [7.0]
    assert train.Scaffold(copy_from_scaffold=scaffold).init_op is scaffold.init_op


def test_a_model_that_does_not_get_its_values_is_refused():
    tf1.get_variable("v", initializer=tf1.constant(1.0))
    scaffold = train.Scaffold(init_op=tf1.no_op())
    text = (
        "Init operations did not make model ready for local_init.  Init op: NoOp, init fn: None, "
        "error: Variables not initialized: v"
    )
    with pytest.raises(RuntimeError, match=text):
        train.MonitoredSession(train.ChiefSessionCreator(scaffold))


def test_a_list_with_two_savers_is_refused():
    tf1.get_variable("v", initializer=tf1.constant(1.0))
    for _ in range(2):
        tf1.add_to_collection(tf1.GraphKeys.SAVERS, train.Saver())
    with pytest.raises(RuntimeError, match='More than one item in the collection "savers"'):
        train.MonitoredSession()


def test_a_session_manager_restores_what_there_is(tmp_path):
    v = tf1.get_variable("v", initializer=tf1.constant(1.0))
    saver, init = train.Saver(), tf1.global_variables_initializer()
    manager = train.SessionManager(ready_op=tf1.report_uninitialized_variables())
    session, is_ready = manager.recover_session(saver=saver, checkpoint_dir=tmp_path)
    assert not is_ready
    session.close()
    with manager.prepare_session("", init, saver, tmp_path) as session:
        session.run(v.assign(2.0))
        saver.save(session, str(tmp_path / "m"))
    session, is_ready = manager.recover_session(saver=saver, checkpoint_dir=tmp_path)
    assert is_ready
    assert session.run(v) == 2.0
    session.close()


def test_a_session_manager_needs_something_to_start_with():
    with pytest.raises(RuntimeError, match="Model is not initialized and no init_op or init_fn"):
        train.SessionManager().prepare_session("")


def test_waiting_for_a_model_ends():
    tf1.get_variable("v", initializer=tf1.constant(1.0))
    manager = train.SessionManager(
        ready_op=tf1.report_uninitialized_variables(), recovery_wait_secs=0.01
    )
    with pytest.raises(tf1.errors.DeadlineExceededError, match="Session was not ready after"):
        manager.wait_for_session(max_wait_secs=0.02)


# -- supervisors -----------------------------------------------------------------------------------


def test_a_supervisor_starts_saves_and_stops(tmp_path):
    step, count = counter()
    tf1.summary.scalar("loss", tf1.cast(step, tf1.float32))
    supervisor = train.Supervisor(logdir=str(tmp_path), save_model_secs=3600)
    with supervisor.managed_session() as session:
        while not supervisor.should_stop():
            session.run(count)
            if session.run(step) == 3:
                supervisor.summary_computed(session, session.run(supervisor.summary_op))
                supervisor.saver.save(session, supervisor.save_path, global_step=step)
                supervisor.request_stop()
    assert "model.ckpt-3" in checkpoints(tmp_path)
    assert 3 in [each.step for each in read(tmp_path).Scalars("loss")]
    with train.Supervisor(logdir=str(tmp_path)).managed_session() as session:
        assert session.run(step) == 3


def test_an_error_under_a_supervisor_goes_on(tmp_path):
    counter()
    supervisor = train.Supervisor()
    with pytest.raises(ValueError, match="mine"), supervisor.managed_session():
        raise ValueError("mine")


def test_a_supervisor_loops():
    _, count = counter()
    calls = []

    def step_of(session: Any, word: str) -> None:
        session.run(count)
        calls.append(word)
        if len(calls) == 3:
            supervisor.request_stop()

    supervisor = train.Supervisor()
    train.basic_train_loop(supervisor, step_of, args=("a",))
    assert calls == ["a"] * 3


def test_a_thread_that_loops_hands_on_what_it_raises():
    coord = train.Coordinator()

    def fail() -> None:
        raise ValueError("mine")

    thread = train.LooperThread.loop(coord, 0.001, fail)
    with pytest.raises(ValueError, match="mine"):
        coord.join([thread])
