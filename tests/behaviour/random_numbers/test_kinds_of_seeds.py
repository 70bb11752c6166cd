"""Seeds that are arrays of other dtypes, and what stateless ops say of wrong arguments."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

r = tf.random
BITS = np.array([2**63 + 5, 3], np.uint64)

# What TensorFlow draws.
DRAWN = {
    "bits": (BITS, [0.82615674, 0.29428506, 0.371235, 0.00514638, 0.02461326]),
    "uint32": (
        np.array([2**31 + 5, 3], np.uint32),
        [0.15779865, 0.8778248, 0.06928301, 0.28782582, 0.8884238],
    ),
    "int8": (
        np.array([-5, 3], np.int8),
        [0.9125538, 0.76628494, 0.93182456, 0.5040927, 0.06495154],
    ),
    "floats": (
        np.array([5.7, 3], np.float32),
        [0.9032377, 0.63115823, 0.78700125, 0.5068749, 0.6744627],
    ),
    "bools": ([True, False], [0.8784882, 0.45998025, 0.60029125, 0.39259768, 0.25319326]),
}


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
@pytest.mark.parametrize("kind", DRAWN)
def test_an_array_of_another_dtype_is_a_seed(kind, run):
    seed, expected = DRAWN[kind]
    np.testing.assert_allclose(run(lambda: r.stateless_uniform([5], seed)), expected, rtol=1e-6)


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
def test_all_ops_take_the_bits_of_an_array_without_signs(run):
    draws = {
        "categorical": lambda: r.stateless_categorical([[0.1, 0.2, 0.7]], 5, BITS),
        "gamma": lambda: r.stateless_gamma((2,), BITS, 2.0),
        "poisson": lambda: r.stateless_poisson((5,), BITS, 2.0),
        "bounded": lambda: r.stateless_parameterized_truncated_normal((2,), BITS, 0.0, 1.0, -1, 1),
        "shuffle": lambda: r.experimental.stateless_shuffle(np.arange(9), BITS),
        "fold in": lambda: r.fold_in(BITS, 3),
    }
    expected = {
        "categorical": [[2, 2, 0, 0, 1]],
        "gamma": [3.2743897, 4.2550254],
        "poisson": [2, 0, 0, 4, 4],
        "bounded": [0.6523135, -0.41142988],
        "shuffle": [0, 3, 1, 8, 4, 5, 2, 6, 7],
        "fold in": [-873873535, 3],
    }
    for name, draw in draws.items():
        np.testing.assert_allclose(run(draw), expected[name], rtol=1e-5, err_msg=name)


@pytest.mark.parametrize("seed", [[1.0, 2.0], tf.constant([1, 2], tf.uint64)])
def test_seeds_without_a_dtype_that_fits_are_refused(seed):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"attr 'Tseed' of (float|uint64) is not"
    ):
        r.stateless_uniform([2], seed)
    with pytest.raises(TypeError, match=r"parameter 'seed' has DataType (float32|uint64) not in"):
        tf.function(lambda: r.stateless_uniform([2], seed))()


def test_no_algorithm_is_the_one_of_choice():
    plain = r.stateless_normal([3], [1, 2])
    np.testing.assert_array_equal(r.stateless_normal([3], [1, 2], alg=None), plain)


def test_multinomial_is_categorical_with_a_dtype():
    multinomial = tf.compat.v1.random.stateless_multinomial
    logits = [[0.5, 0.5], [0.8, 0.2], [0.25, 0.75]]
    drawn = multinomial(logits, 10, [7, 17], tf.int32)
    assert drawn.dtype is tf.int32
    np.testing.assert_array_equal(drawn, r.stateless_categorical(logits, 10, [7, 17]))
    np.testing.assert_array_equal(multinomial([[0.1, 0.25, 0.5, 0.15]], 10, [7, 17]), MULTINOMIAL)


MULTINOMIAL = [[2, 0, 2, 1, 0, 2, 2, 2, 1, 0]]


def test_a_scalar_has_one_order():
    assert int(r.experimental.stateless_shuffle(5, [1, 2])) == 5


@pytest.mark.parametrize("run", [lambda f: f(), lambda f: tf.function(f)()])
def test_classes_are_int32_or_int64(run):
    for draw in (
        lambda: r.stateless_categorical([[1.0, 2.0]], 3, [1, 2], tf.float32),
        lambda: r.categorical([[1.0, 2.0]], 3, tf.int16),
    ):
        with pytest.raises(ValueError, match=r"Accepted dtypes are \(tf.int32, tf.int64\)"):
            run(draw)


def test_poisson_and_binomial_numbers_are_of_five_dtypes():
    for draw in (
        lambda: r.stateless_poisson([2], [1, 2], 2.0, tf.bfloat16),
        lambda: r.stateless_binomial([2], [1, 2], 2.0, 0.5, tf.bfloat16),
        lambda: r.poisson([2], 2.0, tf.bfloat16),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match="attr 'dtype' of bfloat16"):
            draw()
        with pytest.raises(TypeError, match="DataType bfloat16 not in"):
            tf.function(draw)()


def test_what_shape_rules_refuse_is_a_value_error_in_graphs():
    wrong = {
        "minval must be a scalar; got a tensor of shape": lambda: r.stateless_uniform(
            [2, 3], [1, 2], tf.zeros([2, 3], tf.int32), 100, tf.int32
        ),
        "maxval must be a scalar; got a tensor of shape": lambda: r.stateless_uniform(
            [2, 3], [1, 2], 0, tf.fill([2, 3], 100), tf.int32
        ),
        "Invalid value in tensor used for shape: -2": lambda: r.stateless_uniform([-2], [1, 2]),
    }
    for text, draw in wrong.items():
        with pytest.raises(ValueError, match=text):
            tf.function(draw)()
        with pytest.raises(tf.errors.InvalidArgumentError):
            draw()
    with pytest.raises(TypeError, match="DataType float32 not in list"):
        tf.function(lambda: r.stateless_uniform([2.0, 3.0], [1, 2]))()
