"""Concatenations upon each other share memory: graph/passes/grown.py."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.profiler import ProfilerActivity, profile

import emplace
import emplace.tensorflow as tf
from emplace.graph.passes import grown, maps
from emplace.ops.math import fused_map

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
_RANDOM = np.random.default_rng(0)


def _numbers(*shape: int) -> tf.Tensor:
    return tf.constant(_RANDOM.normal(size=shape).astype("float32"))


@pytest.fixture(params=["machine code", "torch"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of any size; maps read rows that lie apart in both of their forms."""
    monkeypatch.setattr(maps, "LEAST_NUMBERS", 1)
    monkeypatch.setattr(grown, "LEAST_NUMBERS", 1)
    before = 0 if request.param == "machine code" else 1 << 60
    monkeypatch.setattr(fused_map, "NUMBERS_BEFORE", before)


def _check(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan; the function gives what eager mode gives, in every call."""
    function = tf.function(python)
    wanted = tf.nest.flatten(python(*args))
    for _ in range(3):
        for made, each in zip(tf.nest.flatten(function(*args)), wanted, strict=True):
            np.testing.assert_allclose(made.numpy(), each.numpy(), rtol=1e-4, atol=1e-4)
    return [step.op for step in emplace.explain(function, *args).steps]


X, FILTER = _numbers(2, 6, 5, 16), _numbers(48, 16) * 0.1


def _layer(x, count=16):
    """Batch norm, a product and more columns, as a dense block has them."""
    y = tf.nn.relu(x * 1.5 + tf.reduce_mean(x, [0, 1, 2]))
    return tf.concat([x, y @ FILTER[: x.shape[-1], :count]], -1)


def _block(x):
    return tf.nn.relu(_layer(_layer(_layer(x))) * 2.0 - 1.0)


def test_a_dense_block_adds_columns_in_place():
    ops = _check(_block, X)
    assert ops.count("_Grown") == 3
    assert "ConcatV2" not in ops


@pytest.mark.parametrize("count", [3, 16])
def test_gradients_read_the_same_memory(count):
    def python(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(_layer(_layer(_layer(x, count), count), count)))
        return y, tape.gradient(y, x)

    assert _check(python, X).count("_Grown") in (2, 3)


def test_a_value_that_two_concatenations_take_is_copied():
    def python(x):
        one = tf.concat([x, x + 1.0], -1)
        left = tf.concat([one, tf.exp(x)], -1)
        right = tf.concat([one, tf.tanh(x)], -1)
        return left * 2.0 + 1.0, right * 3.0 + 1.0

    assert "_Grown" not in _check(python, X)


def test_concatenations_that_are_shared_are_not_both_added_to():
    def python(x):
        left = tf.concat([tf.concat([x, x], -1), tf.exp(x)], -1)
        right = tf.concat([tf.concat([x, x], -1), tf.tanh(x)], -1)
        return left * 2.0 + 1.0, right * 3.0 + 1.0

    _check(python, X)
    _check(python, X[:1, :1, :2])


def test_a_result_is_no_part_of_something_larger():
    def python(x):
        one = tf.concat([x, x + 1.0], -1)
        return one, tf.concat([one, one[..., :16] * 2.0], -1)

    assert "_Grown" not in _check(python, X)


def test_what_is_added_to_itself_is_copied():
    def python(x):
        one = tf.concat([x, x + 1.0], -1)
        return tf.concat([one, one], -1) * 2.0 + 1.0

    assert "_Grown" not in _check(python, X)


def test_other_axes_and_readers_stay_concatenations():
    def rows(x):
        return tf.concat([tf.concat([x, x], 0), x], 0) * 2.0 + 1.0

    def reader(x):
        one = tf.concat([x, x], -1)
        return tf.concat([one, x], -1) * 2.0 + 1.0, one @ FILTER[:32]

    assert "_Grown" not in _check(rows, X)
    assert "_Grown" not in _check(reader, X)


def test_without_fusion_nothing_is_shared(monkeypatch):
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    assert "_Grown" not in _check(_block, X)


def test_no_result_takes_over_memory_with_gaps():
    # Row by row it would write where later rows, and other columns, are still to be read.
    steps = [fused_map.MapStep("Mul", (0, 1), torch.mul, {})]
    doubled = fused_map.FusedMap((64, 4), [(64, 4), ()], steps, [2], dying=[0])
    wide = torch.arange(64.0 * 6).view(64, 6)
    kept = wide.clone()
    (made,) = doubled([wide[:, :4], torch.tensor(2.0)])
    assert torch.equal(made, kept[:, :4] * 2.0)
    assert torch.equal(wide[:, 4:], kept[:, 4:])


@pytest.mark.gpus(1, memory="1GB")
def test_a_bounded_device_has_no_more_in_use_than_it_tells():
    columns = tf.constant(_RANDOM.normal(size=[64, 64]).astype("float32"))

    def block(x):
        for i in range(8):
            z = tf.nn.relu(x * 1.5) @ tf.tile(columns, [x.shape[-1] // 64, 1])
            if i == 1:  # large values while the block is still narrow
                z = tf.sort(tf.tile(z, [1, 12]), axis=1)[:, :64]
            x = tf.concat([x, z], -1)
        return tf.reduce_sum(x)

    function = tf.function(block)
    x = tf.zeros([1024, 64])
    for _ in range(20):  # the plain form comes after some runs
        function(x)
    tf.config.experimental.reset_memory_stats("GPU:0")
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as run:
        function(x)
    told = tf.config.experimental.get_memory_info("GPU:0")["peak"] - before
    assert 0 < _most_taken(run) <= told


def _most_taken(run: profile) -> int:
    """The most bytes that torch had taken in a run at once, above those at its beginning."""
    events = [e for e in run.profiler.kineto_results.events() if e.name() == "[memory]"]
    return max(itertools.accumulate(e.nbytes() for e in events))
