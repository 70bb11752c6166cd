"""Cases of `ops/nn/convolution.py` and `ops/nn/conv_kernels.py`."""

from . import loose

_FLOATS = ("f16", "bf16", "f32", "f64")


def _grad(call: str, *at: str) -> str:
    """The gradients of a call for its values."""
    names = "xyz"[: len(at)]
    return f"grad(lambda {', '.join(names)}: {call}, {', '.join(at)})"


_2D = [
    *(
        f"tf.nn.conv2d({m}(2, 5, 4, 3), {m}(3, 2, 3, 2), 1, '{padding}')"
        for m in ("f32", "f64")
        for padding in ("SAME", "VALID")
    ),
    *(
        loose(
            f"tf.nn.conv2d({m}(1, 4, 4, 2), {m}(2, 2, 2, 3), 1, 'SAME')", 2e-2,
            "sums of narrow floats",
        )
        for m in ("f16", "bf16")
    ),
    "tf.nn.conv2d(i32(1, 4, 4, 2), i32(2, 2, 2, 3), 1, 'SAME')",
    *(
        f"tf.nn.conv2d(f32(2, {h}, {w}, 2), f32({kh}, {kw}, 2, 3), {strides}, '{padding}')"
        for h, w, kh, kw in ((6, 6, 3, 3), (7, 5, 2, 3), (4, 4, 1, 1), (5, 6, 4, 2))
        for strides in ("2", "[1, 2]", "[1, 3, 2, 1]")
        for padding in ("SAME", "VALID")
    ),
    *(
        f"tf.nn.conv2d(f32(1, 8, 7, 2), f32(3, 3, 2, 2), 1, '{padding}', dilations={far})"
        for far in ("2", "[1, 2]", "[1, 2, 3, 1]")
        for padding in ("SAME", "VALID")
    ),
    "tf.nn.conv2d(f32(1, 8, 7, 2), f32(3, 3, 2, 2), strides=2, padding='SAME', dilations=2)",
    *(
        f"tf.nn.conv2d(f32(1, 5, 5, 2), f32(3, 3, 2, 2), {step}, {pads})"
        for step in (1, 2)
        for pads in (
            "[[0, 0], [1, 1], [2, 2], [0, 0]]", "[[0, 0], [0, 1], [2, 1], [0, 0]]",
            "[(0, 0), (0, 0), (0, 0), (0, 0)]", "[[0, 0], [3, 4], [4, 5], [0, 0]]",
        )
    ),
    *(
        f"tf.nn.conv2d(f32(2, 5, 5, {c}), f32(3, 3, {part}, {made}), 1, 'SAME')"
        for c, part, made in ((4, 2, 6), (4, 1, 4), (6, 2, 3), (4, 1, 8))
    ),
    "tf.nn.conv2d(f32(2, 3, 5, 5, 2), f32(3, 3, 2, 4), 1, 'SAME')",
    "tf.nn.conv2d(f32(2, 5, 5, 2), f32(3, 3, 2, 4), [1], 'SAME')",
    "tf.nn.atrous_conv2d(f32(1, 6, 6, 2), f32(3, 3, 2, 2), 2, 'SAME')",
    "tf.nn.atrous_conv2d(f32(1, 6, 6, 2), f32(3, 3, 2, 2), rate=2, padding='VALID')",
    "tf.nn.atrous_conv2d_transpose(f32(1, 6, 6, 2), f32(3, 3, 4, 2), [1, 6, 6, 4], 2, 'SAME')",
]  # fmt: skip

