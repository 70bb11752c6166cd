"""Cases of `ops/sparse`: `basic.py`, `parts.py`, `math.py` and `matmul.py`."""
# ruff: noqa: E501  # a case stands on one line

from __future__ import annotations

from .values import sparse_text as sp

A = sp([[0, 1], [1, 0], [1, 2]], "f32(3)", [2, 3])
B = sp([[0, 0], [0, 1], [1, 2]], "f32(3)", [2, 3])
INTS = sp([[0, 1], [1, 0], [1, 2]], "[3, 4, 5]", [2, 3])
WORDS = sp([[0, 1], [1, 0], [1, 2]], "['a', 'b', 'c']", [2, 3])
EMPTY = "tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.float32), [2, 3])"
UNORDERED = sp([[1, 2], [0, 1], [1, 0]], "f32(3)", [2, 3])
REPEATED = sp([[0, 1], [0, 1], [1, 0]], "f32(3)", [2, 3])
OUTSIDE = sp([[0, 1], [1, 5], [1, 6]], "f32(3)", [2, 3])
CUBE = sp([[0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 3]], "f32(4)", [2, 3, 4])
VECTOR = sp([[1], [4]], "f32(2)", [5])
V, U = sp([[0, 1], [1, 0], [1, 2]], "v", [2, 3]), sp([[0, 0], [0, 1], [1, 1]], "more[0]", [2, 3])
ALL = [A, B, INTS, WORDS, EMPTY, UNORDERED, REPEATED, CUBE, VECTOR]
FLOATS = [A, EMPTY, UNORDERED, CUBE]

