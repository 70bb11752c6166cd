"""Decompositions, determinants, inverses, systems of equations.

Factors are unique only up to signs and order, so what is made of them is compared.
"""


def spd(make: str = "f32", batch: str = "", n: int = 3) -> str:
    """An expression for positive definite matrices."""
    return f"(lambda x: x @ np.conj(np.swapaxes(x, -1, -2)) + np.eye({n}).astype(x.dtype))({make}({batch}{n}, {n}))"  # noqa: E501


def well(make: str = "f32", batch: str = "", n: int = 3) -> str:
    """An expression for matrices that are far from singular."""
    return f"({make}({batch}{n}, {n}) + (4 * np.eye({n})).astype({make}().dtype))"


_BAD = ("f32(2, 3)", "f32(3)", "i32(2, 2)")
_MAKES = ("f32", "f64", "c64", "c128")
_BATCHES = ("", "2, ", "0, ", "2, 1, ")


DECOMPOSITIONS = [
    *[f"tf.linalg.cholesky({spd(make)})" for make in _MAKES],
    *[f"tf.linalg.cholesky({spd('f32', batch)})" for batch in _BATCHES],
    *[f"tf.linalg.cholesky({x})" for x in (
        *_BAD, "[[4.0, 9.0], [2.0, 5.0]]", "[[nan]]", "[[-1.0]]", "f32(0, 0)", "bf16(2, 2)",
    )],
    "tf.linalg.band_part(tf.linalg.cholesky([[1.0, 0.0], [0.0, -1.0]]), -1, 0)",
    *[
        f"(lambda q, r: (tf.matmul(q, r), tf.matmul(q, q, adjoint_a=True), tf.abs(r) if not "
        f"r.dtype.is_complex else 0))(*tf.linalg.qr({make}({shape}), full_matrices={full}))"
        for make in _MAKES
        for shape in ("3, 3", "4, 2", "2, 4", "2, 3, 2")
        for full in (False, True)
    ],
    *[f"tf.linalg.qr({x})" for x in ("f32(3)", "i32(2, 2)", "f32(0, 3)", "f32(0, 2, 2)")],
    "tf.linalg.qr(f32(3, 0), full_matrices=True)",
    *[
        f"(lambda s, u, v: (s, tf.matmul(u * s[..., None, :], v, adjoint_b=True), "
        f"tf.matmul(u, u, adjoint_a=True)))(*tf.linalg.svd({make}({shape})))"
        for make in _MAKES
        for shape in ("3, 3", "4, 2", "2, 4", "2, 3, 2")
    ],
    *[
        f"(lambda s, u, v: (s, tf.matmul(u, u, adjoint_a=True), tf.matmul(v, v, adjoint_a=True)))"
        f"(*tf.linalg.svd({make}({shape}), full_matrices=True))"
        for make in ("f32", "c64")
        for shape in ("4, 2", "2, 4")
    ],
    *[f"tf.linalg.svd({x}, compute_uv=False)" for x in (
        "f32(3, 2)", "c64(2, 3)", "f32(2, 3, 3)", "f32(0, 3)", "f32(0, 0)", *_BAD[1:],
        "[[nan, 1.0], [1.0, 1.0]]", "np.diag([3.0, 0.0, -2.0])",
    )],
    "tf.linalg.svd(f32(0, 3))", "tf.linalg.svd([[nan, 1.0], [1.0, 1.0]])",
    *[
        f"(lambda e, v: (e, tf.matmul(v * e[..., None, :], v, adjoint_b=True), "
        f"tf.matmul(v, v, adjoint_a=True)))(*tf.linalg.eigh({spd(make, batch)}))"
        for make in _MAKES
        for batch in ("", "2, ")
    ],
    *[f"tf.linalg.eigvalsh({x})" for x in (
        spd(), spd("c64"), *_BAD, "[[1.0, 5.0], [2.0, 3.0]]", "f32(0, 0)", "f32(0, 2, 2)",
        "[[nan, 1.0], [1.0, 1.0]]",
    )],
    "tf.linalg.eigh(f32(2, 3))", "tf.linalg.eigh([[nan, 1.0], [1.0, 1.0]])",
    *[
        f"(lambda x: (lambda e, v: (tf.matmul(tf.cast(x, v.dtype), v) - v * e[..., None, :], "
        f"e.dtype.name))(*tf.linalg.eig(x)))(tf.constant({well(make, batch)})).__getitem__(1)"
        for make in _MAKES
        for batch in ("", "2, ")
    ],
    *[
        f"np.sort(np.round(tf.linalg.eigvals(tf.constant({x})).numpy(), 3))"
        for x in ("[[1.0, 5.0], [2.0, 3.0]]", "[[0.0, 1.0], [-1.0, 0.0]]", "np.diag([3.0, 1.0])")
    ],
    *[f"tf.linalg.eig(tf.constant({x}))" for x in (
        "f32(2, 3)", "f32(2)", "[[nan, 1.0], [1.0, 1.0]]", "f32(0, 0)",
    )],
    *[
        f"(lambda lu, p: (tf.linalg.lu_reconstruct(lu, p), p))(*tf.linalg.lu({make}({shape})))"
        for make in _MAKES
        for shape in ("3, 3", "2, 4, 4", "1, 1")
    ],
    *[f"tf.linalg.lu({x})" for x in (*_BAD, "np.zeros((2, 2))", "f32(0, 0)", "f32(3, 3)", "f64(2, 3, 3)")],  # noqa: E501
    "tf.linalg.lu(f32(3, 3), output_idx_type=tf.int64)",
]  # fmt: skip

