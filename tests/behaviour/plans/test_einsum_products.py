"""Einsums of attention, which plans multiply where their matrices lie."""

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.codegen import code
from emplace.ops.linalg import einsum_products

pytestmark = [
    pytest.mark.gpus(0),
    pytest.mark.skipif(not code.is_possible(), reason="no machine code here"),
]


@pytest.fixture
def loops(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many iterations each call of machine code was for."""
    monkeypatch.setattr(einsum_products, "MULTIPLICATIONS_BEFORE", 0)
    found: list[int] = []
    loop_of = einsum_products.loop_of

    def told(program):
        loop = loop_of(program)
        return lambda *given: (found.append(given[0]), loop(*given))[1]

    monkeypatch.setattr(einsum_products, "loop_of", told)
    return found


def numbers(*shape: int, seed: int = 0) -> tf.Tensor:
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(np.float32))


EQUATIONS = [
    ("aecd,abcd->acbe", (6, 32, 4, 16), (6, 24, 4, 16)),
    ("acbe,aecd->abcd", (6, 4, 24, 32), (6, 32, 4, 16)),
    ("acbe,abcd->aecd", (6, 4, 24, 32), (6, 24, 4, 16)),
    ("bij,bjk->bki", (8, 32, 20), (8, 20, 36)),
    ("bji,bkj->bik", (8, 20, 32), (8, 36, 20)),
]


@pytest.mark.parametrize(("equation", "a", "b"), EQUATIONS)
def test_products_where_they_lie_are_those_of_einsum(equation, a, b, loops):
    x, y = numbers(*a), numbers(*b, seed=1)
    expected = np.einsum(equation, x.numpy().astype(float), y.numpy().astype(float))
    made = tf.function(lambda x, y: tf.einsum(equation, x, y))(x, y)
    assert loops == [a[0]]
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5)
    assert made.shape == expected.shape


def test_factors_that_lie_across_find_their_rows(loops):
    x, y = numbers(6, 4, 32, 16), numbers(6, 16, 4, 24, seed=1)

    @tf.function
    def run(x, y):
        return tf.einsum(
            "aecd,abcd->acbe", tf.transpose(x, [0, 2, 1, 3]), tf.transpose(y, [0, 3, 2, 1])
        )

    expected = np.einsum("aced,adcb->acbe", x.numpy(), y.numpy())
    np.testing.assert_allclose(run(x, y), expected, rtol=1e-4, atol=1e-5)
    assert loops == [6]


def test_the_gradients_of_attention_are_such_products_too(loops, monkeypatch):
    def run(q, k, v):
        with tf.GradientTape() as tape:
            tape.watch([q, k, v])
            scores = tf.nn.softmax(tf.einsum("aecd,abcd->acbe", k, q))
            y = tf.einsum("acbe,aecd->abcd", scores, v)
        return y, *tape.gradient(y, [q, k, v])

    given = [numbers(4, 32, 4, 16, seed=i) for i in range(3)]
    made = tf.function(run)(*given)
    assert loops == [4] * 6
    for one, other in zip(made, run(*given), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    assert loops == [4] * 6  # not in eager mode
    monkeypatch.setenv("EMPLACE_FUSE", "0")
    for one, other in zip(tf.function(run)(*given), run(*given), strict=True):
        np.testing.assert_array_equal(one, other)
    assert loops == [4] * 6


def test_only_what_comes_often_becomes_machine_code(loops, monkeypatch):
    monkeypatch.setattr(einsum_products, "MULTIPLICATIONS_BEFORE", 3 * 8 * 32 * 32 * 32)
    monkeypatch.setattr(einsum_products, "_DONE", einsum_products.DoneOtherwise())
    run = tf.function(lambda x, y: tf.einsum("bij,bjk->bik", x, y))
    x = numbers(8, 32, 32)
    made = [run(x, x).numpy() for _ in range(4)]
    assert loops == [8, 8]
    for each in made:
        np.testing.assert_allclose(each, made[0], rtol=1e-5, atol=1e-5)