CASES: list[object] = [
    # The class
    *[f"{each}" for each in [*ALL, OUTSIDE]],
    f"{A}.shape",
    f"{A}.dtype",
    f"{A}.with_values([1, 2, 3])",
    f"{A}.with_values([1, 2])",
    f"tf.is_tensor({A})",
    f"tf.convert_to_tensor({A})",
    f"tf.nest.flatten({A}, expand_composites=True)",
    "tf.SparseTensor([0, 1], [1.0, 2.0], [3])",
    "tf.SparseTensor([[0, 1]], [1.0, 2.0], [2, 3])",
    "tf.SparseTensor([[0, 1]], [1.0], None)",
    "tf.SparseTensor.from_value(3)",
    "repr(tf.SparseTensorSpec([2, None], tf.int32))",
    # To and from dense
    *[f"tf.sparse.to_dense({each})" for each in [*ALL, OUTSIDE]],
    *[f"tf.sparse.to_dense({each}, validate_indices=False)" for each in [A, UNORDERED, OUTSIDE]],
    f"tf.sparse.to_dense({A}, default_value=7.5)",
    f"tf.sparse.to_dense({INTS}, default_value=-1)",
    f"tf.sparse.to_dense({WORDS}, default_value='-')",
    f"tf.sparse.to_dense({A}, default_value=tf.constant(1))",
    f"tf.sparse.to_dense({A}, default_value=[1.0, 2.0])",
    "tf.sparse.to_dense(" + sp([[1]], "[True]", [3]) + ")",
    "tf.sparse.to_dense(f32(2, 3))",
    *[f"tf.sparse.from_dense({each})" for each in [
        "[[0, 5], [0, 0]]", "[0.0, 1.5, nan]", "['', 'a']", "b(2, 3)", "i64(2, 3, 2)",
        "np.zeros((2, 0), np.float32)", "c64(3)", "f16(4)", "u8(4)", "5.0",
    ]],
    "tf.sparse.eye(3)",
    "tf.sparse.eye(2, 4)",
    "tf.sparse.eye(4, 2, dtype=tf.int32)",
    "tf.sparse.eye(0)",
    # Order and shape
    *[f"tf.sparse.reorder({each})" for each in ALL],
    *[f"tf.sparse.transpose({each})" for each in [A, UNORDERED, CUBE, WORDS, EMPTY, VECTOR]],
    f"tf.sparse.transpose({CUBE}, [2, 0, 1])",
    f"tf.sparse.transpose({CUBE}, [0, 2, 1])",
    f"tf.sparse.transpose({A}, [0, 1])",
    *[f"tf.sparse.reshape({A}, {dims})" for dims in [
        "[6]", "[3, 2]", "[-1]", "[1, -1, 2]", "[3, -1]", "[4]", "[-1, -1]", "[-2, -3]", "[-1, 4]",
    ]],
    f"tf.sparse.reshape({CUBE}, [4, 6])",
    f"tf.sparse.reshape({EMPTY}, [3, 2])",
    f"tf.sparse.reshape({WORDS}, tf.constant([6], tf.int64))",
    *[f"tf.sparse.expand_dims({A}, {axis})" for axis in ["0", "1", "2", "-1", "-2", "-3"]],
    f"tf.sparse.expand_dims({A})",
    f"tf.sparse.expand_dims({VECTOR}, 0)",
    f"tf.sparse.expand_dims({A}, 3)",
    f"tf.sparse.reset_shape({A})",
    f"tf.sparse.reset_shape({VECTOR})",
    f"tf.sparse.reset_shape({A}, [4, 5])",
    f"tf.sparse.reset_shape({A}, [1, 5])",
    f"tf.sparse.reset_shape({A}, [2, 3, 4])",
    f"tf.sparse.reset_shape({EMPTY})",
    *[f"tf.sparse.retain({A}, {flags})" for flags in [
        "[True, False, True]", "[False, False, False]", "[True, True]", "[[True]]",
    ]],
    f"tf.sparse.retain({WORDS}, [False, True, True])",
    f"tf.sparse.to_indicator({INTS}, 6)",
    f"tf.sparse.to_indicator({INTS}, 4)",
    # Parts
    f"tf.sparse.concat(0, [{A}, {B}])",
    f"tf.sparse.concat(1, [{A}, {B}])",
    f"tf.sparse.concat(-1, [{A}, {B}, {EMPTY}])",
    f"tf.sparse.concat(0, [{A}])",
    f"tf.sparse.concat(0, [{WORDS}, {WORDS}])",
    f"tf.sparse.concat(2, [{A}, {B}])",
    f"tf.sparse.concat(1, [{CUBE}, {CUBE}])",
    f"tf.sparse.concat(0, [{A}, {CUBE}])",
    f"tf.sparse.concat(0, [{A}, {sp([[0, 0]], 'f32(1)', [1, 5])}])",
    f"tf.sparse.concat(0, [{A}, {sp([[0, 0]], 'f32(1)', [1, 5])}], expand_nonconcat_dims=True)",
    f"tf.sparse.concat(1, [{A}, {sp([[0, 0]], 'f32(1)', [4, 1])}], expand_nonconcat_dims=True)",
    f"tf.sparse.concat(0, [{A}, {INTS}])",
    *[f"tf.sparse.split({A}, {n}, {axis})" for n, axis in [
        (1, 0), (2, 0), (2, 1), (3, 1), (4, 1), (0, 1), (2, -1), (2, 2),
    ]],
    f"tf.sparse.split({CUBE}, 3, axis=2)",
    f"tf.sparse.split({WORDS}, num_split=2, axis=1)",
    *[f"tf.sparse.slice({A}, {start}, {size})" for start, size in [
        ("[0, 0]", "[2, 3]"), ("[0, 1]", "[2, 1]"), ("[1, 0]", "[1, 3]"), ("[1, 1]", "[5, 5]"),
        ("[0, 0]", "[0, 0]"), ("[2, 3]", "[1, 1]"), ("[0]", "[1]"),
    ]],
    f"tf.sparse.slice({CUBE}, [0, 1, 0], [2, 2, 2])",
    f"tf.sparse.slice({WORDS}, [1, 0], [1, 3])",
    # Arithmetic
    f"{A} * 2.0",
    f"{A} * f32(2, 3)",
    f"{A} * f32(3)",
    f"{A} * f32(2, 1)",
    f"{A} * f32(2)",
    f"{A} * f32(4, 2, 3)",
    f"{A} * tf.constant(2)",
    f"tf.constant(f32(2, 3)) * {A}",
    f"{A} / 2.0",
    f"{A} / f32(2, 3)",
    f"{INTS} / 2",
    f"{INTS} * 3",
    f"{INTS} * [1, 2, 3]",
    f"{A} + {A}",
    f"2.0 * {A}",
    f"-{A}",
    *[f"tf.sparse.add({x}, {y})" for x, y in [
        (A, B), (A, A), (A, EMPTY), (EMPTY, EMPTY), (A, CUBE), (A, INTS), (INTS, INTS),
        (A, "f32(2, 3)"), ("f32(2, 3)", A), ("f32(2, 3)", REPEATED), (A, "f32(3)"),
        (A, "f32(2, 4)"), (INTS, "i32(2, 3)"), ("f32(2)", "f32(2)"), (A, "1.0"), (CUBE, CUBE),
    ]],
    f"tf.sparse.add({A}, {B}, threshold=1.0)",
    f"tf.sparse.add({A}, {A}.with_values(-{A}.values))",
    f"tf.sparse.add({A}, {A}.with_values(-{A}.values), 0.1)",
    *[f"tf.sparse.{op}({x}, {y})" for op in ("maximum", "minimum") for x, y in [
        (A, B), (A, EMPTY), (INTS, INTS), (A, CUBE), (CUBE, CUBE), (A, INTS),
    ]],
    *[f"tf.sparse.{op}({x}, axis={axis}, keepdims={keep}, output_is_sparse={is_sparse})"
      for op in ("reduce_sum", "reduce_max") for x, axes in [
        (A, ("None", "0", "-1", "[0, 1]", "[]")), (CUBE, ("1", "[0, 2]")), (INTS, ("1",))]
      for axis in axes for keep in (False, True) for is_sparse in (False, True)],
    f"tf.sparse.reduce_sum({EMPTY}, 0)",
    f"tf.sparse.reduce_max({EMPTY}, 0)",
    f"tf.sparse.reduce_sum({A}, 2)",
    f"tf.sparse.reduce_sum({A}, [0, 0])",
    f"tf.sparse.reduce_sum({UNORDERED}, 1)",
    f"tf.sparse.reduce_max({sp([[0, 1], [1, 0]], '[-1.0, -2.0]', [3, 2])}, 1)",
    *[f"tf.sparse.softmax({each})" for each in [A, EMPTY, CUBE, VECTOR, INTS]],
    f"tf.sparse.softmax({A}.with_values(f64(3)))",
    f"tf.sparse.map_values(tf.square, {A})",
    f"tf.sparse.map_values(tf.add, {A}, 5.0)",
    f"tf.sparse.map_values(tf.add, {A}, {A})",
    f"tf.sparse.map_values(tf.add, {A}, {B})",
    f"tf.sparse.map_values(tf.multiply, x={A}, y=2.0)",
    "tf.sparse.map_values(tf.add, 1, 2)",
    f"tf.sparse.map_values(tf.reduce_sum, {A})",
    # Products with dense matrices
    *[f"tf.sparse.sparse_dense_matmul({A}, f32({dims}), adjoint_a={a}, adjoint_b={b})"
      for a, b, dims in [
        (False, False, "3, 4"), (True, False, "2, 4"), (False, True, "4, 3"), (True, True, "4, 2"),
        (False, False, "2, 4"), (False, False, "3"),
    ]],
    f"tf.sparse.sparse_dense_matmul(f32(4, 2), {A})",
    f"tf.sparse.sparse_dense_matmul(f32(4, 3), {A}, adjoint_b=True)",
    f"tf.sparse.sparse_dense_matmul(f32(2, 4), {A}, adjoint_a=True)",
    f"tf.sparse.sparse_dense_matmul({EMPTY}, f32(3, 2))",
    f"tf.sparse.sparse_dense_matmul({UNORDERED}, f32(3, 2))",
    f"tf.sparse.sparse_dense_matmul({REPEATED}, f32(3, 2))",
    f"tf.sparse.sparse_dense_matmul({OUTSIDE}, f32(3, 2))",
    f"tf.sparse.sparse_dense_matmul({A}, f64(3, 2))",
    f"tf.sparse.sparse_dense_matmul({A}, tf.constant(f64(3, 2)))",
    f"tf.sparse.sparse_dense_matmul({CUBE}, f32(4, 2))",
    f"tf.sparse.sparse_dense_matmul({INTS}, i32(3, 2))",
    f"tf.sparse.sparse_dense_matmul({A}.with_values(f64(3)), f64(3, 2))",
    f"tf.sparse.sparse_dense_matmul({A}.with_values(bf16(3)), bf16(3, 2))",
    *[f"tf.sparse.sparse_dense_matmul({A}.with_values(c64(3)), c64({dims}), {a}, {b})"
      for a, b, dims in [
        (False, False, "3, 2"), (True, False, "2, 2"), (False, True, "2, 3"), (True, True, "4, 2"),
    ]],
    # Gradients
    *[f"grad(lambda v, *more: {expression}, f32(3){more})" for expression, more in [
        (f"tf.sparse.to_dense({V}) * [[1.0, 2.0, 3.0]]", ""),
        (f"tf.sparse.to_dense({V}, more[0]) * [[1.0, 2.0, 3.0]]", ", f32()"),
        (f"tf.sparse.reorder({V}).values * [1.0, 2.0, 3.0]", ""),
        (f"tf.sparse.to_dense(tf.sparse.transpose({V})) * [[1.0, 2.0]]", ""),
        (f"tf.sparse.reshape({V}, [3, 2]).values * 2.0", ""),
        (f"tf.sparse.slice({V}, [0, 0], [2, 2]).values * 2.0", ""),
        (f"tf.sparse.retain({V}, [True, False, True]).values * 2.0", ""),
        (f"tf.sparse.reduce_sum({V}, 1) * [1.0, 2.0]", ""),
        (f"tf.sparse.reduce_sum({V}, [0, 1], keepdims=True)", ""),
        (f"tf.sparse.softmax({V}).values * [1.0, 2.0, 3.0]", ""),
        (f"tf.sparse.add({V}, {U}).values * [1.0, 2.0, 3.0, 4.0, 5.0]", ", f32(3)"),
        (f"tf.sparse.add({V}, more[0]) * [[1.0, 2.0, 3.0]]", ", f32(2, 3)"),
        (f"({V} * more[0]).values * [1.0, 2.0, 3.0]", ", f32(2, 3)"),
        (f"({V} / more[0]).values * [1.0, 2.0, 3.0]", ", f32(2, 3)"),
        (f"tf.sparse.fill_empty_rows({V}, more[0])[0].values * [1.0, 2.0, 3.0]", ", f32()"),
        (f"tf.sparse.map_values(tf.square, {V}).values", ""),
        *[(f"tf.sparse.sparse_dense_matmul({V}, more[0], {a}, {b}) ** 2", f", f32({dims})")
          for a, b, dims in [(False, False, "3, 4"), (True, False, "2, 4"),
                             (False, True, "4, 3"), (True, True, "4, 2")]],
        (f"tf.sparse.sparse_dense_matmul(more[0], {V}) ** 2", ", f32(4, 2)"),
    ]],
    *[f"grad(lambda v, w: tf.sparse.sparse_dense_matmul({V}, w, {a}, {b}), c64(3), c64({dims}))"
      for a, b, dims in [(False, False, "3, 2"), (True, False, "2, 2"), (True, True, "4, 2")]],
]  # fmt: skip

