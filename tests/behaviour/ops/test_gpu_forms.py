"""Kernels that compute otherwise on a GPU, so that nobody waits, give what the host gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.ops.array.updating import dynamic_update_slice
from emplace.testing import assert_no_waits

RANDOM = np.random.default_rng(5)
IDS = RANDOM.integers(-1, 40, 1000)
SORTED = np.sort(RANDOM.integers(0, 40, 1000))
FLOATS = RANDOM.normal(size=(1000, 3)).astype(np.float32)
COMPLEX = (FLOATS + 1j * FLOATS[::-1]).astype(np.complex64)
LENGTHS = RANDOM.integers(0, 5, 300)

CASES: dict[str, Callable[[], Any]] = {
    "complex products": lambda: tf.math.unsorted_segment_prod(COMPLEX, IDS, 40),
    "complex products of sorted": lambda: tf.math.segment_prod(COMPLEX, SORTED),
    "one complex product": lambda: tf.math.unsorted_segment_prod(COMPLEX[:1], [1], 3),
    "no complex products": lambda: tf.math.unsorted_segment_prod(COMPLEX[:0], IDS[:0], 3),
    "gradient of complex products": lambda: gradient(
        lambda x: tf.math.unsorted_segment_prod(x, IDS[:50] % 7, 7), COMPLEX[:50]
    ),
    "means": lambda: tf.math.segment_mean(FLOATS, SORTED),
    "histogram": lambda: tf.histogram_fixed_width(FLOATS, [-1.0, 1.0], 17),
    "histogram of infinities": lambda: tf.histogram_fixed_width([-np.inf, np.inf], [0.0, 2.0], 4),
    "counts": lambda: tf.math.bincount(SORTED, minlength=50, maxlength=50),
    "unique": lambda: tf.unique_with_counts(IDS),
    "unique floats": lambda: tf.unique(np.round(FLOATS[:, 0], 1)),
    "unique rows": lambda: tf.raw_ops.UniqueV2(x=IDS.reshape(-1, 2) % 5, axis=[0]),
    "rows of values": lambda: ragged().value_rowids(),
    "row sums": lambda: tf.reduce_sum(ragged(), 1),
    "row maxima": lambda: tf.reduce_max(ragged(), 1),
    "filled": lambda: ragged().to_tensor(-1.0),
    "filled and cut": lambda: ragged().to_tensor(-1.0, shape=[200, 2]),
    "filled and wider": lambda: ragged().to_tensor(-1.0, shape=[400, 7]),
    "truncated normals": lambda: tf.random.stateless_truncated_normal([30_001], [1, 2]),
    "wide truncated normals": lambda: tf.random.stateless_truncated_normal(
        [30_001], [3, 4], dtype=tf.float64
    ),
    "a replaced block": lambda: dynamic_update_slice(FLOATS, FLOATS[:7, 1:], [990, 0]),
    "a replaced block beyond the end": lambda: dynamic_update_slice(FLOATS, FLOATS[:7], [999, 2]),
    "a replaced block before the start": lambda: dynamic_update_slice(IDS, IDS[:3], [-2]),
    "gradient of a block": lambda: gradient(
        lambda x: dynamic_update_slice(FLOATS, x, [997, 1]) * FLOATS, FLOATS[:5, 1:]
    ),
    "a shuffle": lambda: tf.random.experimental.stateless_shuffle(IDS, [1, 2]),
}


def ragged() -> Any:
    return tf.RaggedTensor.from_row_lengths(FLOATS[: LENGTHS.sum(), 0], LENGTHS)


def gradient(function: Callable[[Any], Any], given: Any) -> Any:
    x = tf.constant(given)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def answer(name: str, device: str) -> list[Any]:
    with tf.device(device):
        made = CASES[name]()
    parts = made if isinstance(made, (tuple, list)) else [made]
    return [part.numpy() for part in parts]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.gpus(1, strict=True)
def test_a_gpu_gives_what_the_host_gives(name: str) -> None:
    for there, here in zip(answer(name, "/GPU:0"), answer(name, "/CPU:0"), strict=True):
        np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-6)


@pytest.mark.gpus(1, strict=True)
def test_truncated_normal_numbers_without_a_seed_stay_in_their_bounds() -> None:
    with tf.device("/GPU:0"):
        made = tf.random.truncated_normal([100_000]).numpy()
    assert np.abs(made).max() < 2.0
    assert abs(made.mean()) < 0.02
    assert abs(made.std() - 0.8796) < 0.01  # that of a normal distribution cut off there


@pytest.mark.gpus(1, strict=True)
def test_a_block_is_replaced_without_a_wait() -> None:
    with tf.device("/GPU:0"):
        x, block, place = tf.zeros([9, 9]), tf.Variable(tf.ones([2, 2])), tf.constant([3, 4])
        with assert_no_waits(), tf.GradientTape() as tape:
            y = dynamic_update_slice(x, block, place)
            tape.gradient(y, block)


@pytest.mark.gpus(1, strict=True)
def test_a_negative_gamma_is_told_without_a_wait() -> None:
    with tf.device("/GPU:0"):
        image, gamma = tf.ones([4, 4, 3]), tf.constant(-1.0)
        with assert_no_waits():
            made = tf.function(tf.image.adjust_gamma)(image, gamma)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"[Gg]amma"):
            made.numpy()
