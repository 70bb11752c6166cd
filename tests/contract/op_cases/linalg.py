"""Matrix products, contractions, diagonals, norms."""
# ruff: noqa: E501  # a case stands on one line

from . import Case, loose

_ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")
_PAIRS = [
    ("2, 3", "3, 4"), ("1, 1", "1, 1"), ("0, 3", "3, 2"), ("2, 0", "0, 2"), ("2, 3", "3, 0"),
    ("5, 2, 3", "5, 3, 4"), ("5, 2, 3", "3, 4"), ("2, 3", "5, 3, 4"), ("2, 1, 2, 3", "4, 3, 2"),
    ("0, 2, 3", "3, 2"), ("1, 2, 3", "4, 3, 1"),
]  # fmt: skip
_WRONG = [
    ("3", "3"), ("3", "3, 2"), ("2, 3", "3"), ("2, 2, 3", "3"), ("3", "2, 3, 3"), ("2, 3", "2, 3"),
    ("2, 2, 3", "2, 2, 3"), ("2, 2, 3", "3, 3, 3"), ("2, 3", "2, 2, 3"),
]  # fmt: skip

MATMUL: list[str] = [
    *[f"tf.matmul(f32({a}), f32({b}))" for a, b in _PAIRS + _WRONG],
    *[
        f"tf.matmul({make}({a}), {make}({b}))"
        for make in ("f64", "f16", "bf16", "i32", "i64", "c64", "c128")
        for a, b in (("2, 3", "3, 4"), ("2, 2, 3", "2, 3, 1"))
    ],
    *[f"tf.matmul({make}(2, 2, 3), {make}(3, 2))" for make in ("i16", "i8")],
    *[f"tf.matmul({make}(2, 3), {make}(3, 2))" for make in ("i8", "i16", "b")],
    *[
        f"tf.matmul({make}({batch}{a}), {make}({batch}{b}), {kind}_a={ta}, {kind}_b={tb})"
        for make in ("f32", "c64")
        for kind in ("transpose", "adjoint")
        for batch in ("", "2, ")
        for ta, a in ((False, "2, 3"), (True, "3, 2"))
        for tb, b in ((False, "3, 4"), (True, "4, 3"))
    ],
    "tf.matmul(f32(3, 2), f32(3, 2), transpose_a=True, adjoint_a=True)",
    "tf.matmul(f32(3, 2), f32(2, 3), transpose_b=True, adjoint_b=True)",
    "tf.matmul(f32(3, 2), f32(2, 3), a_is_sparse=True)",
    "tf.matmul(i8(2, 3), i8(3, 2), output_type=tf.int32)",
    "tf.matmul(u8(2, 2, 3), i8(3, 2), output_type=tf.int32)",
    "tf.matmul(i8(3, 2), i8(3, 2), transpose_a=True, output_type=tf.int32)",
    "tf.matmul(f32(2, 3), f32(3, 2), output_type=tf.float32)",
    "tf.matmul(i8(2, 3), i8(2, 3), output_type=tf.int32)",
    "tf.matmul(tf.constant(f32(2, 3)), tf.constant(f64(3, 2)))",
    "tf.matmul(tf.constant(f32(2, 2, 3)), tf.constant(f64(3, 2)))",
    "tf.matmul(tf.constant(f32(2, 3)), tf.constant(i32(3, 2)))",
    "tf.matmul([[1, 2]], [[3], [4]])",
    "tf.matmul([[nan, 1.0]], [[0.0], [inf]])",
    "tf.matmul(np.float32([[inf, 1.0]]), np.float32([[0.0], [2.0]]))",
    "tf.matmul(i32(1, 2) * 2**30, i32(2, 1))",
    "tf.matmul(f32(2, 3), None)",
    "tf.matmul(2.0, 3.0)",
    *[f"tf.linalg.matvec({make}(2, 3), {make}(3))" for make in ("f32", "i32", "c64", "bf16")],
    "tf.linalg.matvec(f32(5, 2, 3), f32(5, 3))",
    "tf.linalg.matvec(f32(5, 2, 3), f32(3))",
    "tf.linalg.matvec(f32(3, 2), f32(3), transpose_a=True)",
    "tf.linalg.matvec(c64(3, 2), c64(3), adjoint_a=True)",
    "tf.linalg.matvec(f32(2, 3), f32(2))",
    "tf.linalg.matvec(f32(2, 3), f32(3, 1))",
    "tf.linalg.matvec(f32(0, 3), f32(3))",
    *[
        f"tf.linalg.{name}({value})"
        for name in ("matrix_transpose", "adjoint")
        for value in ("f32(2, 3)", "c64(2, 1, 3)", "i32(0, 2)", "f32(2)", "b(2, 2)")
    ],
    "tf.linalg.matrix_transpose(c64(2, 3), conjugate=True)",
]

