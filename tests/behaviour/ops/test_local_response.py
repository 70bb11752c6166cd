"""`tf.nn.lrn` of many values, which is computed in parts, equals the parts computed alone."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import rows
from emplace.codegen.worth import DoneOtherwise
from emplace.ops.nn import local_response, response_rows


def _halves(call):
    """A function of all images, and of two halves of them joined."""
    x = np.random.default_rng(0).normal(size=(10, 33, 33, 8)).astype("float32")
    assert x.size > local_response._AT_ONCE, "or nothing is computed in parts"
    return call(tf.constant(x)).numpy(), np.concatenate(
        [call(tf.constant(part)).numpy() for part in np.split(x, 10)]
    )


def _lrn(x):
    return tf.nn.lrn(x, 2, 1.0, 0.5, 0.75)


def _gradient(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(_lrn(x) ** 2)
    return tape.gradient(y, x)


def _second(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(_gradient(x) ** 2)
    return tape.gradient(y, x)


@pytest.mark.parametrize("call", [_lrn, _gradient, _second])
def test_parts_of_a_large_normalization_fit_together(call, monkeypatch):
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    whole, parts = _halves(call)
    np.testing.assert_allclose(whole, parts, rtol=1e-5, atol=1e-6)


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many iterations each run of machine code had, which runs at once, on few numbers."""
    found: list[int] = []
    run = rows.run_tables

    def told(tables, *tensors):
        found.append(tables.iterations)
        run(tables, *tensors)

    monkeypatch.setattr(rows, "run_tables", told)
    monkeypatch.setattr(rows, "NUMBERS_BEFORE", 0)
    monkeypatch.setattr(rows, "LEAST_SHARED", 0)
    monkeypatch.setattr(response_rows, "_LEAST", 0)
    return found


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("shape", "radius", "beta"),
    [((2, 8, 8, 64), 4, 0.75), ((1, 7, 9, 5), 2, 0.5), ((1, 3, 1, 17), 40, 0.75),
     ((1, 1, 1, 1), 0, 0.75), ((3, 11, 3, 32), 5, 0.5)],
)  # fmt: skip
@pytest.mark.gpus(0)
def test_machine_code_gives_what_kernels_give(shape, radius, beta, threads, ran, monkeypatch):
    x = tf.constant(np.random.default_rng(0).normal(size=shape).astype("float32"))

    def both():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.lrn(x, radius, 1.5, 0.3, beta)
        return y, tape.gradient(y, x, output_gradients=x)

    monkeypatch.setattr(torch, "get_num_threads", lambda: threads)
    found = both()
    assert sum(ran) == 2 * (x.shape.num_elements() // shape[-1] // 32) + 2 * bool(
        x.shape.num_elements() // shape[-1] % 32
    )
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    for one, other in zip(found, both(), strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6, atol=2e-6)


@pytest.mark.gpus(0)
def test_machine_code_waits_until_it_is_worth_its_making(ran, monkeypatch):
    monkeypatch.setattr(rows, "NUMBERS_BEFORE", 200)
    monkeypatch.setattr(rows, "_DONE", DoneOtherwise())
    x = tf.ones([1, 2, 5, 8])
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            tf.nn.lrn(x)
    assert ran == [1, 1]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_other_types_are_for_the_kernels(dtype, ran):
    with tf.GradientTape() as tape:
        x = tf.ones([1, 2, 5, 8], dtype)
        tape.watch(x)
        tf.nn.lrn(x)
    assert not ran
