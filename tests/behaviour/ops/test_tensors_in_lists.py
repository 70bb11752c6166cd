"""Lists with tensors in them beside tensors of another dtype; values are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError


@pytest.mark.parametrize("traced", [False, True])
def test_tensors_of_a_list_are_cast_to_the_dtype_of_the_tensor_that_the_list_meets(
    traced: bool,
) -> None:
    def program(i: tf.Tensor, h: tf.Tensor) -> list[tf.Tensor]:
        a = tf.constant([1, 2], tf.int64)
        return [
            a + [i, i],  # noqa: RUF005
            [i, i] + a,  # noqa: RUF005
            a + [h, h],  # noqa: RUF005
            tf.concat([a, [h, h]], 0),
            tf.concat([[h, h], a], 0),
            tf.concat([[[1], [2]], [[i], [i]]], 1),
            tf.convert_to_tensor([h, 1], dtype_hint=tf.int64),
        ]

    run = tf.function(program) if traced else program
    answers = run(tf.constant(3), tf.constant(1.5))
    assert [each.dtype.name for each in answers] == ["int64"] * 5 + ["int32", "int64"]
    assert [each.numpy().tolist() for each in answers] == [
        [4, 5],
        [4, 5],
        [2, 3],
        [1, 2, 1, 1],
        [1, 1, 1, 2],
        [[1, 3], [2, 3]],
        [1, 1],
    ]


def test_what_is_stacked_must_have_one_dtype_as_before() -> None:
    a, h = tf.constant([1, 2], tf.int64), tf.constant(1.5)
    with pytest.raises(InvalidArgumentError, match="expected to be a int64 tensor but is a float"):
        tf.stack([a, [h, h]])