FUNCTIONS = [
    *[f"tf.linalg.expm({make}({shape}))" for make in _MAKES for shape in ("3, 3", "2, 2, 2")],
    *[f"tf.linalg.expm({x})" for x in (
        "i32(2, 2)", "f32(0, 0)", "np.zeros((2, 2))", "np.diag([1.0, -2.0])",
        "np.array([[0.0, 1.0], [0.0, 0.0]])", "f32(2, 3)",
    )],
    *[f"tf.linalg.logm({spd(make)})" for make in ("c64", "c128")],
    *[f"tf.linalg.logm({well(make, batch)})" for make in ("c64", "c128") for batch in ("", "2, ")],
    "tf.linalg.logm(np.eye(2, dtype=np.complex64))", "tf.linalg.logm(f32(2, 2))",
    "tf.linalg.logm(np.array([[2.0, 1.0], [0.0, 2.0]], np.complex128))",
    "tf.linalg.logm(c64(2, 3))", "tf.linalg.logm(np.zeros((2, 2), np.complex64))",
    *[f"tf.linalg.sqrtm({spd(make, batch)})" for make in _MAKES for batch in ("", "2, ")],
    *[f"tf.linalg.sqrtm({x})" for x in (
        "[[4.0, 1.0], [0.0, 9.0]]", "[[-4.0, 1.0], [0.0, 9.0]]", "f32(2, 3)", "f32(2)",
        "np.zeros((2, 2))", "np.array([[4.0, 1.0], [0.0, 4.0]])", "f32(0, 0)", "i32(2, 2)",
        "np.array([[0.0, -1.0], [1.0, 0.0]])",
    )],
]  # fmt: skip

