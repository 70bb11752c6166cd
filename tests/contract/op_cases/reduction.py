"""Cases of `ops/math/reduction.py`."""

from __future__ import annotations

from op_cases import Case, loose

NUMBERS = [
    "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    "c64", "c128",
]  # fmt: skip
REALS = NUMBERS[:-2]
FLOATS = ["f16", "bf16", "f32", "f64"]
SUMS = ["sum", "mean", "prod"]
EXTREMES = ["max", "min"]
STATISTICS = ["std", "variance", "logsumexp", "euclidean_norm"]
LOGICAL = ["all", "any"]
NUMERIC = [*SUMS, *EXTREMES]

AXES = ["None", "0", "1", "-1", "[0]", "[0, 2]", "[2, 0]", "[-1, -2]", "[0, 1, 2]", "[]", "()"]
BAD_AXES = ["3", "-4", "[0, 0]", "[0, -3]", "[1, 5]", "1.0"]
EDGES = [
    "[1., nan, 2.]", "[nan, nan]", "[inf, -inf]", "[inf, 1.]", "[-inf, -inf]", "[-0., 0.]",
    "[0., -0.]", "[[nan, 1.], [2., 3.]], 1", "3.0", "[]",
]  # fmt: skip

_SUMS_OF_MANY = "sums of numbers of few digits that cancel depend on their order"

DTYPES = [
    *[f"tf.reduce_{name}({maker}(3, 4), 1)" for name in SUMS for maker in NUMBERS],
    *[f"tf.reduce_{name}({maker}(5))" for name in SUMS for maker in NUMBERS[1:]],
    loose("tf.reduce_mean(f16(5))", 2e-2, _SUMS_OF_MANY),
    loose("tf.reduce_sum(f16(5))", 2e-2, _SUMS_OF_MANY),
    "tf.reduce_prod(f16(5))",
    *[f"tf.reduce_{name}({maker}(3, 4), 0)" for name in EXTREMES for maker in REALS],
    *[f"tf.math.reduce_{name}({maker}(3, 4), 0)" for name in STATISTICS for maker in FLOATS],
    *[f"tf.math.reduce_euclidean_norm({maker}(4))" for maker in NUMBERS[4:]],
    *[
        f"tf.math.reduce_{name}({maker}(4))"
        for name in ("std", "variance")
        for maker in NUMBERS[6:]
    ],
    "tf.math.reduce_logsumexp(i32(3))",
    "tf.math.reduce_logsumexp(c64(3))",
    "tf.reduce_sum(b(3))",
    "tf.reduce_mean(b(3))",
    "tf.reduce_max(b(3))",
    "tf.reduce_max(c64(3))",
    "tf.reduce_sum(['a', 'b'])",
    "tf.reduce_all(f32(3))",
    "tf.reduce_any([1, 0])",
    "tf.reduce_all(i32(3))",
]

AXIS = [
    *[f"tf.math.reduce_{n}(f32(2, 3, 4), {a})" for n in [*NUMERIC, *STATISTICS] for a in AXES],
    *[f"tf.reduce_{n}(b(2, 3, 4), {a})" for n in LOGICAL for a in AXES],
    *[
        f"tf.math.reduce_{n}(f32(2, 3, 4), {a}, keepdims=True)"
        for n in [*NUMERIC, *STATISTICS]
        for a in ("None", "1", "[0, -1]", "[]")
    ],
    *[f"tf.reduce_{n}(b(2, 3, 4), {a}, True)" for n in LOGICAL for a in ("None", "1", "[0, -1]")],
    *[
        f"tf.math.reduce_{n}(f32(2, 3, 4), {a})"
        for n in ("sum", "max", "std", "logsumexp")
        for a in BAD_AXES
    ],
    "tf.reduce_all(b(2, 3), 2)",
    "tf.reduce_sum(3.0, 0)",
    "tf.reduce_sum(3.0, [])",
    "tf.reduce_sum(f32(2, 3), tf.constant([0, 1], tf.int64))",
    "tf.reduce_sum(f32(2, 3), tf.constant(-1))",
    "tf.reduce_sum(f32(2, 3), np.array([1]))",
    "tf.reduce_max(i32(2, 1, 3, 1, 2), [1, 3])",
    "tf.reduce_sum(i32(2, 1, 2, 1, 2, 2), [0, 2, 5], keepdims=True)",
    "tf.reduce_prod(i64(2, 1, 2, 1, 2, 2), [0, 2, 5])",
    "tf.reduce_sum(input_tensor=f32(2), axis=0, keepdims=False, name='s')",
]

EMPTY = [
    *[
        f"tf.math.reduce_{n}(f32(0, 3), {a})"
        for n in [*NUMERIC, *STATISTICS]
        for a in ("None", "0", "1")
    ],
    *[f"tf.reduce_{n}(i32(0))" for n in ("sum", "prod", "max", "min")],
    *[
        f"tf.reduce_{n}({m}(2, 0), 1)"
        for n in EXTREMES
        for m in ("u8", "i8", "i64", "u64", "bf16", "f16", "f64")
    ],
    *[f"tf.reduce_mean({m}(0))" for m in ("f64", "bf16")],
    *[f"tf.reduce_{n}(b(0))" for n in LOGICAL],
    *[f"tf.reduce_{n}(b(2, 0), 1)" for n in LOGICAL],
    "tf.reduce_sum(c64(0))",
    "tf.reduce_prod(c64(0, 2), 0)",
    "tf.reduce_mean(f32(3, 0), 0)",
]

