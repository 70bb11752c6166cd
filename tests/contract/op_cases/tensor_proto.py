"""Cases of `ops/io/tensor_proto.py`."""

from __future__ import annotations

_TYPES = ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
          "uint16", "uint32", "uint64", "complex64", "complex128", "bool"]  # fmt: skip
_SHAPES = ["3.0", "[]", "[[]]", "[1.0, 0.0, 3.0]", "[[[1.0], [2.0]]]"]
_TEXTS = ["'ab'", "['ab', '', 'c']", "[['a']]", "b'\\x00\\xff'", "tf.constant([], tf.string)",
          "tf.zeros([2, 0, 3], tf.string)", "'x' * 200"]  # fmt: skip

# (dtype, its number, the field of its elements, shape of 4, some elements): one by one and packed.
_ONE_BY_ONE = {
    "float32": r"\x08\x01\x12\x04\x12\x02\x08\x04*\x08\x00\x00\x80?\x00\x00\x00@",
    "float64": r"\x08\x02\x12\x04\x12\x02\x08\x042\x08\x00\x00\x00\x00\x00\x00\xf0?",
    "int32": r"\x08\x03\x12\x04\x12\x02\x08\x04:\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "int64": r"\x08\t\x12\x04\x12\x02\x08\x04R\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "uint8": r"\x08\x04\x12\x04\x12\x02\x08\x04:\x03\x01\x02\x03",
    "int8": r"\x08\x06\x12\x04\x12\x02\x08\x04:\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "int16": r"\x08\x05\x12\x04\x12\x02\x08\x04:\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    "uint16": r"\x08\x11\x12\x04\x12\x02\x08\x04:\x04\x01\xff\xff\x03",
    "uint32": r"\x08\x16\x12\x04\x12\x02\x08\x04\x82\x01\x02\x01\x02",
    "uint64": r"\x08\x17\x12\x04\x12\x02\x08\x04\x8a\x01\x02\x01\x02",
    "bool": r"\x08\n\x12\x04\x12\x02\x08\x04Z\x02\x01\x00",
    "float16": r"\x08\x13\x12\x04\x12\x02\x08\x04j\x05\x80x\x80\x80\x01",
    "bfloat16": r"\x08\x0e\x12\x04\x12\x02\x08\x04j\x05\x80\x7f\x80\x80\x01",
    "complex64": r"\x08\x08\x12\x04\x12\x02\x08\x04J\x08\x00\x00\x80?\x00\x00\x00@",
    "complex128":
        r"\x08\x12\x12\x04\x12\x02\x08\x04b\x10\x00\x00\x00\x00\x00\x00\xf0?\x00\x00\x00\x00\x00"
        r"\x00\x00@",
    "string": r"\x08\x07\x12\x04\x12\x02\x08\x04B\x01aB\x01b",
}  # fmt: skip
_FLOATS = [
    "", "abc", r"\x08\x01", r"\x08\x01\x12\x00", r"\x08\x01\x12\x04\x12\x02\x08\x03",
    r"\x08\x01\x12\x04\x12\x02\x08\x03\x22\x04\x00\x00\x80\x3f",  # too few bytes
    r"\x08\x01\x12\x02\x18\x01",  # unknown rank
    r"\x08\x01\x12\r\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # size -1
    r"\x08\x01*\x08\x00\x00\x80?\x00\x00\x00@",  # more elements than the shape has
    r"\x08c", r"\x12\x00", r"\x08\x01\x1a\x05ab", r"\x08\x03\x12\x00", r"\x08",
    r"\x08\x01\x12\x04\x12\x02\x08\x02-\x00\x00\x80?-\x00\x00\x00@",  # one by one
    r"\x12\x04\x12\x02\x08\x02\x08\x01",  # in another order
    r"\x08\x01\x12\x06\x12\x04\x08\x02\x12\x00",  # a dimension with a name
    r"\x08\x01\x12\x00\x18\x05",  # a version
    r"\x08\x01\x12\x00\xfa\x01\x01a",  # a field that nobody knows
    r"\x08\x02\x08\x01",  # twice
    r"\x00\x01", r"\x0b\x0c",
]  # fmt: skip

CASES = [
    *[
        f"tf.io.serialize_tensor(tf.cast(tf.constant({value}), tf.{name}))"
        for name in _TYPES
        for value in _SHAPES
    ],
    *[f"tf.io.serialize_tensor({text})" for text in _TEXTS],
    "tf.io.serialize_tensor(tf.zeros([2, 0, 300]))",
    "tf.io.serialize_tensor(tf.ones([300], tf.uint8))",
    "tf.io.serialize_tensor(f32(2, 3))",
    "tf.io.serialize_tensor(tf.transpose(f32(2, 3)))",
    "tf.io.serialize_tensor(3)",
    "tf.io.serialize_tensor([1, 2])",
    "tf.io.serialize_tensor(['a', 1])",
    *[
        f"tf.io.parse_tensor(tf.io.serialize_tensor(tf.cast({value}, tf.{name})), tf.{name})"
        for name in _TYPES
        for value in ("[[1.0, 0.0, 3.0]]", "2.0", "tf.zeros([2, 0])")
    ],
    *[f"tf.io.parse_tensor(tf.io.serialize_tensor({text}), tf.string)" for text in _TEXTS],
    *[f"tf.io.parse_tensor(b'{data}', tf.{name})" for name, data in _ONE_BY_ONE.items()],
    *[f"tf.io.parse_tensor(b'{data}', tf.float32)" for data in _FLOATS],
    "tf.io.parse_tensor(['a'], tf.float32)",
    "tf.io.parse_tensor(3, tf.float32)",
    "tf.io.parse_tensor(tf.io.serialize_tensor(3.0), tf.int32)",
    "tf.io.parse_tensor(tf.io.serialize_tensor(3.0), 'zz')",
    "tf.io.parse_tensor(tf.io.serialize_tensor(3.0), 'float32')",
    "tf.raw_ops.SerializeTensor(tensor=[1])",
    "tf.raw_ops.ParseTensor(serialized=tf.io.serialize_tensor(3.0), out_type=tf.float32)",
]
