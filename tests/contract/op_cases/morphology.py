"""Cases of `ops/nn/morphology.py`."""

_REST = "[1, 1, 1, 1], '{}', 'NHWC', [1, 1, 1, 1]"

CASES = [
    *(
        f"tf.nn.{kind}({m}(2, 5, 4, 3), {m}(3, 2, 3), {_REST.format(padding)})"
        for kind in ("dilation2d", "erosion2d")
        for m in ("f32", "f64", "f16", "i32")
        for padding in ("SAME", "VALID")
    ),
    *(
        f"tf.nn.{kind}(f32(1, 7, 6, 2), f32(3, 3, 2), [1, 2, 1, 1], 'SAME', 'NHWC', [1, 1, 2, 1])"
        for kind in ("dilation2d", "erosion2d")
    ),
    "tf.nn.dilation2d(f32(1, 7, 6, 2), f32(3, 3, 2), [1, 2, 3, 1], 'VALID', 'NHWC', [1, 2, 2, 1])",
    "tf.nn.dilation2d(f32(1, 4, 4, 2), f32(3, 3, 2), [1, 1, 1, 1], 'SAME', 'NCHW', [1, 1, 1, 1])",
    "tf.nn.dilation2d(f32(1, 4, 4, 2), f32(3, 3, 3), [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])",
    "tf.nn.dilation2d(f32(1, 4, 4, 2), f32(3, 3), [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])",
    "tf.nn.dilation2d(f32(1, 4, 4, 2), f32(3, 3, 2), [1, 0, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])",
    "tf.nn.dilation2d(f32(1, 4, 4, 2), f32(3, 3, 2), [2, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1])",
    "grad(lambda x, y: tf.nn.dilation2d(x, y, [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1]), "
    "f32(1, 4, 4, 2), f32(3, 3, 2))",
    "grad(lambda x, y: tf.nn.erosion2d(x, y, [1, 2, 1, 1], 'VALID', 'NHWC', [1, 1, 1, 1]), "
    "f32(1, 4, 4, 2), f32(3, 3, 2))",
]
