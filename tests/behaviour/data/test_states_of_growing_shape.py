"""States of `reduce` and `group_by_reducer` whose shape changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

BATCHES = np.arange(80, dtype=np.float32).reshape(20, 4)


def _last_five(state: Any, batch: Any) -> Any:
    joined = tf.concat([state, batch], 0)
    return joined[-tf.minimum(5, tf.shape(joined)[0]) :]


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_reduce_asks_the_shape_of_states_that_grow(wrap: Any) -> None:
    def run() -> Any:
        batches = tf.data.Dataset.from_tensor_slices(BATCHES).batch(6)
        return batches.reduce(tf.zeros((0, 4)), _last_five)

    np.testing.assert_array_equal(wrap(run)(), BATCHES[-5:])


def test_reduce_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        batches = tf.data.Dataset.from_tensor_slices(BATCHES).batch(6)
        made = batches.reduce(tf.zeros((0, 4)), _last_five)
        np.testing.assert_array_equal(session.run(made), BATCHES[-5:])
        assert made.shape.as_list() == [None, 4]


def test_only_the_part_of_a_state_that_grows_loses_its_shape() -> None:
    shapes: list[Any] = []

    def step(state: Any, x: Any) -> Any:
        shapes.append([each.shape.as_list() for each in state])
        return tf.concat([state[0], [x]], 0), state[1] + x

    total, _ = tf.data.Dataset.range(3).reduce((tf.zeros([0], tf.int64), np.int64(0)), step)
    assert total.numpy().tolist() == [0, 1, 2]
    assert shapes == [[[0], []], [[None], []]]


def test_states_of_groups_grow() -> None:
    reducer = tf.data.experimental.Reducer(
        lambda key: tf.zeros((0, 4)), _last_five, lambda state: state
    )
    batches = tf.data.Dataset.from_tensor_slices(BATCHES).batch(6)
    made = list(
        batches.apply(tf.data.experimental.group_by_reducer(lambda x: np.int64(0), reducer))
    )
    np.testing.assert_array_equal(made[0], BATCHES[-5:])