VALUES = [
    *[f"tf.math.reduce_{n}({e})" for n in [*NUMERIC, *STATISTICS] for e in EDGES],
    "tf.reduce_sum(np.array([100, 100, 100], np.int8))",
    "tf.reduce_sum(np.array([200, 100], np.uint8))",
    "tf.reduce_sum(np.array([2**31 - 1, 1], np.int32))",
    "tf.reduce_prod(np.array([100, 100], np.int8))",
    "tf.reduce_prod(np.array([70000, 70000], np.int32))",
    "tf.reduce_sum(np.array([60000, 60000], np.uint16))",
    "tf.reduce_mean([7, 0, 0])",
    "tf.reduce_mean([-7, 0, 0])",
    "tf.reduce_mean([1, 2])",
    "tf.reduce_mean(np.array([100, 100], np.int8))",
    "tf.reduce_mean(np.array([200, 200], np.uint8))",
    "tf.reduce_mean(np.array([2**31 - 1, 2**31 - 1], np.int32))",
    "tf.reduce_max(np.array([2**63, 1], np.uint64))",
    "tf.reduce_min(np.array([2**63, 1], np.uint64))",
    "tf.reduce_max(np.array([2**31, 1], np.uint32))",
    "tf.reduce_sum(np.array([2**63, 1], np.uint64))",
    "tf.reduce_sum(np.full(2000, 0.1, np.float16))",
    "tf.reduce_sum(np.full(3000, 1.0, np.float32).astype(tf.bfloat16.as_numpy_dtype))",
    "tf.reduce_mean(np.full(3000, 1.5, np.float16))",
    "tf.reduce_sum(np.full(70000, 1.0, np.float16))",
    "tf.math.reduce_logsumexp([1000., 1000.])",
    "tf.math.reduce_logsumexp([-1000., -1000.])",
    "tf.math.reduce_logsumexp([[inf, 1.], [-inf, -inf]], 1)",
    "tf.math.reduce_variance([[1., 1.], [2., 4.]], 1)",
    "tf.math.reduce_std(c64(3))",
    "tf.math.reduce_euclidean_norm([3, 4])",
    "tf.math.reduce_euclidean_norm([1, 1])",
    "tf.math.reduce_euclidean_norm(np.array([100, 100], np.int8))",
    "tf.math.reduce_euclidean_norm([3e30, 4e30])",
    "tf.reduce_all([])",
    "tf.reduce_any([[True, False], [False, False]], 1)",
]

COUNTS = [
    *[f"tf.math.count_nonzero({m}(3, 4), 1)" for m in [*NUMBERS, "b"]],
    *[f"tf.math.count_nonzero(i32(2, 3), {a})" for a in ("None", "0", "[0, 1]", "-1", "[]", "4")],
    "tf.math.count_nonzero(i32(2, 3), 1, keepdims=True)",
    "tf.math.count_nonzero(i32(2, 3), dtype=tf.int32)",
    "tf.math.count_nonzero(i32(2, 3), dtype=tf.float32)",
    "tf.math.count_nonzero(['', 'a', ' '])",
    "tf.math.count_nonzero([['', 'a'], ['', '']], 1, True)",
    "tf.math.count_nonzero([nan, 0., -0., inf])",
    "tf.math.count_nonzero(f32(0))",
    *[f"tf.math.zero_fraction({m}(3, 4))" for m in ("f16", "bf16", "f32", "i32", "u8", "c64")],
    "tf.nn.zero_fraction([0., 1., 0., nan])",
    "tf.nn.zero_fraction([])",
    "tf.nn.zero_fraction(i8(20))",
    "tf.nn.zero_fraction(b(3))",
]

PLACES = [
    *[f"tf.{n}({m}(3, 4), 1)" for n in ("argmax", "argmin") for m in [*REALS, "b"]],
    *[
        f"tf.{n}(f32(2, 3, 4), {a})"
        for n in ("argmax", "argmin")
        for a in ("None", "0", "-1", "-3")
    ],
    *[
        f"tf.{n}(f32(2, 3), {a})"
        for n in ("argmax", "argmin")
        for a in ("2", "-3", "[0]", "[0, 1]")
    ],
    *[f"tf.{n}(f32(2, 3), 1, output_type=tf.int32)" for n in ("argmax", "argmin")],
    *[
        f"tf.{n}(f32(2, 3), 1, output_type={t})"
        for n in ("argmax", "argmin")
        for t in ("tf.int16", "tf.uint16", "tf.float32", "tf.int8")
    ],
    *[
        f"tf.{n}({x})"
        for n in ("argmax", "argmin")
        for x in (
            "[1, 5, 5, 1]",
            "[nan, 1., 2.]",
            "[1., nan, 2.]",
            "[2., nan, nan]",
            "[inf, inf]",
            "[-inf, -inf]",
            "[0., -0.]",
            "[nan, nan]",
            "3.0",
            "[]",
            "f32(0, 3)",
            "c64(2)",
            "['a']",
        )
    ],
    "tf.argmax(f32(0, 3), 1)",
    "tf.argmax(f32(3, 0), 1)",
    "tf.argmax(np.full(300, 7, np.uint8))",
    "tf.argmin([[3, 1, 1], [0, 0, 2]], 1)",
    "tf.argmax(np.array([1, 2**63], np.uint64))",
    "tf.math.argmax(i32(2, 2, 2), axis=tf.constant(1))",
]