_FOUND = {
    "f32": "tf.SparseTensor([[0, 1], [1, 0]], [0.5, -0.25], [2, 3])",
    "i32": "tf.SparseTensor([[0, 1], [1, 0]], [1, -2], [2, 3])",
    "c64": "tf.SparseTensor([[0, 1], [1, 0]], tf.constant([0.5j, 1j], tf.complex64), [2, 3])",
}

CASES += [  # functions that answer 0 for 0 take sparse tensors; others do not
    *[
        f"tf.{name}({sparse})"
        for name in (
            "abs", "sign", "negative", "square", "sqrt", "sin", "tan", "tanh", "asin", "asinh",
            "atan", "atanh", "math.bessel_i0e", "math.bessel_i1e", "math.erf", "identity",
            "stop_gradient", "shape", "rank", "size",
            "exp", "cos", "math.expm1", "math.log1p", "floor", "round", "nn.relu", "zeros_like",
            "math.reciprocal", "reduce_sum", "math.l2_normalize", "convert_to_tensor",
        )
        for sparse in _FOUND.values()
    ],
    *[
        f"tf.cast({sparse}, tf.{dtype})"
        for sparse in _FOUND.values()
        for dtype in ("int32", "float32", "bfloat16", "complex64", "bool", "string")
    ],
    *[
        f"tf.{call}"
        for call in (
            f"pow({_FOUND['f32']}, 2.0)",
            f"add({_FOUND['f32']}, 1.0)", f"multiply({_FOUND['f32']}, 2.0)",
            f"shape({_FOUND['f32']}, out_type=tf.int64)",
        )
    ],
    *[
        f"grad(lambda v: tf.{name}({V}).values * [1.0, 2.0, 3.0], f32(3))"
        for name in ("abs", "square", "tanh")
    ],
    *[
        f"(lambda a, b, c: tf.sparse.{call})"
        "(tf.sparse.from_dense([['a', 'b'], ['c', '']]), tf.constant([[1], [2]]), "
        "tf.constant([['x', 'y'], ['z', 'w']]))"
        for call in (
            "cross([a, b, c])", "cross([b, a])", "cross([a, c], separator='-')", "cross([c])",
            "cross_hashed([a, b, c], 10)", "cross_hashed([a, b, c])",
            "cross_hashed([b, c], 100, hash_key=7)", "cross_hashed([tf.constant([[1.5]])])",
            "cross([1])", "cross([tf.constant(['a'])])", "cross([a, tf.constant([[1]])])",
        )
    ],
]  # fmt: skip
CASES += [  # parts that do not fit each other, and plain values in their place
    "tf.sparse.to_dense(tf.sparse.add(tf.compat.v1.SparseTensorValue([[0, 1]], [1], [2, 2]), tf.compat.v1.SparseTensorValue([[0, 1]], [2], [2, 2])))",
    "tf.sparse.add(tf.compat.v1.SparseTensorValue([[0, 1]], [1.5], [2, 2]), f32(2, 2))",
    "tf.sparse.add(f32(2, 2), tf.compat.v1.SparseTensorValue([[0, 3]], [1.5], [2, 2]))",
    "tf.sparse.split()",
    "tf.sparse.split(tf.sparse.from_dense(f32(2, 2)))",
    "tf.sparse.split(tf.sparse.from_dense(f32(2, 2)), 2)",
    *[
        f"tf.raw_ops.SparseReorder(input_indices=np.array({i}, np.int64), input_values={v}, input_shape=np.array([3, 3]))"
        for i, v in (
            ("[[0, 0, 0]]", "[1, 2, 3]"),
            ("[[0, 0, 0]]", "[1]"),
            ("[0, 0]", "[1, 2]"),
            ("[[0, 0]]", "[[1]]"),
        )
    ],
    *[
        f"tf.raw_ops.SparseSlice(indices=np.array({i}, np.int64), values={v}, shape=np.array([3, 3]), start=np.array([0, 0]), size=np.array([1, 1]))"
        for i, v in (("[[0, 0, 0]]", "[1, 2, 3]"), ("[[0, 0]]", "[[1]]"))
    ],
    *[
        f"tf.raw_ops.SparseToDense(sparse_indices={i}, output_shape=[5], sparse_values={v}, default_value={d})"
        for i, v, d in (
            ("[1, 3]", "[1, 2, 3]", "0"),
            ("[1, 3]", "[[5], [3]]", "0"),
            ("[1, 3]", "[1, 2]", "[0]"),
            ("[[[1]]]", "[1]", "0"),
        )
    ],
    "tf.sparse.cross([tf.SparseTensor([[0]], [0], [10])])",
    "tf.sparse.cross([i64(3)])",
    "tf.sparse.cross([tf.constant([['a', 'b']]), i64(1, 2)], separator=tf.constant('&')).values",
    "tf.ragged.cross_hashed([tf.ragged.constant([['a'], ['b', 'c']]), tf.ragged.constant([[1], [2, 3]])]).values",
    "tf.ragged.cross_hashed([tf.ragged.constant([[1, 2], []], row_splits_dtype=tf.int32), i32(2, 1)], num_buckets=100, hash_key=3)",
    "tf.ragged.cross([tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([['a', ''], ['', 'b']])])",
    "tf.ragged.cross_hashed([tf.ragged.constant([[1, 2], [3]]), tf.sparse.from_dense([['a', ''], ['', 'b']])], 7)",
    *[
        f"tf.ragged.cross({x})"
        for x in (
            "[tf.ragged.constant([[1]]), tf.constant([[2], [3]])]",
            "[i32(2, 2, 2)]",
            "[tf.constant(1)]",
            "[f32(2, 2)]",
            "[tf.ragged.constant([[[1]]])]",
            "[]",
            "tf.ragged.constant([[1]])",
            "[tf.ragged.constant([[1, 2]], row_splits_dtype=tf.int32)]",
        )
    ],
]