SOLVING = [
    *[f"tf.linalg.{name}({well(make, batch)})"
      for name in ("inv", "det", "slogdet") for make in _MAKES for batch in ("", "2, ")],
    *[f"tf.linalg.{name}({x})" for name in ("inv", "det", "slogdet")
      for x in (*_BAD, "np.zeros((2, 2))", "f32(0, 0)", "f32(0, 2, 2)", "[[1.0, 2.0], [2.0, 4.0]]")],  # noqa: E501
    f"tf.linalg.inv({well()}, adjoint=True)", f"tf.linalg.inv({well('c64')}, adjoint=True)",
    "tf.linalg.det([[nan, 2.0], [3.0, 4.0]])", "tf.linalg.det(-np.eye(3))",
    *[f"tf.linalg.logdet({spd(make, batch)})" for make in _MAKES for batch in ("", "2, ")],
    "tf.linalg.logdet(-np.eye(3))",
    *[f"tf.linalg.solve({well(make, batch)}, {make}({batch}3, 2), adjoint={adjoint})"
      for make in _MAKES for batch in ("", "2, ") for adjoint in (False, True)],
    *[f"tf.linalg.solve({x})" for x in (
        "np.zeros((2, 2)), np.ones((2, 1))", "f32(2, 2), f32(3, 1)", "f32(2, 2), f32(2)",
        "f32(2, 3), f32(2, 1)", "f32(2, 2, 2), f32(2, 1)", "f32(0, 0), f32(0, 2)",
        "i32(2, 2), i32(2, 1)", "f32(2), f32(2)", "f32(1, 2, 2), f32(3, 2, 1)",
        "tf.constant(f32(2, 2)), tf.constant(f64(2, 1))",
    )],
    *[f"tf.linalg.triangular_solve({well(make, batch)}, {make}({batch}3, 2), lower={lower}, "
      f"adjoint={adjoint})"
      for make in ("f32", "c64") for batch in ("", "2, ") for adjoint in (False, True)
      for lower in (False, True)],
    *[f"tf.linalg.triangular_solve({x})" for x in (
        "np.zeros((2, 2)), np.ones((2, 1))", "f32(2, 2), f32(3, 1)", "f32(2, 2), f32(2)",
        "f32(2, 3), f32(2, 1)", "f32(2), f32(2, 1)", "f32(2, 2, 2), f32(3, 2, 1)",
        "f32(0, 0), f32(0, 2)", f"{well('f32', '2, ')}, f32(3, 1)", f"{well()}, f32(2, 3, 1)",
    )],
    *[f"tf.linalg.cholesky_solve(tf.linalg.cholesky({spd(make, batch)}), {make}({batch}3, 2))"
      for make in _MAKES for batch in ("", "2, ")],
    "tf.linalg.cholesky_solve(f32(2, 2), f32(2))",
    "tf.linalg.cholesky_solve(f32(2, 2), f32(3, 1))",
    *[f"tf.linalg.lstsq({make}({a}), {make}({b}), l2_regularizer={l2})"
      for make in ("f32", "f64", "c64") for a, b in (("4, 2", "4, 3"), ("2, 4", "2, 1"),
      ("2, 4, 2", "2, 4, 1")) for l2 in (0.0, 0.5)],
    *[f"tf.linalg.lstsq({make}({a}), {make}({b}), fast=False)"
      for make in ("f32", "f64", "c64") for a, b in (("4, 2", "4, 3"), ("2, 4", "2, 1"))],
    "tf.linalg.lstsq(f32(3, 2), f32(2, 1))",
    "tf.linalg.lstsq(np.ones((3, 2)), np.ones((3, 1)), fast=False)",
    "tf.linalg.lstsq(f32(3, 2), f32(2, 1), fast=False)",
    *[f"tf.linalg.lu_solve(*tf.linalg.lu({well(make, batch)}), {make}({batch}3, 2))"
      for make in ("f32", "c64") for batch in ("", "2, ")],
    f"tf.linalg.lu_solve(*tf.linalg.lu({well()}), f32(3))",
    f"tf.linalg.lu_solve(*tf.linalg.lu({well()}), f32(2, 2), validate_args=True)",
    *[f"tf.linalg.lu_matrix_inverse(*tf.linalg.lu({well('f32', batch)}))" for batch in ("", "2, ")],
]  # fmt: skip

