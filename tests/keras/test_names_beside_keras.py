"""What TensorFlow shows of Keras beside `tf.keras`."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("name", ["initializers", "losses", "metrics", "optimizers"])
def test_keras_shows_its_own_under_the_names_of_tensorflow(name: str) -> None:
    assert getattr(tf, name) is getattr(tf.keras, name)