TENSORDOT = [
    *[f"tf.tensordot(f32(2, 3), f32(3, 2), {axes})" for axes in (
        "1", "0", "3", "-1", "[[1], [0]]", "[1, 0]", "[[0, 1], [1, 0]]", "[[0], [0]]",
        "[[0, 1], [0]]", "[[0], [1], [2]]", "1.5", "[[-1], [-2]]", "[[0, 1], [1, 5]]",
        "tf.constant([[1], [0]])", "np.int64(1)", "((1,), (0,))", "[[], []]",
    )],
    "tf.tensordot(f32(2, 3, 4), f32(4, 3, 5), [[1, 2], [1, 0]])",
    "tf.tensordot(f32(2, 3, 4), f32(3, 4, 5), 2)",
    "tf.tensordot(i32(2, 3), i32(3, 2), 1)",
    "tf.tensordot(c64(2, 3), c64(3), 1)",
    "tf.tensordot(f32(3), f32(3), 1)",
    "tf.tensordot(f32(3), f32(2), 0)",
    "tf.tensordot(f32(2, 0), f32(0, 3), 1)",
    "tf.tensordot(bf16(2, 3), bf16(3, 2), 1)",
    "tf.tensordot(tf.constant(f32(2, 3)), tf.constant(f64(3, 2)), 1)",
]  # fmt: skip

_EINSUM = [
    ("ij,jk->ik", "f32(2, 3), f32(3, 4)"), ("ij,jk", "f32(2, 3), f32(3, 4)"),
    ("ij->ji", "f32(2, 3)"), ("ba", "f32(2, 3)"), ("ij->", "f32(2, 3)"), ("ij->i", "f32(2, 3)"),
    ("ii->i", "f32(3, 3)"), ("ii->", "f32(3, 3)"), ("ii", "f32(3, 3)"), ("iij->ij", "f32(2, 2, 3)"),
    ("ii,i->i", "f32(2, 2), f32(2)"), ("i,j->ij", "f32(2), f32(3)"), ("i,i->", "f32(3), f32(3)"),
    ("i,i->i", "f32(3), f32(3)"), (" i j , j k -> i k ", "f32(2, 3), f32(3, 2)"),
    ("iJ,Jk->ik", "f32(2, 3), f32(3, 2)"), ("bij,bjk->bik", "f32(5, 2, 3), f32(5, 3, 4)"),
    ("...ij,...jk->...ik", "f32(5, 2, 3), f32(5, 3, 4)"),
    ("...ij,...jk->...ik", "f32(5, 1, 2, 3), f32(4, 3, 4)"),
    ("...ij,jk->...ik", "f32(5, 2, 3), f32(3, 4)"), ("...ij->...ji", "f32(2, 3, 4)"),
    ("...,...->...", "f32(2, 3), f32(3)"), ("i...->...", "f32(2, 3)"), ("ij...->ij", "f32(2, 3)"),
    ("...i,...i", "f32(2, 3), f32(2, 3)"), ("...i->i", "f32(2, 3)"),
    ("i...j,j->i...", "f32(2, 4, 3), f32(3)"), ("abc,cd->abd", "f32(2, 3, 4), f32(4, 5)"),
    ("abc,acd->abd", "f32(2, 3, 4), f32(2, 4, 5)"), ("bqhd,bkhd->bhqk",
     "f32(2, 3, 2, 4), f32(2, 5, 2, 4)"), ("ij,kl->", "f32(2, 3), f32(2, 2)"),
    ("ij,jk,kl->il", "f32(2, 3), f32(3, 2), f32(2, 2)"), ("i,j,k->ijk", "f32(2), f32(3), f32(1)"),
    ("ab,bc,cd,de->ae", "f32(2, 3), f32(3, 2), f32(2, 4), f32(4, 1)"),
    ("ij,jk->ik", "i32(2, 3), i32(3, 2)"), ("ij,j", "i64(2, 3), i64(3)"),
    ("ij,ij->", "i32(2, 3), i32(2, 3)"), ("ij,jk->ik", "c64(2, 3), c64(3, 2)"),
    ("ij,jk->ik", "bf16(2, 3), bf16(3, 2)"), ("ij,jk->ik", "f64(2, 3), f64(3, 2)"),
    ("ij,jk->ik", "f16(2, 3), f16(3, 2)"), ("ij,jk->ik", "f32(0, 3), f32(3, 2)"),
    ("ij,jk->ik", "f32(2, 0), f32(0, 2)"), (",->", "tf.constant(2.0), tf.constant(3.0)"),
    ("", "tf.constant(2.0)"), ("i,->i", "f32(3), tf.constant(3.0)"),
    ("ij,jk->ik", "f32(2, 3), f32(2, 3)"), ("ij,jk->ik", "f32(2, 3)"), ("ij->ijk", "f32(2, 3)"),
    ("ij->i->j", "f32(2, 3)"), ("ijk->i", "f32(2, 3)"), ("ii->i", "f32(2, 3)"),
    ("i1->i", "f32(2, 3)"), ("i->ii", "f32(2)"), ("i.j->i", "f32(2, 3)"), ("i,i->",
     "f32(2), f32(1)"),
]  # fmt: skip

