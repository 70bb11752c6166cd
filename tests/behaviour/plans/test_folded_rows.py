"""What rows come to is part of a pass over memory, and what goes on with it, too."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.graph.passes import maps
from emplace.ops.math import fused_map

pytestmark = pytest.mark.not_strict("plans on strict GPUs keep their instrumented form")
SHAPES = [
    (4, 5, 19), (8, 16), (6, 6), (12, 33), (3, 4, 64), (5, 7), (1, 40), (16, 1, 35), (2, 3, 4, 17),
]  # fmt: skip


@pytest.fixture(params=["machine code", "torch"], autouse=True)
def _way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of any size are fused; both forms of the operation give what eager mode gives."""
    monkeypatch.setattr(maps, "LEAST_NUMBERS", 1)
    before = 0 if request.param == "machine code" else 1 << 60
    monkeypatch.setattr(fused_map, "NUMBERS_BEFORE", before)


def _numbers(*shape: int, seed: int = 0) -> tf.Tensor:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype("float32"))


def _check(python: Callable[..., Any], *args: Any) -> list[str]:
    """The operations of the plan; the function gives what eager mode gives, in two calls."""
    function = tf.function(python)
    wanted = tf.nest.flatten(python(*args))
    for _ in range(2):
        for made, exact in zip(tf.nest.flatten(function(*args)), wanted, strict=True):
            assert made.shape == exact.shape
            near = 3e-5 * max(np.nanmax(np.abs(exact), initial=0), 1e-3)
            np.testing.assert_allclose(made.numpy(), exact.numpy(), rtol=1e-4, atol=near)
    return [step.op for step in emplace.explain(function, *args).steps]


X, ROW = _numbers(4, 6, 5, 19), _numbers(19, seed=1)


def _layer_norm(x: tf.Tensor) -> tf.Tensor:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return tf.nn.batch_normalization(x * 1.0, mean, variance, ROW, ROW * 0.5, 1e-3)


def test_layer_norm_is_one_operation():
    assert _check(_layer_norm, X) == ["_FusedMap"]


def _with_gradient(function: Callable[[tf.Tensor], tf.Tensor]) -> Callable[[tf.Tensor], list]:
    def python(x: tf.Tensor) -> list:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
            loss = tf.reduce_sum(tf.sin(y))
        return [y, tape.gradient(loss, x)]

    return python


@pytest.mark.parametrize("function", [_layer_norm, tf.nn.softmax])
def test_the_gradient_is_one_operation_too(function):
    made = _check(_with_gradient(function), X)
    assert made.count("_FusedMap") == 2
    assert not {"Mean", "Softmax", "Max"} & set(made), made


# No vector, halves of one, one, several, and what is left beside them.
@pytest.mark.parametrize("columns", [4, 7, 8, 16, 19, 24, 32, 35, 40, 51, 1000])
def test_rows_of_all_widths_are_folded(columns):
    x = _numbers(4, 3, columns)

    def python(x):
        least = -tf.reduce_max(-x, -1, keepdims=True)
        return x - least, tf.reduce_sum(x * 2.0, [-1]), tf.reduce_mean(x * x, -1, keepdims=True)

    assert set(_check(python, x)) == {"_FusedMap"}


def test_long_rows_are_left_to_torch_which_adds_them_up_more_exactly():
    x = _numbers(2, 5000)
    assert "Mean" in _check(lambda x: x * 2.0 - tf.reduce_mean(x, -1, keepdims=True), x)
    assert "Softmax" in _check(lambda x: tf.nn.softmax(x * 2.0), x)


def test_what_is_not_finite_stays_in_its_row():
    x = X.numpy()
    x[0, 0, 0, 3], x[1, 1, 1, 0], x[2, 2, 2, :], x[3, 0, 0, :4] = np.nan, np.inf, -np.inf, -np.inf
    x = tf.constant(x)
    made = tf.function(lambda x: (tf.nn.softmax(x * 1.0), tf.reduce_max(x * 1.0, -1)))(x)
    exact = tf.nn.softmax(x), tf.reduce_max(x, -1)
    for ours, other in zip(made, exact, strict=True):
        np.testing.assert_array_equal(np.isnan(ours), np.isnan(other))


def test_large_numbers_are_folded():
    x = X * 80.0 + 1000.0
    assert _check(lambda x: tf.nn.softmax(x + 1.0), x) == ["_FusedMap"]


