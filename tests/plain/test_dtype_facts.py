"""What types of elements and shapes say of themselves; TensorFlow 2.21 gave the values."""

import ml_dtypes
import numpy as np
import pytest

import emplace.tensorflow as tf


@pytest.mark.parametrize(
    ("name", "limits"),
    [
        ("int8", (0, 127)), ("uint8", (0, 255)), ("int32", (0, 2**31 - 1)), ("bool", (0, True)),
        ("float32", (0, 1)), ("float64", (0, 1)),
    ],
)  # fmt: skip
def test_limits_are_those_of_pixels(name: str, limits: tuple[int, int]) -> None:
    assert tf.as_dtype(name).limits == limits


@pytest.mark.parametrize("name", ["float16", "bfloat16", "string", "complex64", "qint8"])
def test_types_that_images_do_not_have_refuse_limits(name: str) -> None:
    with pytest.raises(ValueError, match="does not have defined limits"):
        _ = tf.as_dtype(name).limits


@pytest.mark.parametrize(("name", "kind"), [("bool", "type"), ("qint8", "quantized type")])
def test_types_without_a_smallest_value_say_of_what_kind_they_are(name: str, kind: str) -> None:
    dtype = tf.as_dtype(name)
    with pytest.raises(TypeError, match=f"Cannot find minimum value of {dtype} with {kind}"):
        _ = dtype.min


def test_quantized_types_are_numeric_and_those_that_are_only_kept_are_not() -> None:
    assert tf.qint8.is_numeric
    assert tf.bfloat16.is_numeric
    assert not tf.as_dtype("float8_e5m2").is_numeric
    assert not tf.bool.is_numeric


@pytest.mark.parametrize(("number", "name", "size", "smallest", "largest"), [
    (26, "float8_e4m3fnuz", 1, -240, 240), (27, "float8_e4m3b11fnuz", 1, -30, 30),
    (28, "float8_e5m2fnuz", 1, -57344, 57344), (29, "int4", 1, -8, 7), (30, "uint4", 1, 0, 15),
    (31, "int2", 1, -2, 1), (32, "uint2", 1, 0, 3), (33, "float4_e2m1fn", 1, -6, 6),
])  # fmt: skip
def test_small_types_have_their_number_their_name_and_their_range(
    number: int, name: str, size: int, smallest: float, largest: float
) -> None:
    dtype = tf.as_dtype(number)
    assert (dtype.name, dtype.size) == (name, size)
    assert (float(dtype.min), float(dtype.max)) == (smallest, largest)
    assert dtype is tf.as_dtype(getattr(ml_dtypes, name)) is tf.as_dtype(name)
    assert dtype.is_floating == name.startswith("float")
    assert dtype.is_integer != dtype.is_floating
    assert dtype is getattr(tf.dtypes.experimental, name) is getattr(tf.experimental, name)


def test_small_types_have_no_tensors_and_say_so() -> None:
    with pytest.raises((TypeError, tf.errors.UnimplementedError), match="int4"):
        tf.constant(1, tf.dtypes.experimental.int4)
    with pytest.raises((TypeError, tf.errors.UnimplementedError), match="int4"):
        tf.cast([1.0], tf.dtypes.experimental.int4)
    with pytest.raises((TypeError, tf.errors.UnimplementedError), match="int4"):
        tf.zeros([2], tf.dtypes.experimental.int4)


def test_a_type_is_made_of_its_number() -> None:
    assert tf.DType(1) is tf.float32
    for number in (0, 77):
        with pytest.raises(TypeError, match=f"{number} does not correspond to a valid"):
            tf.DType(number)


def test_references_of_tf1_name_what_they_refer_to() -> None:
    ref = tf.as_dtype("float32_ref")
    assert (ref.as_datatype_enum, ref.base_dtype, ref.size) == (101, tf.float32, 4)
    assert ref is tf.as_dtype(101) is tf.DType(101)
    assert ref != tf.float32
    assert ref.is_compatible_with(tf.float32) is False
    assert tf.float32.is_compatible_with(ref) is True


def test_a_type_is_a_subtype_of_itself_alone() -> None:
    assert tf.string.is_subtype_of(tf.string)
    assert not tf.string.is_subtype_of(tf.uint32)
    assert tf.string.most_specific_common_supertype([tf.string]) is tf.string
    assert tf.string.most_specific_common_supertype([tf.uint32]) is None
    again = tf.DType.experimental_from_proto(tf.int8.experimental_as_proto())
    assert again is tf.int8


@pytest.mark.parametrize("dims", [None, [], [2, 3], [1, None]])
def test_shapes_come_back_from_their_protocol_buffer(dims: list[int | None] | None) -> None:
    shape = tf.TensorShape(dims)
    proto = shape.as_proto()
    assert proto.unknown_rank is (dims is None)
    assert [d.size for d in proto.dim] == [-1 if d is None else d for d in dims or ()]
    assert tf.TensorShape(proto).rank == shape.rank
    assert repr(tf.TensorShape.experimental_from_proto(proto)) == repr(shape)


def test_the_common_supertype_of_shapes_leaves_open_what_differs() -> None:
    shape = tf.TensorShape([1, 2, 3])
    assert repr(shape.most_specific_common_supertype([tf.TensorShape([1, 5, 3])])) == (
        "TensorShape([1, None, 3])"
    )
    assert repr(shape.most_specific_common_supertype([tf.TensorShape([1])])) == "TensorShape(None)"
    assert shape.most_specific_common_supertype([np.array(3)]) is None
