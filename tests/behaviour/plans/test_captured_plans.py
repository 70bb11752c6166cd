"""Functions that run as a graph of the hardware, on strict GPUs, which refuse what hardware would:
the results are those of eager mode, whatever the program does with its variables in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.core.context import PROCESS
from emplace.graph.plan import captured
from emplace.graph.plan.captured import CapturedPlan

pytestmark = pytest.mark.gpus(1, memory="256MB", strict=True)
RNG = np.random.default_rng(0)
CALLS = 14


@pytest.fixture(autouse=True)
def asked_for(monkeypatch: pytest.MonkeyPatch, fresh: None) -> None:
    monkeypatch.setenv("EMPLACE_CUDA_GRAPHS", "1")


def random(*shape: int) -> Any:
    return tf.constant(RNG.normal(size=shape), tf.float32)


def graph_of(function: Any, *args: Any) -> CapturedPlan:
    """What replays a function for such arguments."""
    concrete = function.get_concrete_function(*args)
    return concrete.plan(concrete.tensors_of(*args)).reservation.captured


class Model:
    """A training step with momentum, which replaces one variable and changes others in place."""

    def __init__(self) -> None:
        tf.random.set_seed(1)
        self.weights = [tf.Variable(tf.random.normal(s)) for s in ([20, 16], [16], [16, 10])]
        self.mean = tf.Variable(tf.zeros([20, 16]))

    def step(self, x: Any, y: Any) -> Any:
        first, bias, last = self.weights
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, first) + bias), last)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        gradients = tape.gradient(loss, self.weights)
        self.mean.assign(0.9 * self.mean + gradients[0])
        for v, gradient in zip(self.weights, [self.mean, *gradients[1:]], strict=True):
            v.assign_sub(0.1 * gradient)
        return loss, self.mean.read_value()

    def values(self) -> list[Any]:
        return [v.numpy() for v in (*self.weights, self.mean)]


def batches(count: int = CALLS) -> list[Any]:
    return [(random(8, 20), tf.constant(RNG.integers(0, 10, 8))) for _ in range(count)]


def assert_alike(found: Any, wanted: Any) -> None:
    for x, y in zip(tf.nest.flatten(found), tf.nest.flatten(wanted), strict=True):
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=1e-5, atol=1e-6)


def test_a_training_step_as_a_graph_does_what_it_does_eagerly() -> None:
    one, other, data = Model(), Model(), batches()
    step = tf.function(one.step)
    found = [step(*batch) for batch in data]  # all results are held: each is memory of its own
    assert graph_of(step, *data[0]).replays > CALLS // 2
    assert_alike(found, [other.step(*batch) for batch in data])
    assert_alike(one.values(), other.values())


def test_what_the_program_assigns_between_calls_is_what_the_graph_goes_on_from() -> None:
    one, other, data = Model(), Model(), batches(16)
    step = tf.function(one.step)
    for i, batch in enumerate(data):
        for model, call in ((one, step), (other, other.step)):
            if i in (7, 8, 11):
                model.weights[0].assign(tf.ones([20, 16]) * i)
            if i == 9:
                model.weights[1].assign_add(tf.ones([16]))
            call(*batch)
    assert graph_of(step, *data[0]).replays > CALLS // 2
    assert_alike(one.values(), other.values())


def test_a_value_that_somebody_holds_stays_what_it_was() -> None:
    one, other, data = Model(), Model(), batches(16)
    step, held = tf.function(one.step), []
    for i, batch in enumerate(data):
        if i in (6, 9):
            held.append((tf.convert_to_tensor(one.weights[0]), one.weights[0].numpy().copy()))
        if i == 11:
            held.pop()
        step(*batch)
        other.step(*batch)
    for tensor, value in held:
        assert tensor.numpy().tolist() == value.tolist()
    assert graph_of(step, *data[0]).replays
    assert_alike(one.values(), other.values())


def test_a_variable_that_the_function_only_reads_may_be_held_and_assigned() -> None:
    rate = tf.constant(0.5)
    factor, total = tf.Variable(rate), tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any) -> Any:
        total.assign_add(factor * x)
        return tf.reduce_sum(total * total) + factor

    wanted, seen = np.array([1.0, 2.0]), []
    for i in range(2 * CALLS):
        if i == CALLS:
            seen.append((factor.value(), 0.5))
            factor.assign(2.0)
        if i == CALLS + 4:
            seen.append((factor.value(), 2.0))
            factor.assign(3.0)
        step(tf.constant([1.0, 3.0]))
        wanted += factor.numpy() * np.array([1.0, 3.0])
        assert_alike(total, wanted)
    assert float(rate) == 0.5
    assert [float(x) for x, _ in seen] == [x for _, x in seen]
    assert graph_of(step, tf.constant([1.0, 3.0])).replays > CALLS // 2


def test_where_a_value_is_held_for_long_the_function_is_recorded_anew() -> None:
    total = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any) -> Any:
        total.assign_add(x * 2.0)
        return tf.reduce_sum(total * x)

    held = []
    for i in range(60):
        if i % 25 == 10:
            held.append((tf.convert_to_tensor(total), 1.0 + 2.0 * i))
        step(tf.ones([2]))
    assert total.numpy().tolist() == [121.0, 122.0]
    assert [float(x[0]) for x, _ in held] == [x for _, x in held]
    assert graph_of(step, tf.ones([2])).replays > 20


def test_another_variable_than_the_recorded_one_is_another_matter() -> None:
    first, second = tf.Variable(tf.zeros([3])), tf.Variable(tf.ones([3]))

    @tf.function
    def step(v: Any, x: Any) -> Any:
        v.assign_add(x * 2.0)
        return tf.reduce_sum(v * v + x)

    for i in range(12):
        step(first if i % 3 else second, tf.constant([1.0, 2.0, 3.0]))
    assert first.numpy().tolist() == [16.0, 32.0, 48.0]
    assert second.numpy().tolist() == [9.0, 17.0, 25.0]


def test_each_replay_draws_other_numbers() -> None:
    step = tf.function(lambda x: tf.nn.relu(x + tf.random.normal([64]) * 2.0) + 1.0)
    x = tf.zeros([64])  # so many that they are never all below zero
    seen = {tuple(step(x).numpy().tolist()) for _ in range(CALLS)}
    assert graph_of(step, x).replays
    assert len(seen) == CALLS


def test_a_loop_of_a_known_count_is_recorded_iteration_by_iteration() -> None:
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def step(x: Any) -> Any:
        for i in tf.range(3):
            if i % 2 == 0:
                x = x * 2.0 + tf.cast(i, tf.float32)
            v.assign_add(x)
        return x

    wanted = np.zeros(2)
    for call in range(CALLS):
        x = np.array([1.0, call])
        made = step(tf.constant(x, tf.float32))
        for i in range(3):
            x = x * 2.0 + i if i % 2 == 0 else x
            wanted += x
        assert_alike([made, v], [x, wanted])
    assert graph_of(step, made).replays


def test_arguments_may_be_on_the_host() -> None:
    step = tf.function(lambda x: tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x))
    for i in range(CALLS):
        with tf.device("/CPU:0"):
            x = tf.constant([1.0 * i, -2.0, 3.0])
        assert_alike(step(x), tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x))
    assert graph_of(step, x).replays


def test_gradients_of_a_function_that_runs_as_a_graph_are_right() -> None:
    w = tf.Variable(random(5, 5))
    layer = tf.function(lambda x: tf.nn.softmax(tf.nn.relu(tf.matmul(x, w)) * 2.0))
    for _ in range(CALLS):
        x, gradients = random(3, 5), []
        for call in (layer, layer.python_function):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(call(x) ** 2)
            gradients.append(tape.gradient(loss, w))
        assert_alike(gradients[0], gradients[1])


def test_shapes_have_graphs_of_their_own() -> None:
    step = tf.function(
        lambda x: tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x),
        input_signature=[tf.TensorSpec([None, 2])],
    )
    for i in range(2 * CALLS):
        x = random(3 + i % 2, 2)
        assert_alike(step(x), tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x))
    assert graph_of(step, x).replays


def test_what_cannot_be_recorded_after_all_runs_as_always_and_says_so_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(captured, "obstacles", lambda plan: [])
    v = tf.Variable(tf.zeros([3]))

    @tf.function
    def step(x: Any) -> Any:
        v.assign(v + x)
        v.assign_add(x)
        return tf.where(x + v * 2.0 > 3.0)

    for i in range(1, CALLS):
        found = step(tf.constant([0.0, 1.0, 2.0]))
        assert v.numpy().tolist() == [0.0, 2.0 * i, 4.0 * i]
        assert found.numpy().tolist() == [[1], [2]]
    told = capfd.readouterr().err
    assert told.count("[EMPLACE_CUDA_GRAPHS] step runs without a graph: While a graph is") == 1


def test_memory_for_the_graph_is_set_aside_and_given_back() -> None:
    def in_use() -> int:
        return int(tf.config.experimental.get_memory_info("GPU:0")["current"])

    x = tf.ones([1024, 256])
    step = tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x * 2.0 + 1.0) @ tf.transpose(x)))
    emplace.release()
    before = in_use()
    for _ in range(CALLS):
        step(x)
    assert graph_of(step, x).replays
    assert in_use() - before >= 4 * 1024 * 1024
    del step
    emplace.release()
    assert in_use() == before


def test_where_memory_is_scarce_there_is_no_graph() -> None:
    kept = tf.zeros([61 << 20])  # 244 of 256 MB
    x = tf.ones([1 << 19])
    step = tf.function(lambda x: tf.reduce_sum(tf.nn.relu(x * 2.0 + 1.0) - tf.nn.relu(x)))
    assert [float(step(x)) for _ in range(CALLS)] == [2.0 * (1 << 19)] * CALLS
    assert not graph_of(step, x).replays
    assert kept is not None


def test_without_being_asked_for_nothing_runs_as_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EMPLACE_CUDA_GRAPHS")
    step = tf.function(lambda x: tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x))
    for _ in range(CALLS):
        step(tf.ones([3]))
    concrete = step.get_concrete_function(tf.ones([3]))
    assert concrete.plan([tf.ones([3])]).reservation is None


def test_while_somebody_watches_every_operation_is_told() -> None:
    step = tf.function(lambda x: tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x))
    for _ in range(CALLS):
        step(tf.ones([3]))
    with emplace.watch() as seen:
        step(tf.ones([3]))
    assert {row["op"] for row in seen.report().to_dict()["ops"]} >= {"Mul", "Relu", "Sum", "Sub"}
    assert not PROCESS.observers


def test_a_plan_that_nobody_bounds_takes_raw_values() -> None:
    """On hardware without a limit plans are plain: they call what replays with raw values."""
    step = tf.function(lambda x: tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x))
    graph = graph_of(step, tf.ones([3]))
    direct = CapturedPlan("step", graph._device, graph._plan)
    for i in range(CALLS):
        x = tf.constant([1.0, -1.0, 1.0 * i])
        (value,) = direct(x._value)
        assert value.tolist() == (tf.nn.relu(x * 2.0 + 1.0) - tf.reduce_sum(x)).numpy().tolist()
    assert direct.replays == CALLS - captured.CALLS_BEFORE


def test_what_a_check_finds_in_a_replay_is_told_with_its_op_and_line() -> None:
    table = tf.Variable(random(10, 4))

    @tf.function
    def step(rows: Any) -> Any:
        found = tf.gather(table, rows)
        table.assign_sub(0.1 * table)
        return tf.reduce_sum(tf.nn.relu(found) * 2.0)

    for i in range(2 * CALLS):
        rows = tf.constant([1, 2, 3 if i % 5 else 77])
        made = step(rows)
        if i % 5:
            made.numpy()
            continue
        with pytest.raises(tf.errors.InvalidArgumentError, match="77 is not in") as caught:
            made.numpy()
        assert "test_captured_plans.py" in str(caught.value)
    assert graph_of(step, rows).replays


def test_what_is_found_in_one_replay_is_still_told_after_others() -> None:
    x = random(10, 4)
    step = tf.function(lambda rows: tf.reduce_sum(tf.nn.relu(tf.gather(x, rows)) * 2.0) + 1.0)
    for _ in range(CALLS):
        step(tf.constant([1, 2])).numpy()
    for rows in ([1, 2], [55, 2], [3, 4], [66, 5]):
        made = step(tf.constant(rows))
    with pytest.raises(tf.errors.InvalidArgumentError, match="55 is not in"):
        made.numpy()
    assert float(step(tf.constant([1, 2]))) == float(step.python_function(tf.constant([1, 2])))


def test_the_host_does_not_go_on_knowing_integers_that_replays_change() -> None:
    count, total = tf.Variable(3), tf.Variable(0)

    @tf.function
    def step(by: Any) -> Any:
        count.assign_add(by)
        total.assign(total + count)
        return count * 2, by + 1

    first, second = 3, 0
    for i in range(CALLS):
        if i == 9:
            count.assign(50)
            first = 50
        by = tf.constant(i % 4)
        made = step(by)
        first += i % 4
        second += first
        assert [int(x) for x in made] == [2 * first, i % 4 + 1]
        assert (int(count), int(total)) == (first, second)
    assert graph_of(step, by).replays


def test_a_variable_that_is_replaced_several_times_in_a_call_stays_right() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def step(x: Any) -> Any:
        v.assign(v * 0.5 + x)
        v.assign(v + 1.0)
        v.assign_add(x)
        v.assign(v - 0.25)
        return tf.reduce_sum(v)

    wanted = np.array([1.0, 2.0])
    for i in range(CALLS):
        x = np.array([0.5, float(i)])
        total = step(tf.constant(x, tf.float32))
        wanted = wanted * 0.5 + x + 1.0 + x - 0.25
        assert_alike([v, total], [wanted, wanted.sum()])
    assert graph_of(step, tf.ones([2])).replays
