"""The sums of TensorFlow's "Use a GPU" guide, on virtual GPUs."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
B = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_matmul_of_the_guide() -> None:
    product = tf.matmul(tf.constant(A), tf.constant(B))
    assert str(product) == "tf.Tensor(\n[[22. 28.]\n [49. 64.]], shape=(2, 2), dtype=float32)"


@pytest.mark.gpus(4)
@pytest.mark.parametrize(
    ("gpus", "expected"), [([2, 3], [[44, 56], [98, 128]]), ([0, 1, 2, 3], [[88, 112], [196, 256]])]
)
def test_towers_on_gpus_are_summed_on_the_cpu(gpus: list[int], expected: list[list[int]]) -> None:
    towers = []
    for gpu in gpus:
        with tf.device(f"/device:GPU:{gpu}"):
            towers.append(tf.matmul(tf.constant(A), tf.constant(B)))
    with tf.device("/CPU:0"):
        total = tf.add_n(towers)
    assert [tower.device[-5:] for tower in towers] == [f"GPU:{gpu}" for gpu in gpus]
    assert total.device.endswith("CPU:0")
    assert total.numpy().tolist() == expected
