"""Expressions over tensors that behave like NumPy's arrays, per way to ask for it.

`scripts/record_oracle/numpy_behavior.py` asks TensorFlow, `test_numpy_behavior.py` compares. This
module imports nothing of either.
"""

from __future__ import annotations

_DTYPES = ("bool", "uint8", "uint32", "int8", "int32", "int64", "float16", "float32", "float64",
           "complex64")  # fmt: skip
_OTHERS = ("True", "2", "2.5", "1j", "np.float32(2)", "np.int8(2)", "np.array([2., 1.])", "[1, 2]")


def _of(dtype: str) -> str:
    return f"tf.cast([1, 2], tf.{dtype})"


_OPERATORS = [
    *[
        f"{_of(a)} {sign} {_of(b)}"
        for sign, names in (
            ("+", _DTYPES), ("/", _DTYPES), ("**", ("int32", "float32", "float64")),
            ("//", ("int8", "int32", "float32")), ("<", ("int8", "int32", "float32", "uint8")),
            ("@", ("int32", "float32", "float64")), ("&", ("bool", "int8", "int32")),
            ("==", ("int32", "float32")), ("%", ("int32", "float64")),
        )
        for a in names
        for b in names
        if a != b
    ],
    *[
        text
        for other in _OTHERS
        for dtype in ("uint8", "int32", "float32", "bool")
        for text in (f"{_of(dtype)} * {other}", f"{other} - {_of(dtype)}")
        if not (dtype in ("bool", "uint8") and other == "True")
    ],
    "tf.Variable([1, 2]) + 1.5", "tf.constant([1, 2]) + tf.Variable(1.)", "2. * tf.Variable(3)",
    "tf.constant('a') + 'b'", "-tf.constant([1, 2])", "abs(tf.constant([-1]))", "+tf.constant([1])",
    "tf.add(tf.constant(1), tf.constant(1.))", "tf.constant([1, 2.5])",
    "tf.function(lambda x: x + 1.5)(tf.constant(1))",
    "tf.function(lambda x, y: x * y)(tf.constant(1), tf.constant(1.5))",
    "tf.function(lambda x: x[[1, 0]])(tf.constant([1, 2]))",
    "tf.function(lambda x: x[x > 1])(tf.constant([1, 2]))",
    "tf.function(lambda x: x[[[0, 1], [1, 0]]])(tf.constant([[1, 2], [3, 4]]))",
    "tf.function(lambda x, i: x[[[i], [1]], 0])(tf.constant([[1, 2], [3, 4]]), tf.constant(0))",
    "tf.function(lambda x: x.reshape(-1).max())(tf.constant([[1, 2]]))",
    "gradient(lambda x: x[[1, 1]] * 2., [1., 2.])",
    "gradient(lambda x: x[x > 1.5] * x[0], [1., 2.])",
]  # fmt: skip
_T = "tf.reshape(tf.range(24), (2, 3, 4))"
_KEYS = """
[[0, 1]] | [[0, 1], [1, 2]] | [[0, 1], [1, 2], [3, 0]] | [:, [0, 2]] | [:, :, [0, 3]]
[[True, False]] | [tf.constant([1, 0])] | [1, tf.constant([1, 0])]
[np.array([[0, 1], [1, 0]])] | [..., [0]] | [[-1]] | [[0, 1], :, None] | [[0], :, [1]]
[:, [0], [1]] | [0, :, [1, 2]] | [:, None, [0, 1], [0, 0]] | [:, [[0], [1]], [0, 1]]
[..., None, [0]] | [None, [0]] | [1:, [0]] | [::-1, [0]] | [[0, 1], 1:3]
[tf.constant([True, False])] | [:, tf.constant([True, False, True])] | [0, [True, False, True]]
[np.array([[True, False, True], [False, True, False]])] | [[1], ..., [0]] | [[5]] | [True]
[[0, 1, 1]] | [tf.constant(1)] | [1, 2, 3] | [...] | [1:] | [[0, 1], [1, 2], 0] | [[0, 1], 2]
[1, [0, 1], :2]
[[[0, 1], [1, 0]]] | [[[0, 1]]] | [[0, slice(None)]] | [[0, None]] | [[..., 0]] | [[[0, 1], 0]]
[[np.array([0, 1]), [1, 0]]] | [[(0, 1), (1, 0)]] | [[tf.constant([0, 1]), 1]] | [[slice(0, 1)]]
[[tf.constant(0), 1]] | [[[True, False], [True, False, True]]] | [[np.array(0), 1]]
[[tf.constant(0), 1], [1, 2]] | [[[tf.constant(0)], [1]], 0] | [0.] | [0, 0.] | [[0.]] | ['a']
[np.array([0.])] | [0, [0., 1.]] | [tf.constant([0.])] | [[0, -1], ..., None] | [[-2], ..., [-1]]
[np.array([1, 0], np.uint8)] | [1:, [0, 1], ..., [2, 0]] | [1:, [[0], [1]], ..., [2, 0]]
[0, ..., [1, 1]] | [..., [0, 1], [1, 2]] | [[1, 1], ..., 0]
""".replace("\n", "|").strip("|").split("|")  # fmt: skip
_METHODS = [
    f"{_T}.{call}"
    for call in (
        "T", "astype(np.float32)", "astype(float)", "data", "tolist()", "max()", "max(axis=0)",
        "mean(1)", "min(axis=1, keepdims=True)", "ravel()", "reshape(4, 6)", "reshape((6, -1))",
        "reshape(-1)", "size", "transpose()", "transpose((1, 0, 2))", "clip(3, 7)", "flatten()",
        "ndim", "shape",
    )
] + ["round(tf.constant([1.5, 2.5]))"]  # fmt: skip
_NEW = [
    f"tf.experimental.numpy.{call}"
    for call in (
        "zeros(2)", "zeros(2, float)", "array(1.)", "array([1., 2])", "asarray(1., dtype=float)",
        "add(1., 2.)", "add(tf.constant(1), 2.)", "divide(1, 2)", "exp(1)", "mean([1, 2])",
        "linspace(0, 1, 2)", "arange(3.)", "eye(2)", "full(2, 1.)", "array(np.array([1.]))",
        "array(1j)", "ones_like([1.])", "sqrt(tf.constant(1))", "var([1, 2])", "tri(2)",
        "geomspace(1, 2, 2)", "logspace(1, 2, 2)", "result_type(float)", "result_type(1.)",
        "result_type(1, tf.constant(1))", "array([1])", "random.uniform().dtype",
        "random.randn(2).dtype", "average([1, 2])", "std([1, 2])", "cbrt(tf.constant(1))",
        "cbrt(np.float32(8))", "around(tf.constant([1.26]), 1)", 
        "nansum([1, 2])", "nanprod(tf.constant([1, 2]))", "arcsinh(1)", "angle([1, -1])",
        "deg2rad(180)", "exp2([1, 2])", "fix([1, 2])", "log2(8)", "log10(tf.constant(100))",
        "sinc([0, 1])", "heaviside([0], [1, 2])", "hypot(3, 4)", 
        "logaddexp(1, 2)", "logaddexp2(1, 2)", "isneginf([-inf, 0.])", "isposinf(tf.constant(inf))",
        "arccosh(2)", "arctanh([0])", "nanmean([1, 2])", "promote_types(np.int8, np.uint8)",
    )
]  # fmt: skip

