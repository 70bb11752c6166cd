"""Copies to and from a card do not wait, for they go through pinned memory; what comes is right."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf

pytestmark = pytest.mark.cuda

SIZES = (1, 17, 1000, 1 << 16, 1 << 20, 1 << 24)


@pytest.fixture(autouse=True)
def grown() -> None:
    for card in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(card, True)


def busy() -> Any:
    """Keeps the card busy for some tens of milliseconds; returns when that has been asked for."""
    x = torch.ones(8192, 8192, device="cuda")
    for _ in range(20):
        x = x @ x / 8192
    return x


@pytest.mark.parametrize("size", SIZES)
def test_an_array_is_brought_without_a_wait(size: int) -> None:
    array = np.arange(size, dtype=np.float32)
    tf.constant(array).numpy()
    busy()
    torch.cuda.synchronize()
    done = torch.cuda.Event()
    working = busy()
    start = time.perf_counter()
    made = tf.constant(array)
    taken = time.perf_counter() - start
    done.record()
    assert not done.query(), f"the host waited {taken * 1e3:.1f} ms"
    assert made.numpy().tolist() == array.tolist()
    assert working is not None


@pytest.mark.parametrize("size", SIZES[:-1])
def test_a_program_may_change_an_array_that_is_on_its_way(size: int) -> None:
    array = np.zeros(size, np.float32)
    made = []
    working = busy()
    for i in range(50):
        array[:] = i
        made.append(tf.constant(array))
    for i, x in enumerate(made):
        assert x.numpy().tolist() == [float(i)] * size
    assert working is not None


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.float16, np.complex64])
def test_values_of_any_type_come_and_go(dtype: Any) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in (array, array.transpose(2, 0, 1), array[:, ::2], array[1:, :0]):
        assert tf.constant(view).numpy().tolist() == view.tolist()


def test_elements_of_a_dataset_are_brought_without_a_wait() -> None:
    rows = np.arange(64 * 100, dtype=np.float32).reshape(100, 64)
    batches = iter(tf.data.Dataset.from_tensor_slices(rows).batch(10))
    step = tf.function(lambda x: tf.reduce_sum(x * 2.0))
    step(next(batches))
    torch.cuda.synchronize()
    working, done = busy(), torch.cuda.Event()
    totals = [step(batch) for batch in batches]
    done.record()
    assert not done.query()
    assert sum(map(float, totals)) == float(rows[10:].sum() * 2)
    assert working is not None


def test_copies_between_logical_devices_keep_their_order() -> None:
    for i in range(20):
        with tf.device("/GPU:0"):
            x = tf.fill([1 << 20], float(i))
        with tf.device("/CPU:0"):
            y = tf.identity(x)
        assert set(y.numpy()[:: 1 << 16].tolist()) == {float(i)}
