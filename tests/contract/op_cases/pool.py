"""Cases of `ops/nn/pooling.py`, `ops/nn/pool_kernels.py` and `ops/array/space.py`."""

from . import loose

_FLOATS = ("f16", "bf16", "f32", "f64")


def _grad(call: str, x: str) -> str:
    """The gradient of a call for x."""
    return f"grad(lambda x: {call}, {x})"


_2D = [
    *(
        f"tf.nn.{kind}(f32(2, {h}, {w}, 3), {ksize}, {step}, '{padding}')"
        for kind in ("max_pool", "avg_pool")
        for h, w, ksize, step in (
            (6, 6, 2, 2), (5, 7, 2, 2), (5, 5, 3, 2), (6, 5, 3, 1), (5, 5, 2, 1), (7, 7, 1, 3),
            (6, 7, "[2, 3]", "[1, 2]"), (6, 7, "[1, 3, 2, 1]", "[1, 3, 1, 1]"), (3, 3, 4, 4),
            (8, 8, 3, 5),
        )
        for padding in ("SAME", "VALID")
        if (ksize, padding) != (4, "VALID")
    ),
    *(
        f"tf.nn.max_pool(tf.constant({m}(1, 4, 4, 2)), 2, 1, 'SAME')"
        for m in (*_FLOATS, "i8", "i16", "i32", "i64", "u8", "u16", "u32", "b", "c64")
    ),
    *(
        loose(f"tf.nn.avg_pool({m}(1, 4, 4, 2), 2, 2, 'SAME')", 2e-2, "sums of narrow floats")
        for m in ("f16", "bf16")
    ),
    *(f"tf.nn.avg_pool({m}(1, 4, 4, 2), 2, 2, 'SAME')" for m in ("f64", "i32", "u8")),
    "tf.nn.max_pool2d(f32(1, 4, 4, 2), 2, 2, 'SAME')",
    "tf.nn.avg_pool2d(f32(1, 4, 4, 2), 2, 2, 'SAME')",
    "tf.nn.max_pool(f32(0, 4, 4, 2), 2, 2, 'SAME')",
    "tf.nn.avg_pool(f32(0, 4, 4, 2), 2, 2, 'SAME')",
    "tf.nn.max_pool(f32(1, 4, 4, 6), [1, 1, 1, 2], [1, 1, 1, 2], 'SAME')",
    "tf.nn.max_pool(f32(1, 4, 4, 6), [1, 1, 1, 3], [1, 1, 1, 3], 'VALID')",
    *(
        f"tf.nn.max_pool2d(f32(1, 5, 5, 2), 3, {step}, {pads})"
        for step in (1, 2)
        for pads in ("[[0, 0], [1, 1], [1, 1], [0, 0]]", "[[0, 0], [0, 2], [2, 1], [0, 0]]")
    ),
]  # fmt: skip

_BAD = [
    f"tf.nn.{kind}({arguments})"
    for kind in ("max_pool", "avg_pool")
    for arguments in (
        "f32(4, 4), 2, 2, 'SAME'",
        "f32(1, 4, 4, 2), 2, 2, 'same'",
        "f32(1, 4, 4, 2), 2, 2, 'EXPLICIT'",
        "f32(1, 4, 4, 2), [2, 2, 2], 2, 'SAME'",
        "f32(1, 4, 4, 2), 2, [1, 2, 3], 'SAME'",
        "f32(1, 4, 4, 2), 0, 2, 'SAME'",
        "f32(1, 4, 4, 2), 2, 0, 'SAME'",
        "f32(1, 4, 4, 2), [2, 2, 2, 1], 2, 'SAME'",
        "f32(1, 4, 4, 2), 6, 1, 'VALID'",
        "f32(1, 4, 4, 2), 2, 2, 'SAME', data_format='HWC'",
        "f32(1, 4, 4, 5), [1, 1, 1, 2], [1, 1, 1, 2], 'SAME'",
        "f32(1, 4, 4, 6), [1, 2, 1, 2], [1, 1, 1, 2], 'SAME'",
        "f32(1, 4, 4, 6), [1, 1, 1, 2], [1, 1, 1, 1], 'SAME'",
    )
] + [
    "tf.nn.max_pool2d(f32(1, 5, 5, 2), 2, 1, [[0, 0], [2, 2], [1, 1], [0, 0]])",
    "tf.nn.max_pool2d(f32(1, 5, 5, 2), 2, 1, [[1, 0], [1, 1], [1, 1], [0, 0]])",
    "tf.nn.max_pool2d(f32(1, 5, 5), 2, 1, 'SAME')",
    "tf.nn.avg_pool2d(f32(1, 5, 5, 2), 2, 1, [[0, 0], [1, 1], [1, 1], [0, 0]])",
]

