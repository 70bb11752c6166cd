"""Numbers of a seed that only a GPU knows: the same as on the CPU, without a look at the seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.testing import assert_no_waits

DRAWS: dict[str, Callable[[Any], Any]] = {
    "uniform": lambda seed: tf.random.stateless_uniform([7, 3], seed),
    "double": lambda seed: tf.random.stateless_uniform([5], seed, dtype=tf.float64),
    "half": lambda seed: tf.random.stateless_uniform([5], seed, dtype=tf.float16),
    "normal": lambda seed: tf.random.stateless_normal([6], seed, stddev=2.0),
    "all bits": lambda seed: tf.random.stateless_uniform([9], seed, None, None, tf.uint64),
    "small": lambda seed: tf.random.stateless_uniform([5], seed, -3, 10, tf.int64),
    "split": lambda seed: tf.random.split(seed, 3),
    "folded": lambda seed: tf.random.fold_in(seed, 5),
    "dropout": lambda seed: tf.nn.experimental.stateless_dropout(tf.ones([40]), 0.4, seed),
    "nothing": lambda seed: tf.random.stateless_uniform([0, 2], seed),
}
SEEDS = [[1, 2], [-5, 7], [2**31 - 1, -(2**31)]]


def on_the_gpu(seed: list[int], dtype: Any) -> Any:
    """A seed whose numbers the host does not know."""
    parts = tf.Variable([[x // 2.0, x % 2.0] for x in seed], dtype=tf.float64)
    return tf.cast(parts[:, 0], dtype) * 2 + tf.cast(parts[:, 1], dtype)


@pytest.mark.gpus(1, strict=True)
@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_numbers_are_those_of_the_cpu(draw: Any, seed: list[int], dtype: Any) -> None:
    with tf.device("/CPU:0"):
        here = tf.constant(seed, dtype)
        wanted = draw(here).numpy()
        in_function = tf.function(draw)(here).numpy()
    np.testing.assert_array_equal(in_function, wanted)
    there = on_the_gpu(seed, dtype)
    function = tf.function(draw)
    with assert_no_waits():
        found = [draw(there), function(there)]
    for each in found:
        assert each.device.endswith("GPU:0")
        np.testing.assert_allclose(each.numpy(), wanted, rtol=1e-6)


@pytest.mark.gpus(1, strict=True)
def test_a_truncated_draw_looks_at_numbers_and_not_at_the_seed() -> None:
    with tf.device("/CPU:0"):
        wanted = tf.random.stateless_truncated_normal([50], [3, 4]).numpy()
    found = tf.random.stateless_truncated_normal([50], on_the_gpu([3, 4], tf.int32))
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-6)


@pytest.mark.gpus(1, strict=True)
def test_three_numbers_are_no_seed_there_either() -> None:
    seed = tf.cast(tf.Variable([1.0, 2.0, 3.0]), tf.int32)
    text = r"seed must have shape \[2\], not \[3\]"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        tf.random.stateless_uniform([2], seed)


def test_a_session_draws_again_for_every_seed_that_is_fed() -> None:
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        seed = v1.placeholder(tf.int32, [2])
        drawn = tf.random.stateless_uniform([3], seed)
        found = [session.run(drawn, {seed: each}).tolist() for each in ([1, 2], [3, 4], [1, 2])]
    assert found[0] == found[2] != found[1]
    assert found[0] == tf.random.stateless_uniform([3], [1, 2]).numpy().tolist()