_BAD_2D = [
    f"tf.nn.conv2d({arguments})"
    for arguments in (
        "f32(2, 5, 5, 2), f32(3, 3, 3, 4), 1, 'SAME'",
        "f32(2, 5, 5, 4), f32(3, 3, 2, 3), 1, 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2), 1, 'SAME'",
        "f32(2, 5, 5, 2), f64(3, 3, 2, 4), 1, 'SAME'",
        "i64(2, 5, 5, 2), i64(3, 3, 2, 4), 1, 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, 'same'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, 'EXPLICIT'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, [[0, 0], [1, 1], [0, 0]]",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, [[0, 0], [1, 1, 1], [1, 1], [0, 0]]",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), [1, 2, 3], 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), [2, 1, 1, 1], 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), [1, 1, 1, 2], 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 0, 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), -1, 'SAME'",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, 'SAME', dilations=[1, 2, 3]",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, 'SAME', dilations=[2, 1, 1, 1]",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, 'SAME', dilations=0",
        "f32(2, 5, 5, 2), f32(3, 3, 2, 4), 1, 'SAME', data_format='HWC'",
        "f32(2, 2, 2, 2), f32(4, 4, 2, 4), 1, 'VALID'",
        "f32(2, 2, 2, 2), f32(2, 2, 2, 4), 1, 'VALID', dilations=3",
        "f32(2, 5, 5, 0), f32(3, 3, 2, 4), 1, 'SAME'",
        "b(2, 5, 5, 2), b(3, 3, 2, 4), 1, 'SAME'",
        "c64(2, 5, 5, 2), c64(3, 3, 2, 4), 1, 'SAME'",
    )
]

_1D = [
    *(
        f"tf.nn.conv1d(f32(2, 7, 3), f32(3, 3, 4), {stride}, '{padding}')"
        for stride in (1, 2, "[3]", "stride=1")
        for padding in ("SAME", "VALID")
        if stride != "stride=1"
    ),
    "tf.nn.conv1d(f32(2, 7, 3), f32(3, 3, 4), stride=1, padding='SAME', dilations=2)",
    "tf.nn.conv1d(f32(2, 7, 3), f32(3, 3, 4), stride=[1, 2, 1], padding='SAME')",
    "tf.nn.conv1d(f32(2, 7, 4), f32(3, 2, 4), stride=1, padding='SAME')",
    "tf.nn.conv1d(f32(2, 2, 7, 3), f32(3, 3, 4), 1, 'VALID')",
    "tf.nn.conv1d(f32(2, 7, 3), f32(3, 3, 4), stride=[1, 2], padding='SAME')",
    "tf.nn.conv1d(f32(2, 7, 3), f32(3, 2, 4), 1, 'SAME')",
    "tf.nn.conv1d(f32(2, 7, 3), f32(3, 3, 4), 1, 'SAME', data_format='NHWC')",
    *(
        f"tf.nn.conv1d_transpose(f32(2, {n}, 3), f32(3, 4, 3), [2, {m}, 4], {step}, '{padding}')"
        for n, m, step, padding in (
            (5, 5, 1, "SAME"), (3, 6, 2, "SAME"), (3, 5, 2, "SAME"), (3, 5, 1, "VALID"),
            (3, 7, 2, "VALID"), (3, 8, 2, "VALID"), (3, 9, 3, "SAME"),
        )
    ),
]  # fmt: skip

_3D = [
    *(
        f"tf.nn.conv3d({m}(1, 4, 5, 4, 2), {m}(2, 3, 2, 2, 3), {step}, '{padding}')"
        for m in ("f32", "f64")
        for step in ("[1, 1, 1, 1, 1]", "[1, 2, 2, 2, 1]", "[1, 1, 2, 3, 1]")
        for padding in ("SAME", "VALID")
    ),
    "tf.nn.conv3d(f32(1, 4, 4, 4, 2), f32(2, 2, 2, 2, 3), [2, 1, 1, 1, 1], 'SAME')",
    "tf.nn.conv3d(f32(1, 4, 4, 4, 2), f32(2, 2, 2, 3, 3), [1, 1, 1, 1, 1], 'SAME')",
    "tf.nn.conv3d(i32(1, 4, 4, 4, 2), i32(2, 2, 2, 2, 3), [1, 1, 1, 1, 1], 'SAME')",
    "tf.nn.conv3d(f32(1, 2, 2, 2, 2), f32(4, 4, 4, 2, 3), [1, 1, 1, 1, 1], 'VALID')",
    "tf.nn.conv3d_transpose(f32(1, 2, 2, 2, 3), f32(2, 2, 2, 2, 3), [1, 4, 4, 4, 2], 2)",
    "tf.nn.conv3d_transpose(f32(1, 2, 2, 2, 3), f32(2, 3, 2, 2, 3), [1, 3, 4, 3, 2], 1, 'VALID')",
]

