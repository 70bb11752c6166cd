"""Where sizes are known, plans call the kernel that serves them: `Op.kernel_for_dims`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.ops.linalg.products import matmul_kernel

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")


def _kernels(python: Any, *args: Any, **options: Any) -> list[Any]:
    """What the plan calls; the function gives what eager mode gives."""
    function = tf.function(python, **options)
    for _ in range(2):
        np.testing.assert_allclose(function(*args), python(*args), rtol=1e-5, atol=1e-5)
    (plan,) = function.plans()
    return [value for value in plan.space.values() if value in (torch.mm, matmul_kernel)]


def test_small_products_are_torch_s():
    assert _kernels(lambda x: tf.matmul(x, x), tf.random.normal([4, 4])) == [torch.mm]
    x = tf.cast(tf.random.uniform([4, 4]) * 9.0, tf.int32)
    assert _kernels(lambda x: tf.matmul(x, x), x) == [torch.mm]


@pytest.mark.parametrize(
    ("python", "shape"),
    [
        (lambda x: tf.matmul(x, x), [128, 128]),
        (lambda x: tf.matmul(x, x, transpose_b=True), [4, 3]),
        (lambda x: tf.matmul(x, x, transpose_a=True), [4, 3]),
    ],
    ids=["large", "the second transposed", "the first transposed"],
)
def test_others_are_chosen_as_they_run(python, shape):
    assert _kernels(python, tf.random.normal(shape)) == [matmul_kernel]


def test_of_both_kinds_each_has_its_own():
    def python(x, y):
        return tf.matmul(tf.matmul(x, x)[:4, :4], tf.matmul(y, y))

    made = _kernels(python, tf.random.normal([128, 128]), tf.random.normal([4, 4]))
    assert made == [matmul_kernel, torch.mm]


def test_sizes_that_only_the_run_tells():
    spec = [tf.TensorSpec([None, 4])]
    function = tf.function(lambda x: tf.matmul(x, x, transpose_a=True), input_signature=spec)
    for rows in (2, 4096):
        x = tf.random.normal([rows, 4])
        np.testing.assert_allclose(function(x), x.numpy().T @ x.numpy(), rtol=1e-4, atol=1e-3)
