"""What is refused is refused in words of ours or TensorFlow's, not in those of the kernel below."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: tf.fill([1 << 62], 1.0), tf.errors.InvalidArgumentError,
         r"Fill cannot compute with float\[\], .*: that would take more than 2\*\*63 - 1 elements"),
        (lambda: tf.strings.as_string([1], width=1 << 62), tf.errors.ResourceExhaustedError,
         "OOM when allocating tensor"),
        (lambda: tf.linalg.band_part(tf.ones([2, 2]), 1, []), tf.errors.InvalidArgumentError,
         r"num_upper must be scalar, got shape \[0\]"),
        (lambda: tf.raw_ops.MatrixDiagPartV3(input=tf.ones([2, 2]), k=[], padding_value=0.0),
         tf.errors.InvalidArgumentError, "diag_index must have only one or two elements"),
        (lambda: tf.signal.hann_window(1 << 31), tf.errors.InvalidArgumentError,
         "Requires start <= limit"),
        (lambda: tf.signal.hann_window(1 << 30), tf.errors.ResourceExhaustedError, "OOM when"),
        (lambda: tf.signal.hann_window(3.5), TypeError, "Cannot convert 3.5"),
        (lambda: tf.range("a\0b"), AssertionError, r"\[range\] takes integers and floats"),
        (lambda: tf.linalg.logm(tf.constant([[np.nan, 1], [1, 1]], tf.complex64)),
         tf.errors.InvalidArgumentError, "an input holds infinite numbers or NaN"),
        (lambda: tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([0, 2, 1, 3]), 1, "VALID"),
         tf.errors.InvalidArgumentError, "filter must not have zero elements"),
        (lambda: tf.nn.ctc_loss(np.int32([[9]]), tf.zeros([2, 1, 4]), [1], [2]),
         tf.errors.InvalidArgumentError, r"labels\[0,0\] = 9 is not in \[0, 4\)"),
        (lambda: tf.nn.ctc_loss(np.int32([[10**9]]), tf.zeros([2, 1, 3]), [1], [2]),
         tf.errors.InvalidArgumentError, r"is not in \[0, 3\)"),
    ],
)  # fmt: skip
@pytest.mark.gpus(0)
def test_a_refusal_speaks_of_what_the_program_called(call: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        call()
    with pytest.raises((error, ValueError)) as caught:  # a graph says so where it is built
        tf.function(call, autograph=False)()
    assert "aten" not in str(caught.value)


def test_strides_that_overflow_make_one_window() -> None:
    made = tf.nn.conv2d(tf.ones([1, 5, 4, 1]), tf.ones([3, 2, 1, 1]), [1, 1, 2**31 - 1, 1], "SAME")
    assert made.shape == [1, 5, 1, 1]
