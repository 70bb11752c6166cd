"""Which ops make the host wait for a GPU: those whose record says why, and no other.

That no other does is a part of `test_ops_oracle.py`, which runs all cases on strict GPUs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from op_cases.values import evaluate
from registry_facts import records

import emplace.tensorflow as tf
from emplace.devices.strict import WAITS, Wait
from emplace.observe.kernels import kernels
from emplace.ops import waiting
from emplace.ops.op import REGISTRY
from emplace.testing import assert_no_waits

REASONS = {value for name, value in vars(waiting).items() if name.isupper()}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "WAITS.md"

_SPARSE = "tf.SparseTensor([[0, 1], [1, 0], [1, 2]], f32(3), [3, 3])"
_OTHER = "tf.SparseTensor([[0, 0], [0, 1], [1, 2]], f32(3), [3, 3])"
_RAGGED = "tf.ragged.constant([[1, 2], [], [3]])"

#: Of each op that waits, a call that makes it wait.
WAITING = {
    "Bincount": "tf.raw_ops.Bincount(arr=[1, 1, 9], size=4, weights=[1., 2., 3.])",
    "Bitcast": "tf.bitcast(tf.constant([1, 255], tf.uint8), tf.qint8)",
    "Cast": "tf.cast([1, -2], tf.qint8)",
    "DenseBincount": "tf.math.bincount([3, 1])",
    "DynamicPartition": "tf.dynamic_partition(f32(2), [0, 1], 2)",
    "DynamicStitch": "tf.dynamic_stitch([[0, 3]], [f32(2)])",
    "ListDiff": "tf.compat.v1.setdiff1d([1, 2, 3], [2])",
    "RaggedRange": "tf.ragged.range(3)",
    "RaggedTensorToTensor": f"{_RAGGED}.to_tensor()",
    "ResourceCountUpTo": "tf.Variable(1).count_up_to(3)",
    "SegmentMax": "tf.math.segment_max(f32(3), [0, 0, 2])",
    "SegmentMean": "tf.math.segment_mean(f32(3), [0, 0, 2])",
    "SegmentMin": "tf.math.segment_min(f32(3), [0, 0, 2])",
    "SegmentProd": "tf.math.segment_prod(f32(3), [0, 0, 2])",
    "SegmentSum": "tf.math.segment_sum(f32(3), [0, 0, 2])",
    "SparseAdd": f"tf.sparse.add({_SPARSE}, {_OTHER})",
    "SparseFillEmptyRows": f"tf.sparse.fill_empty_rows({_SPARSE}, 1.0)",
    "SparseReduceMaxSparse": f"tf.sparse.reduce_max({_SPARSE}, 0, output_is_sparse=True)",
    "SparseReduceSumSparse": f"tf.sparse.reduce_sum({_SPARSE}, 0, output_is_sparse=True)",
    "SparseSegmentMean": "tf.sparse.segment_mean(f32(4), [3, 0], [0, 2])",
    "SparseSegmentSqrtN": "tf.sparse.segment_sqrt_n(f32(4), [3, 0], [0, 2])",
    "SparseSegmentSum": "tf.sparse.segment_sum(f32(4), [3, 0], [0, 2])",
    "SparseSlice": f"tf.sparse.slice({_SPARSE}, [0, 0], [2, 3])",
    "SparseSparseMaximum": f"tf.sparse.maximum({_SPARSE}, {_OTHER})",
    "SparseSparseMinimum": f"tf.sparse.minimum({_SPARSE}, {_OTHER})",
    "SparseSplit": f"tf.sparse.split({_SPARSE}, 1, 0)",
    "StatelessRandomGammaV3": "tf.random.stateless_gamma([5], [1, 2], 0.5)",
    "Unique": "tf.unique([3, 1, 3])",
    "UniqueV2": "tf.raw_ops.UniqueV2(x=[3, 1, 3], axis=[0])",
    "UniqueWithCounts": "tf.unique_with_counts([3, 1, 3])",
    "UniqueWithCountsV2": "tf.raw_ops.UniqueWithCountsV2(x=[3, 1, 3], axis=[0])",
    "Where": "tf.where([True, False])",
    "_CTCLossDense": (
        "tf.nn.ctc_loss(np.array([[1, 2, 2], [3, 0, 0]], np.int32), f32(6, 2, 4), [3, 1], [6, 6])"
    ),
    "_CollapseRepeated": "tf.nn.collapse_repeated(np.array([[1, 1, 3]], np.int32), [3])",
    "_RowIds": "tf.ragged.row_splits_to_segment_ids([0, 2, 2, 3])",
    "_SparseCount": "tf.sparse.bincount([1, 1, 4, 2])",
}


def declared() -> set[str]:
    """The ops whose records say that they wait."""
    kernels()  # with all families loaded
    return {record.name for record in records() if record.wait_reason is not None}


def test_an_op_that_says_it_waits_is_known_to() -> None:
    assert declared() == set(WAITING)
    assert len(WAITING) <= 40  # a number that may only fall


def test_an_op_waits_for_one_of_the_known_reasons() -> None:
    given = {REGISTRY[name].wait_reason for name in WAITING}
    assert given == REASONS


def test_an_op_that_only_the_host_has_does_not_wait_for_a_gpu() -> None:
    assert [name for name in sorted(declared()) if "GPU" not in REGISTRY[name].device_types] == []


@pytest.mark.parametrize("name", WAITING)
@pytest.mark.gpus(1, memory="1GB", strict=True)
def test_an_op_that_says_it_waits_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Wait] = []
    monkeypatch.setattr(WAITS, "listener", told.append)
    with tf.device("/GPU:0"):
        evaluate(WAITING[name], tf)
    assert name in {wait.route.op.name for wait in told if wait.route is not None}


@pytest.mark.gpus(1, memory="1GB", strict=True)
def test_a_ragged_tensor_of_a_given_shape_becomes_dense_without_a_wait() -> None:
    with tf.device("/GPU:0"):
        ragged = tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3], validate=False)
        with assert_no_waits():
            dense = ragged.to_tensor(shape=[3, 1])
    assert dense.numpy().tolist() == [[1], [0], [3]]


@pytest.mark.gpus(1, memory="1GB", strict=True)
def test_what_depends_on_plain_numbers_alone_is_brought_without_a_wait() -> None:
    with tf.device("/GPU:0"):
        image = tf.ones([1, 4, 4, 1])
        with assert_no_waits():
            tf.image.resize(image, [3, 5], "bicubic")
            tf.pad(image, [[0, 0], [1, 1], [2, 1], [0, 0]], "REFLECT")
            tf.random.experimental.stateless_shuffle(image[0, :, :, 0], [1, 2])


def test_the_page_lists_the_ops_that_wait() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", PAGE.read_text(), flags=re.MULTILINE))
    shown = {name: REGISTRY[name].wait_reason for name in WAITING if not name.startswith("_")}
    assert rows == shown
