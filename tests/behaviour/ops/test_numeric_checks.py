"""What tf.debugging says about numbers, values and shapes that are not as they should be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf

NAN, INF = float("nan"), float("inf")


@pytest.fixture
def checked() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def text_of(call: Any, *args: Any, **named: Any) -> str:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        call(*args, **named)
    return str(caught.value.message)


def test_an_assertion_shows_where_values_differ() -> None:
    assert text_of(tf.debugging.assert_equal, [1, 2], [1, 3], message="mine") == (
        "mine\nCondition x == y did not hold.\nIndices of first 1 different values:\n[[1]]\n"
        "Corresponding x values:\n[2]\nCorresponding y values:\n[3]\n"
        "First 2 elements of x:\n[1 2]\nFirst 2 elements of y:\n[1 3]"
    )


def test_an_assertion_shows_as_many_values_as_asked() -> None:
    text = text_of(tf.debugging.assert_equal, list(range(10)), [1] * 10, summarize=2)
    assert "Indices of first 2 different values:\n[[0]\n [2]]" in text
    assert text.endswith("First 2 elements of x:\n[0 1]\nFirst 2 elements of y:\n[1 1]")


def test_an_assertion_against_zero_shows_the_values() -> None:
    assert text_of(tf.debugging.assert_positive, [1, 0], message="m") == (
        "m.  \nCondition x > 0 did not hold element-wise:\nx (shape=(2,) dtype=int32) = \n"
        "['1', '0']"
    )


def test_assert_summarizes_its_data() -> None:
    assert text_of(tf.debugging.Assert, False, [tf.range(10)], summarize=2) == (
        "Expected 'False' to be true. Summarized data: 0, 1, ..."
    )
    assert text_of(tf.debugging.Assert, False, [1, "x", [1, 2, 3, 4]]).endswith(
        "Summarized data: 1\nb'x'\n1, 2, 3, ..."
    )


def test_a_wrong_rank_is_told_with_the_shape() -> None:
    with pytest.raises(ValueError, match=r"^m\.  Tensor  must have rank 2\.  Received rank 1, "):
        tf.debugging.assert_rank([1.0], 2, message="m")


def test_shapes_that_do_not_fit_name_both_places() -> None:
    shapes = [(tf.ones([2, 3]), ("N", "Q")), (tf.ones([4]), ("N",))]
    with pytest.raises(ValueError) as caught:
        tf.debugging.assert_shapes(shapes, message="m")
    assert str(caught.value) == (
        "m.  Specified by tensor shape=(2, 3) dtype=float32 dimension 0.  Tensor shape=(4,) "
        "dtype=float32 dimension 0 must have size 2.  Received size 4, shape (4,)"
    )


@pytest.mark.parametrize(
    ("values", "found"),
    [([1.0, NAN], "NaN"), ([INF, 1.0], "Inf"), ([-INF, NAN], "Inf and NaN")],
)
def test_check_numerics_says_what_it_found(values: list[float], found: str) -> None:
    text = text_of(tf.debugging.check_numerics, values, "after the step")
    assert text.startswith(f"after the step : Tensor had {found} values")


def test_check_numerics_lets_a_sum_that_overflows_pass() -> None:
    large = np.array([3e38, 3e38], np.float32)
    assert tf.debugging.check_numerics(large, "m").numpy().tolist() == large.tolist()


def test_a_gradient_is_checked_where_its_tensor_was() -> None:
    x = tf.constant([0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(tf.debugging.check_numerics(x, "mine"))
    assert "detected in gradient. mine : Tensor had Inf values" in text_of(tape.gradient, y, x)


@pytest.mark.usefixtures("checked")
def test_checks_name_the_op_that_made_a_nan() -> None:
    text = text_of(tf.math.log, tf.constant([-1.0, 0.0, 1.0]))
    assert text.startswith(
        '\n\n!!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" '
        "(# of outputs: 1) !!!\n  dtype: tf.float32\n  shape: (3,)\n  # of -Inf elements: 1\n"
        "  # of +NaN elements: 1\n\n  Input tensor: tf.Tensor([-1.0, 0.0, 1.0], shape=(3,), "
        "dtype=float32)\n\n : Tensor had -Inf and NaN values"
    )


@pytest.mark.usefixtures("checked")
def test_checks_let_pass_what_only_hands_on() -> None:
    assert np.isnan(tf.reshape(tf.constant([NAN]), [1, 1]).numpy()).all()


def test_checks_end_when_they_are_disabled() -> None:
    tf.debugging.enable_check_numerics()
    tf.debugging.disable_check_numerics()
    assert np.isnan(tf.math.log([-1.0]).numpy()).all()


@pytest.mark.usefixtures("checked")
@pytest.mark.gpus(1, memory="64MB")
def test_checks_hold_on_a_bounded_device() -> None:
    with tf.device("/GPU:0"):
        assert 'op "RealDiv"' in text_of(tf.divide, tf.constant([1.0]), tf.constant([0.0]))


def test_integers_cannot_be_divided_by_zero() -> None:
    assert text_of(tf.math.floordiv, [1], [0]).startswith("Integer division by zero")


def test_operators_on_integers_work_on_their_bits() -> None:
    x = tf.constant([6, -1])
    assert [(x & 3).numpy().tolist(), (x | 1).numpy().tolist()] == [[2, 3], [7, -1]]
    assert [(x ^ 5).numpy().tolist(), (~x).numpy().tolist()] == [[3, -6], [-7, 0]]


def test_the_upper_half_of_uint64_is_compared_and_divided_as_unsigned() -> None:
    high, low = np.array([2**64 - 2], np.uint64), np.array([3], np.uint64)
    assert tf.greater(high, low).numpy().tolist() == [True]
    assert tf.maximum(high, low).numpy().tolist() == [2**64 - 2]
    assert tf.math.floordiv(high, low).numpy().tolist() == [(2**64 - 2) // 3]
    assert tf.math.floormod(high, low).numpy().tolist() == [(2**64 - 2) % 3]
    assert tf.bitwise.right_shift(high, low).numpy().tolist() == [(2**64 - 2) >> 3]


def test_slices_are_clipped_by_their_values() -> None:
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([2, 2]))
    clipped = tf.clip_by_norm(slices, 1.0)
    assert np.allclose(clipped.values.numpy(), [[0.6, 0.8]])
    assert clipped.indices.numpy().tolist() == [1]
    (scaled,), norm = tf.clip_by_global_norm([slices], 2.5)
    assert norm.numpy() == 5.0
    assert np.allclose(scaled.values.numpy(), [[1.5, 2.0]])
    assert tf.clip_by_value(slices, 0.0, 3.5).values.numpy().tolist() == [[3.0, 3.5]]


def test_a_reset_switches_the_checks_off() -> None:
    tf.debugging.enable_check_numerics()
    emplace.reset()
    assert np.isnan(tf.math.log([-1.0]).numpy()).all()
