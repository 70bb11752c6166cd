"""Cases of `ops/order.py`, `ops/widen.py` and `ops/math/unsigned.py`: numbers of uint64 that int64
takes for negative ones.
"""

from __future__ import annotations

_NUMBERS = "tf.constant(np.array([7, 2**63, 3, 2**64 - 1, 2**63 + 5, 0], np.uint64))"
_IMAGE = "tf.reshape(x, [1, 2, 3, 1])"
_ROWS = "tf.RaggedTensor.from_row_lengths(x, [2, 0, 4])"
_SPARSE = "tf.SparseTensor([[0], [1]], x[{}:{}], [2])"
_ONES = "[1, 1, 1, 1]"

EVERY = [
    "tf.nn.relu(x)", "tf.nn.relu6(x)", "tf.raw_ops.ReluGrad(gradients=x, features=x[::-1])",
    "tf.raw_ops.Relu6Grad(gradients=x, features=x[::-1])", "tf.map_fn(tf.nn.relu, x)",
    *[
        f"tf.reduce_{how}({_ROWS}, {axis})"
        for axis in (0, 1)
        for how in ("min", "max", "sum", "mean", "prod")
    ],
    # The kernel of all: what sums need changes nothing for the others.
    f"[tf.reduce_sum({_ROWS}, 1), tf.reduce_min({_ROWS}, 1), tf.reduce_max({_ROWS}, 1)]",
    *[f"tf.math.segment_{how}(x, [0, 0, 1, 1, 3, 3])" for how in ("min", "max", "sum", "mean")],
    *[
        f"tf.math.unsorted_segment_{how}(x, [0, 1, 0, 1, 2, 2], 5)"
        for how in ("min", "max", "sum", "prod")
    ],
    *[f"tf.reduce_{how}(x)" for how in ("min", "max", "sum", "mean", "prod")],
    *[
        f"tf.sparse.{how}({_SPARSE.format(0, 2)}, {_SPARSE.format(1, 3)}).values"
        for how in ("maximum", "minimum")
    ],
    f"tf.sparse.reduce_max({_SPARSE.format(0, 2)}, 0)",
    *[
        f"tf.raw_ops.SparseDenseCwise{how}(sp_indices=np.int64([[0], [1]]), sp_values=x[3:5], "
        "sp_shape=np.int64([2]), dense=x[:2])"
        for how in ("Div", "Mul", "Add")
    ],
    f"tf.nn.dilation2d({_IMAGE}, tf.zeros([2, 2, 1], x.dtype), {_ONES}, 'VALID', 'NHWC', {_ONES})",
    f"tf.nn.dilation2d({_IMAGE}, tf.reshape(x[:4], [2, 2, 1]), {_ONES}, 'SAME', 'NHWC', {_ONES})",
    *[
        f"tf.nn.max_pool_with_argmax({_IMAGE}, [1, 2], 1, '{padding}')"
        for padding in ("VALID", "SAME")
    ],
    *[f"tf.{how}(x, x[::-1])" for how in ("maximum", "minimum", "less", "greater_equal")],
    *[f"tf.{how}(x)" for how in ("argmax", "argmin", "sort", "argsort", "math.cumsum")],
    "tf.math.top_k(x, 3)", "tf.searchsorted(tf.sort(x), x)", "tf.clip_by_value(x, x[0], x[1])",
    "tf.raw_ops.NthElement(input=x, n=1, reverse=True)",
    *[f"tf.tensor_scatter_nd_{how}(x, [[0], [1]], x[3:5])" for how in ("min", "max", "add")],
    *[f"tf.math.{how}(x, x[0])" for how in ("floordiv", "floormod", "truediv", "multiply")],
]  # fmt: skip

CASES = [f"(lambda x: {expression})({_NUMBERS})" for expression in EVERY]
