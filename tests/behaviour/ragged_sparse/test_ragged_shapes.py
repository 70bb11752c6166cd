"""`tf.experimental.RowPartition` and `DynamicRaggedShape` answer as TensorFlow 2.21 does, which was
asked for `tests/data/ragged_shapes.json`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import emplace.tensorflow as tf

RECORDED: dict[str, str] = json.loads(
    (Path(__file__).resolve().parents[2] / "data" / "ragged_shapes.json").read_text()
)
NAMES = {
    "tf": tf,
    "D": tf.experimental.DynamicRaggedShape,
    "R": tf.experimental.RowPartition,
    "rt": tf.ragged.constant([[[1, 2], [3]], [[4]]]),
    "r2": tf.ragged.constant([[1, 2], [3]]),
}


def answer(expression: str) -> str:
    try:
        return repr(eval(expression, NAMES))
    except Exception as error:
        return f"{type(error).__name__} {error}"[:300]


@pytest.mark.parametrize("expression", RECORDED)
def test_partitions_and_shapes_answer_as_tensorflow_does(expression: str) -> None:
    theirs = RECORDED[expression].split("\n")[0]
    assert answer(expression).split("\n")[0].rstrip() == theirs.rstrip()


def test_a_function_takes_and_returns_shapes() -> None:
    seen: list[Any] = []

    @tf.function
    def first_size(x: Any, shape: Any) -> Any:
        mine = tf.shape(x)
        seen.append(mine.static_lengths())
        return mine, mine[0], shape[0]

    rows = tf.ragged.constant([[1, 2], [3]])
    shape, one, other = first_size(rows, tf.shape(rows))
    assert seen[0] == [2, None]
    assert repr(shape) == "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>"
    assert (int(one), int(other)) == (2, 2)


def test_tensors_take_the_shape_of_a_ragged_one() -> None:
    shape = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2)])
    assert tf.reshape([7, 8, 9], shape).to_list() == [[7], [8, 9]]
    assert tf.fill(shape, "x").to_list() == [[b"x"], [b"x", b"x"]]
    assert tf.ones(shape).to_list() == [[1.0], [1.0, 1.0]]
    assert tf.zeros(tf.shape(tf.ragged.constant([[1], []])), tf.int32).to_list() == [[0], []]
    deep = tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2), 2])
    assert tf.reshape(tf.range(6), deep).to_list() == [[[0, 1]], [[2, 3], [4, 5]]]
