"""Cases of `ops/math/segment.py`."""

from __future__ import annotations

NUMBERS = [
    "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    "c64", "c128",
]  # fmt: skip
REALS = NUMBERS[:-2]
FLOATS = NUMBERS[:4]
SORTED = ["sum", "mean", "prod", "max", "min"]
UNSORTED = ["sum", "prod", "max", "min", "mean", "sqrt_n"]
SPARSE = ["sum", "mean", "sqrt_n"]

SORTED_CASES = [
    *[f"tf.math.segment_{n}({m}(5, 2), [0, 0, 1, 3, 3])" for n in SORTED for m in REALS],
    *[f"tf.math.segment_{n}({m}(4), [0, 1, 1, 1])" for n in SORTED for m in ("c64", "c128", "b")],
    *[
        f"tf.math.segment_{n}({x})"
        for n in SORTED
        for x in (
            "f32(3), tf.constant([0, 2, 2], tf.int64)",
            "f32(3, 2, 2), [0, 0, 1]",
            "f32(0), i32(0)",
            "f32(0, 2), i32(0)",
            "f32(2, 0), [0, 3]",
            "f32(3), [0, 2, 1]",
            "f32(3), [0, 1]",
            "f32(3), [-1, 0, 1]",
            "f32(2, 2), [[0, 1], [1, 1]]",
            "3.0, 0",
            "f32(3), [0., 1., 1.]",
            "[1., nan, 3.], [0, 0, 1]",
            "[nan, 1., 3.], [0, 0, 1]",
            "f32(3), [2, 2, 2]",
            "f32(), [0]",
            "[inf, -inf, 1.], [0, 0, 1]",
            "[-0., 0.], [0, 0]",
        )
    ],
    "tf.math.segment_mean([1, 2, 4], [0, 0, 0])",
    "tf.math.segment_mean([-1, -2, -4], [0, 0, 0])",
    "tf.math.segment_sum(np.array([100, 100], np.int8), [0, 0])",
    "tf.math.segment_sum(data=f32(2), segment_ids=[0, 1], name='s')",
    "tf.math.segment_max(np.array([1, 2**63], np.uint64), [0, 0])",
]

UNSORTED_CASES = [
    *[
        f"tf.math.unsorted_segment_{n}({m}(5, 2), [3, 0, 1, 3, 0], 5)"
        for n in UNSORTED[:4]
        for m in REALS
    ],
    *[
        f"tf.math.unsorted_segment_{n}({m}(5, 2), [3, 0, 1, 3, 0], 5)"
        for n in UNSORTED[4:]
        for m in FLOATS
    ],
    *[
        f"tf.math.unsorted_segment_{n}({m}(4), [2, 0, 0, 2], 3)"
        for n in UNSORTED
        for m in ("c64", "c128", "b")
    ],
    *[
        f"tf.math.unsorted_segment_{n}({x})"
        for n in UNSORTED
        for x in (
            "f32(3), tf.constant([2, 0, 2], tf.int64), 3",
            "f32(3, 2), [1, -1, 1], 2",
            "f32(2, 2), [[0, 1], [1, 1]], 2",
            "f32(2, 2, 3), [[0, 1], [1, -1]], 3",
            "3.0, 1, 2",
            "f32(3), [0, 1, 2], 0",
            "f32(0), i32(0), 2",
            "f32(0, 2), i32(0), 2",
            "f32(2, 0), [0, 1], 2",
            "f32(3), [0, 1, 3], 3",
            "f32(3), [0, 1], 3",
            "f32(3), [0, 1, 1], -1",
            "f32(3), [0, 1, 1], [2]",
            "f32(3), [0., 1., 1.], 2",
            "f32(3), [0, 1, 1], tf.constant(2, tf.int64)",
            "[1., nan, 3.], [1, 0, 1], 2",
            "[nan, 1., 3.], [0, 0, 1], 3",
            "f32(3), [-1, -1, -1], 2",
            "f32(), [0], 1",
            "f32(2, 3), [[0, 1], [1, 0]], 2",
            "[-inf, inf, 1.], [0, 0, 1], 2",
        )
    ],
    "tf.math.unsorted_segment_mean([1, 2, 4], [0, 0, 0], 1)",
    "tf.math.unsorted_segment_sqrt_n([1, 2, 4], [0, 0, 0], 1)",
    "tf.math.unsorted_segment_sum(np.array([100, 100], np.int8), [0, 0], 1)",
    "tf.math.unsorted_segment_sum(f32(3), np.array([0, 1, 1], np.int16), 2)",
    "tf.math.unsorted_segment_max(np.array([1, 2**63], np.uint64), [0, 0], 1)",
]

