"""Cases of `raw/linalg.py`: raw ops on matrices."""

from . import Case
from .raw_calls import differentiated, typed

_SPD = "tf.constant(np.eye(3, dtype=np.{0}) * 4 + np.ones((2, 3, 3), np.{0}))"
_SPDS = [_SPD.format(each) for each in ("float32", "float64")]

CASES: list[str | Case] = [
    *[
        f"tf.raw_ops.CholeskyGrad(l=tf.linalg.cholesky({each}),"
        f" grad=tf.ones([2, 3, 3], '{kind}') * 0.5)"
        for each, kind in zip(_SPDS, ("float32", "float64"), strict=True)
    ],
    "tf.raw_ops.CholeskyGrad(l=np.tril(f64(3, 3)) + 3 * np.eye(3), grad=f64(3, 3))",
    *typed("MatrixDiag", "diagonal={}(2, 3)", "f16 f32 f64 i32 i64 c64 b u8"),
    *typed("MatrixDiagPart", "input={}(2, 3, 4)", "f16 f32 f64 i32 i64 c64 b u8"),
    *typed("MatrixSetDiag", "input={}(2, 3, 4), diagonal={}(2, 3)", "f16 f32 f64 i32 i64 c64 b"),
    "tf.raw_ops.MatrixDiagV2(diagonal=f32(2, 3), k=1, num_rows=-1, num_cols=-1, padding_value=9.0)",
    "tf.raw_ops.MatrixDiagV2(diagonal=f32(3, 4), k=[-1, 1], num_rows=4, num_cols=4,"
    " padding_value=7.0)",
    "tf.raw_ops.MatrixDiagPartV2(input=f32(2, 4, 4), k=[-1, 1], padding_value=9.0)",
    "tf.raw_ops.MatrixDiagPartV2(input=i32(2, 4, 3), k=-2, padding_value=9)",
    "tf.raw_ops.MatrixSetDiagV2(input=f32(4, 4), diagonal=f32(3, 4), k=[-1, 1])",
    "tf.raw_ops.MatrixSetDiagV2(input=f32(4, 4), diagonal=f32(3), k=1)",
    differentiated("MatrixDiag", "diagonal", "f32(2, 3)"),
    differentiated("MatrixDiagPart", "input", "f32(2, 3, 4)"),
    differentiated("MatrixSetDiag", "input diagonal", "f32(2, 3, 4), f32(2, 3)"),
    differentiated("MatrixDiagPartV2", "input", "f32(2, 4, 4)", "k=[-1, 1], padding_value=0.0"),
    differentiated("MatrixSetDiagV2", "input diagonal", "f32(4, 4), f32(3)", "k=1"),
]
