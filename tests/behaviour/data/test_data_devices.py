"""Elements of datasets on devices: budgets, and what transformations behind a copy see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(1, memory="64KB")

D = tf.data.Dataset
EX = tf.data.experimental
TO_DEVICE = [EX.copy_to_device("/GPU:0"), EX.prefetch_to_device("/GPU:0", 1)]


def in_use() -> int:
    return tf.config.experimental.get_memory_info("GPU:0")["current"]


def floats(rows: int, columns: int) -> Any:
    return np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)


@pytest.mark.parametrize("move", TO_DEVICE)
def test_elements_that_are_brought_to_a_device_are_charged(move: Callable[[Any], Any]):
    (element,) = list(D.from_tensors(floats(4, 64)).apply(move))
    assert element.device.endswith("GPU:0")
    assert in_use() == 4 * 64 * 4
    del element
    assert in_use() == 0


@pytest.mark.parametrize("move", TO_DEVICE)
def test_elements_that_do_not_fit_a_device_are_refused(move: Callable[[Any], Any]):
    dataset = D.from_tensor_slices(floats(4, 10_000)).apply(move)  # 40,000 bytes each
    iterator = iter(dataset)
    first = next(iterator)
    message = r"OOM when allocating tensor with shape\[10000\] and type float on .*device:GPU:0"
    with pytest.raises(tf.errors.ResourceExhaustedError, match=message):
        next(iterator)
    assert first.numpy()[0] == 0


def test_elements_behind_a_refused_one_come_when_there_is_room():
    iterator = iter(D.from_tensor_slices(floats(3, 10_000)).apply(TO_DEVICE[0]))
    first = next(iterator)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        next(iterator)
    del first
    assert next(iterator).numpy()[0] == 20_000


def test_observers_hear_of_the_copies_of_elements():
    with emplace.watch() as watching:
        list(D.from_tensor_slices(floats(3, 10)).apply(TO_DEVICE[0]))
    (copies,) = watching.report().to_dict()["copies"]
    assert (copies["count"], copies["bytes"], copies["hidden"]) == (3, 120, False)
    assert (copies["from"], copies["to"]) == ("CPU:0", "GPU:0")


# TensorFlow 2.21 gives the same values, on the host, for each of these.
BEHIND = {
    "map": lambda ds: ds.map(lambda x: x + 1.0),
    "take": lambda ds: ds.take(1),
    "batch": lambda ds: ds.batch(2),
    "cache": lambda ds: ds.cache(),
    "shuffle": lambda ds: ds.shuffle(2),
    "zip": lambda ds: D.zip((ds, D.range(2))).map(lambda x, y: x),
    "flat_map": lambda ds: D.range(1).flat_map(lambda _: ds),
    "repeat": lambda ds: ds.repeat(2),
}


@pytest.mark.parametrize("name", BEHIND)
def test_transformations_behind_a_copy_to_a_device_read_its_elements_on_the_host(name: str):
    host = D.from_tensor_slices(floats(2, 3))
    made = list(BEHIND[name](host.apply(TO_DEVICE[0])))
    assert [x.device.rsplit(":", 2)[1] for x in made] == ["CPU"] * len(made)
    expected = {x.numpy().tobytes() for x in BEHIND[name](host)}
    assert {x.numpy().tobytes() for x in made} == expected
    assert in_use() == 0


def test_a_copy_to_a_device_is_reduced_and_asked_for_its_only_element_on_the_host():
    moved = D.from_tensors(floats(1, 3)).apply(TO_DEVICE[0])
    assert float(moved.reduce(0.0, lambda s, x: s + tf.reduce_sum(x))) == 3.0
    assert moved.get_single_element().device.endswith("CPU:0")
