"""Cases of `ops/nn/activation.py` and `ops/nn/loss.py`."""

from . import loose

_FLOATS = ("f16", "bf16", "f32", "f64")
_REALS = (*_FLOATS, "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
_EDGES = "np.array([nan, inf, -inf, 0.0, -0.0, 1e-30, -80.0, 80.0, 20.5, -20.5], np.float32)"


def _grad(call: str, x: str = "f32(2, 3)") -> str:
    """The gradient of a call for x."""
    return f"grad(lambda x: {call}, {x})"


def _of_floats(name: str) -> list[str]:
    shapes = ["2, 3", "", "0, 3", "2, 1, 2, 2"]
    return [
        *(f"tf.nn.{name}({maker}(3, 2, low=-9.0, high=9.0))" for maker in _FLOATS),
        *(f"tf.nn.{name}(f32({shape}))" for shape in shapes),
        f"tf.nn.{name}({_EDGES})",
        f"tf.nn.{name}([1.0, -2.0])",
        f"tf.nn.{name}(c64(2))",
        f"tf.nn.{name}(b(2))",
    ]


_ACTIVATIONS = [
    *(case for name in ("elu", "selu", "softplus", "softsign") for case in _of_floats(name)),
    *(f"tf.nn.{name}({maker}(3, 2))" for name in ("relu", "relu6") for maker in _REALS),
    *(f"tf.nn.{name}({_EDGES})" for name in ("relu", "relu6")),
    *(f"tf.nn.{name}(f32({shape}))" for name in ("relu", "relu6") for shape in ("", "0, 2")),
    "tf.nn.relu(b(2))",
    "tf.nn.relu6(c64(2))",
    "tf.nn.elu(i32(2))",
    *(f"tf.nn.leaky_relu({maker}(3, 2))" for maker in _REALS),
    *(f"tf.nn.leaky_relu(f32(3, 2), {alpha})" for alpha in ("0.0", "0.5", "alpha=2.0", "-0.3")),
    f"tf.nn.leaky_relu({_EDGES})",
    "tf.nn.leaky_relu(c64(2))",
    *(f"tf.nn.crelu(f32(2, 3){axis})" for axis in ("", ", 0", ", axis=1", ", -2")),
    "tf.nn.crelu(i32(2, 3))",
    "tf.nn.crelu(f32(2, 3), axis=2)",
    *(f"tf.nn.gelu({maker}(3, 2))" for maker in _FLOATS[:3]),
    *(f"tf.nn.gelu({maker}(3, 2), approximate=True)" for maker in _FLOATS[:3]),
    *(
        loose(f"tf.nn.gelu(f64(3, 2), {way})", 1e-7, "TensorFlow's constants are float32")
        for way in (True, False)
    ),
    "tf.nn.gelu(np.array([0.0, -0.0, 5.0, -5.0, 30.0], np.float32))",
    "tf.nn.gelu(i32(2))",
    *(f"tf.nn.silu({maker}(3, 2))" for maker in _FLOATS),
    "tf.nn.silu(f32(2, 2), 1.7)",
    "tf.nn.silu(f32(2, 2), beta=tf.constant(0.5))",
    "tf.nn.silu(f64(2, 2), beta=tf.constant(0.5))",
    "tf.nn.silu([1.0, 2.0], beta=tf.constant(0.5, tf.float64))",
    "tf.nn.swish(f32(2, 2))",
    "tf.nn.silu(i32(2))",
    *(f"tf.math.log_sigmoid({maker}(3, 2))" for maker in _FLOATS),
    "tf.math.log_sigmoid(np.array([0.0, 50.0, -50.0, 200.0, -200.0], np.float32))",
    "tf.math.softplus(np.array([0.0, 14.0, -14.0, 50.0, -50.0, 1000.0], np.float64))",
    "tf.math.softsign(f32(3))",
]

_SOFTMAXES = [
    *(f"tf.nn.{name}({maker}(2, 3))" for name in ("softmax", "log_softmax") for maker in _FLOATS),
    *(
        f"tf.nn.{name}(f32(2, 3, 4), axis={axis})"
        for name in ("softmax", "log_softmax")
        for axis in (0, 1, 2, -1, -2, -3, 3, -4)
    ),
    "tf.nn.softmax(f32(4))",
    "tf.nn.softmax(f32(0, 3))",
    "tf.nn.log_softmax(f32())",
    "tf.nn.softmax(i32(2, 2))",
    "tf.nn.softmax([[1.0, 2.0]])",
    "tf.nn.softmax(np.array([[1000.0, 1001.0], [-1000.0, -1001.0]], np.float32))",
    "tf.nn.softmax(np.array([[-inf, 0.0], [1.0, -inf]], np.float32))",
    "tf.math.softmax(f32(2, 3), 0)",
    "tf.math.log_softmax(f32(2, 3), 0)",
    "tf.nn.log_softmax(np.array([[1000.0, 0.0], [-1000.0, 3.0]], np.float32))",
]

_BIASES = [
    *(f"tf.nn.bias_add({maker}(2, 3), {maker}(3))" for maker in (*_REALS, "c64", "c128")),
    "tf.nn.bias_add(f32(2, 3, 2), f32(2))",
    "tf.nn.bias_add(f32(2, 4, 5, 3), f32(3), 'NHWC')",
    "tf.nn.bias_add(f32(2, 3, 2, 2), f32(3), data_format='NCHW')",
    "tf.nn.bias_add(f32(2, 3, 4), f32(3), data_format='NCW')",
    "tf.nn.bias_add(f32(2, 3, 2, 2, 2), f32(3), data_format='NCDHW')",
    "tf.nn.bias_add(f32(2, 2, 2, 2, 3), f32(3), data_format='NDHWC')",
    "tf.nn.bias_add(f32(3), f32(3))",
    "tf.nn.bias_add(f32(2, 3), f32(2))",
    "tf.nn.bias_add(f32(2, 3), f32(1, 3))",
    "tf.nn.bias_add(f32(2, 3), f64(3))",
    "tf.nn.bias_add(f32(2, 3), i32(3))",
    "tf.nn.bias_add(f32(2, 3), f32(3), data_format='HWC')",
    "tf.nn.bias_add([[1.0, 2.0]], [1.0, 2.0])",
    _grad("tf.nn.bias_add(f32(2, 3, 3), x)", "f32(3)"),
    _grad("tf.nn.bias_add(f32(2, 3, 2, 2), x, 'NCHW')", "f32(3)"),
]

_XENT = "tf.nn.softmax_cross_entropy_with_logits"
_SPARSE = "tf.nn.sparse_softmax_cross_entropy_with_logits"
_SIGMOID = "tf.nn.sigmoid_cross_entropy_with_logits"
_WEIGHTED = "tf.nn.weighted_cross_entropy_with_logits"
_POISSON = "tf.nn.log_poisson_loss"

_LOSSES = [
    *(f"{_XENT}({m}(2, 3, low=0.0, high=1.0), {m}(2, 3))" for m in _FLOATS),
    f"{_XENT}(labels=[[0.3, 0.7]], logits=[[1.0, 2.0]])",
    *(f"{_XENT}(f32(2, 3, 4), f32(2, 3, 4), axis={axis})" for axis in (0, 1, 2, -1)),
    f"{_XENT}(f32(3), f32(3))",
    f"{_XENT}(f32(2, 1), f32(2, 3))",
    f"{_XENT}(f32(1, 3), f32(2, 3))",
    f"{_XENT}(f32(2, 4), f32(2, 3))",
    f"{_XENT}(f32(0, 3), f32(0, 3))",
    f"{_XENT}(f64(2, 3), f32(2, 3))",
    f"{_XENT}(i32(2, 3), i32(2, 3))",
    *(f"{_SPARSE}(i32(2, low=0, high=3), {m}(2, 3))" for m in _FLOATS),
    f"{_SPARSE}(i64(2, low=0, high=3), f32(2, 3))",
    f"{_SPARSE}([0, 2], [[1.0, 2.0, 3.0], [0.0, 0.0, 0.0]])",
    f"{_SPARSE}(i32(2, 2, low=0, high=3), f32(2, 2, 3))",
    f"{_SPARSE}(i32(low=0, high=3), f32(3))",
    f"{_SPARSE}(i32(0), f32(0, 3))",
    f"{_SPARSE}(i32(2), f32(3, 3))",
    f"{_SPARSE}(i32(2, 3), f32(2, 3))",
    f"{_SPARSE}(f32(2), f32(2, 3))",
    *(f"{_SIGMOID}({m}(2, 3, low=0.0, high=1.0), {m}(2, 3))" for m in _FLOATS),
    f"{_SIGMOID}(labels=f32(), logits=f32())",
    f"{_SIGMOID}(labels=[0.0, 1.0, 0.5], logits=[100.0, -100.0, 0.0])",
    f"{_SIGMOID}(labels=f32(3), logits=f32(2))",
    f"{_SIGMOID}(labels=f64(2), logits=f32(2))",
    f"{_SIGMOID}(labels=f32(2))",
    _grad(f"{_SIGMOID}(labels=[0.0, 1.0, 0.5, 0.2], logits=x)", "[0.0, 30.0, -30.0, 1.0]"),
    _grad(f"{_SIGMOID}(labels=x, logits=f32(3))", "f32(3)"),
    *(f"{_WEIGHTED}({m}(2, 3, low=0.0, high=1.0), {m}(2, 3), 2.0)" for m in _FLOATS),
    f"{_WEIGHTED}(labels=[0.0, 1.0, 0.5], logits=[90.0, -90.0, 0.0], pos_weight=[1.0, 2.0, 3.0])",
    f"{_WEIGHTED}(f32(3), f32(2), 1.0)",
    *(f"{_POISSON}({m}(2, 3, low=0.0, high=4.0), {m}(2, 3))" for m in _FLOATS),
    f"{_POISSON}(f32(2, 3, low=0.1, high=4.0), f32(2, 3), compute_full_loss=True)",
    f"{_POISSON}([0.0, 1.0, 2.0], [0.0, 0.0, 0.0], True)",
    f"{_POISSON}(f32(3), f32(2))",
    *(f"tf.nn.l2_loss({maker}(2, 3))" for maker in ("bf16", "f32", "f64")),
    loose("tf.nn.l2_loss(f16(2, 3))", 4e-3, "TensorFlow adds halves up in halves"),
    "tf.nn.l2_loss(f32())",
    "tf.nn.l2_loss(f32(0))",
    "tf.nn.l2_loss(i32(2))",
    _grad("tf.nn.l2_loss(x)"),
    _grad(f"{_XENT}(f32(2, 3, low=0.0, high=1.0), x)"),
    _grad(f"{_XENT}(x, f32(2, 3))"),
    _grad(f"{_XENT}(f32(3, 2), x, axis=0)", "f32(3, 2)"),
    _grad(f"{_SPARSE}([0, 2], x)"),
]

_GRADS = [
    _grad(f"tf.nn.{name}(x)", "np.array([0.0, -0.0, 6.0, 7.0, 3.0, -1.0], np.float32)")
    for name in (
        "relu", "relu6", "elu", "selu", "leaky_relu", "crelu", "gelu", "silu", "softplus",
        "softsign", "softmax", "log_softmax",
    )
] + [
    _grad("tf.nn.gelu(x, approximate=True)"),
    _grad("tf.nn.leaky_relu(x, alpha=0.5)"),
    _grad("tf.nn.silu(x, 2.0)"),
    _grad("tf.nn.softmax(x, axis=0)"),
    _grad("tf.math.log_sigmoid(x)"),
]  # fmt: skip

CASES = [*_ACTIVATIONS, *_SOFTMAXES, *_BIASES, *_LOSSES, *_GRADS]
CASES += [
    "tf.nn.dropout(tf.ones([2]), tf.constant(0.5, tf.float64))",
    "tf.nn.dropout(tf.ones([2]), tf.constant(0.5, tf.float16))",
    "tf.nn.dropout(tf.ones([2]), [0.0, 1.0])",
]
CASES += [f"tf.nn.dropout(tf.ones([2]), {rate})" for rate in ("None", "'a'", "{}", "(0.5,)")]
CASES += [
    f"tf.compat.v1.nn.dropout(tf.ones([2]), keep_prob={keep})"
    for keep in ("[0.0, 1.0]", "'a'", "{}", "(0.5,)")
]
CASES += [
    "tf.nn.silu(np.array([1 + 2j, -1e30 + 1j, 0], np.complex64))",
    "tf.nn.swish(np.array([1 + 2j, -3j], np.complex128), 2.0)",
]
