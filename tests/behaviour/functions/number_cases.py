"""Calls in which `n` (and `m`) may be numbers, arrays, tensors or variables: an expression, the
tensor that it calls `x`, and the numbers. For `test_numbers_in_all_forms.py`, and for the script
that asks TensorFlow, `scripts/record_oracle/numbers_in_forms.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_RANDOM = np.random.RandomState(0)
TENSORS = {
    "cube": _RANDOM.rand(2, 3, 4).astype("float32"),
    "matrix": _RANDOM.rand(3, 3).astype("float32"),
    "vector": _RANDOM.rand(6).astype("float32"),
    "images": _RANDOM.rand(1, 4, 6, 3).astype("float32"),
    "image": _RANDOM.rand(4, 6, 3).astype("float32"),
    "rows": _RANDOM.rand(2, 6).astype("float32"),
    "ids": np.array([0, 2, 1, 2], np.int32),
    "signal": _RANDOM.rand(16).astype("float32"),
    "texts": np.array([b"a b", b"hello"]),
}


def _of_axes() -> list[tuple[str, str, tuple[Any, ...]]]:
    cube = "cube"
    found: list[tuple[str, str, tuple[Any, ...]]] = []
    for name in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod",
                 "reduce_logsumexp", "math.reduce_std", "math.reduce_variance",
                 "math.reduce_euclidean_norm"):  # fmt: skip
        found += [(f"tf.{name}(x, axis=n)", cube, (1,)),
                  (f"tf.{name}(x, axis=n, keepdims=True)", cube, ([0, 2],))]  # fmt: skip
    for name in ("argmax", "argmin", "cumsum", "math.cumprod", "math.cumulative_logsumexp",
                 "sort", "argsort", "expand_dims", "nn.softmax", "nn.log_softmax",
                 "math.l2_normalize", "math.count_nonzero", "math.zero_fraction", "norm",
                 "stack", "unstack", "experimental.numpy.sum", "experimental.numpy.mean",
                 "experimental.numpy.flip", "signal.fftshift"):  # fmt: skip
        of = "[x, x]" if name == "stack" else "x"
        axis = "axes" if "fftshift" in name else "axis"
        if name != "math.zero_fraction":
            found.append((f"tf.{name}({of}, {axis}=n)", cube, (-1,)))
    return found


CALLS: list[tuple[str, str, tuple[Any, ...]]] = [
    *_of_axes(),
    ("tf.reduce_any(x > 0.5, axis=n)", "cube", (1,)),
    ("tf.reduce_all(x > 0.1, axis=n)", "cube", ([0, 1],)),
    ("tf.concat([x, x], axis=n)", "cube", (1,)),
    ("tf.split(x, 2, axis=n)", "cube", (2,)),
    ("tf.split(x, n, axis=1)", "cube", ([1, 2],)),
    ("tf.split(x, n)", "cube", (2,)),
    ("tf.squeeze(x[:1], axis=n)", "cube", (0,)),
    ("tf.squeeze(x[:1], axis=n)", "cube", ([0],)),
    ("tf.reverse(x, axis=n)", "cube", ([1],)),
    ("tf.reverse_sequence(x, n, seq_axis=1)", "cube", ([1, 2],)),
    ("tf.reverse_sequence(x, [1, 2], seq_axis=n, batch_axis=m)", "cube", (1, 0)),
    ("tf.roll(x, shift=n, axis=m)", "cube", (1, 2)),
    ("tf.roll(x, shift=n, axis=m)", "cube", ([1, 1], [0, 2])),
    ("tf.repeat(x, n, axis=1)", "cube", (2,)),
    ("tf.repeat(x, [1, 2], axis=n)", "cube", (0,)),
    ("tf.repeat(x, n)", "vector", (2,)),
    ("tf.tile(x, n)", "cube", ([1, 2, 1],)),
    ("tf.pad(x, n)", "cube", ([[1, 0], [0, 1], [1, 1]],)),
    ("tf.pad(x, n, mode='REFLECT')", "cube", ([[1, 0], [0, 1], [1, 1]],)),
    ("tf.pad(x, [[0, n], [n, 0], [1, 1]])", "cube", (1,)),
    ("tf.pad(x, [[0, 1], [1, 0], [1, 1]], constant_values=n)", "cube", (1.5,)),
    ("tf.transpose(x, perm=n)", "cube", ([2, 0, 1],)),
    ("tf.reshape(x, n)", "cube", ([4, -1],)),
    ("tf.reshape(x, [n, m])", "cube", (6, 4)),
    ("tf.broadcast_to(x, n)", "cube", ([2, 2, 3, 4],)),
    ("tf.slice(x, n, m)", "cube", ([0, 1, 1], [1, 2, -1])),
    ("tf.strided_slice(x, n, m)", "cube", ([0, 1], [1, 3])),
    ("x[n:, ..., :n]", "cube", (1,)),
    ("x[n]", "cube", (1,)),
    ("x[:, n:m:2]", "cube", (0, 3)),
    ("x[..., n]", "cube", (-1,)),
    ("tf.gather(x, n)", "cube", ([1, 0],)),
    ("tf.gather(x, n, axis=m)", "cube", (1, 2)),
    ("tf.gather(x, [[0], [1]], batch_dims=n, axis=2)", "cube", (1,)),
    ("tf.gather_nd(x, n)", "cube", ([[0, 1], [1, 2]],)),
    ("tf.boolean_mask(x, [True, False, True], axis=n)", "cube", (1,)),
    ("tf.eye(n)", "vector", (3,)),
    ("tf.eye(n, m)", "vector", (3, 2)),
    ("tf.eye(2, batch_shape=n)", "vector", ([2, 3],)),
    ("tf.zeros(n)", "vector", ([2, 3],)),
    ("tf.ones(n)", "vector", ([2, 3],)),
    ("tf.zeros([n, 2])", "vector", (3,)),
    ("tf.fill(n, 1.5)", "vector", ([2, 3],)),
    ("tf.fill([n], m)", "vector", (3, 1.5)),
    ("tf.constant(2.0, shape=n)", "vector", ([2, 3],)),
    ("tf.range(n)", "vector", (4,)),
    ("tf.range(1, n, m)", "vector", (9, 2)),
    ("tf.linspace(0.0, 1.0, n)", "vector", (5,)),
    ("tf.one_hot(x, n)", "ids", (3,)),
    ("tf.one_hot(x, 3, axis=n)", "ids", (0,)),
    ("tf.one_hot(x, 3, on_value=n, off_value=m)", "ids", (2.0, -1.0)),
    ("tf.sequence_mask(x, maxlen=n)", "ids", (4,)),
    ("tf.math.unsorted_segment_sum(x, [0, 1], n)", "cube", (3,)),
    ("tf.math.bincount(x, minlength=n, maxlength=m)", "ids", (2, 5)),
    ("tf.histogram_fixed_width(x, [0.0, 1.0], nbins=n)", "vector", (4,)),
    ("tf.math.confusion_matrix(x, x, num_classes=n)", "ids", (4,)),
    ("tf.math.top_k(x, k=n)", "cube", (2,)),
    ("tf.math.approx_max_k(x, k=n)", "rows", (2,)),
    ("tf.math.in_top_k([0, 1], x, k=n)", "rows", (2,)),
    ("tf.nn.in_top_k([0, 1], x, n)", "rows", (2,)),
    ("tf.math.clip_by_value(x, n, m)", "cube", (0.2, 0.6)),
    ("tf.clip_by_value(x, n, m)", "cube", (0.2, 0.6)),
    ("tf.clip_by_norm(x, n)", "cube", (1.0,)),
    ("tf.clip_by_norm(x, 1.0, axes=n)", "cube", ([0],)),
    ("tf.tensordot(x, x, axes=n)", "cube", ([[0, 1], [0, 1]],)),
    ("tf.tensordot(x, x, axes=n)", "matrix", (1,)),
    ("tf.linalg.diag(x, k=n)", "vector", (1,)),
    ("tf.linalg.diag_part(x, k=n)", "matrix", (1,)),
    ("tf.linalg.set_diag(x, [9.0, 9.0], k=n)", "matrix", (-1,)),
    ("tf.linalg.band_part(x, n, m)", "matrix", (1, 0)),
    ("tf.linalg.trace(x) + n", "matrix", (1.5,)),
    ("tf.norm(x, ord=n)", "vector", (1,)),
    ("tf.linalg.tensor_diag(x) * n", "vector", (2.0,)),
    ("tf.math.pow(x, n)", "cube", (2.0,)),
    ("tf.math.polygamma(n, x + 1.0)", "vector", (1.0,)),
    ("tf.cumsum(x, axis=n, reverse=True)", "cube", (0,)),
    ("tf.searchsorted(tf.sort(x), n)", "vector", ([0.3, 0.6],)),
    ("tf.space_to_batch(x, n, m)", "images", ([2, 2], [[0, 0], [0, 0]])),
    ("tf.space_to_depth(x, n)", "images", (2,)),
    ("tf.batch_to_space(tf.tile(x, [4, 1, 1, 1]), n, m)", "images", ([2, 2], [[0, 0], [1, 0]])),
    ("tf.nn.dropout(x, n)", "cube", (0.0,)),
    ("tf.nn.dropout(x, 0.0, noise_shape=n)", "cube", ([2, 1, 4],)),
    ("tf.nn.moments(x, axes=n)", "cube", ([0, 1],)),
    ("tf.nn.weighted_moments(x, [0], n)", "cube", (1.0,)),
    ("tf.nn.leaky_relu(x - 0.5, alpha=n)", "cube", (0.3,)),
    ("tf.nn.lrn(x, depth_radius=n)", "images", (2,)),
    ("tf.nn.max_pool2d(x, n, m, 'VALID')", "images", (2, 2)),
    ("tf.nn.avg_pool2d(x, n, m, 'SAME')", "images", ([2, 2], [1, 2])),
    ("tf.nn.l2_loss(x) * n", "cube", (2.0,)),
    ("tf.nn.batch_normalization(x, 0.0, 1.0, None, None, n)", "cube", (0.1,)),
    ("tf.nn.conv2d_transpose(x, tf.ones([2, 2, 1, 3]), n, 2)", "images", ([1, 8, 12, 1],)),
    ("tf.nn.embedding_lookup(x, n)", "matrix", ([0, 2],)),
    ("tf.image.resize(x, n)", "images", ([3, 9],)),
    ("tf.image.resize(x, n, method='nearest')", "images", ([3, 9],)),
    ("tf.image.resize_with_crop_or_pad(x, n, m)", "image", (3, 9)),
    ("tf.image.resize_with_pad(x, n, m)", "image", (3, 9)),
    ("tf.image.pad_to_bounding_box(x, n, m, 9, 9)", "image", (1, 2)),
    ("tf.image.crop_to_bounding_box(x, n, m, 2, 2)", "image", (1, 2)),
    ("tf.image.central_crop(x, n)", "image", (0.5,)),
    ("tf.image.crop_and_resize(x, [[0.0, 0.0, 1.0, 1.0]], [0], n)", "images", ([2, 2],)),
    ("tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], 'VALID') * n",
     "images", (2.0,)),
    ("tf.image.rot90(x, k=n)", "image", (1,)),
    ("tf.image.adjust_brightness(x, n)", "image", (0.1,)),
    ("tf.image.adjust_contrast(x, n)", "image", (2.0,)),
    ("tf.image.adjust_gamma(x, n, m)", "image", (2.0, 0.5)),
    ("tf.image.adjust_hue(x, n)", "image", (0.1,)),
    ("tf.image.adjust_saturation(x, n)", "image", (0.5,)),
    ("tf.image.psnr(x, x * 0.5, max_val=n)", "image", (1.0,)),
    ("tf.image.non_max_suppression([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.9, 1.0]], [0.9, 0.8], n)",
     "vector", (1,)),
    ("tf.random.stateless_uniform(n, [1, 2])", "vector", ([2, 3],)),
    ("tf.random.stateless_uniform([3], n)", "vector", ([1, 2],)),
    ("tf.random.stateless_uniform([3], [1, 2], minval=n, maxval=m)", "vector", (1.0, 2.0)),
    ("tf.random.stateless_normal(n, [1, 2], mean=m)", "vector", ([2, 3], 1.0)),
    ("tf.random.stateless_categorical([[0.1, 0.9]], n, [1, 2])", "vector", (4,)),
    ("tf.shape(tf.random.uniform(n))", "vector", ([2, 3],)),
    ("tf.shape(tf.random.normal([n, 2]))", "vector", (3,)),
    ("tf.shape(tf.random.categorical([[0.1, 0.9]], n))", "vector", (4,)),
    ("tf.shape(tf.random.gamma(n, 1.0))", "vector", ([2],)),
    ("tf.shape(tf.random.poisson(n, [1.0]))", "vector", ([2],)),
    ("tf.shape(tf.random.truncated_normal(n))", "vector", ([2],)),
    ("tf.signal.frame(x, n, m)", "signal", (4, 2)),
    ("tf.signal.frame(x, 4, 2, axis=n)", "signal", (-1,)),
    ("tf.abs(tf.signal.stft(x, n, m))", "signal", (8, 4)),
    ("tf.abs(tf.signal.rfft(x, fft_length=n))", "signal", ([8],)),
    ("tf.signal.dct(x, n=n)", "signal", (8,)),
    ("tf.signal.hann_window(n)", "signal", (8,)),
    ("tf.signal.hamming_window(n)", "signal", (8,)),
    ("tf.signal.kaiser_window(n, beta=m)", "signal", (8, 4.0)),
    ("tf.signal.overlap_and_add(tf.reshape(x, [4, 4]), n)", "signal", (2,)),
    ("tf.signal.linear_to_mel_weight_matrix(n, 5, 8000)", "signal", (4,)),
    ("tf.signal.linear_to_mel_weight_matrix(4, n, m)", "signal", (5, 8000)),
    ("tf.meshgrid(x, tf.range(n))", "ids", (3,)),
    ("tf.unravel_index(n, m)", "vector", ([5, 1], [2, 3])),
    ("tf.scatter_nd([[0], [2]], [1.0, 2.0], n)", "vector", ([4],)),
    ("tf.tensor_scatter_nd_update(x, n, [9.0])", "vector", ([[1]],)),
    ("tf.sparse.to_dense(tf.sparse.SparseTensor([[0, 1]], [1.0], n))", "vector", ([2, 3],)),
    ("tf.sparse.to_dense(tf.sparse.from_dense(x), default_value=n)", "matrix", (1.0,)),
    ("tf.sparse.reduce_sum(tf.sparse.from_dense(x), axis=n)", "matrix", (0,)),
    ("tf.sparse.to_dense(tf.sparse.reshape(tf.sparse.from_dense(x), n))", "matrix", ([1, 9],)),
    ("tf.ragged.range(n).flat_values", "vector", ([2, 3],)),
    ("tf.RaggedTensor.from_row_splits(x, n).to_tensor()", "vector", ([0, 2, 6],)),
    ("tf.RaggedTensor.from_uniform_row_length(x, n).flat_values", "vector", (3,)),
    ("tf.RaggedTensor.from_tensor(x).to_tensor(shape=[None, n])", "matrix", (4,)),
    ("tf.strings.substr(x, n, m)", "texts", (0, 2)),
    ("tf.strings.as_string(n)", "vector", ([1, 2],)),
    ("tf.strings.to_hash_bucket_fast(x, n)", "texts", (10,)),
    ("tf.strings.reduce_join(x, axis=n)", "texts", (0,)),
    ("tf.bitcast(n, tf.float32)", "vector", ([1, 2],)),
    ("tf.cast(n, tf.float32) * x", "vector", (2,)),
    ("tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])", "vector", (3,)),
    ("tf.cond(n > 1, lambda: x, lambda: -x)", "vector", (2,)),
    ("tf.switch_case(n, [lambda: x, lambda: -x])", "vector", (1,)),
    ("tf.dynamic_partition(x, n, 2)", "vector", ([0, 1, 0, 1, 1, 0],)),
    ("tf.dynamic_stitch([n, m], [x[:2], x[2:4]])", "vector", ([0, 2], [1, 3])),
    ("tf.math.segment_sum(x, n)", "cube", ([0, 0],)),
    ("tf.math.l2_normalize(x, axis=0, epsilon=n)", "cube", (0.1,)),
    ("tf.ensure_shape(x, [n, 3, 4])", "cube", (2,)),
    ("tf.math.add_n([x, x * n])", "cube", (2.0,)),
    ("tf.vectorized_map(lambda t: t * n, x)", "cube", (2.0,)),
    ("tf.map_fn(lambda t: tf.reduce_sum(t, axis=n), x)", "cube", (0,)),
    ("tf.scan(lambda a, t: a + t * n, x)", "cube", (2.0,)),
    ("tf.quantization.fake_quant_with_min_max_vars(x, n, m)", "cube", (0.0, 1.0)),
]  # fmt: skip


def _is_whole(n: Any) -> bool:
    return np.asarray(n).dtype.kind == "i"


FORMS: dict[str, Callable[[Any, Any], Any]] = {
    "tensor": lambda tf, n: tf.constant(n),
    "int64": lambda tf, n: tf.constant(n, tf.int64 if _is_whole(n) else None),
    "numpy": lambda tf, n: np.asarray(n, "int32" if _is_whole(n) else "float32")[()],
    "numpy64": lambda tf, n: np.asarray(n)[()],
    "variable": lambda tf, n: tf.Variable(n),
    "list": lambda tf, n: [tf.constant(each) for each in n] if isinstance(n, list) else n,
}  # fmt: skip
WAYS = ("eager", "function", "unknown", "session")


def given(tf: Any, call: tuple[str, str, tuple[Any, ...]], form: str) -> tuple[Any, list[Any]]:
    """The tensor of a call and its numbers in a form."""
    _, of, numbers = call
    return tf.constant(TENSORS[of]), [FORMS[form](tf, n) for n in numbers]


def run(tf: Any, call: tuple[str, str, tuple[Any, ...]], form: str, way: str) -> Any:
    """What a call makes, as arrays. In functions tensors are arguments, of unknown shape if the way
    is "unknown"; in a session they are fed.
    """
    text = call[0]
    code = compile(text, "case", "eval")

    def body(x: Any, *n: Any) -> Any:
        names = dict(zip(("n", "m"), n, strict=False))
        return eval(code, {"tf": tf, "x": x, **names})

    if way == "session":
        return _in_session(tf, call, form, body)
    x, numbers = given(tf, call, form)
    if way == "eager":
        made = body(x, *numbers)
    else:
        is_tensor = form in ("tensor", "int64")
        taken = [x, *numbers] if is_tensor else [x]
        specs = [_spec(tf, each, way, i) for i, each in enumerate(taken)]
        made = tf.function(
            lambda *a: body(*a, *([] if is_tensor else numbers)), input_signature=specs,
            autograph=False,
        )(*taken)  # fmt: skip
    return [np.asarray(each) for each in tf.nest.flatten(made)]


def _spec(tf: Any, value: Any, way: str, place: int) -> Any:
    if way == "function":
        return tf.TensorSpec(value.shape, value.dtype)
    return tf.TensorSpec(None if place == 0 else [None] * value.shape.rank, value.dtype)


def _in_session(tf: Any, call: Any, form: str, body: Callable[..., Any]) -> Any:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        x, *numbers = [np.asarray(TENSORS[call[1]]), *call[2]]
        fed = v1.placeholder(tf.as_dtype(x.dtype), [None] * x.ndim)
        feeds: dict[Any, Any] = {fed: x}
        given_ = []
        for n in numbers:
            dtype = tf.int32 if _is_whole(n) else tf.float32
            if form in ("tensor", "int64"):
                dtype = tf.int64 if form == "int64" and dtype is tf.int32 else dtype
                given_.append(v1.placeholder(dtype, [None] * np.ndim(n)))
                feeds[given_[-1]] = n
            elif form == "variable":
                given_.append(v1.get_variable(f"n{len(given_)}", initializer=tf.constant(n)))
            else:
                given_.append(FORMS[form](tf, n))
        made = tf.nest.flatten(body(fed, *given_))
        session.run(v1.global_variables_initializer())
        return [np.asarray(each) for each in session.run(made, feeds)]


def told(call: tuple[str, str, tuple[Any, ...]], answer: Any) -> Any:
    """An answer as it is kept: shapes, and the sum of the numbers."""
    return [[list(each.shape), _total(each)] for each in answer]


def _total(array: Any) -> Any:
    if array.dtype.kind in "OSU":
        return "|".join(x.decode() if isinstance(x, bytes) else str(x) for x in array.reshape(-1))
    weights = np.cos(np.arange(array.size))
    with np.errstate(all="ignore"):
        total = float(np.sum(np.asarray(array, np.float64).reshape(-1) * weights))
    return total if np.isfinite(total) else repr(total)