_THREE = "tf.constant([[1.0, 1.0, 0.0], [4.0, 4.0, 4.0], [0.0, 1.0, 1.0]])"
_FULL = "tf.constant([[4.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 4.0]])"
_SEQUENCE = (
    "(tf.constant([1.0, 2.0, 0.0]), tf.constant([4.0, 5.0, 6.0]), tf.constant([0.0, 1.0, 3.0]))"
)
TRIDIAGONAL = [
    f"tf.linalg.tridiagonal_solve({_THREE}, tf.constant(f32(3)))",
    f"tf.linalg.tridiagonal_solve({_THREE}, tf.constant(f32(3, 2)))",
    f"tf.linalg.tridiagonal_solve({_THREE}, tf.constant(f32(2, 3)), transpose_rhs=True)",
    f"tf.linalg.tridiagonal_solve({_THREE}, tf.constant(f32(3)), partial_pivoting=False)",
    f"tf.linalg.tridiagonal_solve({_THREE}, tf.constant(f32(3)), partial_pivoting=False, "
    "perturb_singular=True)",
    f"tf.linalg.tridiagonal_solve({_FULL}, tf.constant(f32(3)), diagonals_format='matrix')",
    f"tf.linalg.tridiagonal_solve({_SEQUENCE}, tf.constant(f32(3, 1)), diagonals_format='sequence')",  # noqa: E501
    f"tf.linalg.tridiagonal_solve({_FULL}, tf.constant(f32(3)), diagonals_format='foo')",
    "tf.linalg.tridiagonal_solve(tf.constant(f32(2, 3)), tf.constant(f32(3)))",
    "tf.linalg.tridiagonal_solve(tf.constant(f32(2, 3)), tf.constant(f32(3)), "
    "diagonals_format='matrix')",
    "tf.linalg.tridiagonal_solve(tf.constant([[1.0, 1, 0], [0, 0, 0], [0, 1, 1]]), "
    "tf.constant([1.0, 2, 3]))",
    "tf.linalg.tridiagonal_solve(tf.constant(f64(2, 3, 3)) + 3.0, tf.constant(f64(2, 3)))",
    "tf.linalg.tridiagonal_solve(tf.constant(c128(3, 4)), tf.constant(c128(4, 2)))",
    "tf.linalg.tridiagonal_solve(tf.constant(c128(3, 4)), tf.constant(c128(4)), conjugate_rhs=True)",  # noqa: E501
    "tf.linalg.tridiagonal_solve(tf.constant(f64(2, 3, 3)), tf.constant(f64(3, 2)))",
    "tf.linalg.tridiagonal_solve(tf.constant(f64(3, 3)), tf.constant(f64(2)))",
    "tf.linalg.tridiagonal_solve(tf.constant([[0.0], [2.0], [0.0]]), tf.constant([4.0]))",
    f"tf.linalg.tridiagonal_matmul({_THREE}, tf.constant(f32(3, 2)))",
    f"tf.linalg.tridiagonal_matmul({_FULL}, tf.constant(f32(3, 2)), diagonals_format='matrix')",
    f"tf.linalg.tridiagonal_matmul({_SEQUENCE}, tf.constant(f32(3, 2)), diagonals_format='sequence')",  # noqa: E501
    "tf.linalg.tridiagonal_matmul(tf.constant(f32(2, 3, 4)), tf.constant(f32(2, 4, 1)))",
    "tf.linalg.tridiagonal_matmul(tf.constant(c64(3, 4)), tf.constant(c64(4, 3)))",
    f"tf.linalg.tridiagonal_matmul({_THREE}, tf.constant(f32(4, 2)))",
    *[
        f"tf.raw_ops.TridiagonalMatMul(superdiag=tf.constant(f32{sizes[0]}), maindiag=tf.constant("
        f"f32{sizes[1]}), subdiag=tf.constant(f32{sizes[2]}), rhs=tf.constant(f32{sizes[3]}))"
        for sizes in (
            ("(1, 3)", "(1, 3)", "(1, 3)", "(3, 2)"), ("(3,)", "(1, 3)", "(1, 3)", "(3, 2)"),
            ("(1, 3)", "(3,)", "(1, 3)", "(3, 2)"), ("(1, 3)", "(1, 3)", "(1, 3)", "(3,)"),
            ("(3,)",) * 4, ("(1, 3)", "(1, 3)", "(1, 3)", "(1, 2)"),
            ("(1, 1)", "(1, 1)", "(1, 1)", "(3, 2)"),
            ("(1, 1, 3)", "(1, 1, 3)", "(1, 1, 3)", "(2, 3, 2)"),
            ("(2, 1, 3)", "(1, 1, 3)", "(2, 1, 3)", "(2, 3, 2)"),
            ("(1, 4)", "(1, 3)", "(1, 3)", "(3, 2)"),
        )
    ],
    f"tf.linalg.tridiagonal_matmul({_THREE}, tf.constant(f32(3, 2)), diagonals_format='foo')",
    *[
        f"tf.linalg.banded_triangular_solve({bands}, {rhs}, lower={lower}, adjoint={adjoint})"
        for bands, rhs in (
            ("f64(2, 3)", "f64(3, 1)"), ("f64(3, 3)", "f64(3, 2)"), ("f64(2, 2, 3)", "f64(2, 3, 1)"),  # noqa: E501
            ("c128(2, 3)", "c128(3, 1)"),
        )
        for lower in (False, True)
        for adjoint in (False, True)
    ],
    "tf.linalg.banded_triangular_solve(f32(2, 3), f32(3))",
    "tf.linalg.banded_triangular_solve(f32(2, 3), f32(2, 1))",
    "tf.linalg.banded_triangular_solve(f32(3), f32(3, 1))",
]  # fmt: skip

CASES = list(dict.fromkeys([*DECOMPOSITIONS, *FUNCTIONS, *SOLVING, *TRIDIAGONAL]))
CASES += [
    "tf.linalg.triangular_solve([[1.0, 5.0], [2.0, 3.0]], [[1.0], [2.0]], lower=None)",
    "tf.linalg.triangular_solve([[1.0, 5.0], [2.0, 3.0]], [[1.0], [2.0]], None, None)",
    "tf.linalg.solve(tf.zeros([2, 2]), tf.zeros([2, 0]))",
    "tf.linalg.solve(tf.zeros([0, 2, 2]), tf.zeros([0, 2, 3]))",
]

