"""Raw ops that write and read variables keep to the variable's dtype and shape, as TensorFlow's."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.base.errors import InvalidArgumentError

CHANGES = ["AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"]


def _recorded(change: str, shape: Any, value: Any) -> Any:
    with tf.Graph().as_default():
        handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=shape)
        return getattr(tf.raw_ops, change)(resource=handle, value=tf.constant(value))


@pytest.mark.parametrize("change", CHANGES)
def test_a_graph_refuses_to_change_a_variable_by_a_value_of_another_dtype(change: str) -> None:
    with pytest.raises(ValueError, match=r"wrong dtype\. Expected int32 got float for '{{node"):
        _recorded(change, None, 0.0)


@pytest.mark.parametrize("change", CHANGES)
def test_a_graph_refuses_to_change_a_variable_by_a_value_of_another_shape(change: str) -> None:
    with pytest.raises(ValueError, match="Shapes must be equal rank, but are 0 and 1 for"):
        _recorded(change, [], [0])
    with pytest.raises(ValueError, match=r"Shapes are \[2\] and \[1\]"):
        _recorded(change, [2], [0])
    assert _recorded(change, [None], [0, 1]).type == change


def test_eager_raw_ops_refuse_values_of_another_dtype_than_the_variables() -> None:
    handle = tf.raw_ops.VarHandleOp(dtype=tf.int32, shape=[2])
    with pytest.raises(
        InvalidArgumentError, match=r"assign variable with wrong dtype\. Expected int32 got float"
    ):
        tf.raw_ops.AssignVariableOp(resource=handle, value=[1.0, 2.0])
    tf.raw_ops.AssignVariableOp(resource=handle, value=[1, 2])
    with pytest.raises(
        InvalidArgumentError, match=r"read variable with wrong dtype\. Expected float got int32"
    ):
        tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)
    assert tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int32).numpy().tolist() == [1, 2]
