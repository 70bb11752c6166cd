"""The ops of this suite, as written for TensorFlow and for torch, over named inputs.

The programs beside this file make the inputs in three sizes. `{x}` stands for the input x of the
row's size:

- x, y: matrices of floats between -1 and 1; p: between 0.5 and 1.5; b: one row of x
- i, j: matrices of int32 from 1 to 99; k: one int32 per row, which is the number of a row; m: one
  bool per row
- batch: a small stack of matrices; spd: a symmetric positive definite matrix
- image, filter, taps: NHWC floats with 3 x 3 filters and depthwise filters; rgb: three channels;
  nchw, oihw, taps_oihw, rgb_nchw: the same for torch, in its own layout
- words: strings, one per row; sparse: a matrix in which every tenth element is kept
- n: how many rows a matrix has
"""

from typing import NamedTuple


class Case(NamedTuple):
    """One op: the expression for TensorFlow, and the one for torch where it has such an op."""

    tf: str
    torch: str = ""


SIZES = ("small", "medium", "large")

CASES = {
    # elementwise
    "add": Case("tf.add({x}, {y})", "torch.add({x}, {y})"),
    "multiply": Case("tf.multiply({x}, {y})", "torch.mul({x}, {y})"),
    "divide": Case("tf.divide({x}, {p})", "torch.div({x}, {p})"),
    "pow": Case("tf.pow({p}, {y})", "torch.pow({p}, {y})"),
    "exp": Case("tf.exp({x})", "torch.exp({x})"),
    "log": Case("tf.math.log({p})", "torch.log({p})"),
    "sqrt": Case("tf.sqrt({p})", "torch.sqrt({p})"),
    "tanh": Case("tf.tanh({x})", "torch.tanh({x})"),
    "sigmoid": Case("tf.sigmoid({x})", "torch.sigmoid({x})"),
    "erf": Case("tf.math.erf({x})", "torch.erf({x})"),
    "lgamma": Case("tf.math.lgamma({p})", "torch.lgamma({p})"),
    "maximum": Case("tf.maximum({x}, {y})", "torch.maximum({x}, {y})"),
    "squared_difference": Case("tf.math.squared_difference({x}, {y})", "({x} - {y}).square()"),
    "clip_by_value": Case("tf.clip_by_value({x}, -0.5, 0.5)", "torch.clamp({x}, -0.5, 0.5)"),
    "equal": Case("tf.equal({i}, {j})", "torch.eq({i}, {j})"),
    "floormod": Case("tf.math.floormod({i}, {j})", "torch.remainder({i}, {j})"),
    "where": Case("tf.where({x} > {y}, {x}, {y})", "torch.where({x} > {y}, {x}, {y})"),
    "cast": Case("tf.cast({x}, tf.int32)", "{x}.to(torch.int32)"),
    # reductions, sorting, counting
    "reduce_sum": Case("tf.reduce_sum({x})", "torch.sum({x})"),
    "reduce_mean": Case("tf.reduce_mean({x}, axis=0)", "torch.mean({x}, 0)"),
    "reduce_max": Case("tf.reduce_max({x}, axis=-1)", "torch.amax({x}, -1)"),
    "reduce_logsumexp": Case("tf.reduce_logsumexp({x}, axis=1)", "torch.logsumexp({x}, 1)"),
    "reduce_variance": Case("tf.math.reduce_variance({x})", "torch.var({x}, correction=0)"),
    "argmax": Case("tf.argmax({x}, axis=1)", "torch.argmax({x}, 1)"),
    "cumsum": Case("tf.cumsum({x}, axis=1)", "torch.cumsum({x}, 1)"),
    "sort": Case("tf.sort({x})", "torch.sort({x})"),
    "top_k": Case("tf.math.top_k({x}, 3)", "torch.topk({x}, 3)"),
    "segment_sum": Case(
        "tf.math.unsorted_segment_sum({x}, {k}, {n})",
        "torch.zeros({n}, {x}.shape[1]).index_add(0, {k}, {x})",
    ),
    "bincount": Case("tf.math.bincount({i})", "torch.bincount({i}.flatten())"),
    "unique": Case("tf.unique({k})", "torch.unique({k}, return_inverse=True)"),
    # shapes, joining, indexing
    "reshape": Case("tf.reshape({x}, [-1])", "torch.reshape({x}, [-1])"),
    "transpose": Case("tf.transpose({x})", "{x}.T.contiguous()"),
    "concat": Case("tf.concat([{x}, {y}], 0)", "torch.cat([{x}, {y}], 0)"),
    "stack": Case("tf.stack([{x}, {y}])", "torch.stack([{x}, {y}])"),
    "split": Case("tf.split({x}, 2, axis=1)", "torch.tensor_split({x}, 2, 1)"),
    "tile": Case("tf.tile({x}, [2, 1])", "torch.tile({x}, [2, 1])"),
    "pad": Case("tf.pad({x}, [[1, 1], [1, 1]])", "torch.nn.functional.pad({x}, [1, 1, 1, 1])"),
    "reverse": Case("tf.reverse({x}, [1])", "torch.flip({x}, [1])"),
    "roll": Case("tf.roll({x}, 1, axis=0)", "torch.roll({x}, 1, 0)"),
    "x[1:, :-1]": Case("{x}[1:, :-1]", "{x}[1:, :-1]"),
    "x[:, ::2]": Case("{x}[:, ::2]", "{x}[:, ::2]"),
    "gather": Case("tf.gather({x}, {k})", "{x}[{k}]"),
    "gather_nd": Case("tf.gather_nd({x}, {k}[:, tf.newaxis])", "{x}[{k}]"),
    "scatter_nd": Case("tf.tensor_scatter_nd_add({x}, {k}[:, tf.newaxis], {y})",
                       "{x}.index_add(0, {k}, {y})"),
    "boolean_mask": Case("tf.boolean_mask({x}, {m})", "{x}[{m}]"),
    "one_hot": Case("tf.one_hot({k}, 10)", "torch.nn.functional.one_hot({k} % 10, 10).float()"),
    "fill": Case("tf.fill([{n}, {n}], 1.0)", "torch.full([{n}, {n}], 1.0)"),
    "range": Case("tf.range({n})", "torch.arange({n}, dtype=torch.int32)"),
    # linear algebra
    "matmul": Case("tf.matmul({x}, {y})", "torch.matmul({x}, {y})"),
    "batch matmul": Case("tf.matmul({batch}, {batch})", "torch.matmul({batch}, {batch})"),
    "einsum": Case("tf.einsum('bij,bjk->bik', {batch}, {batch})",
                   "torch.einsum('bij,bjk->bik', {batch}, {batch})"),
    "tensordot": Case("tf.tensordot({x}, {y}, 1)", "torch.tensordot({x}, {y}, 1)"),
    "cholesky": Case("tf.linalg.cholesky({spd})", "torch.linalg.cholesky({spd})"),
    "solve": Case("tf.linalg.solve({spd}, {spd})", "torch.linalg.solve({spd}, {spd})"),
    "inv": Case("tf.linalg.inv({spd})", "torch.linalg.inv({spd})"),
    "qr": Case("tf.linalg.qr({spd})", "torch.linalg.qr({spd})"),
    "rfft": Case("tf.signal.rfft({x})", "torch.fft.rfft({x})"),
    # networks
    "relu": Case("tf.nn.relu({x})", "torch.relu({x})"),
    "gelu": Case("tf.nn.gelu({x})", "torch.nn.functional.gelu({x})"),
    "softmax": Case("tf.nn.softmax({x})", "torch.softmax({x}, -1)"),
    "bias_add": Case("tf.nn.bias_add({x}, {b})", "{x} + {b}"),
    "moments": Case("tf.nn.moments({x}, [0])", "torch.var_mean({x}, 0, correction=0)"),
    "l2_normalize": Case("tf.nn.l2_normalize({x}, 1)", "torch.nn.functional.normalize({x})"),
    "sparse cross entropy": Case(
        "tf.nn.sparse_softmax_cross_entropy_with_logits({k}, {x})",
        "torch.nn.functional.cross_entropy({x}, {k}, reduction='none')",
    ),
    "embedding_lookup": Case("tf.nn.embedding_lookup({x}, {k})",
                             "torch.nn.functional.embedding({k}, {x})"),
    "conv2d": Case("tf.nn.conv2d({image}, {filter}, 1, 'SAME')",
                   "torch.conv2d({nchw}, {oihw}, padding='same')"),
    "depthwise_conv2d": Case(
        "tf.nn.depthwise_conv2d({image}, {taps}, [1, 1, 1, 1], 'SAME')",
        "torch.conv2d({nchw}, {taps_oihw}, padding='same', groups={nchw}.shape[1])",
    ),
    "max_pool": Case("tf.nn.max_pool({image}, 2, 2, 'VALID')", "torch.max_pool2d({nchw}, 2)"),
    "avg_pool": Case("tf.nn.avg_pool({image}, 2, 2, 'VALID')",
                     "torch.nn.functional.avg_pool2d({nchw}, 2)"),
    "lrn": Case("tf.nn.local_response_normalization({image})",
                "torch.nn.functional.local_response_norm({nchw}, 11, 11.0, 0.5)"),
    "dropout": Case("tf.nn.dropout({x}, 0.5)", "torch.dropout({x}, 0.5, True)"),
    # images
    "resize": Case(
        "tf.image.resize({rgb}, [48, 48])",
        "torch.nn.functional.interpolate({rgb_nchw}, [48, 48], mode='bilinear')",
    ),
    "rgb_to_grayscale": Case("tf.image.rgb_to_grayscale({rgb})"),
    "flip_left_right": Case("tf.image.flip_left_right({rgb})", "torch.flip({rgb_nchw}, [3])"),
    # random numbers
    "random.normal": Case("tf.random.normal([{n}, {n}])", "torch.randn({n}, {n})"),
    "random.uniform": Case("tf.random.uniform([{n}, {n}])", "torch.rand({n}, {n})"),
    "stateless_uniform": Case("tf.random.stateless_uniform([{n}, {n}], [1, 2])"),
    # strings and sparse tensors
    "strings.join": Case("tf.strings.join([{words}, {words}], '-')"),
    "strings.hash": Case("tf.strings.to_hash_bucket_fast({words}, 100)"),
    "sparse matmul": Case("tf.sparse.sparse_dense_matmul({sparse}, {y})",
                          "torch.sparse.mm({sparse}, {y})"),
    "sparse to_dense": Case("tf.sparse.to_dense({sparse})", "{sparse}.to_dense()"),
}  # fmt: skip


def statements(library: str) -> dict[str, str]:
    """The rows of a program: "add small" and so on, with the inputs' names filled in."""
    found = {}
    for name, case in CASES.items():
        text = getattr(case, library)
        for size in SIZES if text else ():
            found[f"{name} {size}"] = text.replace("{", "").replace("}", f"_{size}")
    return found