SUMMED = [
    *[f"tf.add_n([{m}(2, 3), {m}(2, 3), {m}(2, 3)])" for m in NUMBERS],
    "tf.add_n([f32(2)])",
    "tf.add_n(f32(2))",
    "tf.add_n([])",
    "tf.add_n([f32(2), f32(3)])",
    "tf.add_n([f32(2), f32(1)])",
    "tf.add_n([f32(2), f64(2)])",
    "tf.add_n([f32(2), i32(2)])",
    "tf.add_n([b(2), b(2)])",
    "tf.add_n((f32(0), f32(0)))",
    "tf.math.add_n([1.0, 2.0])",
    "tf.add_n([np.array([100], np.int8), np.array([100], np.int8)])",
]

GRADIENTS = [
    f"gradient({f}, {x})"
    for f, points in {
        "tf.reduce_max": ["[1., 2., 2.]", "[nan, 1.]", "[[1., 1.], [2., 3.]]", "[inf, inf]"],
        "tf.reduce_min": ["[1., 1., 2.]", "[-inf, 1.]"],
        "tf.reduce_prod": ["[0., 4., 2.]", "[0., 0., 2.]", "[[1., 2.], [0., 3.]]", "c64(3)"],
        "tf.reduce_mean": ["[]", "f16(3)", "c64(2)", "f32(0, 2)"],
        "tf.reduce_sum": ["[]", "c64(2)", "3.0"],
        "tf.math.reduce_std": ["[1., 1.]", "[1., 2., 4.]", "c64(3)"],
        "tf.math.reduce_variance": ["[1., 1.]", "[1., 2., 4.]", "c64(3)"],
        "tf.math.reduce_logsumexp": ["[1., 1.]", "[inf, 1.]", "[-inf, -inf]", "[]"],
        "tf.math.reduce_euclidean_norm": ["[0., 0.]", "[3., 4.]", "3.0", "c64(2)"],
        "tf.nn.zero_fraction": ["[0., 1.]"],
        "tf.argmax": ["[0., 1.]"],
        "lambda x: tf.reduce_max(x, [0, 2])": ["f32(2, 3, 4)"],
        "lambda x: tf.reduce_prod(x, [0, 2])": ["f32(2, 3, 4)"],
        "lambda x: tf.reduce_prod(x, 1, keepdims=True)": ["f32(2, 3)", "f32(0, 3)", "f32(3, 0)"],
        "lambda x: tf.reduce_prod(x, [])": ["f32(2, 3)"],
        "lambda x: tf.math.reduce_euclidean_norm(x, 1)": ["[[0., 0.], [3., 4.]]"],
        "lambda x: tf.math.reduce_std(x, 0, True)": ["f32(3, 2)"],
        "lambda x: tf.math.reduce_logsumexp(x, -1, True)": ["f32(3, 2)"],
        "lambda x: tf.add_n([x, x, 2 * x])": ["[1., 2.]"],
    }.items()
    for x in points
]

CASES: list[str | Case] = [
    *DTYPES, *AXIS, *EMPTY, *VALUES, *COUNTS, *PLACES, *SUMMED, *GRADIENTS,
]  # fmt: skip

CASES += [
    f"tf.reduce_{name}({value})"
    for name in ("all", "any")
    for value in (
        "tf.constant(f32(2))",
        "tf.constant(i32(2))",
        "tf.constant('a')",
        "[1.0]",
        "[1, 2]",
        "1",
        "['a']",
        "np.ones(2)",
    )
]
CASES += [
    f"tf.{function}(f32(2, 3), axis=np.array(1))"
    for function in ("reduce_sum", "reduce_max", "math.count_nonzero", "math.reduce_std")
]
# Sums of unsigned integers wrap around before their root is taken, or they are divided.
CASES += [
    f"tf.math.reduce_euclidean_norm(np.array({numbers}, np.{kind}))"
    for kind, numbers in (
        ("uint8", "[255, 200]"), ("uint16", "[255, 200]"), ("uint16", "[[65535, 8], [7, 1]]"),
        ("uint32", "[2**32 - 1, 7]"), ("uint64", "[2**32 - 1, 7]"), ("int16", "[100, 100]"),
    )
] + [
    f"tf.reduce_mean(np.array([[2**64 - 1, 2**63], [7, 2]], np.uint64), {axis})"
    for axis in ("None", "0", "1", "[]")
]  # fmt: skip
