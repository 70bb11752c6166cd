"""Cases of `ops/raw.py`: ops by their own names."""

from . import Case, shape_only

CASES: list[str | Case] = [
    "tf.raw_ops.MatMul(a=f32(2, 3), b=f32(3, 2))",
    "tf.raw_ops.MatMul(a=f32(3, 2), b=f32(3, 2), transpose_a=True)",
    "tf.raw_ops.MatMul(a=f32(3, 2), b=f32(4, 2), transpose_b=True, name='m')",
    "tf.raw_ops.MatMul(a=f32(3, 2), b=f32(4, 2))",
    "tf.raw_ops.MatMul(a=f32(3, 2), b=f64(2, 2))",
    "tf.raw_ops.MatMul(a=f32(3, 2))",
    "tf.raw_ops.MatMul(f32(3, 2), f32(2, 2))",
    "tf.raw_ops.MatMul(a=f32(3, 2), b=f32(2, 2), c=1)",
    "tf.raw_ops.NoSuchOp(a=1)",
    "tf.raw_ops.BatchMatMulV2(x=f32(2, 3, 2), y=f32(2, 2, 4))",
    "tf.raw_ops.BatchMatMulV2(x=f32(2, 3, 2), y=f32(4, 2), adj_y=True)",
    *[
        f"tf.raw_ops.{op}(input={make}(2, 3), axis={axis}, keep_dims={keep})"
        for op, make in [("Sum", "f32"), ("Mean", "f64"), ("Prod", "i32"), ("Max", "i64")]
        for axis in ("0", "[-1]", "[0, 1]", "[]")
        for keep in (False, True)
    ],
    "tf.raw_ops.Sum(input=f32(2, 3), axis=2)",
    "tf.raw_ops.Sum(input=f32(2, 3))",
    "tf.raw_ops.All(input=b(2, 3), axis=1)",
    "tf.raw_ops.Any(input=b(2, 3), axis=[0])",
    "tf.raw_ops.Any(input=b(2, 3), axis=tf.constant([0, 1]))",
    "tf.raw_ops.ArgMax(input=f32(2, 3), dimension=1)",
    "tf.raw_ops.ArgMin(input=f32(2, 3), dimension=-1, output_type=tf.int32)",
    "tf.raw_ops.Cast(x=[1.5, -1.5], DstT=tf.int32)",
    "tf.raw_ops.Cast(x=[1.5, -1.5], DstT=tf.float16, Truncate=False)",
    "tf.raw_ops.Reshape(tensor=f32(2, 3), shape=[3, -1])",
    "tf.raw_ops.Reshape(tensor=f32(2, 3), shape=tf.constant([6]))",
    "tf.raw_ops.Reshape(tensor=f32(2, 3), shape=[4])",
    "tf.raw_ops.Transpose(x=f32(2, 3), perm=[1, 0])",
    "tf.raw_ops.Transpose(x=f32(2, 3, 4), perm=tf.constant([2, 0, 1]))",
    "tf.raw_ops.BroadcastTo(input=f32(3), shape=[2, 3])",
    "tf.raw_ops.ExpandDims(input=f32(2, 3), axis=-1)",
    "tf.raw_ops.Squeeze(input=f32(1, 3, 1))",
    "tf.raw_ops.Squeeze(input=f32(1, 3, 1), axis=[0])",
    "tf.raw_ops.ConcatV2(values=[f32(2, 3), f32(1, 3)], axis=0)",
    "tf.raw_ops.Pack(values=[1, 2])",
    "tf.raw_ops.Pack(values=[f32(2), f32(2)], axis=1)",
    "tf.raw_ops.Unpack(value=f32(2, 3), num=2)",
    "tf.raw_ops.Unpack(value=f32(2, 3), num=3, axis=1)",
    "tf.raw_ops.GatherV2(params=f32(3, 4), indices=[2, 0], axis=0)",
    "tf.raw_ops.GatherV2(params=f32(3, 4), indices=[2, 0], axis=-1)",
    "tf.raw_ops.OneHot(indices=[0, 2], depth=3, on_value=1.0, off_value=0.0)",
    "tf.raw_ops.OneHot(indices=[0, 2], depth=3, on_value=5, off_value=1, axis=0)",
    "tf.raw_ops.Range(start=0, limit=5, delta=2)",
    "tf.raw_ops.Fill(dims=[2, 3], value=7)",
    "tf.raw_ops.StridedSlice(input=f32(4, 5), begin=[1], end=[3], strides=[1])",
    "tf.raw_ops.StridedSlice(input=f32(4, 5), begin=[1, 0], end=[2, 5], strides=[1, 2],"
    " shrink_axis_mask=1)",
    "tf.raw_ops.StridedSlice(input=f32(4, 5), begin=[0, 3], end=[0, 0], strides=[1, -1],"
    " begin_mask=1, end_mask=3)",
    "tf.raw_ops.StridedSlice(input=f32(4, 5), begin=[0, 0], end=[0, 2], strides=[1, 1],"
    " ellipsis_mask=1)",
    "tf.raw_ops.StridedSlice(input=f32(4, 5), begin=[0], end=[0], strides=[1], new_axis_mask=1)",
    "tf.raw_ops.Equal(x=[1, 2], y=[1, 3])",
    "tf.raw_ops.NotEqual(x=[1, 2], y=[1, 3], incompatible_shape_error=True)",
    "tf.raw_ops.SelectV2(condition=b(3), t=f32(3), e=f32(3))",
    "tf.raw_ops.Where(condition=b(3))",
    "tf.raw_ops.AddV2(x=1.0, y=2)",
    "tf.raw_ops.AddV2(x=f32(2), y=i32(2))",
    "tf.raw_ops.AddN(inputs=[f32(2), f32(2)])",
    "tf.raw_ops.BiasAdd(value=f32(2, 3), bias=f32(3))",
    "tf.raw_ops.BiasAdd(value=f32(2, 3, 4), bias=f32(3), data_format='NCHW')",
    "tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=f32(2, 3), labels=f32(2, 3))",
    "tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=f32(2, 3), labels=[0, 2])",
    "tf.raw_ops.StringLower(input=['AB', 'c'])",
    "tf.raw_ops.StringLength(input=['AB', 'c'], unit='UTF8_CHAR')",
    "tf.raw_ops.StringJoin(inputs=[['a'], ['b']], separator='-')",
    "tf.raw_ops.ClipByValue(t=f32(3), clip_value_min=-1.0, clip_value_max=1.0)",
]

