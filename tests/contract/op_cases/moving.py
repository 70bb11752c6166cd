"""Cases of `ops/array/moving.py`: reverse, roll, space and batch."""
# ruff: noqa: E501  # a case stands on one line

CASES = [
    *[f"tf.reverse(f32(2, 3, 2), {axis})" for axis in (
        "[0]", "[1, 2]", "[-1]", "[]", "[3]", "[0, 0]", "[0, -3]", "0", "tf.constant([1])",
        "tf.constant([1], tf.int64)", "[-4]",
    )],
    *[f"tf.reverse({x}, [0])" for x in (
        "['a', 'b']", "b(3)", "u16(3)", "u64(3)", "c64(2)", "bf16(3)", "[1, 2]", "f32(0)", "i8(2)",
    )],
    "tf.reverse(f32(), [])",
    "tf.reverse([[True, False]], [1])",
    *[f"tf.reverse_sequence(f32(3, 4, 2), {args})" for args in (
        "[1, 2, 4], seq_axis=1, batch_axis=0", "[1, 2, 4], seq_axis=1", "[0, 0, 0], seq_axis=1",
        "[1, 2, 3, 1], 0, 1", "[1, 2], seq_axis=1", "[1, 2, 5], seq_axis=1", "[-1, 2, 3], seq_axis=1",
        "[1, 2, 3], seq_axis=0", "[1, 2, 4], seq_axis=3", "tf.constant([1, 2, 3], tf.int64), 1",
        "[1, 2], seq_axis=1, batch_axis=2", "[2, 1, 2], seq_axis=-1", "[1.0, 2.0, 3.0], seq_axis=1",
        "[[1, 2, 3]], seq_axis=1", "[1, 2, 3]",
    )],
    "tf.reverse_sequence(['ab', 'cd'], [1, 1], 0)",
    "tf.reverse_sequence([['a', 'b'], ['c', 'd']], [2, 1], 1)",
    "tf.reverse_sequence(b(2, 3), [2, 3], seq_axis=1)",
    "tf.reverse_sequence(u16(2, 3), [2, 3], seq_axis=1)",
    "tf.reverse_sequence(c64(2, 3), [2, 3], seq_axis=1)",
    *[f"tf.roll(f32(3, 4), {args})" for args in (
        "1, 0", "-1, 1", "[1, 2], [0, 1]", "5, 1", "[1, 1], [0, 0]", "1, -1", "1, 2", "1, -3", "[1, 2], 0",
        "0, 0", "shift=2, axis=1", "tf.constant(1), tf.constant(1)", "[1], [0]", "1.0, 0", "[[1]], [[0]]",
        "tf.constant(1, tf.int64), 0",
    )],
    *[f"tf.roll({x}, 1, 0)" for x in (
        "['a', 'b', 'c']", "b(3)", "u16(3)", "u32(3)", "c64(3)", "bf16(3)", "[1, 2, 3]", "f32(0)", "f32()",
    )],
    *[f"tf.space_to_batch({args})" for args in (
        "f32(1, 4, 4, 1), [2, 2], [[0, 0], [0, 0]]", "f32(1, 3, 3, 2), [2, 2], [[1, 0], [0, 1]]",
        "f32(2, 4, 3), [2], [[0, 0]]", "f32(2, 5, 3), [2], [[0, 0]]", "f32(1, 4, 4, 1), 2, [[0, 0], [0, 0]]",
        "f32(1, 4, 4, 1), [2, 2], [[0, 0]]", "f32(1, 4, 4, 1), [0, 2], [[0, 0], [0, 0]]", "f32(4), [2], [[0, 0]]",
        "i32(1, 2, 2), [2, 2], [[0, 0], [0, 0]]", "f32(2, 4), [2], [[-1, 1]]",
        "f32(1, 2, 2, 2, 1), [2, 1, 2], [[0, 0], [1, 1], [0, 0]]",
    )],
    "tf.nn.space_to_batch(f32(1, 4, 4, 1), [2, 2], [[0, 0], [0, 0]])",
    "tf.space_to_batch_nd(f32(1, 4, 4, 1), [2, 2], [[0, 0], [0, 0]])",
    *[f"tf.batch_to_space({args})" for args in (
        "f32(4, 2, 2, 1), [2, 2], [[0, 0], [0, 0]]", "f32(4, 2, 2, 1), [2, 2], [[1, 0], [0, 1]]",
        "f32(4, 3), [2], [[0, 0]]", "f32(3, 3), [2], [[0, 0]]", "f32(4, 2, 2, 1), 2, [[0, 0], [0, 0]]",
        "f32(4, 2, 2, 1), [2, 2], [[3, 2], [0, 0]]", "f32(4, 2, 2, 1), [2, 2], [[-1, 0], [0, 0]]",
        "i32(4, 1, 1), [2, 2], [[0, 1], [0, 0]]", "f32(4, 2, 2, 1), [2], [[0, 0], [0, 0]]",
    )],
    "grad(lambda x: tf.reverse(x, [1]) * f32(2, 3), f32(2, 3))",
    "grad(lambda x: tf.reverse_sequence(x, [1, 3], 1) * f32(2, 3), f32(2, 3))",
    "grad(lambda x: tf.roll(x, [1, -1], [0, 1]) * f32(2, 3), f32(2, 3))",
    "grad(lambda x: tf.space_to_batch(x, [2], [[1, 0]]) * f32(4, 2), f32(2, 3))",
    "grad(lambda x: tf.batch_to_space(x, [2], [[1, 0]]) * f32(2, 3), f32(4, 2))",
    "tf.unravel_index([0, 5, 3], [2, 3])",
    "tf.unravel_index(4, [2, 3])",
    "tf.unravel_index([6], [2, 3])",
    "tf.unravel_index(tf.constant([1, 2], tf.int64), tf.constant([2, 2], tf.int64))",
    *[f"tf.unravel_index({args})" for args in ("[2, 5, 7], [3, 0]", "tf.constant([], tf.int32), [2, 0]", "[1], [70000, 70000]", "[1], [65536, 32767]", "tf.constant([1], tf.int64), tf.constant([70000, 70000], tf.int64)", "tf.constant(0, tf.int64), tf.constant([2**32, 2**31], tf.int64)", "[5], tf.constant([2, 3], tf.int64)", "tf.constant([5]), tf.constant([2, 3], tf.int64)")],
]  # fmt: skip
