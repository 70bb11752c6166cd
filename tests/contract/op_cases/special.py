"""Cases of `ops/math/special.py`."""
# ruff: noqa: E501  # a case stands on one line

from . import loose

ONE = (
    "tf.math.erf", "tf.math.erfc", "tf.math.erfinv", "tf.math.erfcinv", "tf.math.ndtri",
    "tf.math.lgamma", "tf.math.digamma", "tf.math.bessel_i0", "tf.math.bessel_i0e",
    "tf.math.bessel_i1", "tf.math.bessel_i1e", *[f"tf.math.special.{name}" for name in (
        "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e",
        "bessel_y0", "bessel_y1", "dawsn", "expint", "fresnel_cos", "fresnel_sin", "spence",
    )],
)  # fmt: skip
TWO = ("tf.math.polygamma", "tf.math.zeta", "tf.math.igamma", "tf.math.igammac")
POINTS = "[0.01, 0.1, 0.25, 0.3, 0.5, 0.9, 0.99, 1.0, 1.2, 1.7, 2.0, 2.9, 3.0, 4.4, 7.5, 8.5, 12.0]"
NEGATIVE = "[-0.1, -0.4, -0.5, -0.9, -1.5, -2.5, -3.3, -6.0, 0.0, inf, -inf, nan]"

ENDS_OF_X = "[nan, -inf, -1.0, -0.0, 0.0, 0.5, 2.0, inf]"

BESSEL = "torch's Bessel functions have some 8 digits in float64"
GAMMA = "torch's incomplete gamma function has some 9 digits near large a"
# Erf and digamma: NaN at infinity and 0 in TensorFlow. Bessel: infinite or NaN where undefined.
ENDS = ("rf", "ma", "j0", "j1", "k0", "0e", "k1", "1e", "y0", "y1")