EINSUM = [
    *[f"tf.einsum({equation!r}, {values})" for equation, values in _EINSUM],
    "tf.einsum('ij,jk->ik', tf.constant(f32(2, 3)), tf.constant(f64(3, 2)))",
    "tf.einsum('ij,jk->ik', tf.constant(f32(2, 3)), f64(3, 2))",
    "tf.einsum('ij,jk,kl', f32(2, 3), f32(3, 2), f32(2, 2), optimize='optimal')",
    "tf.einsum('ij,jk->ik', f32(2, 3), f32(3, 2), bar=1)",
    "tf.linalg.einsum('ij,j->i', f32(2, 3), f32(3))",
]

DIAGONAL = [
    *[f"tf.eye({args})" for args in (
        "3", "2, 3", "3, 2", "0", "2, batch_shape=[2]", "2, 3, batch_shape=[2, 1]", "[2]", "-1",
        "2, dtype=tf.int32", "2, dtype=tf.bool", "2, dtype=tf.complex64", "tf.constant(2)",
        "2, dtype=tf.bfloat16", "2, 3, dtype=tf.int32",
    )],
    *[f"tf.linalg.diag({args})" for args in (
        "[1, 2]", "f32(2, 3)", "c64(2)", "i64(0)", "[1, 2], k=1", "[1, 2], k=-2", "3",
        "[1, 2], num_rows=3", "[1, 2], num_cols=4", "[1, 2], num_rows=1",
        "[1, 2], num_rows=3, num_cols=2", "[1, 2], num_rows=3, num_cols=4", "[1, 2], align='FOO'",
        "[1, 2], padding_value=7", "[1.0, 2.0], padding_value=1", "[1, 2], padding_value=1.0",
        "[[1, 2]], k=(0, 1)", "[[1, 2], [3, 4]], k=(1, 0)", "[1, 2], k=[0, 1, 2]",
        "[True, False]", "[True, False], padding_value=False", "u8(2)", "f16(2)",
        "[1, 2], k=1, num_rows=2, num_cols=5",
    )],
    *[
        f"tf.linalg.diag(i32(2, 3, 3), k=(-1, 1), align={align!r}, padding_value=9)"
        for align in _ALIGNS
    ],
    *[f"tf.linalg.diag(f32(2, 3), k=(1, 2), align={align!r})" for align in _ALIGNS],
    *[f"tf.linalg.diag_part({args})" for args in (
        "[[1, 2], [3, 4]]", "f32(2, 3, 4)", "f32(4, 3)", "c64(2, 2)", "i32(0, 3)", "[1, 2]",
        "f32(3, 4), k=1", "f32(3, 4), k=-2", "f32(3, 4), k=4", "f32(3, 4), k=-3",
        "f32(3, 4), k=(0, -1)", "f32(3, 4), k=[-1, 0, 1]", "f32(3, 4), k=(-5, 1)", "b(2, 2)",
        "i64(3, 4), k=(-1, 2), padding_value=99", "u16(3, 3)", "f32(3, 4), k=(-2, 3)",
    )],
    *[
        f"tf.linalg.diag_part(i32({shape}), k={k}, align={align!r})"
        for shape, k in (("3, 4", (-1, 2)), ("2, 4, 3", (-2, 0)))
        for align in _ALIGNS
    ],
    *[f"tf.linalg.set_diag({args})" for args in (
        "i32(2, 2), i32(2)", "f32(2, 3, 4), f32(2, 3)", "f32(3, 4), f32(3), k=1",
        "i32(2, 2), i32(3)", "i32(2, 2), i32(1), k=5", "i32(2), i32(1)", "f32(3, 3), f32(1), k=-2",
        "i32(2, 2), i32(2, 2), k=(0, 1)", "tf.constant(f32(2, 2)), i64(2)", "c64(2, 2), c64(2)",
    )],
    *[
        f"tf.linalg.set_diag(i32(3, 4), i32(3, 3), k=(-1, 1), align={align!r})"
        for align in _ALIGNS
    ],
    *[f"tf.linalg.tensor_diag({x})" for x in ("[[1, 2]]", "3", "f32(3)", "c64(2)", "f32(0)")],
    *[
        f"tf.linalg.tensor_diag_part({x})"
        for x in ("f32(2, 2)", "f32(2, 3)", "f32(2)", "f32(2, 3, 2, 3)", "f32(2, 3, 2)", "i32(0, 0)")
    ],
    *[
        f"tf.linalg.band_part(f32(3, 4), {low}, {up})"
        for low, up in ((0, 0), (0, -1), (-1, 0), (1, 2), (-1, -1), (3, 0), (5, 0), (0, 5), (-3, 1))
    ],
    *[f"tf.linalg.band_part({x}, 1, 0)" for x in (
        "f32(2, 3, 3)", "c64(3, 3)", "i32(3, 3)", "b(3, 3)", "f32(3)", "bf16(2, 2)", "u16(2, 2)",
        "i64(2, 2)",
    )],
    *[f"tf.linalg.trace({x})" for x in (
        "f32(3, 3)", "f32(2, 3, 4)", "i32(2, 3)", "c64(2, 2)", "f32(3)", "f32(0, 0)", "bf16(2, 2)",
    )],
]  # fmt: skip

