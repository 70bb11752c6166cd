"""Uniform numbers made by machine code are those that NumPy makes: codegen/philox.py."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import philox
from emplace.codegen.code import is_possible
from emplace.codegen.worth import DoneOtherwise

pytestmark = pytest.mark.skipif(not is_possible(), reason="no machine code can be made here")
_FULL = 1 << 64


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(philox, "NUMBERS_BEFORE", 0)


def _by_numpy(monkeypatch: pytest.MonkeyPatch, *args: int) -> torch.Tensor:
    from emplace.base import dtypes
    from emplace.ops.random import draws

    with monkeypatch.context() as patch:
        patch.setattr(philox, "NUMBERS_BEFORE", _FULL)
        return draws.uniform(*args, dtypes.float32, "cpu")


_KEYS = (0, 1, _FULL - 1, 0x0123456789ABCDEF)
_COUNTERS = (0, 1, (1 << 32) - 3, _FULL - 5000, _FULL, (_FULL - 1) * _FULL + 7, 5 << 96 | 3 << 32)


@pytest.mark.parametrize("count", [1, 3, 31, 32, 33, 64, 1001, 8195])
def test_the_bits_are_those_of_numpy(count, monkeypatch):
    for key, counter in itertools.product(_KEYS, _COUNTERS):
        made = philox.uniforms(key, counter, count)
        assert made is not None
        assert made.shape == (count,)
        assert torch.equal(made, _by_numpy(monkeypatch, key, counter, count)), (key, counter)


def test_a_counter_whose_lower_half_runs_over_is_left_to_numpy():
    assert philox.uniforms(1, _FULL - 10, 100) is None
    assert philox.uniforms(1, 5 * _FULL - 10, 100) is None


def test_a_program_gets_the_same_numbers_either_way(monkeypatch):
    def python():
        return [
            tf.random.stateless_uniform([3, 1000], [1, 2]),
            tf.random.stateless_uniform([77], [5, 9], -3.0, 8.0),
            tf.nn.experimental.stateless_dropout(tf.ones([40, 40]), 0.3, [7, 8]),
        ]

    made = [*python(), *tf.function(python)()]
    monkeypatch.setattr(philox, "NUMBERS_BEFORE", _FULL)
    for one, other in zip(made, [*python(), *tf.function(python)()], strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_switched_off_it_makes_nothing(monkeypatch):
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    assert philox.uniforms(1, 2, 100) is None


def test_a_few_calls_do_not_wait_for_a_compiler(monkeypatch):
    monkeypatch.setattr(philox, "NUMBERS_BEFORE", 1 << 16)
    monkeypatch.setattr(philox, "_DONE", DoneOtherwise())
    assert philox.uniforms(1, 2, 50_000) is None
    assert philox.uniforms(1, 2, 50_000) is not None
    monkeypatch.setattr(philox, "_DONE", DoneOtherwise())
    made = [philox.uniforms(1, 2, 8) is not None for _ in range(5)]
    assert made == [False, False, False, True, True]
