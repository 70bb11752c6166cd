"""Functions as CUDA graphs: results are those of eager mode, and what strict GPUs recorded is what
the hardware records.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import torch
from test_capturable_agrees import plan_of, sampled

import emplace
import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.graph.plan.capturable import obstacles
from emplace.graph.plan.captured import CALLS_BEFORE, CapturedPlan

pytestmark = pytest.mark.cuda
CALLS = 12
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EMPLACE_CUDA_GRAPHS", "1")
    tf.config.experimental.enable_tensor_float_32_execution(False)
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)


def graph_of(function: Any, *args: Any) -> CapturedPlan:
    concrete = function.get_concrete_function(*args)
    graph = concrete.plan(concrete.tensors_of(*args)).run
    assert isinstance(graph, CapturedPlan), "the plan has no graph"
    return graph


class Model:
    """A training step of a small convolutional network with momentum."""

    def __init__(self) -> None:
        rng = np.random.default_rng(1)
        shapes = ([3, 3, 1, 8], [8], [14 * 14 * 8, 10])
        self.weights = [tf.Variable(rng.normal(size=s).astype("f") / 20) for s in shapes]
        self.means = [tf.Variable(tf.zeros_like(v)) for v in self.weights]

    def step(self, x: Any, y: Any) -> Any:
        kernel, bias, dense = self.weights
        with tf.GradientTape() as tape:
            maps = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias))
            maps = tf.nn.max_pool2d(maps, 2, 2, "VALID")
            logits = tf.matmul(tf.reshape(maps, [tf.shape(maps)[0], -1]), dense)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        gradients = tape.gradient(loss, self.weights)
        for v, mean, gradient in zip(self.weights, self.means, gradients, strict=True):
            mean.assign(0.9 * mean + gradient)
            v.assign_sub(0.01 * mean)
        return loss


def batches(count: int = CALLS) -> list[Any]:
    return [
        (tf.constant(RNG.normal(size=[32, 28, 28, 1]), tf.float32),
         tf.constant(RNG.integers(0, 10, 32)))
        for _ in range(count)
    ]  # fmt: skip


def test_a_training_step_as_a_graph_does_what_it_does_eagerly() -> None:
    one, other, data = Model(), Model(), batches()
    step = tf.function(one.step)
    found = [step(*batch) for batch in data]
    assert graph_of(step, *data[0]).replays == CALLS - CALLS_BEFORE
    wanted = [other.step(*batch) for batch in data]
    np.testing.assert_allclose([float(x) for x in found], [float(x) for x in wanted], rtol=1e-3)
    for v, w in zip(one.weights, other.weights, strict=True):
        np.testing.assert_allclose(v.numpy(), w.numpy(), rtol=1e-3, atol=1e-4)


def test_what_the_program_assigns_or_holds_is_respected() -> None:
    one, other, data = Model(), Model(), batches(16)
    step, held = tf.function(one.step), None
    for i, batch in enumerate(data):
        if i in (6, 9):
            for model in (one, other):
                model.weights[2].assign(tf.ones([14 * 14 * 8, 10]) / (100.0 * i))
        if i == 11:
            held = tf.convert_to_tensor(one.weights[0]), one.weights[0].numpy().copy()
        step(*batch)
        other.step(*batch)
    assert held is not None
    assert held[0].numpy().tolist() == held[1].tolist()
    for v, w in zip(one.weights, other.weights, strict=True):
        np.testing.assert_allclose(v.numpy(), w.numpy(), rtol=1e-3, atol=1e-4)


def test_each_replay_draws_other_numbers() -> None:
    step = tf.function(lambda x: tf.nn.relu(x + tf.random.normal([64]) * 2.0) + 1.0)
    x = tf.zeros([64])
    seen = {tuple(step(x).numpy().tolist()) for _ in range(CALLS)}
    assert graph_of(step, x).replays
    assert len(seen) == CALLS


def test_what_a_check_finds_in_a_replay_is_told() -> None:
    table = tf.Variable(tf.ones([10, 4]))
    step = tf.function(lambda rows: tf.reduce_sum(tf.nn.relu(tf.gather(table, rows)) * 2.0) + 1.0)
    for _ in range(CALLS):
        step(tf.constant([1, 2])).numpy()
    made = step(tf.constant([55, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="55 is not in"):
        made.numpy()
    assert float(step(tf.constant([1, 2]))) == 17.0


def test_many_small_operations_take_less_time_as_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first figure to look at: the line is printed with -s."""

    def small(x: Any) -> Any:
        for _ in range(100):
            x = x * 1.001 + 0.001
        return x

    def seconds(step: Any) -> float:
        x = tf.ones([256])
        for _ in range(20):
            step(x)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(100):
            step(x)
        torch.cuda.synchronize()
        return (time.perf_counter() - start) / 100

    as_graph = seconds(tf.function(small, autograph=False))
    monkeypatch.delenv("EMPLACE_CUDA_GRAPHS")
    emplace.reset()
    as_plan = seconds(tf.function(small, autograph=False))
    print(
        f"200 small operations: {as_plan * 1e6:.0f} us as a plan, {as_graph * 1e6:.0f} as a graph"
    )
    assert as_graph < as_plan


@pytest.mark.parametrize("case", sampled()[::4])
def test_what_strict_gpus_capture_a_card_captures(case: Any) -> None:
    with tf.device("/GPU:0"):
        try:
            plan, tensors = plan_of(case.expression)
            raws = [x._value for x in tensors]
            wanted = plan.run(*raws)
        except Exception:
            pytest.skip("it raises")
    if obstacles(plan):
        pytest.skip("it says that it cannot be captured")
    graph = CapturedPlan(case.expression, find_devices(type="GPU", index=0)[0], plan)
    for _ in range(CALLS_BEFORE + 2):
        found = graph(*raws)
    assert graph.replays == 2, graph.why_not
    for x, y in zip(found, wanted, strict=True):
        if isinstance(x, torch.Tensor):
            torch.testing.assert_close(x, y, rtol=1e-5, atol=1e-6, equal_nan=True)
