"""Cases of `ops/array/making.py`: constants, one value everywhere, ranges, one-hot rows."""
# ruff: noqa: E501  # a case stands on one line

DTYPES = (
    "float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "string",
)  # fmt: skip

CASES = [
    *[f"tf.zeros([2, 2], tf.{d})" for d in DTYPES],
    *[f"tf.ones([2], tf.{d})" for d in DTYPES],
    *[f"tf.zeros({shape})" for shape in (
        "[]", "3", "[0]", "(2, 3)", "tf.constant([2, 3])", "tf.TensorShape([2, 1])", "[-1]",
        "tf.constant(2)", "[tf.constant(2), 3]", "[[2]]", "np.int64(3)", "[2.5]", "'a'", "None",
        "tf.constant([2], tf.int64)", "[2, None]", "[True]",
    )],
    "tf.ones([2], 'int32')",
    "tf.ones(shape=())",
    *[f"tf.zeros_like({x})" for x in ("f32(2, 3)", "['a', 'b']", "[1, 2]", "b(2)", "c64(2)", "5.0")],
    *[f"tf.ones_like({x})" for x in ("f32(2, 3)", "['a', 'b']", "[1, 2]", "b(2)", "c64(2)", "u16(2)")],
    "tf.zeros_like(f32(2), tf.int32)",
    "tf.zeros_like(f32(2), dtype='string')",
    "tf.zeros_like([1, 2], dtype=tf.bool)",
    "tf.ones_like(f32(2), dtype=tf.bool)",
    "tf.ones_like([1, 2], dtype=tf.complex64)",
    "tf.zeros_like(f32(0, 2))",
    "tf.zeros_like(tf.Variable([1., 2.]))",
    *[f"tf.fill({dims}, {value})" for dims, value in (
        ("[2, 3]", "1.5"), ("[]", "2"), ("[0]", "True"), ("[2]", "'a'"), ("[-1]", "1"), ("3", "1"),
        ("[2]", "[1, 2]"), ("tf.constant([2])", "u8()"), ("tf.constant([2], tf.int64)", "1j"),
        ("[2.0]", "1"), ("[[2]]", "1"), ("[2, 2]", "bf16()"), ("(1, 2)", "np.float16(3)"),
    )],
    *[f"tf.range({args})" for args in (
        "5", "2, 5", "0, 10, 3", "5, 0, -2", "5.0", "0.0, 1.0, 0.25", "1, 2, 0.5", "0, 5, 0", "5, 2",
        "0, 5, -1", "0", "-3", "3, 3", "1.5", "0.1, 0.5, 0.1", "tf.constant(3)",
        "tf.constant(3, tf.int64)", "tf.constant(1.0), 4", "1, tf.constant(4, tf.int64)",
        "5, dtype=tf.int64", "5, dtype=tf.float32", "5, dtype='float64'", "5, dtype=tf.float16",
        "5, dtype=tf.bfloat16", "2.5, dtype=tf.int32", "5, delta=2", "0, 4, dtype=tf.uint8",
        "0, 4, dtype=tf.int16", "[1, 2]", "'a'", "np.int64(4)", "np.float64(3)", "True",
        "0, -4, -1", "0, -1.0, -0.3", "tf.constant(2), tf.constant(5.0)", "1, 10, tf.constant(4)",
        "2**33, 2**33 + 2", "10, 2, -3", "1, 2, 2",
    )],
    *[f"tf.one_hot([0, 2, -1, 5], 3{args})" for args in (
        "", ", on_value=5", ", off_value=2", ", on_value=5.0, off_value=-1.0", ", on_value=5, off_value=1.0",
        ", axis=0", ", axis=-1", ", axis=1", ", axis=2", ", axis=-2", ", dtype=tf.int32",
        ", dtype=tf.bool", ", on_value=True, off_value=False", ", on_value=True",
        ", on_value=1, dtype=tf.float32", ", on_value=1.0, dtype=tf.int32", ", dtype=tf.uint8",
        ", on_value='a', off_value='b'", ", dtype=tf.complex64", ", dtype=tf.bfloat16", ", 2, 3",
        ", on_value=[1, 2]",
    )],
    "tf.one_hot([[0, 1], [1, 0]], 2)",
    "tf.one_hot([[0, 1], [1, 0]], 2, axis=1)",
    "tf.one_hot(1, 3)",
    "tf.one_hot(u8(3), 4)",
    "tf.one_hot(i64(3), 4)",
    "tf.one_hot(i8(3), 4)",
    "tf.one_hot([1.0], 4)",
    "tf.one_hot([1], 0)",
    "tf.one_hot([1], -1)",
    "tf.one_hot([1], tf.constant(3))",
    "tf.one_hot([1], [3])",
    "tf.one_hot(tf.zeros([0], tf.int32), 3)",
    *[f"tf.meshgrid({args})" for args in (
        "[1, 2, 3], [4, 5]", "[1, 2, 3], [4, 5], indexing='ij'", "f32(2), f32(3), f32(4)",
        "f32(2), f32(3), f32(4), indexing='ij'", "[1, 2]", "", "5, 6", "[1, 2], [3], indexing='xx'",
        "[1, 2], [3], sparse=True", "[1, 2], [1.0]", "[[1, 2], [3, 4]], [5, 6]",
        "f32(2), f32(3), f32(2), f32(1)",
    )],
    # constant
    *[f"tf.constant({args})" for args in (
        "1", "1.5", "True", "'a'", "b'a'", "1j", "[]", "[[]]", "[1, 2.0]", "[True, False]", "[True, 1]",
        "[1, 'a']", "[[1, 2], [3]]", "2**31", "2**63", "2**64", "[2**40, 1]", "None", "[None]", "[1, None]",
        "1, tf.float32", "1.5, tf.int32", "1, 'float16'", "True, tf.int32", "1, tf.bool", "'a', tf.int32",
        "300, tf.uint8", "-1, tf.uint8", "1e40, tf.float32", "[1, 2], shape=[2, 1]", "0, shape=[2, 3]",
        "[1, 2, 3], shape=[2, 3]", "f64(2)", "f64(2), tf.float32", "np.int32(3)", "i64(2, 2)",
        "range(3)", "(1, 2)", "{'a': 1}", "object", "np.array(['a', 'bc'])", "np.array([b'a'])",
        "tf.constant(1), tf.float32", "tf.constant(1.0), tf.float32",
        "[np.float64(1.0), 2]", "1+2j, tf.complex64",
        "b(2), tf.float32", "f32(3), tf.int32", "[1.7], tf.int64", "u32(2)", "[[['a']]]", "c64(2), tf.float32",
        "set([1])", "5, shape=[]", "f32(2, 2), shape=[4]", "'a', shape=[2]",
    )],
    *[f"tf.convert_to_tensor({args})" for args in (
        "[1, 2]", "[1, 2], tf.float32", "[1, 2], dtype_hint=tf.float32", "[1.5], dtype_hint=tf.int32",
        "tf.constant(1), tf.float32", "tf.Variable(1.0)", "tf.Variable(1.0), tf.int32", "['a']",
        "tf.Variable(1), dtype_hint=tf.float32", "f32(2), tf.float64", "tf.TensorShape([2, 3])",
        "tf.TensorShape([2, None])", "tf.float32", "None", "[[1, 2], [3, 4]], tf.int64",
    )],
    "tf.is_tensor(5)",
    "tf.is_tensor(tf.constant(5))",
    "tf.is_tensor(tf.Variable(5))",
    "tf.is_tensor([tf.constant(5)])",
    "grad(lambda x: tf.fill([2, 3], x) * f32(2, 3), f32())",
    "grad(lambda x: tf.ones_like(x) * x, f32(2))",
    "grad(lambda x: tf.zeros_like(x), f32(2))",
    "grad(lambda x: tf.meshgrid(x, [1., 2.])[0] * f32(2, 3), f32(3))",
    "grad(lambda x, y: tf.stack([x, y, 1.]) * f32(3), f32(), f32())",
]  # fmt: skip