# Matrices with values that are equal or zero, and gradients of halves that are read.
_DEGENERATE = [
    "np.eye(3)", "np.diag([1.0, 1.0, 2.0])", "np.ones([2, 2])", "np.zeros([2, 2])",
    "np.array([[2.0, 1.0], [1.0, 3.0]])",
]  # fmt: skip
CASES += [
    f"gradient(lambda x: {result}, {x})"
    for x in _DEGENERATE
    for result in (
        "tf.linalg.eigvalsh(x) * np.arange(1.0, 1.0 + len(x))",
        "run(parts := tf.linalg.eigh(x), tf.matmul(parts[1] * parts[0], parts[1], adjoint_b=True))",
        "run(parts := tf.linalg.svd(x), tf.matmul(parts[1] * parts[0], parts[2], adjoint_b=True))",
        "tf.linalg.pinv(x)",
    )
] + [
    f"gradient(lambda x: run(parts := tf.linalg.svd(x), tf.matmul(parts[{of}], parts[{of}], "
    f"adjoint_b=True) * np.arange(1.0, 1.0 + x.shape[{of - 3}])), {x})"
    for x, of in (("f64(4, 3)", 1), ("f64(2, 3, 2)", 1), ("f64(2, 2, 3)", 2), ("f64(1, 3)", 2))
] + [
    f"gradient(lambda x: {result}, {x})"
    for x in ("np.ones([2, 2])", "np.zeros([2, 2])", "np.array([[[2.0, 1.0], [1.0, 3.0]]])")
    for result in ("tf.linalg.det(x)", "tf.linalg.slogdet(x)[1]")
]  # fmt: skip

# Complex matrices, of whose gradients the half counts that keeps them Hermitian.
_HERMITIAN = [
    "np.array([[3.0]], np.complex64)", "np.array([[4.0, 1.0 + 2.0j], [1.0 - 2.0j, 5.0]])",
    "np.array([[[5.0, 1j, 0.5], [-1j, 6.0, 1.0 - 1.0j], [0.5, 1.0 + 1.0j, 7.0]]])",
]  # fmt: skip
CASES += [
    f"gradient(lambda x: {result} * (1.0 + 2.0j), {x})"
    for x in _HERMITIAN
    for result in (
        "tf.linalg.cholesky(x)", "tf.linalg.eigvalsh(x)", "tf.linalg.eigh(x)[0]",
        "tf.linalg.logdet(x)",
    )
] + [
    f"gradient(lambda x: {result}, {x})"
    for x in ("c128(3, 2)", "c64(2, 2, 3)")
    for result in (
        "tf.norm(x, ord=2, axis=(-2, -1))", "tf.norm(x, ord=2, axis=(-1, 0), keepdims=True)",
        "tf.linalg.normalize(x, ord=2, axis=(-2, -1))[0]",
    )
]  # fmt: skip

CASES += [
    "tf.linalg.inv(tf.constant([[4.0, 1.0], [1.0, 3.0]], tf.float16))",
    "tf.linalg.inv(tf.constant([[[4.0, 1.0], [2.0, 3.0]]], tf.float16), adjoint=True)",
    "tf.linalg.inv(tf.zeros([0, 2, 2], tf.float16))",
]
CASES += [
    f"tf.linalg.eigh_tridiagonal({arguments})"
    for arguments in (
        "[0.0, 0.0, 0.0], [1.0, 1.0]", "[3.0], []", "tf.constant([1j, 2.0]), tf.constant([1+1j])",
        "tf.constant([1.0, 2.0, 4.0], tf.float64), tf.constant([1.0, 0.5], tf.float64)",
        "[1.0, 2.0, 4.0], [1.0, 0.5], select='i', select_range=(1, 2)",
        "[1.0, 2.0, 4.0], [1.0, 0.5], select='i', select_range=(2, 1)",
        "[1.0, 2.0, 4.0], [1.0, 0.5], select='v', select_range=(1.0, 3.0)",
        "[1.0, 2.0, 4.0], [1.0, 0.5], select='v', select_range=(8.0, 9.0)",
        "[1.0, 2.0, 4.0], [1.0, 0.5], select='v', select_range=(3.0, 1.0)",
        "[1.0, 2.0, 4.0], [1.0, 0.5], select='b'",
        "[1.0, 2.0, 4.0], tf.constant([1.0, 0.5], tf.float64)",
    )
]  # fmt: skip

# What LAPACK would not survive.
CASES += [
    f"tf.linalg.eigvals(tf.constant({matrix}, tf.{dtype}))"
    for matrix, dtypes in (
        ("[[0.0, np.nan], [np.inf, 0.0]]", ("float32", "float64", "complex64")),
        ("[[np.inf, 1.0], [1.0, 2.0]]", ("float32", "float64")),
    )
    for dtype in dtypes
]