_ORDS = ("'euclidean'", "1", "2", "1.5", "3", "np.inf", "'fro'", "'foo'", "-1", "0", "-np.inf")
NORMS: list[str | Case] = [
    *[
        f"tf.norm(f32(3, 2), ord={ord_}, axis={axis})"
        for ord_ in _ORDS
        for axis in ("None", "0", "-1", "[0, 1]")
    ],
    *[f"tf.norm(f32(2, 3, 4), ord={ord_}, axis=[-1, 0], keepdims=True)" for ord_ in (1, 2, "'fro'")],
    *[f"tf.norm(f32(2, 3), {args})" for args in (
        "keepdims=True", "axis=1, keepdims=True", "axis=[0, 1, 2]", "axis=[0, 0]", "axis=5",
        "axis='x'", "ord=1, axis=[1, 0]", "ord=np.inf, axis=(0, 1), keepdims=True",
    )],
    "tf.norm(i32(3, 2))", "tf.norm(i32(3, 2), ord=1)", "tf.norm(c64(3))", "tf.norm(f64(3, 2))",
    "tf.norm(f32(0))", "tf.norm(bf16(3))", "tf.norm([nan, 1.0])", "tf.norm(np.inf)",
    *[
        f"tf.linalg.normalize(f32(3, 2), ord={ord_}, axis={axis})"
        for ord_, axis in (("'euclidean'", None), (1, 1), ("np.inf", 0), (2, [0, 1]), ("'fro'", None))
    ],
    "tf.linalg.normalize(c64(3))",
    *[f"tf.linalg.cross({x})" for x in (
        "f32(3), f32(3)", "f32(2, 3), f32(2, 3)", "i32(2, 3), i32(2, 3)", "f32(2), f32(2)",
        "f32(3), f32(2, 3)", "1.0, 2.0", "bf16(3), bf16(3)", "u8(3), u8(3)", "f32(0, 3), f32(0, 3)",
    )],
    *[f"tf.linalg.matrix_rank({x})" for x in (
        "f32(3, 2)", "f32(2, 3, 3)", "i32(3, 2)", "f32(3)", "np.ones((3, 3))", "np.zeros((2, 2))",
        "f32(3, 3), tol=1.5", "np.diag([1.0, 1e-3, 1e-20])", "f32(2, 3, 3), tol=[1.0, 2.0]",
    )],
    *[
        loose(f"tf.linalg.pinv({x})", 1e-4, "sums of singular vectors")
        for x in (
            "f32(3, 2)", "f32(2, 3)", "f32(2, 3, 2)", "f64(3, 3)", "np.ones((3, 3))",
            "f32(3, 3), rcond=0.5", "f32(3)", "i32(2, 2)",
        )
    ],
]  # fmt: skip

