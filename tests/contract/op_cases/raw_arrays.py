"""Cases of `raw/arrays.py`: raw ops that move elements."""

from . import Case
from .raw_calls import differentiated, typed

_ANY = "f16 f32 f64 i8 i32 i64 u8 c64 b"

CASES: list[str | Case] = [
    "tf.raw_ops.BroadcastArgs(s0=[2, 1, 3], s1=[4, 1])",
    "tf.raw_ops.BroadcastArgs(s0=tf.constant([], tf.int64), s1=tf.constant([4, 1], tf.int64))",
    "tf.raw_ops.BroadcastArgs(s0=[2], s1=[3])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[2, 1, 3], s1=[4, 1])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[2, 3], s1=[2, 3])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[2, 1], s1=[2, 1])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[1, 1], s1=[1])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[2, 1, 1], s1=[2, 1, 5])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[1, 1, 1], s1=[2, 1, 5])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[], s1=[2])",
    "tf.raw_ops.BroadcastGradientArgs(s0=[2], s1=[3])",
    "tf.raw_ops.ConcatOffset(concat_dim=0, shape=[[1, 2], [3, 2], [2, 2]])",
    "tf.raw_ops.ConcatOffset(concat_dim=-1, shape=[[1, 2], [1, 4]])",
    "tf.raw_ops.ConcatOffset(concat_dim=2, shape=[[1, 2], [1, 4]])",
    "tf.raw_ops.ConcatOffset(concat_dim=0, shape=[[1, 2], [1, 4]])",
    "tf.raw_ops.ConcatOffset(concat_dim=0, shape=[])",
    "tf.raw_ops.ConcatOffset(concat_dim=0, shape=3)",
    *typed("Concat", "concat_dim=0, values=[{}(2, 3), {}(1, 3)]", _ANY),
    "tf.raw_ops.Concat(concat_dim=1, values=[f32(2, 3), f32(2, 1)])",
    "tf.raw_ops.Concat(concat_dim=0, values=[['a'], ['b', 'c']])",
    "gradient(lambda x, y: tf.raw_ops.Concat(concat_dim=0, values=[x, y]), f32(2, 3), f32(1, 3))",
    *typed("Gather", "params={}(3, 4), indices=[2, 0]", _ANY),
    "tf.raw_ops.Gather(params=f32(3, 4), indices=[[2], [1]], validate_indices=False)",
    "tf.raw_ops.Gather(params=f32(3, 4), indices=[3])",
    "tf.raw_ops.Gather(params=f32(3, 4), indices=np.array([1.0]))",
    "tf.raw_ops.Snapshot(input=f32(3))",
    "tf.raw_ops.DeepCopy(x=f32(3))",
    "tf.raw_ops.DeepCopy(x=['a'])",
    "tf.raw_ops.Copy(input=f32(3))",
    "tf.raw_ops.CopyHost(input=i32(3))",
    "tf.raw_ops.DataFormatVecPermute(x=[1, 2, 3, 4])",
    "tf.raw_ops.DataFormatVecPermute(x=[1, 2])",
    "tf.raw_ops.DataFormatVecPermute(x=[[1, 2], [3, 4], [5, 6], [7, 8]])",
    "tf.raw_ops.DataFormatVecPermute(x=T(i64)(4), src_format='NCHW', dst_format='NHWC')",
    "tf.raw_ops.DataFormatVecPermute(x=T(i64)(5), src_format='NCDHW', dst_format='NDHWC')",
    "tf.raw_ops.DataFormatVecPermute(x=T(i64)(4), src_format='NHWC', dst_format='HWNC')",
    "tf.raw_ops.DataFormatVecPermute(x=T(i64)(2), src_format='NHWC', dst_format='WHCN')",
    "tf.raw_ops.DataFormatVecPermute(x=[1, 2, 3])",
    "tf.raw_ops.DataFormatDimMap(x=[0, 1, 2, 3])",
    "tf.raw_ops.DataFormatDimMap(x=[-1, -2, 1])",
    "tf.raw_ops.DataFormatDimMap(x=T(i64)(3, low=0, high=4), src_format='NCHW', dst_format='NHWC')",
    "tf.raw_ops.Empty(shape=[2, 0], dtype=tf.float32)",
    "tf.raw_ops.Empty(shape=[2, 3], dtype=tf.int64, init=True)",
    "tf.raw_ops.Empty(shape=[2.0], dtype=tf.float32)",
    *[
        f"tf.raw_ops.EnsureShape(input=f32(2, 3), shape={shape})"
        for shape in ("[2, 3]", "(2, None)", "None", "[3, 3]", "[6]", "tf.TensorShape([None, 3])")
    ],
    "tf.raw_ops.Fact()",
    "tf.raw_ops.Fingerprint(data=u8(3, 4), method='farmhash64')",
    "tf.raw_ops.Fingerprint(data=i32(3, 40), method='farmhash64')",
    "tf.raw_ops.Fingerprint(data=f64(2, 2, 2), method='farmhash64')",
    "tf.raw_ops.Fingerprint(data=u8(3, 4), method='md5')",
    "tf.raw_ops.Fingerprint(data=np.uint8(4), method='farmhash64')",
    "tf.raw_ops.InTopK(predictions=f32(3, 4), targets=[0, 3, 1], k=2)",
    "tf.raw_ops.InTopK(predictions=f32(3, 4), targets=i64(3, low=0, high=4), k=1)",
    *[
        f"tf.raw_ops.Inplace{name}(x=tf.constant({make}(4, 2)), i=[2, 0], v={make}(2, 2))"
        for name in ("Add", "Sub", "Update")
        for make in ("f32", "f64", "i32", "i64")
    ],
    "tf.raw_ops.InplaceUpdate(x=f32(4, 2), i=1, v=f32(2))",
    "tf.raw_ops.InplaceUpdate(x=f32(3, 2), i=[-1], v=f32(1, 2))",
    "tf.raw_ops.InplaceAdd(x=f32(3, 2), i=[4, -4, 1], v=f32(3, 2))",
    "tf.raw_ops.InplaceSub(x=i32(3), i=[-2], v=i32(1))",
    "tf.raw_ops.InplaceAdd(x=tf.zeros([0, 2]), i=[0], v=f32(1, 2))",
    "tf.raw_ops.InplaceSub(x=tf.zeros([3, 0]), i=[0], v=tf.zeros([1, 0]))",
    "tf.raw_ops.InplaceAdd(x=f32(3, 2), i=[0], v=f32(2))",
    "tf.raw_ops.InplaceSub(x=f32(3, 2), i=[0], v=f32(1, 3))",
    "tf.raw_ops.InplaceUpdate(x=f32(3, 2), i=[0], v=f32(2, 2))",
    "tf.raw_ops.InplaceAdd(x=tf.constant(['a']), i=[0], v=['b'])",
    "tf.raw_ops.InplaceSub(x=tf.constant([True]), i=[0], v=[True])",
    "tf.raw_ops.ParallelConcat(values=[f32(1, 3), f32(1, 3)], shape=[2, 3])",
    "tf.raw_ops.ParallelConcat(values=[i32(1), i32(1)], shape=[2])",
    "tf.raw_ops.ParallelDynamicStitch(indices=[[0, 2], [1]], data=[f32(2, 3), f32(1, 3)])",
    "tf.raw_ops.PlaceholderWithDefault(input=f32(2, 3), shape=[None, 3])",
    *typed(
        "ScatterNdNonAliasingAdd",
        "input={}(5), indices=[[1], [3]], updates={}(2)",
        "f16 f32 f64 i32 i64 c64 u8",
    ),
    "tf.raw_ops.ScatterNdNonAliasingAdd(input=f32(5), indices=[[1], [1]], updates=f32(2))",
    "tf.raw_ops.ScatterNdNonAliasingAdd(input=f32(5), indices=[[7]], updates=f32(1))",
    "gradient(lambda x, y: tf.raw_ops.ScatterNdNonAliasingAdd("
    "input=x, indices=[[1], [3]], updates=y), f32(5), f32(2))",
    "tf.raw_ops.ShapeN(input=[f32(2, 3), f32(1)])",
    "tf.raw_ops.ShapeN(input=[i32(2, 3), i32(1)], out_type=tf.int64)",
    *typed(
        "SpaceToBatch",
        "input={}(1, 4, 4, 2), paddings=[[0, 0], [1, 1]], block_size=2",
        "f16 f32 f64 i32 u8",
    ),
    *typed(
        "BatchToSpace",
        "input={}(4, 2, 2, 2), crops=[[0, 1], [1, 0]], block_size=2",
        "f16 f32 f64 i32 u8",
    ),
    "tf.raw_ops.SpaceToBatch(input=f32(1, 4, 4, 2), paddings=[[0, 0], [1, 1]], block_size=1)",
    differentiated(
        "SpaceToBatch", "input", "f32(1, 4, 4, 2)", "paddings=[[0, 0], [0, 0]], block_size=2"
    ),
    differentiated(
        "BatchToSpace", "input", "f32(4, 2, 2, 2)", "crops=[[0, 1], [1, 0]], block_size=2"
    ),
    "tf.raw_ops.TensorStridedSliceUpdate(input=f32(4, 5), begin=[1], end=[3], strides=[1],"
    " value=f32(2, 5))",
    "tf.raw_ops.TensorStridedSliceUpdate(input=i32(4, 5), begin=[1, 0], end=[2, 5],"
    " strides=[1, 2], value=i32(3), shrink_axis_mask=1)",
    "tf.raw_ops.TensorStridedSliceUpdate(input=f32(4, 5), begin=[0, 3], end=[0, 0],"
    " strides=[1, -1], begin_mask=1, end_mask=3, value=f32(4, 4))",
    "tf.raw_ops.TensorStridedSliceUpdate(input=f32(4, 5), begin=[0], end=[2], strides=[1],"
    " value=f32(5))",
    "gradient(lambda x, v: tf.raw_ops.TensorStridedSliceUpdate(input=x, begin=[1], end=[3],"
    " strides=[1], value=v), f32(4, 5), f32(2, 5))",
    "tf.raw_ops.ToBool(input=0)",
    "tf.raw_ops.ToBool(input=2.5)",
    "tf.raw_ops.ToBool(input='')",
    "tf.raw_ops.ToBool(input='a')",
    "tf.raw_ops.ToBool(input=[0.0])",
    "tf.raw_ops.ToBool(input=np.zeros([0], np.float32))",
]
_LAYOUTS = [
    ("XDDDD", "NHWC"), ("NHHHC", "NHWC"), ("NHWC", "NHHC"), ("NHWCD", "NCHW"), ("NH", "HN"),
    ("1234", "3214"),
]  # fmt: skip
CASES += [
    f"tf.raw_ops.{op}(x={x}, src_format='{source}', dst_format='{wanted}')"
    for op, x in (("DataFormatDimMap", [0, -1, 3]), ("DataFormatVecPermute", [5, 6]))
    for source, wanted in _LAYOUTS
]
CASES += [
    f"tf.raw_ops.DataFormatVecPermute(x={x}, src_format='{source}', dst_format='{wanted}')"
    for x in ("1", "[[[1]]]", "[[1, 2], [3, 4], [5, 6], [7, 8]]", "[1]")
    for source, wanted in (("NHWC", "NCHW"), ("NDHWC", "NCDHW"))
]
CASES += [
    "tf.raw_ops.ScatterNdNonAliasingAdd(input=[True, False, False], indices=[[1], [1], [0]],"
    " updates=[True, True, False])",
]
CASES += [
    f"tf.raw_ops.MirrorPadGrad(input={x}, paddings={paddings}, mode='{mode}')"
    for mode in ("REFLECT", "SYMMETRIC")
    for x, paddings in (
        *((f"{make}(6, 7)", "[[1, 2], [2, 1]]") for make in ("f32", "f64", "i32", "c64")),
        ("f32(6, 7)", "[[2, 2], [3, 0]]"),
        ("f32(6, 7)", "[[3, 2], [3, 0]]"),
        ("f32(6, 7)", "np.int64([[0, 0], [0, 0]])"),
        ("f32(6, 7)", "[[0, 0]]"),
        ("f32(6, 7)", "[[-1, 0], [0, 0]]"),
        ("f32(6, 7)", "[[7, 0], [0, 0]]"),
        ("f32(3, 0)", "[[1, 1], [0, 0]]"),
    )
]
CASES += [
    f"tf.raw_ops.{name}(input=f32(6, 7), paddings=[[1, 2], [2, 1]], mode='CONSTANT')"
    for name in ("MirrorPad", "MirrorPadGrad")
]

# Attributes that are dtypes of places and sizes.
CASES += [
    f"tf.raw_ops.{call}=tf.{kind})"
    for call in (
        "ArgMax(input=f32(2, 3), dimension=0, output_type",
        "ArgMin(input=f32(2, 3), dimension=0, output_type",
        "Shape(input=f32(2, 3), out_type", "Size(input=f32(2, 3), out_type",
        "TopKV2(input=f32(2, 3), k=1, index_type", "ListDiff(x=[1, 2], y=[1], out_idx",
        "Unique(x=[1, 2, 1], out_idx",
    )
    for kind in ("int16", "uint16", "int64", "float32", "bool")
]  # fmt: skip
CASES += [
    f"tf.raw_ops.TopKV2(input=f32(2, 3), k=tf.constant(1, tf.{kind}))"
    for kind in ("int8", "int16", "uint8", "int64")
]