_ANY = [
    "tf.nn.convolution(f32(2, 7, 3), f32(3, 3, 4))",
    "tf.nn.convolution(f32(2, 7, 3), f32(3, 3, 4), [2], 'SAME')",
    "tf.nn.convolution(f32(2, 7, 6, 3), f32(3, 2, 3, 4), strides=[2, 1], padding='SAME')",
    "tf.nn.convolution(f32(2, 7, 6, 3), f32(3, 2, 3, 4), padding='SAME', dilations=[2, 2])",
    "tf.nn.convolution(f32(2, 7, 6, 3), f32(3, 2, 3, 4), padding='VALID', data_format='NHWC')",
    "tf.nn.convolution(f32(1, 4, 4, 4, 2), f32(2, 2, 2, 2, 3), strides=1, padding='SAME')",
    "tf.nn.convolution(f32(2, 7), f32(3, 3))",
    "tf.nn.convolution(f32(2, 7, 6, 3), f32(3, 2, 3, 4), padding='x')",
    "tf.nn.convolution(f32(2, 7, 6, 3), f32(3, 2, 2, 4))",
    "tf.nn.conv_transpose(f32(2, 3, 3), f32(3, 4, 3), [2, 6, 4], 2)",
    "tf.nn.conv_transpose(f32(2, 3, 3, 3), f32(3, 3, 4, 3), [2, 6, 6, 4], strides=2)",
    "tf.nn.conv_transpose(f32(1, 2, 2, 2, 3), f32(2, 2, 2, 2, 3), [1, 4, 4, 4, 2], strides=2)",
    "tf.nn.conv_transpose(f32(2, 3, 3, 3), f32(3, 3, 4, 3), tf.constant([2, 6, 6, 4]), 2)",
    "tf.nn.conv_transpose(f32(2, 3), f32(3, 3), [2, 6], 2)",
    "tf.nn.conv_transpose(f32(2, 3), f32(3, 3), 4, 2)",
]

_TRANSPOSES = [
    *(
        f"tf.nn.conv2d_transpose(f32(2, {h}, {w}, 3), f32({kh}, {kw}, 2, 3), "
        f"[2, {oh}, {ow}, 2], {step}, '{padding}')"
        for h, w, kh, kw, oh, ow, step, padding in (
            (3, 4, 3, 3, 3, 4, 1, "SAME"), (3, 4, 3, 3, 6, 8, 2, "SAME"),
            (3, 4, 3, 3, 5, 7, 2, "SAME"), (3, 4, 2, 2, 5, 7, 2, "SAME"),
            (3, 4, 3, 2, 5, 5, 1, "VALID"), (3, 3, 3, 3, 7, 7, 2, "VALID"),
            (3, 3, 3, 3, 8, 8, 2, "VALID"), (2, 2, 1, 1, 4, 4, 2, "SAME"),
        )
    ),
    "tf.nn.conv2d_transpose(f32(1, 3, 3, 2), f32(3, 3, 2, 2), [1, 5, 5, 2], [1, 2, 2, 1])",
    "tf.nn.conv2d_transpose(f32(1, 3, 3, 2), f32(3, 3, 2, 2), tf.constant([1, 5, 5, 2]), 2)",
    "tf.nn.conv2d_transpose(f32(1, 5, 5, 2), f32(3, 3, 2, 2), [1, 5, 5, 2], 1, dilations=2)",
    "tf.nn.conv2d_transpose(f32(1, 3, 3, 2), f32(3, 3, 2, 2), [1, 4, 4, 2], 2, "
    "[[0, 0], [1, 1], [1, 1], [0, 0]])",
]  # fmt: skip

