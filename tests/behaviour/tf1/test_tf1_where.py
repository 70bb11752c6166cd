"""`tf.compat.v1.where` stretches nothing but a condition over rows, whatever a graph knows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

where = tf.compat.v1.where
ROWS = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)


def traced(*specs: Any) -> Any:
    condition, x, y = specs
    kinds = [tf.TensorSpec(condition, tf.bool), tf.TensorSpec(x), tf.TensorSpec(y)]
    return tf.function(lambda c, x, y: where(c, x, y), input_signature=kinds)


@pytest.mark.parametrize(
    "specs", [(None, None, None), ([None], None, None), ([None], [None, 2], [2, None])]
)
def test_a_vector_chooses_among_rows_where_ranks_or_sizes_are_unknown(specs: Any) -> None:
    chosen = traced(*specs)([True, False], ROWS, -ROWS)
    assert chosen.numpy().tolist() == [[1, 2], [-3, -4]]


@pytest.mark.parametrize(
    ("condition", "x", "y", "text", "traced_text"),
    [
        ([True], ROWS, ROWS, "Number of batches of 'then' must match .*, but saw: 2 vs. 1",
         "Dimension 0 in both shapes must be equal, but are 1 and 2"),
        ([True], 1.0, 2.0, "'then' must be at least a vector, but saw shape: \\[\\]",
         "Shapes must be equal rank, but are 0 and 1"),
        ([[True, False]], ROWS, ROWS, r"Input 0: \[1,2\] != input 1: \[2,2\]",
         "Dimension 0 in both shapes must be equal, but are 2 and 1"),
        (True, ROWS, ROWS[0], r"'then' and 'else' must have the same size.  but received: \[2,2\]",
         "Shapes must be equal rank, but are 2 and 1"),
    ],
)  # fmt: skip
def test_nothing_else_stretches(
    condition: Any, x: Any, y: Any, text: str, traced_text: str
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        where(condition, x, y)
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        traced(None, None, None)(condition, x, y)
    with pytest.raises(ValueError, match=traced_text):
        tf.function(lambda: where(condition, x, y))()


def test_gradients_go_where_rows_were_chosen() -> None:
    x, y = tf.constant(ROWS), tf.constant(-ROWS)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        chosen = where([True, False], x, y)
    assert [each.numpy().tolist() for each in tape.gradient(chosen, [x, y])] == [
        [[1, 1], [0, 0]], [[0, 0], [1, 1]],
    ]  # fmt: skip
    texts = where([True, False], [["a"], ["b"]], [["c"], ["d"]])
    assert texts.numpy().tolist() == [[b"a"], [b"d"]]