CASES += [
    *[
        f"tf.constant({value})"
        for value in (
            "[1j, 2]", "[2, 1j]", "[1.5, 1j]", "[1j, 1.5]", "[1j, True]", "[True, 1j]",
            "[1.5, True]", "[True, 1.5]", "[1, True, 1.5]", "[1.5, 2, True]", "[np.complex64(1j), 2]",
            "[1j, 'a']", "[[1j, 2], [3.5, True]]", "[1j, 2], tf.complex64",
        )
    ],
    *[
        f"tf.range({bounds})"
        for bounds in (
            "nan, 3.0", "0.0, nan", "0.0, 3.0, nan", "inf", "-inf", "0.0, -inf, -1.0", "-inf, 0.0",
            "0.0, 3.0, inf", "inf, inf", "3.0, 0.0", "0.0, inf, inf",
        )
    ],
    *[
        f"tf.convert_to_tensor({value}, {dtype})"
        for value, dtype in [
            ("[tf.constant(1), 2]", "tf.int64"),
            ("[tf.constant(1), 2]", "tf.float32"),
            ("[tf.constant(1.5), 2]", "tf.int32"),
            ("[[tf.constant(1), 2], [3, 4]]", "tf.int64"),
            ("[tf.constant(1), tf.constant(2, tf.int64)]", "tf.int64"),
            ("[tf.constant(1), tf.constant(2, tf.int64)]", "None"),
        ]
    ],
    *[
        f"tf.range({bounds}, dtype=tf.{dtype})"
        for bounds in ("0.1, 1.1, 0.1", "0.0, 1.0, 0.1", "1.0, 0.0, -0.3", "0.1, 0.7, 0.2")
        for dtype in ("float32", "float64")
    ],
    *[
        f"tf.constant({value}, tf.{dtype})"
        for value in ("[0, 2**63 + 1]", "[[2**64 - 1, 1]]", "2**63")
        for dtype in ("uint64", "float32", "float64", "int64", "complex64")
    ],
    "tf.constant([2**64], tf.float32)", "tf.constant([-1, 2**63], tf.float64)",
    "tf.convert_to_tensor([2**63], dtype_hint=tf.uint64)", "tf.constant([1], tf.uint64) + [2**63]",
]  # fmt: skip
