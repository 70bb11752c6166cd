"""What makes the host wait for a card: what strict virtual GPUs said would, and nothing else."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import op_cases
import pytest
import torch
from op_cases.values import evaluate
from test_waits import WAITING

import emplace
import emplace.tensorflow as tf
from emplace.core.events import Observer, observed_by
from emplace.devices.strict import Wait

pytestmark = pytest.mark.cuda

EVERY = 40


@pytest.fixture(autouse=True)
def grown() -> None:
    """Cards that are not filled at the first use, so that a test may start the runtime anew."""
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)


@contextmanager
def torch_tells(told: list[str]) -> Iterator[None]:
    """A block in which torch tells of each call that waits for a card."""
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
    finally:
        torch.cuda.set_sync_debug_mode("default")
    told += [str(each.message) for each in caught if "synchronizing" in str(each.message)]


def waits_of(run: Callable[[], Any]) -> int:
    """How often a call of something waits, the second time: libraries are loaded in the first."""
    run()
    told: list[str] = []
    with torch_tells(told):
        run()
    return len(told)


class Waited(Observer):
    """The ops that a strict virtual GPU says wait."""

    def __init__(self) -> None:
        self.ops: set[str] = set()

    def waited(self, wait: Wait, line: Any) -> None:
        self.ops.add("the program" if wait.route is None else wait.route.op.name)


def said_by_strict_gpus(run: Callable[[], Any]) -> set[str]:
    emplace.reset(virtual=True)
    emplace.virtual_gpus(1, memory="2GB", strict=True)
    heard = Waited()
    try:
        run()
        with observed_by(heard):
            run()
    finally:
        emplace.reset(virtual=True)
    return heard.ops


def on_gpu(expression: str) -> None:
    with tf.device("/GPU:0"):
        evaluate(expression, tf)


def sampled() -> list[Any]:
    return [
        pytest.param(case.expression, id=f"{family}: {case.expression}")
        for family in op_cases.families()
        for case in op_cases.cases_of(family)
        if zlib.crc32(case.expression.encode()) % EVERY == 0
    ]


def runs(expression: str) -> bool:
    try:
        on_gpu(expression)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("expression", sampled())
def test_what_strict_gpus_do_not_wait_for_a_card_does_not_wait_for(expression: str) -> None:
    if not runs(expression):
        pytest.skip("it raises")
    said = said_by_strict_gpus(lambda: on_gpu(expression))
    if not said:
        assert waits_of(lambda: on_gpu(expression)) == 0


@pytest.mark.parametrize("name", WAITING)
def test_an_op_that_says_it_waits_does_on_a_card(name: str) -> None:
    assert waits_of(lambda: on_gpu(WAITING[name])) > 0


def perceptron() -> Callable[[], Any]:
    layers = [tf.Variable(tf.ones(shape) / 9) for shape in ([784, 512], [512], [512, 10], [10])]
    x, y = tf.ones([128, 784]), tf.constant(np.arange(128) % 10)

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.matmul(x, layers[0]) + layers[1])
            logits = tf.matmul(hidden, layers[2]) + layers[3]
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits))
        for v, gradient in zip(layers, tape.gradient(loss, layers), strict=True):
            v.assign_sub(0.1 * gradient)
        return loss

    return lambda: step(x, y)


def embedding() -> Callable[[], Any]:
    table, rows = tf.Variable(tf.ones([1000, 64])), tf.constant(np.arange(256) % 1000)

    @tf.function
    def step(rows: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.nn.embedding_lookup(table, rows) ** 2)
        gradient = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(0.1 * gradient.values, gradient.indices))
        return loss

    return lambda: step(rows)


@pytest.mark.parametrize("make", [perceptron, embedding])
def test_a_training_step_does_not_wait(make: Callable[[], Callable[[], Any]]) -> None:
    step = make()
    for _ in range(5):  # plans, libraries, and what is measured at first
        step()
    told: list[str] = []
    with torch_tells(told):
        for _ in range(10):
            step()
    assert told == []


def test_the_host_is_ahead_of_the_card() -> None:
    """Ten steps are asked for long before they have happened."""
    x = tf.ones([8192, 8192]) / 8192.0
    step = tf.function(lambda x: tf.matmul(tf.matmul(x, x), x) + x)
    step(x)
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    made = [step(x) for _ in range(10)]
    end.record()
    assert not end.query()
    torch.cuda.synchronize()
    assert begin.elapsed_time(end) > 1.0
    assert len(made) == 10