_KEY = "key=np.array([5], np.uint64), counter=np.array([7, 9], np.uint64), alg=1"
_MADE = f"shape=[2, 3], {_KEY}"
CASES += [
    *[
        f"tf.raw_ops.{name}({args})"
        for name, args in (
            ("StatelessRandomUniformV2", _MADE),
            ("StatelessRandomUniformV2", f"{_MADE}, dtype=tf.float64"),
            ("StatelessRandomNormalV2", _MADE),
            ("StatelessTruncatedNormalV2", _MADE),
            ("StatelessRandomUniformFullIntV2", _MADE),
            ("StatelessRandomUniformFullIntV2", f"{_MADE}, dtype=tf.int32"),
            ("StatelessRandomUniformIntV2", f"{_MADE}, minval=2, maxval=9"),
            ("StatelessRandomUniformIntV2",
             f"{_MADE}, minval=tf.constant(2, tf.int64), maxval=tf.constant(9, tf.int64)"),
            ("StatelessShuffle", f"value=f32(5, 2), {_KEY}"),
            ("StatelessMultinomial", "logits=f32(2, 4), num_samples=5, seed=[3, 4]"),
            ("StatelessMultinomial",
             "logits=f32(2, 4), num_samples=5, seed=[3, 4], output_dtype=tf.int32"),
            ("Multinomial", "logits=f32(2, 4), num_samples=5, seed=3, seed2=4"),
            ("RandomUniformInt", "shape=[2, 3], minval=2, maxval=9, seed=3, seed2=4"),
            ("RandomUniformInt",
             "shape=[4], minval=tf.constant(2, tf.int64), maxval=tf.constant(9, tf.int64), seed=3"),
            ("TruncatedNormal", "shape=[2, 3], dtype=tf.float32, seed=3, seed2=4"),
            ("Range", "start=tf.constant(0, tf.int64), limit=tf.constant(3, tf.int64),"
             " delta=tf.constant(1, tf.int64)"),
            ("RFFT", "input=f32(2, 4), fft_length=[4]"),
            ("RFFT2D", "input=f32(2, 4), fft_length=[2, 4]"),
            ("RFFT3D", "input=f32(2, 2, 4), fft_length=[2, 2, 4]"),
            ("IRFFT", "input=c64(2, 3), fft_length=[4]"),
            ("IRFFT2D", "input=c64(2, 3), fft_length=[2, 4]"),
            ("IRFFT3D", "input=c64(2, 2, 3), fft_length=[2, 2, 4]"),
            ("Lu", "input=f32(3, 3)"),
            ("MatrixDiagV3",
             "diagonal=f32(2, 3), k=0, num_rows=-1, num_cols=-1, padding_value=0.0"),
            ("MatrixDiagV3",
             "diagonal=f32(2, 3), k=[0, 1], num_rows=3, num_cols=4, padding_value=7.0"),
            ("MatrixDiagPartV3", "input=f32(3, 4), k=1, padding_value=0.0"),
            ("MatrixDiagPartV3", "input=f32(3, 4), k=[-1, 1], padding_value=9.0"),
            ("MatrixSetDiagV3", "input=f32(3, 4), diagonal=f32(3), k=0"),
            ("MatrixSetDiagV3",
             "input=f32(3, 4), diagonal=f32(2, 3), k=[-1, 0], align='LEFT_LEFT'"),
            ("RaggedRange", "starts=[0, 2], limits=[3, 4], deltas=[1, 1]"),
            ("RaggedRange", "starts=[0, 2], limits=[3, 4], deltas=[1, 1], Tsplits=tf.int32"),
            ("StringFormat", "inputs=[[1, 2]], template='x %s'"),
            ("StringFormat", "inputs=[[1, 2]], template='x {}', placeholder='{}'"),
            ("StringToNumber", "string_tensor=['1.5', '2']"),
            ("StringToNumber", "string_tensor=['1', '2'], out_type=tf.int32"),
            ("ReduceJoin", "inputs=[['a', 'b'], ['c', 'd']], reduction_indices=[1]"),
            ("ReduceJoin", "inputs=[['a', 'b'], ['c', 'd']], reduction_indices=0, separator='-'"),
            ("BatchMatMulV3", "x=f32(2, 3), y=f32(3, 2), Tout=tf.float32"),
            ("BatchMatMulV3", "x=i8(3, 2), y=i8(3, 2), Tout=tf.int32, adj_x=True"),
            ("StridedSliceGrad",
             "shape=[4, 5], begin=[1], end=[3], strides=[1], dy=f32(2, 5)"),
            ("StridedSliceGrad",
             "shape=[4, 5], begin=[1, 0], end=[2, 5], strides=[1, 2], dy=f32(3),"
             " shrink_axis_mask=1"),
        )
    ],
    *[
        shape_only(f"tf.raw_ops.{name}({args})")
        for name, args in (
            ("RandomGamma", "shape=[2], alpha=[0.5, 2.0]"),
            ("RandomGamma", "shape=[2], alpha=[0.5, 2.0], seed=1, seed2=2"),
            ("RandomPoissonV2", "shape=[2], rate=[0.5, 2.0]"),
            ("RandomPoissonV2", "shape=[2], rate=[0.5, 2.0], dtype=tf.int32, seed=1"),
            ("RandomUniformInt", "shape=[2, 3], minval=2, maxval=9"),
            ("Multinomial", "logits=f32(2, 4), num_samples=5"),
            ("TruncatedNormal", "shape=[2, 3], dtype=tf.float32"),
            ("StatelessRandomGammaV3", f"{_MADE.replace('2, 3', '4, 2')}, alpha=[0.5, 2.0]"),
            ("StatelessRandomPoisson",
             "shape=[3, 2], seed=[1, 2], lam=[0.5, 2.0], dtype=tf.int32"),
            ("StatelessRandomBinomial",
             "shape=[3, 2], seed=[1, 2], counts=[4.0, 9.0], probs=[0.5, 0.25]"),
            ("StatelessParameterizedTruncatedNormal",
             "shape=[3, 2], seed=[1, 2], means=[0.0, 1.0], stddevs=[1.0, 2.0],"
             " minvals=[-1.0, -1.0], maxvals=[1.0, 2.0]"),
        )
    ],
    *[
        f"[*tf.raw_ops.{name}(input=['ab', 'c'], input_encoding='UTF-8'{more})]"
        for name, more in (  # TensorFlow itself dies of int32 splits with offsets
            ("UnicodeDecode", ""), ("UnicodeDecode", ", Tsplits=tf.int32"),
            ("UnicodeDecodeWithOffsets", ""),
        )
    ],
    *[
        f"tf.raw_ops.SparseDenseCwise{name}(sp_indices=np.array([[0, 1], [1, 0]]), "
        f"sp_values={kind}(2), sp_shape=np.array([2, 3]), dense={kind}({dims}))"
        for name in ("Add", "Mul")
        for kind in ("f32", "i32")
        for dims in ("2, 3", "3", "")
    ],
    "tf.raw_ops.RegexFullMatch(input=['ab', 'b'], pattern='a.')",
    "tf.raw_ops.Shape(input=f32(2, 0, 3))",
    "tf.raw_ops.Shape(input=f32(), out_type=tf.int64)",
    "tf.raw_ops.Shape(input=['a', 'b'])",
    "tf.raw_ops.Size(input=f32(2, 3))",
    "tf.raw_ops.Size(input=f32(0), out_type=tf.int64)",
    "tf.raw_ops.Rank(input=f32(2, 3, 4))",
    "tf.raw_ops.Rank(input=1.5)",
    *[
        f"tf.raw_ops.Select(condition={condition}, x={x}, y={y})"
        for condition, x, y in (
            ("b(3)", "f32(3)", "f32(3)"), ("b(3)", "f32(3, 2)", "f32(3, 2)"),
            ("b()", "i32(3, 2)", "i32(3, 2)"), ("b(2, 2)", "f64(2, 2)", "f64(2, 2)"),
            ("b(2)", "[['a'], ['b']]", "[['c'], ['d']]"), ("b(0)", "f32(0, 2)", "f32(0, 2)"),
            ("b(1)", "f32(3)", "f32(3)"), ("b(1)", "f32(3, 2)", "f32(3, 2)"),
            ("b(1)", "f32()", "f32()"), ("b()", "f32(3)", "f32(2)"), ("b(3)", "f32(3)", "f32(2)"),
            ("b(3)", "f32(3, 2)", "f32(3, 1)"), ("b(1, 3)", "f32(2, 3)", "f32(2, 3)"),
        )
    ],
]  # fmt: skip
