"""A program does the same eagerly, in a traced function, in one that torch compiles, and in a
session: same values, same variables afterwards.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
import torch
from random_programs import SHAPES, make_program, outcome
from torch._dynamo.utils import counters

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace.graph import jit

# 5,000 programs: EMPLACE_PROGRAMS=5000 pytest tests/contract/test_graph_equals_eager.py
COUNT = int(os.environ.get("EMPLACE_PROGRAMS", "60"))
# Torch needs a second or two for a program even where it makes no machine code, and then up to a
# minute. EMPLACE_COMPILED_PROGRAMS=500 and EMPLACE_INDUCTOR_PROGRAMS=20 take a quarter of an hour
# each.
COMPILED = int(os.environ.get("EMPLACE_COMPILED_PROGRAMS", "6"))
INDUCTOR = int(os.environ.get("EMPLACE_INDUCTOR_PROGRAMS", "1"))


def values(seed: int, shift: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed * 2 + shift)
    return [rng.standard_normal(shape).astype(np.float32) for shape in SHAPES]


def eagerly(seed: int, function: Any = outcome) -> list[np.ndarray]:
    """Values of the results, then of the variables, of two runs."""
    variables = [tf.Variable(value) for value in values(seed, 1)]
    inputs = [tf.constant(value) for value in values(seed)]
    found: list[Any] = []
    for _ in range(2):
        found += function(make_program(seed), inputs, variables)[0]
    return [np.asarray(each) for each in (*found, *variables)]


def traced(seed: int) -> list[np.ndarray]:
    function = tf.function(lambda program, inputs, variables: outcome(program, inputs, variables))
    return eagerly(seed, lambda *arguments: function(*arguments))


def compiled(seed: int) -> list[np.ndarray]:
    """As `traced`, compiled at its first call; fails if torch compiles nothing of it."""
    torch._dynamo.reset()
    counters.clear()
    function = tf.function(lambda *arguments: outcome(*arguments), jit_compile=True)
    found = eagerly(seed, lambda *arguments: function(*arguments))
    assert counters["frames"]["ok"] > 0
    return found


def in_session(seed: int) -> list[np.ndarray]:
    with tf1.Graph().as_default():
        variables = [tf1.Variable(value) for value in values(seed, 1)]
        inputs = [tf1.placeholder(tf.float32, shape) for shape in SHAPES]
        tensors, effects = outcome(make_program(seed), inputs, variables)
        with tf1.Session() as session:
            session.run([v.initializer for v in variables])
            feeds = dict(zip(inputs, values(seed), strict=True))
            found: list[Any] = []
            for _ in range(2):
                found += session.run([tensors, effects], feeds)[0]
            return [np.asarray(each) for each in (*found, *session.run(variables))]


def assert_same(one: list[np.ndarray], other: list[np.ndarray]) -> None:
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def seeds() -> range:
    """The programs of this process, of all that a parallel run has."""
    return range(COUNT)


@pytest.mark.parametrize("part", range(6))
@pytest.mark.gpus(2)
def test_a_program_does_the_same_eagerly_in_a_function_and_in_a_session(part):
    for seed in seeds()[part::6]:
        expected = eagerly(seed)
        assert_same(traced(seed), expected)
        assert_same(in_session(seed), expected)


@pytest.mark.gpus(2, memory="64MB")
def test_a_program_does_the_same_on_bounded_devices_while_somebody_watches():
    for seed in seeds()[:10]:
        expected = eagerly(seed)
        assert_same(traced(seed), expected)
        with emplace.watch():
            assert_same(traced(seed), expected)
            assert_same(in_session(seed), expected)


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_a_program_does_the_same_compiled(backend: str, monkeypatch: pytest.MonkeyPatch):
    # On the host alone: on devices with a budget, as virtual GPUs are, plans are not compiled.
    tf.config.set_soft_device_placement(True)
    monkeypatch.setattr(jit, "CALLS_BEFORE", 0)
    monkeypatch.setenv("EMPLACE_JIT_BACKEND", backend)
    for seed in range(INDUCTOR if backend == "inductor" else COMPILED):
        assert_same(compiled(seed), eagerly(seed))