SPARSE_CASES = [
    *[f"tf.sparse.segment_{n}({m}(4, 2), [0, 3, 1], [0, 0, 2])" for n in SPARSE for m in FLOATS],
    *[f"tf.sparse.segment_sum({m}(4), [0, 3, 1], [0, 0, 2])" for m in ("i32", "u8", "i64", "c64")],
    *[
        f"tf.sparse.segment_{n}({x})"
        for n in SPARSE
        for x in (
            "f32(4, 2), [0, 3, 1], [0, 0, 2], num_segments=4",
            "f32(4), [0, 4], [0, 1]",
            "f32(4), [0, -1], [0, 1]",
            "f32(4), [0, 1], [1, 0]",
            "f32(4), [0, 1], [0]",
            "f32(4, 2), i32(0), i32(0)",
            "f32(4, 2), i32(0), i32(0), 3",
            "f32(4), [1, 1], [0, 0], 0",
            "f32(4), [1, 1], [0, 2], 2",
            "f32(4), [[1]], [0]",
            "i32(4), [1, 1], [0, 0]",
            "f32(4), i64(2, low=0, high=4), tf.constant([0, 0], tf.int64)",
            "f32(4), [1, 1], [-1, 0]",
            "f32(), [0], [0]",
        )
    ],
]

GRADIENTS = [
    *[
        f"gradient(lambda x: tf.math.segment_{n}(x, {ids}), {x})"
        for n in SORTED
        for x, ids in (
            ("[1., 2., 2., 0.]", "[0, 0, 0, 2]"), ("[[1., 0.], [0., 3.]]", "[0, 0]"),
            ("[0., 0., 2.]", "[0, 0, 0]"), ("[nan, 1.]", "[0, 0]"),
        )
    ],
    *[
        f"gradient(lambda x: tf.math.unsorted_segment_{n}(x, {ids}), {x})"
        for n in UNSORTED
        for x, ids in (
            ("[1., 2., 2., 0.]", "[2, 0, 2, 2], 3"), ("[1., 2., 2.]", "[0, -1, 0], 3"),
            ("[0., 0., 2.]", "[0, 0, 0], 1"), ("[0., 3., 2.]", "[0, 0, -1], 1"),
            ("f32(2, 2, 2)", "[[0, 1], [1, 1]], 2"), ("[nan, 1.]", "[0, 0], 1"),
        )
    ],
    *[
        f"gradient(lambda x: tf.sparse.segment_{n}(x, [0, 2, 2], [0, 0, 2]), f32(3, 2))"
        for n in SPARSE
    ],
    *[
        f"gradient(lambda x: tf.sparse.segment_{n}(x, [0, 2, 2], [0, 0, 2], 5), f32(3, 2))"
        for n in SPARSE
    ],
]  # fmt: skip

EVERY = [*SORTED_CASES, *UNSORTED_CASES, *SPARSE_CASES, *GRADIENTS]

# What TensorFlow answers in its own way: docs/DIFFERENCES.md. Whether its extremes are NaN
# depends on where the NaN stands.
ODD = [
    *[f"tf.math.segment_{n}([nan, 1., 3.], [0, 0, 1])" for n in ("max", "min")],
    *[f"tf.math.unsorted_segment_{n}([nan, 1., 3.], [0, 0, 1], 3)" for n in ("max", "min")],
    *[
        f"gradient(lambda x: tf.math.{n}, [nan, 1.])"
        for end in ("max", "min")
        for n in (f"segment_{end}(x, [0, 0])", f"unsorted_segment_{end}(x, [0, 0], 1)")
    ],
]
CASES = [case for case in EVERY if case not in ODD]
CASES += [
    f"tf.math.segment_mean(np.array([{top}, {top} - 1, 3, {top} // 2, 7], np.{kind}), "
    "[0, 0, 0, 1, 1])"
    for kind, top in (
        ("uint8", 255), ("uint16", 65535), ("uint32", "(2**32 - 1)"), ("uint64", "(2**64 - 1)"),
        ("int8", 127),
    )
]  # fmt: skip