_1D_AND_3D = [
    *(
        f"tf.nn.{kind}_pool1d(f32(2, 7, 3), {ksize}, {step}, '{padding}')"
        for kind in ("max", "avg")
        for ksize, step in ((2, 2), (3, 1), (2, 1), ("[3]", "[2]"))
        for padding in ("SAME", "VALID")
    ),
    "tf.nn.max_pool(f32(2, 7, 3), 2, 2, 'SAME')",
    "tf.nn.avg_pool(f32(2, 7, 3), 2, 2, 'VALID')",
    "tf.nn.max_pool1d(f32(2, 7, 3), [2, 3], 2, 'SAME')",
    *(
        f"tf.nn.{kind}_pool3d(f32(1, 4, 5, 4, 2), {ksize}, {step}, '{padding}')"
        for kind in ("max", "avg")
        for ksize, step in ((2, 2), (2, 1), (3, 2), ("[1, 2, 3]", "[2, 1, 2]"))
        for padding in ("SAME", "VALID")
    ),
    "tf.nn.max_pool(f32(1, 4, 4, 4, 2), 2, 2, 'SAME')",
    "tf.nn.avg_pool(f32(1, 4, 4, 4, 2), 2, 2, 'SAME')",
    "tf.nn.max_pool3d(f32(1, 4, 4, 4, 2), 2, 0, 'SAME')",
    "tf.nn.max_pool3d(i32(1, 4, 4, 4, 2), 2, 2, 'SAME')",
]

_ARGMAX = [
    *(
        f"tf.nn.max_pool_with_argmax(f32(2, 5, 4, 3), {ksize}, {step}, '{padding}')"
        for ksize, step in ((2, 2), (3, 2), (2, 1))
        for padding in ("SAME", "VALID")
    ),
    "tf.nn.max_pool_with_argmax(f32(2, 4, 4, 3), 2, 2, 'SAME', output_dtype=tf.int32)",
    "tf.nn.max_pool_with_argmax(f32(2, 4, 4, 3), 2, 2, 'SAME', include_batch_in_index=True)",
    "tf.nn.max_pool_with_argmax(f32(2, 4, 4, 3), 2, 2, 'SAME', 'NCHW')",
    "tf.nn.max_pool_with_argmax(np.ones([1, 4, 4, 1], np.float32), 2, 2, 'SAME')",
    _grad("tf.nn.max_pool_with_argmax(x, 2, 1, 'SAME')[0]", "f32(2, 4, 3, 2)"),
]

_ANY = [
    "tf.nn.pool(f32(2, 7, 3), [2], 'MAX')",
    "tf.nn.pool(f32(2, 6, 7, 3), [2, 3], 'AVG', strides=[2, 1], padding='SAME')",
    "tf.nn.pool(f32(1, 4, 4, 4, 2), [2, 2, 2], 'MAX', padding='SAME')",
    *(
        f"tf.nn.pool(f32(2, 6, 7, 3), [2, 3], '{kind}', padding='{padding}', dilations={far})"
        for kind in ("MAX", "AVG")
        for padding in ("SAME", "VALID")
        for far in ("[2, 2]", "[1, 3]")
    ),
    "tf.nn.pool(f32(2, 7, 3), [2], 'MAX', dilations=[2])",
    "tf.nn.pool(f32(2, 7, 3), [2], 'SUM')",
    "tf.nn.pool(f32(2, 7, 3), [2], 'MAX', strides=[2], dilations=[2])",
    "tf.nn.pool(f32(2, 7, 3), [2], 'MAX', strides=[0])",
    "tf.nn.pool(f32(2, 7, 3), [2, 2], 'MAX')",
]

