"""Cases of `ops/math/cumulative.py`."""

from __future__ import annotations

NUMBERS = [
    "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    "c64", "c128",
]  # fmt: skip
WAYS = [f"exclusive={e}, reverse={r}" for e in (False, True) for r in (False, True)]
NAMES = ["cumsum", "cumprod", "cumulative_logsumexp"]

EVERY = [
    *[f"tf.math.{n}({m}(4), {w})" for n in NAMES[:2] for m in NUMBERS for w in WAYS],
    *[
        f"tf.math.cumulative_logsumexp({m}(4), {w})"
        for m in ("f16", "bf16", "f32", "f64")
        for w in WAYS
    ],
    *[f"tf.math.{n}(f32(2, 3, 2), {a}, {w})" for n in NAMES for a in (0, 1, -1) for w in WAYS],
    *[
        f"tf.math.{n}(f32(2, 3), {a})"
        for n in NAMES
        for a in ("2", "-3", "[0]", "tf.constant(1)", "'a'", "None", "1.0", "[0, 1]")
    ],
    *[
        f"tf.math.{n}({x})"
        for n in NAMES
        for x in (
            "3.0",
            "[]",
            "f32(0, 3)",
            "f32(3, 0)",
            "[1., nan, 2.]",
            "[inf, -inf, 1.]",
            "[-inf, -inf, 1.]",
            "[1., inf, 2.]",
            "b(2)",
            "[-inf, -inf], reverse=True",
            "[nan, 1.], exclusive=True",
            "[2.], exclusive=True",
            "[0., 2., 0., 3.]",
        )
    ],
    "tf.math.cumulative_logsumexp(i32(3))",
    "tf.math.cumulative_logsumexp([1000., 1000., -1000.])",
    "tf.math.cumulative_logsumexp([-1000., 1000.])",
    "tf.math.cumulative_logsumexp(c64(3))",
    "tf.cumsum([1, 2, 3])",
    "tf.cumsum(np.array([100, 100], np.int8))",
    "tf.math.cumprod(np.array([100, 100], np.int16))",
    "tf.cumsum([[1, 2], [3, 4]], 1, True, True)",
    "tf.cumsum(i32(2, 1, 2, 1, 2), 2)",
    *[
        f"gradient(lambda x: tf.math.{n}(x, {w}), {x})"
        for n in NAMES
        for w in WAYS
        for x in ("[0.5, -1., 2.]", "[0., 2., 3.]", "[0., 2., 0.]")
    ],
    *[f"gradient(lambda x: tf.math.{n}(x, 1), f32(2, 3))" for n in NAMES],
    *[
        f"gradient(tf.math.{n}, {x})"
        for n in NAMES
        for x in ("[]", "[nan, 1.]", "[-inf, 1.]", "[2.]")
    ],
    "gradient(tf.math.cumsum, c64(3))",
    "gradient(tf.math.cumprod, c64(3))",
]

# What TensorFlow answers in its own way: docs/DIFFERENCES.md. Its log-sum-exp loses NaN.
ODD = [
    *[f"tf.math.{n}(f32(2, 3), 'a')" for n in NAMES],
    "tf.math.cumulative_logsumexp([1., nan, 2.])",
    "tf.math.cumulative_logsumexp([nan, 1.], exclusive=True)",
    "gradient(tf.math.cumulative_logsumexp, [nan, 1.])",
]
CASES = [case for case in EVERY if case not in ODD]
