"""`tf.math.bincount` of ragged tensors counts each slice of inner dimensions by itself."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf

PAIRS = tf.RaggedTensor.from_row_splits([[1, 2], [2, 2], [0, 1]], [0, 2, 2, 3])


@pytest.mark.parametrize("axis", [None, 0])
@pytest.mark.parametrize("is_traced", [False, True])
def test_inner_dimensions_are_counted_slice_by_slice(axis: Any, is_traced: bool) -> None:
    def counts(**more: Any) -> Any:
        def call() -> Any:
            return tf.math.bincount(PAIRS, axis=axis, **more)

        return (tf.function(call) if is_traced else call)().numpy().tolist()

    assert counts() == [[0, 1, 1], [0, 0, 2], [1, 1, 0]]
    assert counts(maxlength=2) == [[0, 1], [0, 0], [1, 1]]
    assert counts(binary_output=True) == [[0, 1, 1], [0, 0, 1], [1, 1, 0]]
    halves = tf.cast(PAIRS, tf.float32) * 0.5
    assert counts(weights=halves) == [[0, 0.5, 1], [0, 0, 2], [0, 0.5, 0]]


def test_plain_values_are_counted_together() -> None:
    rows = tf.ragged.constant([[1, 2, 2], [], [0]])
    assert tf.math.bincount(rows).numpy().tolist() == [1, 1, 2]