_DEEP = "tf.nn.depthwise_conv2d"
_DEPTHWISE = [
    *(
        f"{_DEEP}({m}(2, 5, 4, 3), {m}(3, 2, 3, 2), [1, {step}, {step}, 1], '{padding}')"
        for m in ("f32", "f64")
        for step in (1, 2)
        for padding in ("SAME", "VALID")
    ),
    *(
        loose(
            f"{_DEEP}({m}(1, 4, 4, 2), {m}(2, 2, 2, 2), [1, 1, 1, 1], 'SAME')", 2e-2,
            "sums of narrow floats",
        )
        for m in ("f16", "bf16")
    ),
    f"{_DEEP}(f32(1, 7, 7, 2), f32(3, 3, 2, 1), [1, 1, 1, 1], 'SAME', dilations=[2, 2])",
    f"{_DEEP}(f32(1, 7, 7, 2), f32(3, 3, 2, 2), [1, 1, 1, 1], 'VALID', dilations=[2, 1])",
    f"{_DEEP}(f32(1, 5, 5, 2), f32(3, 3, 2, 2), [1, 1, 1, 1], [[0, 0], [1, 2], [0, 1], [0, 0]])",
    f"{_DEEP}(f32(1, 5, 5, 2), f32(3, 3, 3, 2), [1, 1, 1, 1], 'SAME')",
    f"{_DEEP}(f32(1, 5, 5, 2), f32(3, 3, 2), [1, 1, 1, 1], 'SAME')",
    f"{_DEEP}(i32(1, 5, 5, 2), i32(3, 3, 2, 2), [1, 1, 1, 1], 'SAME')",
    "tf.nn.depthwise_conv2d_backprop_input([1, 5, 5, 2], f32(3, 3, 2, 2), f32(1, 3, 3, 4), "
    "[1, 2, 2, 1], 'SAME')",
    "tf.nn.depthwise_conv2d_backprop_filter(f32(1, 5, 5, 2), [3, 3, 2, 2], f32(1, 3, 3, 4), "
    "[1, 1, 1, 1], 'VALID')",
    *(
        f"tf.nn.separable_conv2d(f32(1, 5, 5, 2), f32(3, 3, 2, 2), f32({point}), {rest})"
        for point, rest in (
            ("1, 1, 4, 3", "[1, 1, 1, 1], 'SAME'"), ("1, 1, 4, 3", "[1, 2, 2, 1], 'VALID'"),
            ("1, 1, 4, 3", "strides=[1, 1, 1, 1], padding='SAME', dilations=[2, 2]"),
            ("1, 1, 3, 3", "[1, 1, 1, 1], 'SAME'"), ("2, 1, 4, 3", "[1, 1, 1, 1], 'SAME'"),
        )
    ),
]  # fmt: skip

_GRADS = [
    *(
        _grad(f"tf.nn.conv2d(x, y, {step}, '{padding}')", "f32(2, 6, 5, 2)", "f32(3, 2, 2, 3)")
        for step in (1, 2, 3)
        for padding in ("SAME", "VALID")
    ),
    _grad("tf.nn.conv2d(x, y, 1, 'SAME')", "f32(2, 5, 5, 4)", "f32(3, 3, 2, 6)"),
    _grad("tf.nn.conv2d(x, y, 1, 'SAME', dilations=2)", "f32(1, 7, 7, 2)", "f32(3, 3, 2, 2)"),
    _grad("tf.nn.conv2d(x, y, 2, [[0, 0], [0, 1], [2, 1], [0, 0]])", "f32(1, 6, 6, 2)",
          "f32(3, 3, 2, 2)"),
    _grad("tf.nn.conv2d(x, y, 1, 'SAME')", "f32(0, 5, 5, 2)", "f32(3, 3, 2, 4)"),
    _grad("tf.nn.conv1d(x, y, 2, 'SAME')", "f32(2, 7, 3)", "f32(3, 3, 4)"),
    _grad("tf.nn.conv3d(x, y, [1, 2, 2, 2, 1], 'SAME')", "f32(1, 4, 5, 4, 2)",
          "f32(2, 3, 2, 2, 3)"),
    _grad("tf.nn.conv2d_transpose(x, y, [2, 6, 6, 2], 2)", "f32(2, 3, 3, 3)", "f32(3, 3, 2, 3)"),
    _grad(f"{_DEEP}(x, y, [1, 2, 2, 1], 'SAME')", "f32(2, 6, 5, 3)", "f32(3, 2, 3, 2)"),
    _grad(f"{_DEEP}(x, y, [1, 1, 1, 1], 'VALID')", "f32(2, 6, 5, 3)", "f32(3, 2, 3, 2)"),
    _grad("tf.nn.separable_conv2d(x, y, z, [1, 1, 1, 1], 'SAME')", "f32(1, 5, 5, 2)",
          "f32(3, 3, 2, 2)", "f32(1, 1, 4, 3)"),
]  # fmt: skip

CASES = [*_2D, *_BAD_2D, *_1D, *_3D, *_ANY, *_TRANSPOSES, *_DEPTHWISE, *_GRADS]

