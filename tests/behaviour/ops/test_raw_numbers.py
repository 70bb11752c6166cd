"""Raw ops refuse a list of one number where TensorFlow's kernels want a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf

raw = tf.raw_ops
ROW = np.array([3.0, 1.0, 2.0], np.float32)
BOXES = np.array([[0.0, 0.0, 1.0, 1.0]], np.float32)
CALLS = [
    (lambda n: raw.NthElement(input=ROW, n=n), 1, "N must be scalar but has rank 1"),
    (lambda n: raw.ArgMax(input=ROW, dimension=n), 0,
     r"dim must be a scalar, but received tensor of shape: \[1\]"),
    (lambda n: raw.LinSpace(start=n, stop=2.0, num=3), 1.0,
     r"start must be a scalar, not shape \[1\]"),
    (lambda n: raw.OneHot(indices=[0], depth=n, on_value=1, off_value=0), 2,
     r"depth must be a scalar, but got: \[1\]"),
    (lambda n: raw.OneHot(indices=[0], depth=2, on_value=n, off_value=0), 1,
     r"on_value must be a scalar, but got: \[1\]"),
    (lambda n: raw.MatrixDiagV3(diagonal=ROW, k=0, num_rows=n, num_cols=3, padding_value=0.0), 3,
     "num_rows must be a scalar"),
    (lambda n: raw.NonMaxSuppressionV4(
        boxes=BOXES, scores=ROW[:1], max_output_size=n, iou_threshold=0.5, score_threshold=0.0), 1,
     r"max_output_size must be 0-D, got shape \[1\]"),
    (lambda n: raw.StatelessRandomUniformV2(
        shape=[2], key=np.array([1], np.uint64), counter=np.array([1, 2], np.uint64), alg=n), 1,
     r"input 3 \(0-based\) must have shape \[\], not \[1\]"),
    (lambda n: raw.ShardedFilename(basename="a", shard=n, num_shards=12), 3,
     r"shard must be a scalar, got shape \[1\]"),
    (lambda n: raw.QuantizeAndDequantizeV3(
        input=ROW, input_min=0.0, input_max=3.0, num_bits=n), 8,
     r"The `num_bits` tensor should be a scalar. Got dimensions: 1"),
    (lambda n: raw.TensorListSetItem(
        input_handle=raw.TensorListFromTensor(tensor=[[1.0], [2.0]], element_shape=[1]),
        index=n, item=[3.0]), 1, "Expected argument 1 to be a scalar"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "number", "text"), CALLS)
def test_a_list_is_no_number(call: Any, number: Any, text: str) -> None:
    assert call(number) is not None
    for listed in ([number], tf.constant([number]), np.array([number])):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            call(listed)
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        tf.function(lambda: call([number]))()


ATTRIBUTES = [
    (lambda v: raw.MatMul(a=[[1.0]], b=[[2.0]], transpose_a=v), True, "bool"),
    (lambda v: raw.Unpack(value=[1.0, 2.0], num=2, axis=v), 0, "int"),
    (lambda v: raw.OneHot(indices=[0], depth=2, on_value=1, off_value=0, axis=v), 0, "int"),
    (lambda v: raw.ResizeBilinear(
        images=tf.ones([1, 2, 2, 1]), size=[3, 3], half_pixel_centers=v), False, "bool"),
    (lambda v: raw.NthElement(input=ROW, n=0, reverse=v), False, "bool"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "value", "kind"), ATTRIBUTES)
def test_a_list_is_no_attribute(call: Any, value: Any, kind: str) -> None:
    assert call(value) is not None
    for run in (lambda: call([value]), tf.function(lambda: call([value]))):
        with pytest.raises(TypeError, match=rf"Expected {kind} for argument '\w+' not \[{value}\]"):
            run()
