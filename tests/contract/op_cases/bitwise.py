"""Cases of `ops/math/bitwise.py`."""

DTYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
BINARY = ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
KINDS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
PLACES = "[0, 1, 7, 15, 31, 63, 64, 100]"

CASES = [
    *[f"tf.bitwise.{name}({dtype}(2, 3), {dtype}(3))" for name in BINARY for dtype in DTYPES],
    *[f"tf.bitwise.{name}({dtype}(2), {dtype}(2))" for name in BINARY
      for dtype in ("f32", "b", "c64")],
    *[f"tf.bitwise.invert({dtype}(2, 3))" for dtype in (*DTYPES, "f32", "b")],
    *[f"tf.bitwise.{name}(np.array([-3 if 'u' not in '{kind}' else 5], np.{kind}), "
      f"np.array({PLACES}, np.{kind}))" for name in ("left_shift", "right_shift")
      for kind in KINDS],
    *[f"tf.bitwise.{name}(np.array([-1, 1], np.{kind}), np.array([-1, -5], np.{kind}))"
      for name in ("left_shift", "right_shift") for kind in KINDS[:4]],
    *[f"tf.bitwise.{name}(np.array([2**64 - 1, 2**63, 2**63 + 5], np.uint64), "
      "np.array([1, 62, 2**63], np.uint64))" for name in BINARY],
    *[f"tf.bitwise.{name}(np.array([2**32 - 1, 2**31], np.uint32), np.array([1, 31], np.uint32))"
      for name in BINARY],
    "tf.bitwise.invert(np.array([2**64 - 1, 0], np.uint64))",
    "tf.bitwise.bitwise_and(i32(2), i64(2))",
    "tf.bitwise.bitwise_and(tf.constant([1]), tf.constant([1], tf.int64))",
    "tf.bitwise.bitwise_and(tf.constant([1]), 2.5)",
    "tf.bitwise.bitwise_and(i32(2), i32(3))",
    "tf.bitwise.bitwise_or(i32(0), i32(1))",
    "tf.bitwise.left_shift(5, 2)",
    *[f"tf.raw_ops.PopulationCount(x=np.array([0, 1, 2, 127, 100], np.{kind}))" for kind in KINDS],
    *[f"tf.raw_ops.PopulationCount(x=np.array([-1, -128, 5], np.{kind}))" for kind in KINDS[:4]],
    "tf.raw_ops.PopulationCount(x=np.array([2**64 - 1, 2**63], np.uint64))",
    "tf.raw_ops.PopulationCount(x=[1.5])",
]  # fmt: skip