_PLACES = ("[[0, 0], [1, 1]]", "[[[0, 1], [1, 0]], [[0, 0], [1, 0]]]")
CASES += [
    f"tf.sparse.sampled_addmm({arguments})"
    for arguments in (
        f"{_PLACES[0]}, [0.5, 0.3], [2, 2], f32(2, 3), f32(3, 2)",
        f"np.int64({_PLACES[0]}), [0.5, 0.3], [2, 2], f32(2, 3), f32(3, 2), 0.25, 0.75",
        f"{_PLACES[0]}, [0.5, 0.3], [2, 2], f64(2, 3), f64(3, 2)",
        f"{_PLACES[0]}, [0.5, 0.3], [2, 2], f64(2, 3), f64(3, 2), output_type=tf.float64",
        f"{_PLACES[0]}, [1, 2], [2, 2], i32(2, 3), i32(3, 2)",
        f"{_PLACES[0]}, [1, 2], [2, 2], i32(2, 3), i32(3, 2), output_type=tf.int32",
        f"{_PLACES[1]}, [[3.0, 5.0], [2.0, 7.0]], [2, 2], f32(2, 2, 3), f32(2, 3, 2), alpha=0.4",
        f"{_PLACES[1]}, [[3.0, 5.0], [2.0, 7.0]], [1, 2], f32(2, 2, 3), f32(2, 3, 2)",
        f"{_PLACES[0]}, [0.5, 0.3], [2, 2], f32(2, 3), f32(4, 2)",
        f"{_PLACES[0]}, [0.5, 0.3, 0.2], [2, 2], f32(2, 3), f32(3, 2)",
        "[[0, 0], [5, 1]], [0.5, 0.3], [2, 2], f32(2, 3), f32(3, 2)",
        "np.zeros((0, 2), np.int32), np.zeros(0, np.float32), [2, 2], f32(2, 3), f32(3, 2)",
        f"{_PLACES[0]}, [0.5, 0.3], [2, 2], f32(2, 3), tf.constant(f64(3, 2))",
    )
]
