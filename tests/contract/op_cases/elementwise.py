"""Cases of the functions of one tensor: every dtype, every shape, every edge."""

UNARY = (
    "tf.abs", "tf.negative", "tf.sign", "tf.square", "tf.sqrt", "tf.math.rsqrt", "tf.exp",
    "tf.math.expm1", "tf.math.log", "tf.math.log1p", "tf.math.reciprocal", "tf.sigmoid",
    "tf.tanh", "tf.sin", "tf.cos", "tf.tan", "tf.asin", "tf.acos", "tf.atan", "tf.sinh",
    "tf.cosh", "tf.asinh", "tf.acosh", "tf.atanh", "tf.round", "tf.math.rint", "tf.math.ceil",
    "tf.floor", "tf.math.is_nan", "tf.math.is_inf", "tf.math.is_finite", "tf.math.real",
    "tf.math.imag", "tf.math.angle", "tf.math.conj", "tf.math.reciprocal_no_nan",
)  # fmt: skip
DTYPES = (
    "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "c64",
    "c128", "b",
)  # fmt: skip
EDGES = "[0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-30, -1e-7, 3.7, 80.0, inf, -inf, nan]"

CASES = [
    "tf.add(f32(2, 3), f32(3))",
    "tf.add(f32(2, 3), i32(3))",
    "tf.add(f32(2), f32(3))",
    "tf.cast([1.7, -1.7], tf.int32)",
    *[f"{name}({dtype}(2, 3))" for name in UNARY for dtype in DTYPES],
    *[f"{name}(tf.constant({EDGES}, tf.{dtype}))"
      for name in UNARY for dtype in ("float32", "float64")],
    *[f"{name}(f32())" for name in UNARY],
    *[f"{name}(f32(0, 3))" for name in UNARY],
    *[f"{name}(f32(1, 2, 1, 2, 1, 2))" for name in UNARY[::5]],
    *[f"{name}('a')" for name in UNARY[::4]],
    "tf.abs(np.array([-128, 127], np.int8))",
    "tf.abs(np.array([-2**63], np.int64))",
    "tf.negative(np.array([-2**31], np.int32))",
    "tf.square(np.array([2**63, 2**32], np.uint64))",
    "tf.square(np.array([65535, 3], np.uint16))",
    "tf.square(np.array([2**31, 70000], np.int64))",
    "tf.sign(np.array([0j, 3+4j]))",
    "tf.round(tf.constant([0.5, 1.5, 2.5, -0.5, -1.5, 1e10], tf.float16))",
    "tf.exp(tf.constant([12.0, -20.0], tf.float16))",
    "tf.math.log(tf.constant([-1.0 + 0j, 1j, 0j]))",
    "tf.sqrt(tf.constant([-1.0 + 0j, 1j, 0j]))",
    "tf.math.angle(tf.constant([1.0, -1.0, 0.0, -0.0]))",
    "tf.math.angle([1, -1])",
    "tf.math.real('a')",
    "tf.math.conj('a')",
    "tf.complex(f32(2, 3), f32(3))",
    "tf.complex(f64(2), f64(2))",
    "tf.complex(1.0, 2.0)",
    "tf.complex(f32(2), f64(2))",
    "tf.complex([1], [2])",
    "tf.complex(f16(2), f16(2))",
    "tf.complex(f32(2), f32(3))",
    "tf.complex([nan, inf], [1.0, -inf])",
    "tf.dtypes.complex([1.0], [2.0])",
    "tf.math.abs(c64(3))",
    "tf.square(np.array([100, -100], np.int8))",
    "tf.stop_gradient(f32(2))",
    "tf.stop_gradient([True])",
    "tf.stop_gradient('a')",
]  # fmt: skip

CASTS = (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "complex64", "complex128", "bool",
)  # fmt: skip