_EDGES = "[[0, 0], [0, 0], [1, 2], [0, 0]]"
CASES += [
    f"tf.nn.conv2d(tf.zeros([1, 1, 0, 2]), f32(1, 1, 2, 3), 1, {_EDGES})",
    "tf.nn.conv2d(tf.zeros([1, 0, 2, 2], tf.float64), f64(1, 1, 2, 3), 1, "
    "[[0, 0], [2, 0], [1, 1], [0, 0]])",
    "tf.compat.v1.nn.conv2d_backprop_input([2, 5, 5, 3], f32(3, 3, 3, 4), f32(2, 5, 5, 4), "
    "[1, 1, 1, 1], 'SAME')",
    f"tf.compat.v1.nn.conv2d_backprop_input([1, 2, 3, 2], filters=f32(1, 1, 2, 3), "
    f"out_backprop=f32(1, 2, 6, 3), strides=[1, 1, 1, 1], padding={_EDGES})",
    "tf.compat.v1.nn.conv2d_backprop_filter(f32(2, 5, 5, 3), [3, 3, 3, 4], f32(2, 3, 3, 4), "
    "[1, 1, 1, 1], 'VALID')",
    "tf.compat.v1.nn.conv3d_backprop_filter(f32(1, 4, 4, 4, 2), [2, 2, 2, 2, 3], "
    "f32(1, 2, 2, 2, 3), [1, 2, 2, 2, 1], 'SAME')",
    "tf.compat.v1.nn.conv3d_backprop_filter_v2(f32(1, 4, 4, 4, 2), [2, 2, 2, 2, 3], "
    "f32(1, 4, 4, 4, 3), [1, 1, 1, 1, 1], 'SAME')",
]
# A window that is larger than its image by less than a step: nothing comes out, and nothing fails.
CASES += [
    "tf.nn.conv2d(f64(1, 2, 9, 2), f64(5, 2, 2, 3), [2, 1], 'VALID')",
    "tf.nn.conv2d(f64(1, 1, 9, 2), f64(5, 2, 2, 3), [3, 1], 'VALID')",
    "tf.nn.conv2d(f64(1, 1, 9, 2), f64(5, 2, 2, 3), [2, 1], 'VALID')",
    "tf.nn.dilation2d(f64(1, 2, 9, 2), f64(5, 1, 2), [1, 2, 2, 1], 'VALID', 'NHWC', [1] * 4)",
    "tf.nn.max_pool2d(f32(1, 2, 9, 2), [5, 1], [2, 1], 'VALID')",
    "tf.nn.avg_pool2d(f32(1, 1, 9, 2), [5, 1], [3, 1], 'VALID')",
]

# Arrays of two dtypes: what works on them one by one refuses, what hands them on casts.
CASES += [
    f"{call}({x}, {filters}, {rest})"
    for call, shape, window, rest in (
        ("tf.nn.conv1d", "1, 4, 2", "2, 2, 3", "1, 'VALID'"),
        ("tf.nn.conv2d", "1, 4, 4, 2", "2, 2, 2, 3", "1, 'VALID'"),
        ("tf.nn.convolution", "1, 4, 4, 2", "2, 2, 2, 3", "1, 'VALID'"),
        ("tf.nn.convolution", "1, 4, 4, 4, 2", "2, 2, 2, 2, 3", "1, 'VALID'"),
        ("tf.nn.depthwise_conv2d", "1, 4, 4, 2", "2, 2, 2, 1", "[1] * 4, 'VALID'"),
        ("tf.compat.v1.nn.depthwise_conv2d_native", "1, 4, 4, 2", "2, 2, 2, 1", "[1] * 4, 'VALID'"),
        ("tf.nn.erosion2d", "1, 4, 4, 2", "2, 2, 2", "[1] * 4, 'VALID', 'NHWC', [1] * 4"),
        ("tf.nn.conv1d_transpose", "1, 4, 2", "2, 3, 2", "[1, 5, 3], 1, 'VALID'"),
        ("tf.nn.conv2d_transpose", "1, 4, 4, 2", "2, 2, 3, 2", "[1, 5, 5, 3], 1, 'VALID'"),
    )
    for x, filters in (
        (f"np.ones(({shape}), np.float64)", f"np.ones(({window}), np.float32)"),
        (f"np.ones(({shape}), np.float32)", f"np.ones(({window}), np.float64)"),
    )
]
