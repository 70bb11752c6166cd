"""Cases of `ops/elementwise.py`."""

CASES = [
    "tf.add(f32(2, 3), f32(3))",
    "tf.add(f32(2, 3), i32(3))",
    "tf.add(f32(2), f32(3))",
    "tf.cast([1.7, -1.7], tf.int32)",
]
