"""Image files: what the recorded answers cannot show."""

from __future__ import annotations

import programs
import pytest

import emplace.tensorflow as tf

WITHOUT_PILLOW = """
import sys
sys.modules["PIL"] = None
import emplace.tensorflow as tf
try:
    tf.image.decode_jpeg(b"\\xff\\xd8\\xff")
except ImportError as error:
    print(error)
"""


def test_without_pillow_the_error_says_what_to_install() -> None:
    done = programs.code(WITHOUT_PILLOW)
    assert "pip install pillow" in done.stdout, done.stderr


@pytest.mark.gpus(1)
def test_files_are_read_on_the_cpu_though_a_gpu_is_there() -> None:
    image = tf.image.decode_png(tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8)))
    assert image.device.endswith("CPU:0")
    assert image.shape == [2, 3, 1]


def test_a_photograph_survives_a_jpeg_of_high_quality() -> None:
    rows = tf.range(64, dtype=tf.float32)[:, tf.newaxis, tf.newaxis]
    image = tf.cast(tf.broadcast_to(rows * 3.0, [64, 48, 3]), tf.uint8)
    back = tf.image.decode_jpeg(tf.io.encode_jpeg(image, quality=100))
    difference = tf.abs(tf.cast(back, tf.int32) - tf.cast(image, tf.int32))
    assert int(tf.reduce_max(difference)) <= 2
