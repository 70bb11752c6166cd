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

# Borders in narrow types, what is not a number, and windows over nothing but padding.
_ROW = "tf.reshape(tf.constant({}, tf.{}), [1, 1, -1, 1])"
_WINDOW = "tf.reshape(tf.constant({}, tf.{}), [1, -1, 1])"


def _of_row(row: str, window: str, dtype: str, rate: int = 1) -> str:
    row, window = _ROW.format(row, dtype), _WINDOW.format(window, dtype)
    return f"tf.nn.dilation2d({row}, {window}, [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, {rate}, 1])"


CASES += [
    _of_row("[-100, -50, -128, 5]", "[100, 0, 100]", "int8"),
    _of_row("[-100, -120, -128]", "[100, 0, 127]", "int8"),
    _of_row("[-30000, -20000]", "[9, 0, 9]", "int16"),
    _of_row("[0, 0, 0, 5]", "[9, 0, 9]", "uint8"),
    _of_row("[250, 0, 200]", "[0, 10, 100]", "uint8"),
    *(_of_row("[1, 2]", "[3, 3]", m, 3) for m in ("int32", "uint8", "float16", "float32")),
    _of_row("[1, nan, 3, -inf, -inf, -inf, inf, nan, nan]", "[0, 0, 0]", "float32"),
    _of_row("[1, 2, 3]", "[nan, 0, nan]", "float64"),
    "tf.nn.dilation2d(i8(2, 4, 5, 3, low=-128, high=-90), i8(3, 2, 3, low=60, high=127), "
    "[1, 2, 1, 1], 'SAME', 'NHWC', [1, 2, 2, 1])",
    "tf.nn.erosion2d(i16(2, 4, 5, 3, low=-32000, high=32000), i16(3, 2, 3, low=-99, high=99), "
    "[1, 1, 2, 1], 'SAME', 'NHWC', [1, 1, 3, 1])",
    "grad(lambda x, y: tf.nn.dilation2d(x, y, [1, 1, 1, 1], 'SAME', 'NHWC', [1, 1, 1, 1]), "
    "np.float32([[[[1], [nan], [3]]]]), np.zeros([1, 3, 1], np.float32))",
]
