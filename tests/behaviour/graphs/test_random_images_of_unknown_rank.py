"""Random parts and mirror images of what has no known rank in a graph, such as decoded files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

IMAGES = np.arange(2 * 4 * 5 * 3, dtype=np.float32).reshape(2, 4, 5, 3)
CALLS: dict[str, Any] = {
    "random_crop": lambda x: tf.image.random_crop(x, [2, 4, 5, 3]),
    "stateless_random_crop": lambda x: tf.image.stateless_random_crop(x, [1, 2, 3, 3], (5, 6)),
    "stateless_random_flip_left_right": lambda x: tf.image.stateless_random_flip_left_right(
        x, (1, 3)
    ),
    "stateless_random_flip_up_down": lambda x: tf.image.stateless_random_flip_up_down(x, (1, 2)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_graph_draws_as_eager_mode_does(name: str) -> None:
    call = CALLS[name]
    run = tf.function(call, input_signature=[tf.TensorSpec(None)])
    assert run(IMAGES).numpy().tolist() == call(tf.constant(IMAGES)).numpy().tolist()


def test_an_image_of_unknown_rank_is_mirrored_or_not() -> None:
    image = IMAGES[0]
    run = tf.function(tf.image.random_flip_left_right, input_signature=[tf.TensorSpec(None)])
    for _ in range(4):
        assert run(image).numpy().tolist() in (image.tolist(), image[:, ::-1].tolist())
    assert run(IMAGES).shape == IMAGES.shape
