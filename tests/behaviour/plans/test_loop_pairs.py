"""Loops that need nothing of each other run at once (passes/loop_pairs.py, codegen/beside.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch

import emplace.tensorflow as tf
from emplace.codegen.code import is_possible
from emplace.graph.codegen import beside, loops
from emplace.graph.passes.loop_pairs import with_paired_loops

pytestmark = [
    pytest.mark.skipif(not is_possible(), reason="no machine code is made here"),
    pytest.mark.not_strict("plans on strict GPUs keep their instrumented form"),
]
W = tf.constant(np.random.default_rng(0).normal(size=(7, 7)).astype(np.float32) / 3)
X = tf.constant(np.random.default_rng(1).normal(size=(4, 7)).astype(np.float32))


def _steps(x: tf.Tensor, scale: float, count: int = 9) -> tf.Tensor:
    for _ in tf.range(count):
        x = tf.tanh(tf.matmul(x, W)) * scale
    return x


def _two_ways(x):
    return _steps(x, 0.9) + _steps(x * 2.0, 1.1)


def _one_behind_the_other(x):
    return _steps(_steps(x, 0.9), 1.1)


def _gradients(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(_two_ways(x) ** 2)
    return tape.gradient(y, x)


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Machine code from the first iteration on, in however short loops; notes what has begun."""
    monkeypatch.setattr(loops, "ITERATIONS_BEFORE", 1)
    monkeypatch.setattr(beside, "_LEAST_WORK", 0)
    noted: list[bool] = []
    pool = beside._pool

    class Noting:
        def submit(self, *given: object) -> object:
            noted.append(True)
            return pool().submit(*given)

    monkeypatch.setattr(beside, "_pool", Noting)
    return noted


@pytest.mark.parametrize("program", [_two_ways, _gradients])
def test_bits_are_those_of_one_after_the_other(at_once, threads, program):
    threads(1)
    alone = tf.function(program)
    wanted = [alone(X).numpy() for _ in range(3)][-1]
    assert not at_once
    threads(2)
    together = tf.function(program)
    for _ in range(20):
        np.testing.assert_array_equal(together(X), wanted)
    assert len(at_once) == 20 * (2 if program is _gradients else 1)
    np.testing.assert_allclose(program(X), wanted, rtol=1e-5, atol=1e-6)


def test_what_needs_the_other_waits_for_it(at_once, threads):
    threads(2)
    function = tf.function(_one_behind_the_other)
    for _ in range(3):
        made = function(X)
    assert not at_once
    np.testing.assert_allclose(made, _one_behind_the_other(X), rtol=1e-5, atol=1e-6)


def test_variables_are_read_before_they_change(at_once, threads):
    threads(2)
    v = tf.Variable(X)

    @tf.function
    def function():
        first = _steps(v, 0.9)
        v.assign_add(tf.ones_like(v))
        return first, _steps(v, 0.9)

    for _ in range(3):
        before = v.numpy()
        first, second = function()
        np.testing.assert_allclose(first, _steps(tf.constant(before), 0.9), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(second, _steps(v, 0.9), rtol=1e-5, atol=1e-6)
    assert not at_once


def test_a_thread_that_does_not_come_is_not_waited_for(at_once, threads, monkeypatch):
    from concurrent.futures import Future

    class Idle:
        def submit(self, *_: object) -> Future:
            return Future()

    threads(2)
    function = tf.function(_two_ways)
    wanted = function(X).numpy()
    monkeypatch.setattr(beside, "_pool", Idle)
    np.testing.assert_array_equal(function(X), wanted)


def test_what_fails_in_one_is_told_when_both_are_over(monkeypatch, threads):
    threads(2)
    monkeypatch.setattr(beside, "_LEAST_WORK", 0)
    ended = []

    class Failing:
        last_work = 1

        def __call__(self) -> None:
            raise tf.errors.InternalError(None, None, "the first one")

    class Ending:
        last_work = 1

        def __call__(self) -> list[int]:
            ended.append(1)
            return [1]

    with pytest.raises(tf.errors.InternalError, match="the first one"):
        beside.both(Failing(), [], Ending(), [])
    with pytest.raises(tf.errors.InternalError, match="the first one"):
        beside.both(Ending(), [], Failing(), [])
    assert beside.both(Ending(), [], Ending(), []) == ([1], [1])


def test_a_loop_of_unknown_length_is_python_between_others(at_once, threads):
    threads(2)

    @tf.function
    def function(x, count):
        first = _steps(x, 0.9)
        for _ in tf.range(count):  # how many there are is not known
            x = tf.tanh(x)
        return first + _steps(x, 1.1, 5)

    for count in (0, 3, 3):
        wanted = X
        for _ in range(count):
            wanted = tf.tanh(wanted)
        wanted = _steps(X, 0.9) + _steps(wanted, 1.1, 5)
        np.testing.assert_allclose(function(X, tf.constant(count)), wanted, rtol=1e-5, atol=1e-6)


class _Record:
    def __init__(self, name: str, stateful: bool = False) -> None:
        self.name, self.stateful = name, stateful


class _Node:
    """An operation of a graph with one output, as the pass sees it."""

    def __init__(self, name: str, *sources: _Node, stateful: bool = False, control=()) -> None:
        self.record, self.control = _Record(name, stateful), list(control)
        self.inputs = [source.outputs[0] for source in sources]
        self.outputs = [object()]
        self.attrs = {"bodies": ()}


def _same(x: object) -> object:
    return x


def test_the_second_one_comes_right_behind_the_first_with_what_it_needs():
    x, a = _Node("Placeholder"), _Node("Mul")
    one, between = _Node("While", x), _Node("Exp", a)
    after, two = _Node("Neg", one), _Node("While", between)
    rest, third = _Node("Add", after, two), _Node("Scan", two)
    ordered, pairs = with_paired_loops([x, a, one, between, after, two, rest, third], _same)
    assert ordered == [x, a, between, one, two, after, rest, third]
    assert pairs == {one: two}


def test_effects_and_edges_of_control_keep_their_order():
    x, one = _Node("Placeholder"), _Node("While")
    write = _Node("AssignVariableOp", x, stateful=True)
    two, waiting = _Node("While", x), _Node("While", x, control=[one])

    def pairs(*operations: _Node) -> dict:
        return with_paired_loops(list(operations), _same)[1]

    assert pairs(x, one, write, two) == {}
    assert pairs(x, one, waiting) == {}
    assert pairs(x, one, two) == {one: two}


def test_who_makes_a_value_now_counts():
    """The second loop takes a value that a pass has let another operation make, from the first."""
    x, one, gone = _Node("Placeholder"), _Node("While"), _Node("Neg")
    fused, two = _Node("_FusedMap", one), _Node("While", gone)
    fused.outputs = gone.outputs
    assert with_paired_loops([x, one, fused, two], _same)[1] == {}
    other = _Node("_FusedMap", x)
    other.outputs = gone.outputs
    ordered, pairs = with_paired_loops([x, one, other, two], _same)
    assert ordered == [x, other, one, two]
    assert pairs == {one: two}
    # Or one by another name.
    assert with_paired_loops([x, one, two], lambda _: one.outputs[0])[1] == {}
