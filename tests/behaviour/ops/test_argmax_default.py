"""The default type of the place of an extreme is int64, also where it is told as None."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize("extreme", [tf.argmax, tf.argmin, tf.compat.v1.argmax])
def test_no_type_is_the_default_type(extreme):
    assert extreme([1.0, 2.0], output_type=None).dtype is tf.int64
