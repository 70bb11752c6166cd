"""Integers of several scales behind each other: the numbers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

from emplace import tensorflow as tf

CASES = [
    ((-1.0, 0.0), (1.0, 2.0), 2.0,
     [-1073741824, 536870912, -1073741824, 0, 1073741824, 0]),
    ((-3.0, -1.0), (1.0, 2.0), 3.0,
     [-2147483648, 357913952, -2147483648, -715827904, 715827904, -715827904]),
]  # fmt: skip


@pytest.mark.parametrize(("lows", "highs", "end", "numbers"), CASES)
def test_the_range_of_qint32_is_as_wide_below_zero_as_above(
    lows: tuple[float, ...], highs: tuple[float, ...], end: float, numbers: list[int]
) -> None:
    parts = [
        tf.quantization.quantize([low, high / 2, high], low, high, tf.qint32)
        for low, high in zip(lows, highs, strict=True)
    ]
    joined = tf.quantization.quantized_concat(
        0, [x.output for x in parts], [x.output_min for x in parts], [x.output_max for x in parts]
    )
    assert joined.output.numpy().tolist() == numbers
    assert (float(joined.output_min), float(joined.output_max)) == (-end, end)