CASES += [
    *[f"tf.cast({maker}(4), tf.{dtype})" for maker in DTYPES for dtype in CASTS],
    *[f"tf.cast([0.0, 0.3, 1.0, 2.7, 100.6], tf.{dtype})" for dtype in CASTS],
    "tf.cast([0j, 2j, 1 + 0j], tf.bool)",
    "tf.cast([nan, inf, -inf, 3e9], tf.int32)",
    "tf.cast([nan, inf, -inf, 1e19], tf.int64)",
    "tf.cast([nan, 0.0, -0.0, inf], tf.bool)",
    "tf.cast([-1, 300], tf.uint8)",
    "tf.cast([-1, 70000], tf.uint16)",
    "tf.cast([-1], tf.uint32)",
    "tf.cast([-1], tf.uint64)",
    "tf.cast([70000.0, 1e-8], tf.float16)",
    "tf.cast(tf.constant([1e39], tf.float64), tf.float32)",
    "tf.cast(np.array([2**64 - 1, 2**63], np.uint64), tf.float32)",
    "tf.cast(np.array([2**64 - 1, 2**63], np.uint64), tf.float64)",
    "tf.cast(np.array([2**64 - 1, 2**63], np.uint64), tf.int64)",
    "tf.cast(np.array([2**64 - 1, 2**63], np.uint64), tf.bool)",
    "tf.cast(np.array([1.8e19, 3.0]), tf.uint64)",
    "tf.cast(np.array([2**53 + 1, -2**62 + 1]), tf.float64)",
    "tf.cast('a', tf.int32)",
    "tf.cast([1.0], tf.string)",
    "tf.cast(['a'], tf.string)",
    "tf.cast([1.0], tf.resource)",
    "tf.cast([1.0], None)",
    "tf.cast([1.0], 'nonsense')",
    "tf.cast(f32(0), tf.int32)",
    "tf.cast(f32(), 'int64')",
    "tf.cast(1, tf.float16)",
    "tf.cast(True, tf.float32)",
    *[f"tf.saturate_cast({maker}(4), tf.{dtype})" for maker in ("f32", "i32", "u8", "c64")
      for dtype in CASTS if dtype != "bool"],
    "tf.saturate_cast([1e20, -1e20, 5.5], tf.int32)",
    "tf.saturate_cast([1e20, -1e20, 5.5], tf.uint8)",
    "tf.saturate_cast([1e20, -1e20, 5.5], tf.int8)",
    "tf.saturate_cast([1e20, -1e20, 5.5], tf.uint16)",
    "tf.saturate_cast(tf.constant([1e300, -1e300], tf.float64), tf.float32)",
    "tf.saturate_cast(tf.constant([1e300], tf.float64), tf.bfloat16)",
    "tf.saturate_cast(tf.constant([1e300], tf.float64), tf.float16)",
    "tf.saturate_cast(tf.constant([1e300], tf.float64), tf.int32)",
    "tf.saturate_cast(tf.constant([1e300 + 1e300j], tf.complex128), tf.complex64)",
    "tf.saturate_cast([300, -3], tf.uint64)",
    "tf.saturate_cast([70000, -70000], tf.float16)",
    "tf.saturate_cast([300, -300], tf.int8)",
    "tf.saturate_cast([True], tf.int32)",
    "tf.saturate_cast([2.5], tf.bool)",
    "tf.saturate_cast([1.0 + 2j], tf.int32)",
]  # fmt: skip

# What is not taken has no gradient, however steep it is there.
CASES += [
    "gradient(lambda x: tf.where(x > 0.0, tf.sqrt(x), 0.0), [0.0, -1.0, 4.0])",
    "gradient(lambda x: tf.where(x > 0.0, tf.math.rsqrt(x), 0.0), [0.0, -1.0, 4.0])",
    "gradient(lambda x: tf.where(x > 0.0, tf.math.reciprocal(x), 0.0), [0.0, -1.0, 4.0])",
    "gradient(lambda x: tf.maximum(tf.sqrt(x), 0.5), np.array([0.0, 0.09, 4.0]))",
    "gradient(lambda x: tf.minimum(tf.math.rsqrt(x), 5.0), np.float16([0.0, 0.09, 4.0]))",
    "gradient(lambda x: tf.norm(x) * 0.0, [0.0, 0.0])",
    "gradient(lambda x: tf.math.reduce_std(x, 1), [[1.0, 3.0], [2.0, 2.5]])",
    "tf.raw_ops.SqrtGrad(y=[0.0, 2.0, np.nan, 0.0], dy=[0.0, 1.0, 0.0, 1.0])",
    "tf.raw_ops.RsqrtGrad(y=[np.inf, 2.0, np.nan, np.inf], dy=[0.0, 1.0, 0.0, 1.0])",
    "tf.raw_ops.InvGrad(y=[np.inf, 2.0, np.nan, np.inf], dy=[0.0, 1.0, 0.0, 1.0])",
]
CASES += [
    "tf.sigmoid(np.array([-1e30 + 1j, -60 - 3j, 200 + 1j, 1 + 2j, complex(-np.inf, 1), 0, nan],"
    f" np.{kind}))"
    for kind in ("complex64", "complex128")
] + [
    f"tf.saturate_cast(tf.constant([-3.0, 300.0, 0.4], tf.bfloat16), tf.{kind})"
    for kind in ("uint64", "int64", "uint32", "int32", "uint8", "float16")
]

# What uint64 cannot hold has one value on the host.
CASES += [
    f"tf.cast(tf.constant([np.inf, 2e19, 1.8e19, 5.5], tf.{kind}), tf.uint64)"
    for kind in ("bfloat16", "float32", "float64")
]
CASES += ["tf.cast(tf.constant([1e30] * 20), tf.uint64)", "tf.cast(float('inf'), tf.uint64)"]