def test_numbers_of_rows_that_are_meant_as_a_row_are_one():
    square = _numbers(8, 8)
    made = _check(lambda x: x - tf.reduce_max(x * 2.0, -1), square)
    assert made.count("_FusedMap") <= 2
    _check(lambda x: x - tf.reduce_max(x * 2.0, -1) + tf.reduce_sum(x, -1, keepdims=True), square)


def test_numbers_of_rows_come_from_elsewhere_and_go_there():
    def python(x, column):
        most = tf.reduce_max(x * column, -1)
        flat = tf.reverse(most, [0])
        total = tf.reduce_sum(tf.exp(x - flat[..., None]), -1)
        return tf.math.log(total) + flat, most, total[..., None], x * total[..., None]

    _check(python, X, _numbers(4, 6, 5, 1))


def test_sums_of_columns_and_of_rows_are_in_one_operation():
    def python(x):
        y = x * ROW
        mean = tf.reduce_mean(y, -1, keepdims=True)
        return tf.reduce_sum(y - mean, [0, 1, 2]), tf.reduce_sum(y, [0, 1, 2]), mean, y - mean

    assert _check(python, X) == ["_FusedMap"]


def test_the_same_is_wanted_in_several_shapes():
    def python(x):
        most = tf.reduce_max(x * 2.0, -1)
        return most, tf.expand_dims(most, -1), tf.reshape(most, [4, 6, 5, 1]), x - most[..., None]

    _check(python, X)


def _random_program(seed: int, shape: tuple[int, ...]) -> Callable[..., list[tf.Tensor]]:
    """Some steps on whole tensors and on a number for each row."""

    def python(x, z, row, column):
        chance = random.Random(seed)
        whole, columns, results = [x, z], [column], []
        for _ in range(chance.randrange(3, 18)):
            a, b, c = chance.choice(whole), chance.choice(whole), chance.choice(columns)
            kind = chance.randrange(12)
            if kind < 3:
                whole.append((a + b, a * c, a - row)[kind])
            elif kind == 3:
                columns.append(tf.reduce_mean(a, -1, keepdims=True))
            elif kind == 4:
                columns.append(tf.expand_dims(tf.reduce_max(a, -1), -1))
            elif kind == 5:
                columns.append(tf.reduce_sum(a * b, [-1], keepdims=True) * 0.1)
            elif kind == 6:
                columns.append(tf.tanh(c) + chance.choice(columns))
            elif kind == 7:
                whole.append(tf.nn.softmax(a))
            elif kind == 8:
                whole.append(tf.where(a > b, a, tf.broadcast_to(c, shape)))
            elif kind == 9:
                results.append(tf.reduce_sum(a, list(range(len(shape) - 1))))
            elif kind == 10:
                results.append(chance.choice([a, c, tf.squeeze(c, -1)]))
            else:
                whole.append(tf.tanh(a - tf.reduce_mean(b, -1, keepdims=True)))
        return [*results, whole[-1], columns[-1], tf.reduce_max(whole[-1], -1)]

    return python


@pytest.mark.one_of(2)
@pytest.mark.parametrize("seed", range(30))
def test_random_programs_give_the_same(seed):
    shape = SHAPES[seed % len(SHAPES)]
    args = [
        _numbers(*shape),
        _numbers(*shape, seed=1),
        _numbers(shape[-1]),
        _numbers(*shape[:-1], 1),
    ]
    program = _random_program(seed, shape)

    def python(*args):
        if seed % 3:
            return program(*args)
        with tf.GradientTape() as tape:
            for each in args:
                tape.watch(each)
            made = program(*args)
            loss = tf.add_n([tf.reduce_sum(tf.sin(each)) for each in made])
        return made + [x for x in tape.gradient(loss, list(args)) if x is not None]

    assert "_FusedMap" in _check(python, *args)


@pytest.mark.parametrize("shape", [(64, 1), (4, 16, 1)])
def test_rows_of_one_number_are_no_numbers_of_rows(shape):
    scale, offset = tf.Variable([1.1]), tf.Variable([0.3])

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            mean, variance = tf.nn.moments(x, -1, keepdims=True)
            made = (x - mean) * tf.math.rsqrt(variance + 1e-3) * scale + offset
            loss = tf.reduce_sum(made * tf.sin(x))
        return tape.gradient(loss, [x, scale, offset])

    _check(step, _numbers(*shape))
