"""Plans that make much in the host's memory give its holes back when they are done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.graph.plan import build


@pytest.fixture
def times(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Has an entry for each time that a plan has given holes back; large is what makes 1 MiB."""
    found: list[int] = []
    monkeypatch.setattr(build, "give_back_holes", lambda: found.append(1))
    monkeypatch.setattr(build, "_LARGE_BYTES", 1 << 20)
    return found


def _step(**options: Any) -> Callable[..., Any]:
    @tf.function(**options)
    def step(x: Any) -> Any:
        return tf.reduce_sum(tf.cumsum(x) * 2.0)

    return step


def test_a_large_plan_does_after_every_run(times: list[int]) -> None:
    step, x = _step(), tf.ones([1 << 17])
    results = [step(x).numpy() for _ in range(3)]
    assert results == [results[0]] * 3
    assert len(times) == 3


def test_a_small_plan_does_not(times: list[int]) -> None:
    _step()(tf.ones([1 << 10]))
    assert not times


def test_a_plan_of_a_session_does(times: list[int]) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [1 << 18])
        y = tf.cumsum(x)
        assert session.run(y, {x: np.ones(1 << 18, np.float32)})[-1] == 1 << 18
    assert len(times) == 1


def test_unknown_shapes_are_those_that_come(times: list[int]) -> None:
    step = _step(input_signature=[tf.TensorSpec([None], tf.float32)])
    step(tf.ones([1 << 10]))
    assert not times
    step(tf.ones([1 << 18]))
    assert len(times) == 1


@pytest.mark.gpus(1, memory="64MB")
def test_a_plan_on_a_virtual_gpu_does_where_it_is_not_counted_op_by_op(times: list[int]) -> None:
    with tf.device("/GPU:0"):
        step, x = _step(), tf.ones([1 << 18])
        for _ in range(8):
            step(x)
    assert times


def test_what_torch_compiles_leaves_memory_to_it(
    times: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", "eager")
    step, x = _step(jit_compile=True), tf.ones([1 << 18])
    results = [step(x).numpy() for _ in range(25)]
    assert results == [results[0]] * 25
    assert len(times) == 20  # as many calls as come before torch compiles
