"""Steps of Adam as machine code: codegen/adam.py."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen import adam, code, team

pytestmark = pytest.mark.skipif(not code.lanes(), reason="this processor has none of these kernels")
RATES = 0.01, 0.1, 0.001, 1e-7
# Parts of vectors, whole ones, and more than one part; nothing.
SIZES = [[1], [15, 16, 17], [40, 0, 3], [3 * (1 << 16) + 5, 100, 1 << 16]]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """No number must be computed otherwise before, and few are shared."""
    monkeypatch.setattr(adam, "NUMBERS_BEFORE", 0)
    monkeypatch.setattr(adam, "LEAST_SHARED", 2)


@pytest.fixture
def _threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def _numbers(sizes: list[int], seed: int) -> list[torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    return [torch.rand(size, generator=random) for size in sizes]


def _state(sizes: list[int]) -> list[list[torch.Tensor]]:
    """Variables, their means and mean squares, gradients."""
    return [_numbers(sizes, seed) for seed in range(4)]


def _are_equal(one: list[list[torch.Tensor]], other: list[list[torch.Tensor]]) -> bool:
    pairs = zip(itertools.chain(*one), itertools.chain(*other), strict=True)
    return all(torch.equal(x, y) for x, y in pairs)


def _exact(var, mean, square, grad):
    """What the formula says, in float64."""
    rate, mean_rate, square_rate, epsilon = RATES
    var, mean, square, grad = (x.double() for x in (var, mean, square, grad))
    mean = mean + (grad - mean) * mean_rate
    square = square + (grad * grad - square) * square_rate
    return var - mean * rate / (square.sqrt() + epsilon), mean, square


@pytest.mark.parametrize("is_crowded", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.usefixtures("_threads")
def test_a_step_is_what_the_formula_says(monkeypatch, sizes, threads, is_crowded):
    monkeypatch.setattr(team, "is_crowded", lambda: is_crowded)
    torch.set_num_threads(threads)
    state = _state(sizes)
    expected = [_exact(*tensors) for tensors in zip(*state, strict=True)]
    assert adam.step_of_adam(*state, RATES)
    for i, exact in enumerate(expected):
        for values, wanted in zip(state[:3], exact, strict=True):
            np.testing.assert_allclose(values[i], wanted, rtol=3e-7, atol=1e-7)
    assert all(torch.equal(x, y) for x, y in zip(state[3], _numbers(sizes, 3), strict=True))


@pytest.mark.usefixtures("_threads")
def test_bits_do_not_depend_on_threads():
    states = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        states.append(_state(SIZES[-1]))
        adam.step_of_adam(*states[-1], RATES)
    for one, other in ((0, 1), (0, 2)):
        assert _are_equal(states[one], states[other])


def test_nothing_beside_the_numbers_is_written():
    memory = [torch.full([50], 7.0) for _ in range(4)]
    assert adam.step_of_adam(*([x[16:39]] for x in memory), RATES)
    for x in memory[:3]:
        assert (x[:16] == 7).all()
        assert (x[39:] == 7).all()
        assert (x[16:39] != 7).any() or x is memory[1]  # a mean stays if the gradient is the mean


@pytest.mark.parametrize("size", [5, 100], ids=["part of a vector", "vectors and a part"])
def test_numbers_below_the_smallest_normal_one_become_0_and_only_in_the_step(size):
    var, zeros = torch.ones(size), torch.zeros(size)
    mean, square = torch.full([size], 1.2e-38), torch.full([size], 1e-40)
    assert adam.step_of_adam([var], [mean], [square], [zeros], RATES)
    assert not mean.any()
    assert not square.any()
    assert torch.equal(var, torch.ones(size))
    assert (torch.full([size], 1.2e-38) * 0.5).all()  # this thread keeps such numbers elsewhere


def _apply(var, m, v, grad):
    tf.raw_ops.ResourceApplyAdam(
        var=var.handle, m=m.handle, v=v.handle, beta1_power=0.5, beta2_power=0.5, lr=0.1,
        beta1=0.9, beta2=0.999, epsilon=1e-7, grad=grad,
    )  # fmt: skip


def test_a_gradient_too_large_to_be_squared_leaves_no_number_as_in_tensorflow():
    var, m, v = (tf.Variable(tf.zeros([3])) for _ in range(3))
    _apply(var, m, v, tf.constant([1.0, 1e30, 1.0]))
    assert v.numpy()[1] == math.inf
    _apply(var, m, v, tf.constant([1.0, 1.0, 1.0]))  # infinity less infinity
    assert np.isnan(v.numpy()).tolist() == [False, True, False]
    assert np.isnan(var.numpy()).tolist() == [False, True, False]


@pytest.mark.parametrize("way", ["eager", "function"])
def test_gradients_that_lie_otherwise_arrive_where_they_belong(way):
    var, m, v = (tf.Variable(tf.zeros([2, 3])) for _ in range(3))
    apply = _apply if way == "eager" else tf.function(_apply)
    apply(var, m, v, tf.transpose(tf.reshape(tf.range(6.0), [3, 2])))
    np.testing.assert_allclose(m.numpy(), np.arange(6.0).reshape(3, 2).T * 0.1, rtol=1e-6)


@pytest.mark.parametrize("numbers_before", [0, 1 << 60], ids=["machine code", "torch"])
def test_torch_counts_the_changes(numbers_before, monkeypatch):
    monkeypatch.setattr(adam, "NUMBERS_BEFORE", numbers_before)
    changed = [tf.Variable(tf.zeros([3])) for _ in range(3)]
    before = [x.handle._value.value._version for x in changed]
    _apply(*changed, tf.ones([3]))
    assert all(x.handle._value.value._version > n for x, n in zip(changed, before, strict=True))


def test_few_numbers_are_not_worth_a_kernel(monkeypatch):
    monkeypatch.setattr(adam, "NUMBERS_BEFORE", 1 << 60)
    state = _state([4])
    assert not adam.step_of_adam(*state, RATES)
    assert _are_equal(state, _state([4]))


def test_without_machine_code_nothing_is_done(monkeypatch):
    monkeypatch.setenv("EMPLACE_MACHINE_CODE", "0")
    assert not adam.step_of_adam(*_state([4]), RATES)
