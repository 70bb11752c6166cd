"""Arrays as TensorProto messages; TensorFlow 2.21 gave the fields."""

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


def _content(values: Any, dtype: Any = None) -> bytes:
    return tf.make_tensor_proto(values, dtype).tensor_content  # type: ignore[no-any-return]


def test_halves_are_bytes_where_there_is_more_than_one() -> None:
    assert _content(np.array([10.0, 20.0], np.float16)) == b"\x00I\x00M"
    assert _content([10.0, 20.0], tf.float16) == b"\x00I\x00M"
    assert list(tf.make_tensor_proto(10.0, tf.float16).half_val) == [0x4900]
    filled = tf.make_tensor_proto([1.0, 2.0], tf.float16, shape=[2, 2])
    assert len(filled.half_val) == 2


def test_dimensions_and_arrays_may_stand_among_numbers() -> None:
    sizes = tf.make_tensor_proto([10, tf.compat.v1.Dimension(20), 30], tf.int32)
    assert tf.make_ndarray(sizes).tolist() == [10, 20, 30]
    for dtype in (None, tf.float32):
        mixed = tf.make_ndarray(tf.make_tensor_proto([10.0, np.array(30.0)], dtype))
        assert (mixed.dtype, mixed.tolist()) == (np.float32, [10.0, 30.0])
    with pytest.raises(TypeError, match=r"Failed to convert elements of .*Dimension"):
        tf.make_tensor_proto([tf.compat.v1.Dimension(1)])


def test_quantized_numbers_are_tuples_and_come_back() -> None:
    made = tf.make_tensor_proto([(21,), (22,)], tf.qint32)
    assert made.tensor_content == b"\x15\0\0\0\x16\0\0\0"
    again = tf.make_ndarray(made)
    assert again.dtype == tf.qint32.as_numpy_dtype
    assert again.tolist() == [(21,), (22,)]
    for plain in (3, [3]):
        with pytest.raises(TypeError, match="Expected qint8, but got 3 of type 'int'"):
            tf.make_tensor_proto(plain, tf.qint8)


@pytest.mark.parametrize("name", ["int4", "uint4", "int2", "uint2"])
def test_small_integers_are_kept_one_by_one(name: str) -> None:
    dtype = tf.as_dtype(name)
    made = tf.make_tensor_proto([1, 0], dtype)
    assert list(made.int_val) == [1, 0]
    again = tf.make_ndarray(made)
    assert (again.dtype, again.astype(int).tolist()) == (dtype.as_numpy_dtype, [1, 0])


def test_small_floats_have_a_field_of_their_own_if_any() -> None:
    assert tf.make_tensor_proto(1, tf.dtypes.experimental.float8_e5m2).float8_val == b"<"
    with pytest.raises(TypeError, match="not supported in TensorProto: float8_e4m3fnuz"):
        tf.make_tensor_proto(1, tf.dtypes.experimental.float8_e4m3fnuz)
    made = tf.make_tensor_proto([1, 2], tf.dtypes.experimental.float8_e4m3fnuz)
    assert made.tensor_content == b"@H"
    assert tf.make_ndarray(made).astype(float).tolist() == [1.0, 2.0]


def test_errors_are_in_tensorflows_words() -> None:
    with pytest.raises(TypeError, match=r"Expected int32, but got 1.5 of type 'float'"):
        tf.make_tensor_proto([1.5], tf.int32)
    with pytest.raises(TypeError, match=r"Failed to convert elements of \[1, 'a'\] to Tensor"):
        tf.make_tensor_proto([1, "a"])
    with pytest.raises(ValueError, match="Takes at most 2, but got 3"):
        tf.make_tensor_proto([1, 2, 3], shape=[2])
