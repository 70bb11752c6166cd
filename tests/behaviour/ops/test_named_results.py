"""Ops whose results have names, as TensorFlow's have."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

MATRIX = [[2.0, 1.0], [1.0, 3.0]]
RESULTS = {
    "sign log_abs_determinant": lambda: tf.linalg.slogdet(MATRIX),
    "q r": lambda: tf.linalg.qr(MATRIX),
    "lu p": lambda: tf.linalg.lu(MATRIX),
    "output argmax": lambda: tf.nn.max_pool_with_argmax(tf.ones([1, 2, 2, 1]), 2, 2, "VALID"),
    "nmsed_boxes nmsed_scores nmsed_classes valid_detections": lambda: (
        tf.image.combined_non_max_suppression(tf.zeros([1, 1, 1, 4]), tf.zeros([1, 1, 1]), 1, 1)
    ),
}


@pytest.mark.parametrize("names", RESULTS)
def test_parts_have_tensorflows_names(names):
    found = RESULTS[names]()
    assert list(found._fields) == names.split()
    assert found[0] is getattr(found, names.split()[0])


def test_a_function_returns_them_by_name():
    found = tf.function(tf.linalg.slogdet)(tf.constant(MATRIX))
    assert float(tf.exp(found.log_abs_determinant)) == pytest.approx(5.0)


def test_small_columns_beside_large_ones_count_in_least_squares():
    # 1,000 rows: a threshold that grows with their number forgets the first column.
    rows = tf.stack([tf.ones([1000]), tf.zeros([1000])], 1)
    matrix = tf.concat([rows, [[0.0, 3e5]]], 0)
    right = tf.concat([2.0 * tf.ones([1000, 1]), [[3.0]]], 0)
    found = tf.linalg.lstsq(matrix, right, fast=False)  # TF 2.21: [[2.], [1e-5]]
    assert found.numpy().ravel().tolist() == pytest.approx([2.0, 1e-5], rel=1e-4)


def test_classes_are_drawn_as_int64_where_no_dtype_is_told():
    drawn = tf.random.stateless_categorical(tf.zeros([1, 3]), 4, [1, 2], dtype=None)
    assert drawn.dtype is tf.int64
