"""Cases of `raw/math.py`: raw ops that work element by element."""
# a case stands on one line

from . import Case
from .raw_calls import typed

_INEXACT = "bf16 f16 f32 f64 c64 c128"

_GRADIENTS = ("SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad")
CASES: list[str | Case] = [
    *[row for name in _GRADIENTS for row in typed(name, "y={}(2, 3), dy={}(2, 3)", _INEXACT)],
    *[f"tf.raw_ops.{name}(y=i32(2), dy=i32(2))" for name in _GRADIENTS],
    *[
        f"gradient(lambda y, dy: tf.raw_ops.{name}(y=y, dy=dy), f32(3), f32(3))"
        for name in _GRADIENTS
    ],
    "tf.raw_ops.SigmoidGrad(y=f32(2), dy=f64(2))",
    "tf.raw_ops.SigmoidGrad(y=tf.constant(f32(2)), dy=tf.constant(f64(2)))",
    "tf.raw_ops.SigmoidGrad(y=1, dy=tf.constant(2.0))",
    "tf.raw_ops.SigmoidGrad(y=tf.constant([1.0]), dy='a')",
    "tf.raw_ops.SigmoidGrad(y=tf.constant([1.0]))",
    *typed("Inv", "x={}(3)", "f16 f32 f64 c64"),
    *typed("Div", "x={}(2, 3), y={}(3, low=1, high=4)", "f16 f32 f64 i8 i16 i32 i64 u8"),
    "tf.raw_ops.Div(x=[-7, 7], y=[2, -2])",
    "tf.raw_ops.Div(x=[1, 2], y=[0, 1])",
    "tf.raw_ops.Div(x=c64(2), y=c64(2))",
    "tf.raw_ops.Div(x=[True], y=[False])",
    "gradient(lambda x, y: tf.raw_ops.Div(x=x, y=y), f32(2, 3), f32(3, low=1.0))",
    *typed("Mod", "x={}(2, 3, low=1, high=9), y={}(3, low=1, high=4)", "f32 f64 i32 i64"),
    "tf.raw_ops.Mod(x=[-7, 7], y=[2, -2])",
    "tf.raw_ops.Mod(x=[-7.5, 7.5], y=[2.0, -2.0])",
    *typed("BatchMatMul", "x={}(2, 2, 3), y={}(2, 3, 2)", "f16 f32 f64 i32 i64 c64 c128"),
    "tf.raw_ops.BatchMatMul(x=c64(2, 2, 3), y=c64(2, 2, 3), adj_x=True)",
    "tf.raw_ops.BatchMatMul(x=f32(2, 2, 3), y=f32(2, 2, 3), adj_y=True)",
    "tf.raw_ops.BatchMatMul(x=f32(2, 2, 3), y=f32(1, 3, 2))",
    "gradient(lambda x, y: tf.raw_ops.BatchMatMul(x=x, y=y), f32(2, 2, 3), f32(2, 3, 2))",
    "tf.raw_ops.SparseMatMul(a=f32(2, 3), b=f32(3, 2))",
    "tf.raw_ops.SparseMatMul(a=bf16(2, 3), b=f32(2, 3), transpose_b=True, a_is_sparse=True)",
    "tf.raw_ops.SparseMatMul(a=bf16(3, 2), b=bf16(3, 2), transpose_a=True, b_is_sparse=True)",
    "gradient(lambda a, b: tf.raw_ops.SparseMatMul(a=a, b=b), f32(2, 3), f32(3, 2))",
    *typed("BiasAddV1", "value={}(2, 3), bias={}(3)", "f32 f64 i32"),
    "tf.raw_ops.BiasAddV1(value=f32(2, 3), bias=f32(2))",
    "gradient(lambda v, b: tf.raw_ops.BiasAddV1(value=v, bias=b), f32(2, 3), f32(3))",
    *typed("Reverse", "tensor={}(2, 3), dims=[False, True]", "f32 i32 u8"),
    "tf.raw_ops.Reverse(tensor=f32(2, 3), dims=[True, True])",
    "gradient(lambda x: tf.raw_ops.Reverse(tensor=x, dims=[True, False]), f32(2, 3))",
]
CASES += [
    "tf.raw_ops.Add(x=1, y=2)",
    "tf.raw_ops.Add(x=f32(2, 3), y=f32(3))",
    "tf.raw_ops.Add(x=c64(2), y=c64(2))",
    "tf.raw_ops.Add(x=['a', 'b'], y='c')",
    "tf.raw_ops.Add(x=True, y=False)",
    "tf.raw_ops.Add(x=u16(2), y=u16(2))",
    "tf.raw_ops.Add(x=f32(2), y=f64(2))",
    "tf.raw_ops.Add(x=f32(2), y=f32(3))",
    "gradient(lambda a, b: tf.raw_ops.Add(x=a, y=b), f32(2, 3), f32(3))",
]

# Raw transforms of real numbers fill nothing up.
CASES += [
    f"tf.raw_ops.{name}(input={kind}({sizes}), fft_length={lengths})"
    for name, kind in (("RFFT", "f32"), ("IRFFT", "c64"))
    for sizes, lengths in (
        ("3", "[3]"),
        ("3", "[4]"),
        ("3", "[8]"),
        ("2, 3", "[2]"),
        ("2, 3", "[6]"),
    )
] + [
    f"tf.raw_ops.{name}(input={kind}(2, 3), fft_length={lengths})"
    for name, kind in (("RFFT2D", "f32"), ("IRFFT2D", "c64"))
    for lengths in ("[2, 3]", "[2, 4]", "[3, 3]", "[1, 2]")
]
