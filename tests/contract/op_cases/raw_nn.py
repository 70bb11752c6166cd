"""Cases of `raw/nn.py` and `raw/recurrent.py`: raw ops of networks."""

from . import Case
from .raw_calls import differentiated, typed

_NORM = "x={0}(2, 3, 3, 4), scale={1}(4), offset={1}(4), mean={1}(4), variance={1}(4, low=0.5)"
_BACK = (
    "y_backprop={0}(2, 3, 3, 4), x={0}(2, 3, 3, 4), scale={1}(4), reserve_space_1={1}(4),"
    " reserve_space_2={1}(4, low=0.5)"
)
_POOL = "ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='VALID'"
_POOL3 = "ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding='SAME'"
_POOLED = "x := T({})(2, 4, 4, 3), y := tf.nn.max_pool2d(x, 2, 2, 'VALID')"
_X = "orig_input=x, orig_output=y"
_SLIDE = "strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding='SAME'"


def _after_pool(name: str, grad: str, make: str = "f32") -> str:
    pooled = _POOLED.replace("{}", make)
    return f"run({pooled}, tf.raw_ops.{name}({_X}, grad=T({make})({grad}), {_POOL}))"


_LSTM = (
    "x={0}({1}2, 3), cs_prev={0}(2, 4), h_prev={0}(2, 4), w={0}(7, 16), wci={0}(4), wcf={0}(4),"
    " wco={0}(4), b={0}(16)"
)
_INNER = "i={0}({1}2, 4), cs={0}({1}2, 4), f={0}({1}2, 4), o={0}({1}2, 4), ci={0}({1}2, 4), co={0}({1}2, 4)"  # noqa: E501
_GRADS = "cs_grad={0}({1}2, 4), h_grad={0}({1}2, 4)"
_CELL, _BLOCK = _LSTM.format("f32", ""), _LSTM.format("f32", "3, ")
_CELL_BACK = f"{_LSTM}, {_INNER}, {_GRADS}".format("f32", "")
_BLOCK_BACK = f"{_LSTM}, {_INNER}, h={{0}}({{1}}2, 4), {_GRADS}".format("f32", "3, ")
_LAYER = "input=f32(3, 2, 4), input_h=f32(1, 2, 5), input_c=f32(1, 2, 5), params=f32(220)"
_GRU = "x=f32(2, 3), h_prev=f32(2, 4), w_ru=f32(7, 8), w_c=f32(7, 4), b_ru=f32(8), b_c=f32(4)"