CASES: list[str | Case] = [*MATMUL, *TENSORDOT, *EINSUM, *DIAGONAL, *NORMS]

CASES += [
    f"tf.linalg.l2_normalize({args})"
    for args in ("f32(2, 3)", "f32(2, 3), axis=1", "f32(2, 3), [0, 1], epsilon=0.5", "i32(3)")
]

CASES += [
    *[f"tf.matmul({a}(2, 3), {b}(3, 2), output_type=tf.{c})" for a, b, c in (("i8", "i8", "float32"), ("f32", "f32", "float64"), ("i32", "i32", "float32"), ("bf16", "bf16", "float32"), ("i8", "bf16", "bfloat16"), ("bf16", "u8", "bfloat16"), ("i8", "bf16", "float32"), ("f32", "f32", "int32"))],
    *[f"tf.raw_ops.BatchMatMulV3(x=tf.constant({a}(2, 3)), y=tf.constant({a}(3, 2)), Tout=tf.{c})" for a, c in (("i8", "int32"), ("i8", "float32"), ("f32", "float32"))],
    *[f"tf.raw_ops.Einsum(inputs=[{x}], equation='{e}')" for e, x in (("a->aa", "f32(3)"), ("ab->abb", "f32(2, 3)"), ("ab->bab", "f32(2, 3)"), ("aa->aaa", "f32(2, 2)"), ("...a->...aa", "f32(2, 3)"), ("ab,b->aab", "f32(2, 3), f32(3)"), ("aab->ab", "f32(2, 2)"))],
    *[f"grad(lambda x: tf.raw_ops.Einsum(inputs=[x], equation='{e}') * {w}, {x})" for e, w, x in (("a->aa", "f32(3, 3)", "f32(3)"), ("ab->abb", "f32(2, 3, 3)", "f32(2, 3)"))],
]  # fmt: skip

CASES += [
    "tf.einsum('->...', tf.constant(3.0))",
    "tf.raw_ops.Einsum(inputs=[f32(2)], equation='a->...a')",
    "tf.raw_ops.Einsum(inputs=[f32(2)], equation='a->...')",
]
CASES += [
    "tf.einsum('...cb', f32(2, 3))",
    "tf.einsum('...cb', f32(4, 2, 3))",
    "tf.einsum('b...a', f32(4, 2, 3))",
    "tf.einsum('aab...', f32(2, 2, 3, 4))",
    "tf.einsum('...ab,bc', f32(5, 2, 3), f32(3, 4))",
    "tf.einsum('...ab,...bc', f32(5, 2, 3), f32(3, 4))",
]
CASES += [
    "tf.linalg.diag(np.zeros((0, 3, 2), np.float32), k=(-1, 1), padding_value=9.0)",
    "tf.linalg.set_diag(np.zeros((0, 3, 4), np.float32), np.ones((0, 2, 3), np.float32), k=(0, 1))",
]
CASES += [  # matrices of bfloat16 and float32 together
    "tf.matmul(bf16(2, 3), f32(3, 2))",
    "tf.matmul(f32(2, 3), bf16(3, 2))",
    "tf.matmul(bf16(3, 2), f32(2, 3), transpose_a=True, adjoint_b=True)",
    "tf.matmul(bf16(2, 3), f32(3, 2), a_is_sparse=True)",
    "tf.matmul(bf16(2, 3), bf16(3, 2), b_is_sparse=True)",
    "tf.matmul(bf16(1, 2, 3), f32(1, 3, 2))",
    "tf.matmul(bf16(2, 3), [[1.0], [2.0], [3.0]])",
    "tf.linalg.matvec(bf16(2, 3), f32(3))",
    "tf.tensordot(bf16(2, 3), f32(3, 2), 1)",
    "gradient(lambda a, b: tf.matmul(a, b), bf16(2, 3), f32(3, 2))",
    "tf.compat.v1.sparse_matmul(f32(2, 3), f32(3, 2))",
    "tf.compat.v1.sparse_matmul(bf16(2, 3), bf16(2, 3), transpose_b=True)",
    "tf.compat.v1.sparse_matmul(bf16(3, 2), f32(3, 2), True, b_is_sparse=True)",
    "tf.compat.v1.sparse_matmul(f64(2, 3), f64(3, 2))",
]
