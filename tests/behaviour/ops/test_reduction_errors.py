"""What users are told about reductions, segments, order and counts, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

ROWS = [[1.0, 2.0], [3.0, 4.0]]
INVALID = tf.errors.InvalidArgumentError

MISTAKES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "an axis out of range": (
        lambda: tf.reduce_sum(ROWS, 2), INVALID,
        "Invalid reduction dimension (2 for input with 2 dimension(s)",
    ),
    "an axis named twice": (
        lambda: tf.reduce_max(ROWS, [0, -2]), INVALID,
        "Invalid reduction arguments: Axes contains duplicate dimension: 0",
    ),
    "the largest of nothing": (
        lambda: tf.argmax([]), INVALID, "Reduction axis 0 is empty in shape [0]",
    ),
    "places of a type that cannot count": (
        lambda: tf.argmax([1.0], output_type=tf.float32), INVALID,
        "Value for attr 'output_type' of float is not in the list of allowed values: int16, uint16",
    ),
    "the variance of integers": (
        lambda: tf.math.reduce_variance([1, 2]), TypeError,
        "Input must be either real or complex. Received integer type <dtype: 'int32'>.",
    ),
    "sums along an axis that is not there": (
        lambda: tf.cumsum(ROWS, 2), INVALID,
        "ScanOp: Expected scan axis in the range [-2, 2), but got 2",
    ),
    "sums along two axes": (
        lambda: tf.cumsum(ROWS, [0, 1]), INVALID, "ScanOp: axis must be a scalar, not [2]",
    ),
    "ids that fall": (
        lambda: tf.math.segment_sum([1.0, 2.0], [1, 0]), INVALID,
        "segment ids are not increasing",
    ),
    "many ids that fall": (
        lambda: tf.math.segment_sum(tf.zeros([300]), tf.range(300)[::-1]), INVALID,
        "segment ids are not increasing",
    ),
    "ids that begin anew": (
        lambda: tf.math.segment_sum(tf.zeros([4]), [0, 1, 2, 0]), INVALID,
        "Segment id 1 out of range [0, 1), possibly because 'segment_ids' input is not sorted.",
    ),
    "ids that end below 0": (
        lambda: tf.sparse.segment_sum(tf.zeros([4]), [0, 1], [0, -1]), INVALID,
        "segment ids must be >= 0",
    ),
    "too few ids": (
        lambda: tf.math.segment_max(ROWS, [0]), INVALID,
        "segment_ids should be the same size as dimension 0 of input.",
    ),
    "an id that is too large": (
        lambda: tf.math.unsorted_segment_sum(ROWS, [[0, 1], [1, 2]], 2), INVALID,
        "segment_ids[1,1] = 2 is out of range [0, 2)",
    ),
    "ids in another shape than the data": (
        lambda: tf.math.unsorted_segment_sum(ROWS, [0, 1, 1], 2), INVALID,
        "data.shape = [2,2] does not start with segment_ids.shape = [3]",
    ),
    "more elements than there are": (
        lambda: tf.math.top_k(ROWS, 3), INVALID,
        "input must have at least k columns. Had 2, needed 3",
    ),
    "a direction that is none": (
        lambda: tf.sort(ROWS, direction="UP"), ValueError,
        "Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction=UP",
    ),
    "a side that is none": (
        lambda: tf.searchsorted([1], [1], side="up"), ValueError,
        "Argument `side` must be either 'right' or 'left'. Received: `side` = 'up'.",
    ),
    "no permutation": (
        lambda: tf.math.invert_permutation([0, 2, 2]), INVALID, "2 is duplicated in the input.",
    ),
    "a number that cannot be counted": (
        lambda: tf.math.bincount([-1, 1]), INVALID, "Input arr must be non-negative!",
    ),
    "weights where only presence counts": (
        lambda: tf.math.bincount([1], [1.0], binary_output=True), ValueError,
        "Arguments `binary_output` and `weights` are mutually exclusive.",
    ),
    "no range": (
        lambda: tf.histogram_fixed_width([1.0], [2.0, 1.0]), INVALID,
        "value_range should satisfy value_range[0] < value_range[1], but got '[2.0, 1.0]'",
    ),
    "unique elements of a matrix": (
        lambda: tf.unique(ROWS), INVALID, "unique expects a 1D vector.",
    ),
    "a length that is a vector": (
        lambda: tf.sequence_mask([1, 2], [4]), ValueError,
        "Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = [4] with shape "
        "'(1,)' instead",
    ),
    "a class out of range": (
        lambda: tf.math.confusion_matrix([0, 3], [0, 1], num_classes=2), INVALID,
        "`labels` out of bound",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "text"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_told_in_tensorflows_words(
    call: Callable[[], Any], kind: type[Exception], text: str
) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_an_error_names_its_op() -> None:
    with pytest.raises(INVALID, match=r"\[Op:TopKV2\]"):
        tf.math.top_k([1.0], 2)