CASES = [
    *[f"{name}({dtype}(2, 3, low=0.05, high=0.95))" for name in ONE
      for dtype in ("f16", "f32", "f64")],
    *[f"{name}(bf16(3))" for name in ONE],
    *[f"{name}(i32(3))" for name in ONE],
    *[f"{name}(c64(3))" for name in ONE[::4]],
    *[f"{name}(f32())" for name in ONE[::5]],
    *[f"{name}(f32(0, 2))" for name in ONE],
    *[f"{name}(tf.constant({POINTS}))" for name in ONE],
    *[f"{name}(tf.constant({POINTS}, tf.float64))" for name in ONE if "bessel_" not in name],
    *[loose(f"{name}(tf.constant({POINTS}, tf.float64))", 1e-7, BESSEL)
      for name in ONE if "bessel_" in name],
    *[f"{name}(tf.constant({NEGATIVE}, tf.float64))" for name in ONE[:-7] if name[-2:] not in ENDS],
    *[f"{name}(tf.constant({NEGATIVE}, tf.float64))" for name in ONE[-5:]],
    *[f"{name}(tf.constant([inf, nan, 0.0]))" for name in ONE
      if name not in ("tf.math.erf", "tf.math.digamma", "tf.math.special.bessel_y1")],
    *[loose(f"{name}(tf.constant({NEGATIVE}, tf.float64))", 1e-6, BESSEL)
      for name in ONE if name[-2:] in ("j0", "j1")],
    *[f"{name}(f32(3, low=0.5), f32(2, 3, low=0.5))" for name in TWO],
    *[f"{name}({dtype}(4, low=1.1, high=5.0), {dtype}(4, low=0.5, high=6.0))"
      for name in TWO for dtype in ("f32", "f64")],
    *[f"{name}({dtype}(3), {dtype}(3))" for name in TWO for dtype in ("f16", "bf16", "i32")],
    *[f"{name}(f32(2, 3), f32(4))" for name in TWO],
    *[f"{name}(f32(0), f32(1))" for name in TWO],
    "tf.math.polygamma([0.0, 1.0, 2.0, 1.5, -1.0, 1.0], [1.0, 2.0, 3.0, 1.0, 1.0, -1.5])",
    "tf.math.polygamma(f64(3) * 0 + [[1.0], [2.0], [3.0]], f64(3, low=0.2, high=4.0))",
    "tf.math.polygamma(1.0, [0.0, nan, inf, 100.0])",
    "tf.math.zeta([1.0, 2.0, 0.5, 2.0], [1.0, 2.0, 3.0, -1.5])",
    *[f"tf.math.{name}(tf.constant({a}, tf.{dtype}), {ENDS_OF_X})"
      for name in ("igamma", "igammac") for a in ("nan", "-1.0", "-0.0", "0.0", "0.5", "inf")
      for dtype in ("float32", "float64")],
    *[f"tf.math.special.fresnel_{name}(tf.constant([{x}], tf.float64))"
      for name in ("sin", "cos") for x in ("1e9", "-1e160", "1e308", "inf")],
    "tf.math.igamma([1.0, -1.0, 2.0, 3.0], [1.0, 1.0, -1.0, 0.0])",
    "tf.math.igammac([1.0, -1.0, 2.0, 3.0], [1.0, 1.0, -1.0, 0.0])",
    loose("tf.math.igamma(f64(2) * 0 + [50.0, 120.0], f64(2) * 0 + [45.0, 130.0])", 1e-8, GAMMA),
    "tf.math.betainc(f32(3, low=0.2), f32(3, low=0.2), f32(3, low=0.05, high=0.95))",
    "tf.math.betainc(f64(3, low=0.2), f64(3, low=0.2), f64(3, low=0.05, high=0.95))",
    "tf.math.betainc(f64(3, low=20.0, high=40.0), f64(3, low=10.0, high=40.0), 0.5)",
    "tf.math.betainc(2.0, 3.0, [0.0, 0.5, 1.0, 1.5, -0.5])",
    "tf.math.betainc(0.0, 3.0, 0.5)",
    "tf.math.betainc([1.0, 2.0], [1.0], 0.5)",
    "tf.math.betainc([1.0, 2.0], 1.0, [0.5])",
    "tf.math.betainc(f16(2), f16(2), f16(2))",
    "tf.math.lbeta(f32(2, 3, low=0.5))",
    "tf.math.lbeta([[1.0, 2.0], [3.0, 4.0]])",
    "tf.math.lbeta(np.zeros([0], np.float32))",
    "tf.math.lbeta(2.0)",
    "tf.math.lbeta([1, 2])",
    "tf.math.bessel_i0('a')",
]  # fmt: skip
# The gradient of f at some points, as an expression.
SLOPES = (
    "(lambda t, x: (t.__enter__(), t.watch(x), t.gradient({f}(x), x), "
    "t.__exit__(None, None, None))[2])(tf.GradientTape(), tf.constant({at}, tf.float64))"
)
CASES += [
    SLOPES.format(f=name, at=at)
    for name in ONE
    for at in ("[0.1, 0.3, 0.8]", "[0.0, 0.5, 1.0]")
    if (name, at[1:4]) not in (("tf.math.lgamma", "0.0"), ("tf.math.bessel_i1", "0.0"))
]
CASES += [
    SLOPES.format(f=f, at=at)
    for f, at in (
        ("(lambda x: tf.math.igamma(2.5, x))", "[0.0, 0.5, 1.0, 9.0]"),
        ("(lambda x: tf.math.igamma(x, 2.5))", "[0.1, 0.5, 1.0, 9.0]"),
        ("(lambda x: tf.math.zeta(2.0, x))", "[0.5, 1.0]"),
        ("(lambda x: tf.math.zeta(x, 2.0))", "[2.5, 3.0]"),
        ("(lambda x: tf.math.polygamma(2.0, x))", "[0.5, 1.0]"),
        ("(lambda x: tf.math.betainc(2.0, 3.0, x))", "[0.5, 0.9]"),
        ("(lambda x: tf.math.betainc(x, 3.0, 0.5))", "[0.5, 0.9]"),
        ("(lambda x: tf.debugging.check_numerics(x, 'm'))", "[0.5, 0.9]"),
        ("tf.math.asin", "[0.5, 1.0]"),
        ("tf.math.acosh", "[1.0, 2.0]"),
        ("tf.math.atanh", "[0.5, 1.0]"),
        ("tf.math.tan", "[0.5, 1.0]"),
        ("tf.math.rsqrt", "[0.0, 1.0]"),
        ("tf.math.reciprocal", "[0.0, 2.0]"),
        ("tf.math.reciprocal_no_nan", "[0.0, 2.0]"),
        ("tf.math.log1p", "[-1.0, 2.0]"),
        ("tf.round", "[-1.0, 2.0]"),
        ("tf.floor", "[-1.0, 2.0]"),
        ("tf.stop_gradient", "[-1.0, 2.0]"),
        ("(lambda x: tf.math.xlogy(x, 2.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.xlogy(2.0, x))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.xlog1py(x, -1.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.xdivy(x, 0.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.xdivy(2.0, x))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.divide_no_nan(2.0, x))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.multiply_no_nan(x, 0.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.atan2(x, 1.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.atan2(1.0, x))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.nextafter(x, 1.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.floormod(x, 1.5))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.squared_difference(x, 1.0))", "[0.0, 2.0]"),
        ("(lambda x: tf.clip_by_norm(x, 1.0))", "[0.0, 0.0]"),
        ("(lambda x: tf.clip_by_norm(x, 1.0))", "[3.0, 4.0]"),
        ("(lambda x: tf.clip_by_global_norm([x], 1.0)[0])", "[3.0, 4.0]"),
        ("(lambda x: tf.linalg.global_norm([x]))", "[3.0, 4.0]"),
        ("(lambda x: tf.linspace(x, 2.0, 4))", "0.5"),
        ("(lambda x: tf.abs(tf.complex(x, x * x)))", "[0.0, 2.0]"),
        ("(lambda x: tf.math.angle(tf.complex(x, x * x)))", "[1.0, 2.0]"),
        ("(lambda x: tf.math.real(tf.exp(tf.complex(x, x * x))))", "[1.0, 2.0]"),
        ("(lambda x: tf.math.imag(tf.sin(tf.complex(x, x * x))))", "[1.0, 2.0]"),
        ("(lambda x: tf.where(x > 1.0, x, 0.0))", "[1.0, 2.0]"),
        ("(lambda x: tf.where([True], x, 2.0))", "[1.0, 2.0]"),
    )
]
CASES.append(loose(
    SLOPES.format(f="(lambda x: tf.math.igammac(x, 45.0))", at="[30.0, 40.5, 50.0]"), 1e-8, GAMMA
))  # fmt: skip
CASES += [
    "tf.clip_by_global_norm([tf.constant([-3.0, 0.0]), tf.constant([4.0, 0.0], tf.bfloat16)], 4.0, tf.constant(5.0))[0]",
    "tf.clip_by_global_norm([tf.constant([3.0], tf.float64), tf.constant([4.0])], 4.0, tf.constant(5.0))[0]",
]