CASES: list[str | Case] = [
    *[
        f"tf.raw_ops.Fractional{kind}Pool(value=f64(1,11,13,2), pooling_ratio=[1., 1.4, 1.6, 1.], "
        "deterministic=True, seed=3, seed2=4)"
        for kind in ("Max", "Avg")
    ],
    *[
        f"gradient(lambda x: tf.raw_ops.Fractional{kind}Pool(value=x, pooling_ratio=[1., 1.4, 1.6, "
        f"1.], deterministic=True, seed=3, seed2=4, overlapping={overlapping})[0] ** 2, "
        "f64(1,11,13,2))"
        for kind in ("Max", "Avg")
        for overlapping in (True, False)
    ],
    *[
        f"tf.raw_ops.FractionalAvgPoolGrad(orig_input_tensor_shape=tf.constant([1, 6, {width}, 2], "
        f"tf.int64), out_backprop={make}(1,3,3,2), row_pooling_sequence=tf.constant({rows}, "
        f"tf.int64), col_pooling_sequence=tf.constant([0, 1, 4, 6], tf.int64), overlapping={laps})"
        for width in (4, 6)
        for make in ("f32", "f64", "i32", "i64")
        for rows in ([0, 2, 5, 6], [0, 4, 2, 6], [0, 20, 40, 60], [-1, 2, 4, 6], [0, 3, 6])
        for laps in (True, False)
    ],
    *[
        f"run(x := T({make})(2,6,6,2), tf.raw_ops.FractionalMaxPoolGrad(orig_input=x, "
        f"orig_output={{}}, out_backprop=T({make})(2,2,2,2), row_pooling_sequence=tf.constant("
        "[0, 3, 6], tf.int64), col_pooling_sequence=tf.constant([0, 3, 6], tf.int64)))".replace(
            "{}", output
        )
        for make in ("f32", "f64", "i32", "i64")
        for output in ("tf.nn.max_pool2d(x, 3, 3, 'VALID')", "x[:, :2, :2]")
    ],
    *[
        f"tf.raw_ops.FusedBatchNorm({_NORM.format('f32', 'f32')}{rest})"
        for rest in ("", ", is_training=False", ", epsilon=0.1")
    ],
    *[
        f"tf.raw_ops.FusedBatchNormV2({_NORM.format(make, 'f32')}{rest})"
        for make in ("f32", "f16", "bf16")
        for rest in ("", ", is_training=False")
    ],
    "tf.raw_ops.FusedBatchNormV2(x=f32(2, 4, 3, 3), scale=f32(4), offset=f32(4), mean=f32(4),"
    " variance=f32(4), data_format='NCHW', is_training=True)",
    *[
        f"tf.raw_ops.FusedBatchNormGrad({_BACK.format('f32', 'f32')}{rest})"
        for rest in ("", ", is_training=False")
    ],
    *[
        f"tf.raw_ops.FusedBatchNormGradV2({_BACK.format(make, 'f32')}{rest})"
        for make in ("f32", "f16")
        for rest in ("", ", is_training=False")
    ],
    "gradient(lambda x, s, o: tf.raw_ops.FusedBatchNormV2(x=x, scale=s, offset=o, mean=[],"
    " variance=[])[0] ** 3, f32(2, 3, 3, 4), f32(4), f32(4))",
    *typed(
        "Conv",
        "input={}(2, 5, 5, 3), filter={}(2, 2, 3, 4), strides=[1, 1, 1, 1], padding='SAME'",
        "f16 bf16 f32 f64",
    ),
    *[
        f"tf.raw_ops.Conv(input=f32(2, 3, 4, 5, 3), filter=f32(2, 2, 3, 4), strides=[1, 2, 2, 1], "
        f"padding='{padding}', batch_dims={batch_dims})"
        for padding in ("SAME", "VALID")
        for batch_dims in (2, 0, 3)
    ],
    "tf.raw_ops.Conv(input=f32(2, 3, 4, 5, 2, 3), filter=f32(2, 2, 1, 3, 4),"
    " strides=[1, 1, 1, 1, 1], padding='SAME', batch_dims=2)",
    "tf.raw_ops.Conv(input=f32(2, 5, 5, 3), filter=f32(2, 2, 3, 4), strides=[1, 2, 2, 1],"
    " padding='EXPLICIT', explicit_paddings=[0, 0, 1, 0, 0, 1, 0, 0])",
    "tf.raw_ops.Conv(input=f32(2, 4, 5, 5, 3), filter=f32(2, 2, 2, 3, 4),"
    " strides=[1, 1, 1, 1, 1], padding='VALID')",
    "tf.raw_ops.Conv(input=f32(2, 7, 7, 3), filter=f32(2, 2, 3, 4), strides=[1, 1, 1, 1],"
    " padding='VALID', dilations=[1, 2, 2, 1])",
    *typed("MaxPoolV2", f"input={{}}(2, 4, 4, 3), {_POOL}", "f16 f32 f64 i32 i64 u8"),
    "tf.raw_ops.MaxPoolV2(input=f32(2, 5, 5, 3), ksize=tf.constant([1, 3, 3, 1]),"
    " strides=tf.constant([1, 2, 2, 1]), padding='SAME')",
    "tf.raw_ops.MaxPoolV2(input=f32(2, 4, 4, 3), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],"
    " padding='FOO')",
    differentiated("MaxPoolV2", "input", "f32(2, 4, 4, 3)", _POOL),
    *[_after_pool("MaxPoolGradV2", "2, 2, 2, 3", make) for make in ("f32", "f64", "f16")],
    *[
        _after_pool(name, "2, 4, 4, 3", make)
        for name in ("MaxPoolGradGrad", "MaxPoolGradGradV2")
        for make in ("f32", "f64")
    ],
    f"run(x := f32(1, 4, 4, 4, 2), y := tf.nn.max_pool3d(x, 2, 2, 'SAME'),"
    f" tf.raw_ops.MaxPool3DGradGrad({_X}, grad=f32(1, 4, 4, 4, 2), {_POOL3}))",
    *[
        f"tf.raw_ops.Dilation2DBackprop{name}(input={make}(2, 4, 4, 3), filter={make}(2, 2, 3),"
        f" out_backprop={make}(2, 4, 4, 3), {_SLIDE})"
        for name in ("Input", "Filter")
        for make in ("f32", "f64", "f16")
    ],
    *typed(
        "FusedPadConv2D",
        "input={}(1, 4, 4, 2), paddings=[[0, 0], [1, 1], [1, 1], [0, 0]],"
        " filter={}(2, 2, 2, 3), mode='REFLECT', strides=[1, 1, 1, 1], padding='VALID'",
        "f16 f32 f64",
    ),
    "tf.raw_ops.FusedPadConv2D(input=f32(1, 4, 4, 2), paddings=[[0, 0], [1, 2], [1, 0], [0, 0]],"
    " filter=f32(2, 2, 2, 3), mode='SYMMETRIC', strides=[1, 2, 2, 1], padding='SAME')",
    *[
        f"tf.raw_ops.FusedResizeAndPadConv2D(input=f32(1, 4, 4, 2), size=[6, 5],"
        f" paddings=[[0, 0], [1, 1], [1, 1], [0, 0]], filter=f32(2, 2, 2, 3), mode='REFLECT',"
        f" strides=[1, 1, 1, 1], padding='VALID', resize_align_corners={corners})"
        for corners in (True, False)
    ],
    f"tf.raw_ops.LSTMBlockCell({_CELL})",
    "tf.raw_ops.LSTMBlockCell(x=f32(0, 3), cs_prev=f32(0, 4), h_prev=f32(0, 4), w=f32(7, 16),"
    " wci=f32(4), wcf=f32(4), wco=f32(4), b=f32(16))",
    "tf.raw_ops.LSTMBlockCell(x=f32(2, 3), cs_prev=f32(2, 0), h_prev=f32(2, 0), w=f32(3, 0),"
    " wci=f32(0), wcf=f32(0), wco=f32(0), b=f32(0))",
    *[
        f"tf.raw_ops.{name}(seq_len_max=tf.constant(0, tf.int64), x=f32(0, 2, 3), "
        "cs_prev=f32(2, 4), h_prev=f32(2, 4), w=f32(7, 16), wci=f32(4), "
        "wcf=f32(4), wco=f32(4), b=f32(16))"
        for name in ("BlockLSTM", "BlockLSTMV2")
    ],
    f"tf.raw_ops.LSTMBlockCell({_CELL}, forget_bias=0.5, cell_clip=0.3, use_peephole=True)",
    f"tf.raw_ops.LSTMBlockCell({_CELL}, cell_clip=-1.0)",
    f"tf.raw_ops.LSTMBlockCellGrad({_CELL_BACK}, use_peephole=False)",
    f"tf.raw_ops.LSTMBlockCellGrad({_CELL_BACK}, use_peephole=True)",
    f"tf.raw_ops.BlockLSTM(seq_len_max=np.int64(3), {_BLOCK})",
    f"tf.raw_ops.BlockLSTM(seq_len_max=np.int64(2), {_BLOCK}, use_peephole=True)",
    f"tf.raw_ops.BlockLSTMV2(seq_len_max=np.int64(3), {_BLOCK})",
    f"tf.raw_ops.BlockLSTMV2(seq_len_max=np.int64(2), {_BLOCK}, cell_clip=0.5, use_peephole=True)",
    *[
        f"[tf.constant(y.shape.as_list()) for y in tf.function(lambda: tf.raw_ops.{name}({_LAYER})"
        "[:3]).get_concrete_function().structured_outputs]"
        for name in ("CudnnRNN", "CudnnRNNV2")
    ],
    f"tf.raw_ops.BlockLSTMGrad(seq_len_max=np.int64(3), {_BLOCK_BACK}, use_peephole=False)",
    f"tf.raw_ops.BlockLSTMGrad(seq_len_max=np.int64(2), {_BLOCK_BACK}, use_peephole=True)",
    f"tf.raw_ops.BlockLSTMGradV2(seq_len_max=np.int64(3), {_BLOCK_BACK}, use_peephole=False)",
    f"tf.raw_ops.BlockLSTMGradV2(seq_len_max=np.int64(3), {_BLOCK_BACK}, use_peephole=True)",
    f"tf.raw_ops.GRUBlockCell({_GRU})",
    f"tf.raw_ops.GRUBlockCellGrad({_GRU}, r=f32(2, 4), u=f32(2, 4), c=f32(2, 4), d_h=f32(2, 4))",
    "run(x := tf.constant(f32(1, 4, 4, 2)), y := tf.nn.max_pool2d(x, 2, 2, 'VALID'),"
    f" gradient(lambda g: tf.raw_ops.MaxPoolGradGrad({_X}, grad=g, {_POOL}) ** 2, "
    "f32(1, 4, 4, 2)))".replace("lambda g", "lambda g, x=x, y=y"),
    "gradient(lambda x, w, b: tf.raw_ops.BlockLSTM(seq_len_max=np.int64(3), x=x,"
    " cs_prev=np.ones((2, 4), np.float32), h_prev=np.ones((2, 4), np.float32), w=w,"
    " wci=np.ones(4, np.float32), wcf=np.ones(4, np.float32), wco=np.ones(4, np.float32), b=b,"
    " cell_clip=-1.0)[6], f32(3, 2, 3), f32(7, 16), f32(16))",
]