_TNP = "tf.experimental.numpy."
_MORE = [
    _TNP + text.strip()
    for text in """
    log10(tf.constant([100.], tf.float16))
    log10(tf.constant([0.5, 100.]))
    log2(np.float32(8))
    log2(tf.constant([8.], tf.float64))
    logaddexp2(tf.constant([1.]), tf.constant([2.], tf.float16)).dtype
    logaddexp(tf.constant([1.]), 2.)
    logaddexp(1, tf.constant([1], tf.int8))
    hypot(2.5, np.array([0.5], np.float32))
    hypot(tf.constant([3.]), [4.])
    append(tf.constant([1, 2], tf.int8), [3])
    append(1, 2.5)
    vstack([tf.constant([1, 2], tf.int8), [1., 2.]])
    hstack([tf.constant([1.], tf.float16), [1.]])
    concatenate(tf.constant([[1, 2], [3, 4]]))
    concatenate(3)
    meshgrid([1, 2], [1., 2.])[0]
    meshgrid([1, 2], [1., 2.])[1]
    geomspace(1j, 1000j, 4)
    geomspace(np.complex64(1j), np.complex64(-1j), 3)
    geomspace(-1., -8., 4, dtype=np.complex64)
    geomspace(tf.constant(1.), tf.constant(8.), 3)
    average([[1, 2, 3], [4, 5, 7]], axis=0, returned=True)
    average([[1, 2, 3], [4, 5, 7]], returned=True)
    average(np.array([[1., 2.]], np.float16), axis=1, returned=True)
    nansum([1, 2], dtype=np.int8)
    nansum(np.array([1., nan], np.float32), dtype=np.int32)
    nanprod([2.5, nan], dtype=np.float16)
    linspace(0.5, 5.9, 1, retstep=True)
    linspace(np.float32(0), np.float32(5), 3, False, True)
    sum([[2.5, 0.], [0., 0.]], axis=1, dtype=bool)
    argsort(3)
    argmax(5, axis=-1)
    argmin(tf.constant(5), axis=0)
    fliplr(3)
    flipud(2.5)
    polyval(3, [1, 2])
    polyval(2., 3)
    diff(tf.constant([True, False]))
    empty_like(tf.constant([True, False]))
    empty_like(['a', 'b'])
    array('abc', dtype='S8')
    asarray(['a', 'b'], dtype='U8')
    zeros_like('abc', dtype='S8')
    imag(tf.constant([True]))
    iscomplex(tf.constant([True, False]))
    greater(True, True)
    less_equal(tf.constant([True, False]), tf.constant([True, True]))
    floor_divide(True, True)
    mod(tf.constant([True]), tf.constant([True]))
    divide(tf.constant([1, 2]), tf.constant([2, 4]))
    divide(tf.constant([1, 2], tf.int8), tf.constant([2, 4], tf.int16))
    arctan2(tf.constant([1.], tf.float16), 2.)
    mean([1., 2.], out=[])
    var([1., 2.], out=[])
    amax([1., 2.], out=[])
    average(np.ones([2, 3]), weights=np.ones([2, 4]))
    average(np.ones([2, 3]), weights=np.ones([3]))
    average(np.ones([2, 3]), axis=0, weights=np.ones([]))
    average(np.ones([2, 3]), axis=0, weights=np.ones([5]))
    average(np.ones([2, 3]), axis=(0, 1), weights=np.ones([2, 3]))
    average(np.ones([2, 3]), axis=1, weights=np.ones([3]))
    average([[1., 2.]], axis=-1, weights=[3, 1])
    nanmean(tf.constant([1., 2.], tf.bfloat16))
    cumsum(tf.constant([1, 2], tf.uint8))
    size(3)
    """.strip().split("\n")
] + [
    "np.amax(tf.constant([1, 3, 2]))", "np.amin(tf.constant([[1, 3], [2, 0]]), axis=0)",
    "tf.constant([1, 3, 2]).max(out=None)", "tf.constant([1., 3.]).mean(axis=0, dtype=tf.float16)",
    "tf.constant([[1, 2], [3, 4]]).transpose((1, 0))", "tf.constant([1, 2]).clip(a_min=2, a_max=3)",
]  # fmt: skip

# (how the function is called, the expressions)
WAYS: dict[str, tuple[dict[str, object], list[str]]] = {
    "legacy": ({}, [*_OPERATORS, *(_T + key.strip() for key in _KEYS), *_METHODS, *_NEW, *_MORE]),
    "off": (
        {"dtype_conversion_mode": "off"},
        [
            *_OPERATORS[:40],
            *(_T + key.strip() for key in _KEYS[:6]),
            *_METHODS,
            *(each for each in _NEW if "logaddexp" not in each),
        ],
    ),
    "prefer_float32": (
        {"prefer_float32": True},
        [*_NEW, *[each for each in _OPERATORS if "2.5" in each or "1j" in each or "/" in each]],
    ),
}