_SPACE = [
    *(f"tf.nn.space_to_depth({m}(1, 4, 6, 2), 2)" for m in ("f32", "i32", "u8", "c64", "b")),
    "tf.nn.space_to_depth(f32(2, 6, 3, 1), 3)",
    *(f"tf.nn.depth_to_space({m}(1, 2, 3, 8), 2)" for m in ("f32", "i32", "u8", "c64", "b")),
    "tf.nn.depth_to_space(f32(2, 1, 2, 9), block_size=3)",
    "tf.nn.space_to_depth(f32(1, 5, 4, 1), 2)",
    "tf.nn.space_to_depth(f32(4, 4, 1), 2)",
    "tf.nn.space_to_depth(f32(1, 4, 4, 1), 1)",
    "tf.nn.depth_to_space(f32(1, 2, 2, 6), 2)",
    "tf.nn.depth_to_space(f32(1, 2, 2, 6), 0)",
    _grad("tf.nn.space_to_depth(x, 2)", "f32(1, 4, 4, 2)"),
    _grad("tf.nn.depth_to_space(x, 2)", "f32(1, 2, 2, 8)"),
    "tf.space_to_batch(f32(1, 4, 4, 2), [2, 2], [[0, 0], [0, 0]])",
    "tf.space_to_batch(i32(2, 3, 5), [2, 3], [[1, 0], [0, 1]])",
    "tf.space_to_batch(f32(2, 3), [2], [[0, 1]])",
    "tf.nn.space_to_batch(f32(1, 4, 4, 2), [2, 2], [[0, 0], [0, 0]])",
    "tf.space_to_batch(f32(1, 3, 4, 2), [2, 2], [[0, 0], [0, 0]])",
    "tf.space_to_batch(f32(1, 4, 4, 2), [2, 2], [[0, 0]])",
    "tf.space_to_batch(f32(1, 4, 4, 2), [0, 2], [[0, 0], [0, 0]])",
    "tf.space_to_batch(f32(1, 4, 4, 2), [2, 2], [[-1, 1], [0, 0]])",
    "tf.batch_to_space(f32(4, 2, 2, 2), [2, 2], [[0, 0], [0, 0]])",
    "tf.batch_to_space(f32(12, 2, 2), [2, 3], [[1, 0], [0, 2]])",
    "tf.batch_to_space(f32(3, 2, 2, 2), [2, 2], [[0, 0], [0, 0]])",
    "tf.batch_to_space(f32(4, 2, 2, 2), [2, 2], [[3, 3], [0, 0]])",
    _grad("tf.space_to_batch(x, [2, 2], [[1, 1], [0, 2]])", "f32(1, 4, 4, 2)"),
]

_GRADS = [
    *(
        _grad(f"tf.nn.{kind}(x, {ksize}, {step}, '{padding}')", "f32(2, 5, 6, 2)")
        for kind in ("max_pool", "avg_pool")
        for ksize, step in ((2, 2), (3, 2), (2, 1), (1, 3))
        for padding in ("SAME", "VALID")
    ),
    _grad("tf.nn.max_pool(x, 2, 2, 'SAME')", "np.ones([1, 4, 4, 1], np.float32)"),
    _grad("tf.nn.max_pool(x, 3, 1, 'SAME')", "np.ones([1, 3, 3, 1], np.float32)"),
    _grad("tf.nn.max_pool3d(x, 2, 1, 'SAME')", "f32(1, 3, 3, 3, 2)"),
    _grad("tf.nn.avg_pool3d(x, 2, 1, 'SAME')", "f32(1, 3, 3, 3, 2)"),
    _grad("tf.nn.avg_pool1d(x, 3, 2, 'SAME')", "f32(2, 7, 2)"),
    _grad("tf.nn.max_pool2d(x, 3, 2, [[0, 0], [0, 2], [2, 1], [0, 0]])", "f32(1, 5, 5, 2)"),
    _grad("tf.nn.pool(x, [2, 2], 'AVG', padding='SAME', dilations=[2, 2])", "f32(1, 5, 5, 2)"),
]

_RAW_GRADS = [
    *[
        f"run(x := f32(2, 5, 4, 3), tf.raw_ops.MaxPoolGrad(orig_input=x, "
        f"orig_output=tf.nn.max_pool2d(x, {size}, {step}, '{padding}'), "
        f"grad=tf.ones_like(tf.nn.max_pool2d(x, {size}, {step}, '{padding}')), "
        f"ksize=[1, {size}, {size}, 1], strides=[1, {step}, {step}, 1], padding='{padding}'))"
        for size, step in ((2, 2), (3, 1), (3, 2))
        for padding in ("SAME", "VALID")
    ],
    *[
        f"run(x := f32(1, 3, 3, 3, 2), tf.raw_ops.MaxPool3DGrad(orig_input=x, "
        f"orig_output=tf.nn.max_pool3d(x, 2, 1, '{padding}'), "
        f"grad=tf.nn.max_pool3d(x, 2, 1, '{padding}'), "
        f"ksize=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1], padding='{padding}'))"
        for padding in ("SAME", "VALID")
    ],
]

CASES = [*_2D, *_BAD, *_1D_AND_3D, *_ARGMAX, *_ANY, *_SPACE, *_GRADS, *_RAW_GRADS]
_GRAD_KEPT = (
    "tf.raw_ops.MaxPoolGradWithArgmax(input=tf.ones([1, 1, 1, 1]), "
    "grad=tf.ones([1, 1, 1, {grad}]), argmax=tf.zeros([1, 1, 1, {argmax}], tf.int64), "
    "ksize=[1] * 4, strides=[1] * 4, padding='VALID')"
)
CASES += [
    _GRAD_KEPT.format(grad=1, argmax=1),
    _GRAD_KEPT.format(grad=2, argmax=1),
    _GRAD_KEPT.format(grad=1, argmax=2),
    "tf.nn.max_pool_with_argmax(tf.zeros([0, 4, 4, 1]), 2, 2, 'VALID')",
]
