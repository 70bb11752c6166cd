"""Single operations that programs from `GROWN` on draw, too: those of older seeds stay as they are.

The tables are written like those of `catalogue.py`.
"""
# ruff: noqa: E501  # an operation stands on one line

from __future__ import annotations

from .catalogue import read

GROWN = 1_000_000
"""The first seed whose programs draw from here."""

_ANY_FLOATS = """
F: tf.where({F} > 2.0, np.nan, {F})
F: tf.maximum({F}, tf.where({F} > 2.0, np.nan, 0.0))
F: tf.minimum(tf.where({F} < -2.0, np.nan, 1.0), {F})
F: tf.nn.relu(tf.where({F} > 2.0, np.nan, {F}))
F: tf.clip_by_value(tf.math.divide_no_nan({F}, tf.floor({F})), -4.0, 4.0)
F: tf.clip_by_value(tf.where({F} > 2.0, np.inf, {F}), -3.0, 3.0)
F: tf.math.multiply_no_nan({F}, tf.round({F}))
F: tf.math.xlogy(tf.nn.relu({F}), tf.abs({F}) + 0.1) * 0.3
F: tf.math.atan2({F}, tf.round({F}))
F: tf.clip_by_value(tf.pow(tf.abs({F}) + 0.1, {F}), -4.0, 4.0)
F: tf.sign({F}) * tf.math.rsqrt(tf.abs({F}) + 0.3)
F: tf.math.floormod({F}, 0.7)
F: tf.math.floormod({F}, -0.7)
F: tf.stop_gradient({F} // 0.3) * 0.1
F: tf.math.erf({F}) + tf.math.expm1(tf.minimum({F}, 1.0)) * 0.1
F: tf.nn.elu({F}) + tf.nn.selu({F}) * 0.1
F: tf.nn.gelu({F})
F: tf.nn.silu({F}) - tf.nn.relu6({F})
F: tf.math.log1p(tf.abs({F}))
F: tf.clip_by_value(tf.math.squared_difference({F}, {F}), -4.0, 4.0)
F: tf.cast(tf.cast({F}, tf.float16), tf.float32)
F: tf.cast(tf.cast({F}, tf.bfloat16), tf.float32) * 0.3
F: tf.cast(tf.cast({F} * 3.7, tf.int8), tf.float32) * 0.1
F: tf.cast(tf.saturate_cast({F} * 200.0, tf.uint8), tf.float32) / 100.0
F: tf.cast(tf.cast({F}, tf.bool), tf.float32) + {F} * 0.1
F: tf.stop_gradient(tf.bitcast(tf.bitcast({F}, tf.int32), tf.float32))
F: tf.quantization.fake_quant_with_min_max_args({F}, -2, 2)
F: tf.grad_pass_through(tf.round)({F})
F: tf.recompute_grad(lambda x: tf.sin(x) * x)({F})
F: tf.custom_gradient(lambda x: (tf.sin(x), lambda dy: dy * tf.cos(x) * 0.5))({F})
F: tf.custom_gradient(lambda x, y: (x * y, lambda dy: (dy * y, dy * x * 2.0)))({F}, tf.tanh({F}))
F: tf.clip_by_norm({F}, 1.0)
F: tf.clip_by_global_norm([{F}, {f3}], 1.5)[0][0]
F: tf.identity_n([{F}, {f}])[0]
F: {F} * np.float32(0.5)
F: np.float32(2.0) - {F}
F: np.float32(0.5) * {F}
F: 2 - {F}
F: tf.clip_by_value({F} ** 2, 0.0, 4.0) - 1 / (tf.abs({F}) + 1)
F: tf.vectorized_map(lambda x: tf.tanh(x) * 2.0, {F}[None])[0]
F: tf.cond({b}, lambda: {F} * 2.0, lambda: {F}) * 0.5
F: tf.cond({f} > 0.0, lambda: ({F}, None), lambda: ({F} * 0.5, None))[0]
F: tf.function(lambda x, y: x if y is None else x + y, autograph=False)({F}, None)
F: tf.function(lambda *a, k=1.0: a[0] * k + a[-1] * 0.3, autograph=False)({F}, {F}, k=0.5)
F: tf.function(lambda x: dict(x=x * 0.5, y=None), autograph=False)({F})["x"]
F: tf.while_loop(lambda x: tf.reduce_sum(tf.abs(x)) > 1.0, lambda x: [x * 0.5], [{F}])[0]
F: tf.nest.map_structure(lambda x, y: x - y, dict(a=[{F}]), dict(a=[{F}]))["a"][0] * 0.5
F: tf.clip_by_value(tf.math.polyval([{F}, 0.5, 1.0], {F}), -4.0, 4.0)
F: tf.math.accumulate_n([{F}, {F}]) * 0.5
F: tf.math.real(tf.cast({F}, tf.complex64) * (1 + 1j)) * 0.5
F: tf.cast(tf.math.sin(tf.cast({F}, tf.float64)), tf.float32)
F: tf.nn.dropout({F}, 0.0) + 0.25
F: tf.debugging.check_numerics(tf.tanh(tf.where(tf.math.is_finite({F}), {F}, 0.0)), "finite")
"""

_VECTORS_AND_MATRICES = """
f3: {f3} + np.float32([0.5, -1.0, 2.0])
f3: np.float32([0.5, -1.0, 2.0]) * {f3}
f3: np.array([1.0, 2.0, 3.0]) - {f3}
f3: tf.squeeze(tf.matmul(np.ones([3, 3], np.float32), {f3}[:, None]), 1) * 0.3
f: {f3}[np.int64(1)]
f3: {f23}[..., -1, :]
f3: {f32}[:, np.newaxis, 0][:, 0]
f3: {f32}[::-1, -1]
f3: tf.strided_slice({f3}, [-1], [-4], [-1])
f3: (lambda k: tf.ensure_shape(tf.concat([{f3}[k:], {f3}[:k]], 0), [3]))({i} % 3)
f3: tf.reduce_sum(tf.zeros([0, 3]) + {f3}, 0) + {f3}
f3: tf.reduce_max(tf.concat([{f23}, tf.zeros([0, 3])], 0), 0)
f3: {f3} + tf.reduce_sum({f23}[:0] * {f3}, 0)
f3: tf.reduce_prod({f23}[2:], 0) * {f3}
f3: tf.clip_by_value(tf.reduce_max({f23}[:0], 0), -1.0, 1.0) + {f3}
f3: tf.where(tf.math.is_nan(tf.reduce_mean({f23}[:0], 0)), {f3}, 0.0)
f23: tf.matmul({f23}[:, :0], tf.zeros([0, 3])) + {f23}
f: tf.reduce_sum(tf.gather({f3}, tf.constant([], tf.int32))) + {f}
f: tf.tanh(tf.reduce_sum(tf.boolean_mask({f3}, {b3})))
f3: (lambda m: tf.ensure_shape(tf.scatter_nd(tf.cast(tf.where(m), tf.int32), tf.boolean_mask({f3}, m), [3]), [3]))({b3})
f3: tf.dynamic_stitch([[0, 2], [1]], [{f3}[:2], {f3}[2:]])
f3: (lambda p: tf.ensure_shape(tf.dynamic_stitch(tf.dynamic_partition(tf.range(3), p, 2), tf.dynamic_partition({f3}, p, 2)), [3]))({i3} % 2)
f3: tf.gather_nd({f23}, [[0, 1], [1, 2], [0, 0]])
f3: tf.gather({f23}, {i3} % 3, axis=1)[0]
f23: tf.gather({f23}, tf.constant([[0, 2, 1], [1, 1, 0]]), batch_dims=1)
f23: tf.tensor_scatter_nd_max({f23}, [[0], [1]], {f23})
f3: tf.tensor_scatter_nd_min({f3}, [[0], [2]], [{f}, 0.5])
f3: tf.tensor_scatter_nd_add({f3}, {i3}[:, None] % 3, {f3}) * 0.5
f3: tf.math.segment_sum({f3}, [0, 0, 2])
f3: tf.math.segment_mean({f32}, [0, 1, 1])[:, 0][tf.constant(0)] + {f3}
f3: tf.clip_by_value(tf.math.unsorted_segment_max({f3}, {i3} % 3, 3), -3.0, 3.0)
f3: tf.math.unsorted_segment_mean({f3}, {i3} % 4 - 1, 3)
f3: tf.clip_by_value(tf.math.unsorted_segment_prod({f3}, {i3} % 3, 3), -3.0, 3.0)
f23: tf.nn.embedding_lookup({f23}, [1, 0])
f23: tf.gather(v2, [1, 0])
f3: tf.gather(v1, {i3} % 3)
f3: tf.nn.embedding_lookup(v1, {i3} % 3) + v1
f: tf.gather(v2, {i} % 2)[1] + v2[0, 1]
f3: tf.TensorArray(tf.float32, 3).unstack({f3}).gather([2, 0, 1])
f: tf.TensorArray(tf.float32, 3, clear_after_read=False).unstack({f3}).read({i} % 3)
f3: tf.TensorArray(tf.float32, 0, True, element_shape=[]).write(1, {f}).write(0, {f}).write(2, {f}).stack()
f3: tf.TensorArray(tf.float32, 3, element_shape=[]).scatter([2, 0, 1], {f3}).stack()
f3: tf.ensure_shape(tf.TensorArray(tf.float32, 2, infer_shape=False).split({f3}, [1, 2]).concat(), [3])
f3: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, {f3}[2 - i] * {f})), (0, tf.TensorArray(tf.float32, 3, element_shape=[])))[1].stack()
f3: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.tensor_scatter_nd_add(x, [[i]], [x[2 - i] * 0.5])), (0, {f3}))[1]
f3: tf.ensure_shape(tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, tf.concat([x, x[:1] * 2.0], 0)), (0, {f3}), shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])))[1][2:], [3])
f3: tf.foldr(lambda a, x: tf.tanh(a + x), {f23})
f23: tf.scan(lambda a, x: a * 0.5 + x, {f23}, reverse=True)
f23: tf.map_fn(lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x, lambda: x * 0.5), {f23})
f3: tf.map_fn(lambda x: x[0] * tf.cast(x[1], tf.float32), ({f3}, {i3} % 3), fn_output_signature=tf.float32)
f23: tf.vectorized_map(lambda x: x * tf.reduce_sum(x) * 0.3, {f23})
f3: tf.vectorized_map(lambda x: tf.reduce_sum(x[0]) * x[1], ({f32}, {f3})) * 0.3
f23: tf.cond({b}, lambda: tf.RaggedTensor.from_row_lengths({f3}, [1, 2]), lambda: tf.RaggedTensor.from_row_lengths({f3} * 2.0, [2, 1])).to_tensor(shape=[2, 3])
f23: tf.while_loop(lambda i, r: i < 2, lambda i, r: (i + 1, r * 0.5 + {f}), (0, tf.RaggedTensor.from_row_lengths({f3}, [1, 2])))[1].to_tensor(shape=[2, 3])
f23: tf.function(lambda r: r * 2.0, autograph=False)(tf.RaggedTensor.from_row_splits({f3}, [0, 0, 3])).to_tensor(0.5, shape=[2, 3]) * 0.5
f3: tf.ensure_shape(tf.concat([tf.RaggedTensor.from_row_lengths({f3}, [1, 2])[::-1], tf.RaggedTensor.from_row_lengths({f3}, [3, 0])], 1).flat_values[:3], [3])
f3: tf.ensure_shape(tf.reduce_max(tf.RaggedTensor.from_row_lengths({f3}, [1, 1, 1]), 1), [3])
f23: tf.gather(tf.RaggedTensor.from_row_lengths({f3}, [2, 1]), [1, 0]).to_tensor(shape=[2, 3])
f3: tf.sparse.to_dense(tf.cond({b}, lambda: tf.sparse.from_dense({f3}), lambda: tf.sparse.from_dense({f3} * 2.0))) * 0.5
f3: tf.sparse.reduce_sum(tf.SparseTensor([[0, 1], [1, 2]], {f3}[1:], [2, 3]), 0)
f23: tf.sparse.to_dense(tf.sparse.add(tf.SparseTensor([[0, 1]], {f3}[:1], [2, 3]), tf.SparseTensor([[1, 1]], {f3}[1:2], [2, 3])))
f23: tf.reshape(tf.nn.conv2d({f23}[None, :, :, None], tf.ones([2, 2, 1, 1]) * {f}, 1, "SAME"), [2, 3]) * 0.3
f23: tf.nn.relu(tf.nn.conv2d({f23}[None, :, :, None], tf.reshape({f32}, [3, 2, 1, 1]), 1, "SAME")[0, :, :, 0] + {f3}) * 0.3
f3: tf.reshape(tf.nn.conv1d({f3}[None, :, None], {f3}[:, None, None], 1, "SAME"), [3]) * 0.3
f23: tf.nn.max_pool2d({f23}[None, :, :, None], 2, 1, "SAME")[0, :, :, 0]
f23: tf.nn.avg_pool2d({f23}[None, :, :, None], 2, 1, "SAME")[0, :, :, 0]
f23: tf.nn.batch_normalization({f23}, {f3}, tf.abs({f3}) + 0.5, {f3}, {f3}, 0.001)
f23: tf.compat.v1.nn.fused_batch_norm({f23}[:, None, None], {f3}, {f3}, epsilon=0.1)[0][:, 0, 0]
f: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[{i} % 3], logits={f3}[None])[0]
f3: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.sigmoid({f3}), logits={f3})
f: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax({f3}), {f3})
f: tf.tanh(tf.nn.l2_loss({f23}))
f3: tf.linalg.diag_part(tf.linalg.cholesky(tf.eye(3) + {f3}[:, None] * {f3}[None]))
f: tf.clip_by_value(tf.linalg.det(tf.eye(2) + tf.matmul({f23}, {f32}) * 0.1), -4.0, 4.0)
f23: tf.linalg.band_part({f23}, 0, 1)
f23: tf.linalg.set_diag({f23}, {f3}[:2])
f3: tf.signal.irfft(tf.signal.rfft({f3}), [3])
f23: {f32}[:2, :1] + {f3}
f23: {f3}[None] * {f32}[:2, 1:] - {f}
f3: tf.reduce_sum({f3}[:, None] * {f3}[None], 1) * 0.3
f3: tf.math.cumulative_logsumexp({f3}) * 0.3
f3: tf.math.cumprod({f3}, exclusive=True, reverse=True) * 0.3
f3: tf.repeat({f3}, [2, 0, 1])
f3: tf.linalg.cross({f3}, {f3}) * 0.3
f: tf.tensordot({f3}, {f3}, 1) * 0.2
f23: tf.math.top_k({f23}, 3).values
f3: tf.gather(tf.math.top_k({f3}, 3).values, {i3} % 3)
f3: tf.cast({h3}, tf.float32)
f3: tf.cast({w3}, tf.float32)
f3: tf.cast({u3}, tf.float32) / 100.0
f: tf.cast(tf.reduce_sum({h3}), tf.float32) * 0.2
f: tf.cast(tf.reduce_sum({w3}), tf.float32) * 0.2
f: tf.stop_gradient(tf.data.Dataset.from_tensor_slices({f3}).map(lambda x: x * 2.0).reduce(0.0, lambda a, x: a * 0.5 + x))
f: tf.stop_gradient(tf.data.Dataset.from_tensor_slices({f3}).filter(lambda x: x > 0.0).reduce(0.5, lambda a, x: tf.maximum(a, x)))
f3: tf.stop_gradient(tf.ensure_shape(tf.data.Dataset.from_tensors({f3}).map(lambda x: x + {f}).get_single_element(), [3]))
f23: tf.stop_gradient(tf.data.Dataset.from_tensor_slices({f32}).batch(3).map(tf.transpose).get_single_element() * 0.5 + {f23})
f3: tf.stop_gradient(tf.ensure_shape(tf.data.Dataset.zip((tf.data.Dataset.range(3), tf.data.Dataset.from_tensor_slices({f3}))).map(lambda i, x: x * tf.cast(i, tf.float32)).batch(3).get_single_element(), [3]))
"""

_OTHER_KINDS = """
I: {I} // 3
I: {I} // -3
I: {I} % -4
I: tf.truncatediv({I}, -2)
I: tf.truncatemod({I}, 3)
I: tf.math.floordiv({I} * -7, 4) % 50
I: {I} * 1000003 * 4099 % 1000
I: tf.cast(tf.cast({I} * 100, tf.int8), tf.int32)
I: tf.cast(tf.cast({I} * 77, tf.uint8), tf.int32)
I: tf.cast(tf.cast({I}, tf.uint16), tf.int32) % 1000
I: tf.cast(tf.cast({I}, tf.int64) * 2**33 + 5, tf.int32)
I: tf.cast(tf.cast({I}, tf.int64) * 3037000507 // 1000, tf.int32) % 100
I: tf.bitwise.left_shift({I}, 3) % 50
I: tf.bitwise.right_shift({I}, 1)
I: tf.bitwise.invert({I})
I: tf.abs({I}) - tf.sign({I})
I: tf.pow({I} % 4, 2)
I: tf.clip_by_value({I}, -2, 3)
I: tf.where({I} > 2, -{I}, {I})
I: {I} + np.int32(2)
I: 7 - {I}
I: tf.cond({b}, lambda: {I}, lambda: {I} + 1) % 19
I: tf.while_loop(lambda x: tf.reduce_max(x) < 9, lambda x: [x + 4], [{I}])[0]
i3: tf.cast({f3} * 3.7, tf.int32)
i3: tf.cast(tf.cast({f3} * -3.7, tf.int64), tf.int32)
i3: tf.cast(tf.math.ceil({f3}), tf.int32)
i3: tf.cast(tf.clip_by_value({f3}, -0.9, 0.9) * 1e9, tf.int32) % 1000
i3: tf.math.bincount({i3} % 3, minlength=3, maxlength=3)
i: tf.reduce_prod({i3} % 5)
i: tf.math.count_nonzero({b3}, dtype=tf.int32)
i3: tf.cumsum({i3}, exclusive=True, reverse=True) % 20
i3: tf.searchsorted(tf.sort({f3}), {f3})
i3: tf.math.top_k({f3}, 3).indices
i3: tf.argmin({f23}, 0, tf.int32)
i3: tf.tensor_scatter_nd_update({i3}, [[1]], [{i}])
i: ({f23}.shape[0] or 2) * {i} % 7
i: tf.rank({f23}) + {i}
i: tf.size(tf.where({b3}))
i: tf.shape(tf.boolean_mask({f3}, {b3}))[0]
i: tf.size(tf.unique({i3}).y)
i: tf.reduce_sum(tf.ragged.constant([[1, 2], [3]])[{i} % 2])
i: tf.reduce_sum(tf.range(0, {i} % 5))
i: tf.reduce_max(tf.range(-({i} % 9), {i} % 5 + 7, 2))
i: tf.strings.length({s}, unit="UTF8_CHAR")
i: tf.size(tf.strings.split({s}, "a"))
i: tf.strings.to_number(tf.strings.as_string({i}), tf.int32)
i: tf.cast(tf.data.Dataset.range(3).reduce(tf.constant(0, tf.int64), lambda a, x: a + x * tf.cast({i}, tf.int64)), tf.int32) % 50
i3: tf.ensure_shape(tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.int32) + {i}).batch(3).get_single_element(), [3])
l3: tf.cast({f3} * 1e5, tf.int64) % 1000
l3: {l3} // -3
l3: tf.cast({u3}, tf.int64)
u3: tf.cast({i3}, tf.uint8)
u3: {u3} + {u3}
u3: {u3} * 3 - 5
u3: {u3} // 7
u3: tf.bitwise.invert({u3})
u3: tf.maximum({u3}, {u3}) % 9
u3: tf.saturate_cast({f3} * 100.0, tf.uint8)
u3: tf.saturate_cast({i3} * 50, tf.uint8)
i3: tf.cast({u3}, tf.int32)
h3: tf.cast({f3}, tf.float16)
h3: {h3} * 0.5 + 1.0
h3: tf.tanh({h3}) - {h3} * 0.1
h3: tf.nn.softmax({h3})
h3: tf.cast({w3}, tf.float16)
h3: tf.where({b3}, {h3}, tf.cast({f}, tf.float16))
w3: tf.cast({f3}, tf.bfloat16)
w3: {w3} * 0.5 - 1.0
w3: tf.sin({w3}) + tf.nn.relu({w3})
w3: tf.cast({h3}, tf.bfloat16)
b3: tf.math.is_nan({f3})
b: tf.reduce_all({f3} >= {f})
b: tf.reduce_any(tf.math.is_inf(1.0 / tf.round({f3})))
B: tf.cast(tf.cast({B}, tf.int32) * 2, tf.bool)
b3: tf.math.greater({h3}, 0.5)
b3: tf.strings.regex_full_match({s3}, ".*b.*")
b3: tf.math.in_top_k({i3} % 3, tf.linalg.diag({f3}), 1)
d3: tf.cast({h3}, tf.float64)
d3: {d3} / (1.0 + tf.abs({d3})) + tf.cast({i3}, tf.float64) * 0.1
c3: tf.cond({b}, lambda: {c3}, lambda: tf.math.conj({c3}))
c3: tf.math.tanh({c3} * 0.3)
s: tf.strings.reduce_join(tf.strings.split({s}, "-"), separator="+")
s: tf.strings.reduce_join(tf.strings.bytes_split({s}))
S: tf.strings.lower({S})
S: tf.strings.strip({S} + " ")
s: tf.cond({b}, lambda: tf.strings.substr({s} + "!", 0, 5), lambda: {s})
s: tf.strings.substr(tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, x + "y"), (0, {s}))[1], 0, 6)
s: tf.io.decode_base64(tf.io.encode_base64({s}))
s: tf.strings.as_string({f3}[0], precision=2)
s3: tf.strings.as_string({b3})
s3: tf.where({b3}, {s3}, {s})
s3: tf.strings.join([{s3}, tf.strings.as_string({i3} % 10)])
s3: tf.map_fn(lambda x: tf.strings.upper(x), {s3})
s3: tf.ensure_shape(tf.data.Dataset.from_tensor_slices({s3}).map(lambda x: x + {s}).batch(3).get_single_element(), [3])
"""

_FAILURES = """
f3: tf.ensure_shape(tf.map_fn(lambda x: tf.gather({f3}, tf.cast(x * 0.0, tf.int32) + 5), {f3}), [3])
i3: tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x // (1 - i)), (0, {i3}))[1]
f3: tf.gather({f3}, {i3} * 0 - 1)
f: tf.stop_gradient(tf.data.Dataset.from_tensor_slices({f3}).map(lambda x: {f3}[tf.cast(x * 0.0, tf.int32) + 9]).reduce(0.0, lambda a, x: a + x))
f3: tf.linalg.diag_part(tf.linalg.cholesky(tf.eye(3) * {f} * 0.0 - tf.eye(3)))
f23: tf.RaggedTensor.from_row_splits({f3}, tf.stack([0, tf.abs({i}) + 5, 3])).to_tensor(shape=[2, 3])
f3: tf.scatter_nd([[0], [tf.abs({i}) + 3], [1]], {f3}, [3])
s: tf.strings.substr({s}, 50, 1)
i: tf.strings.to_number({s} + "x", tf.int32)
f3: tf.one_hot({i} % 3, tf.constant(-1) * tf.abs({i}) - 1) * {f3}
"""

_VARIABLE_CHANGES: dict[str, tuple[str, ...]] = {
    "v1": (
        "v1[1].assign(tf.tanh({f}))", "v1[:2].assign(tf.tanh({f3})[1:])",
        "v1.scatter_sub(tf.IndexedSlices([tf.tanh({f})], [0]))",
        "v1.scatter_update(tf.IndexedSlices(tf.tanh({f3}), [2, 0, 1]))",
        "v1.scatter_min(tf.IndexedSlices([{f}], [1]))", "v1.assign(v1 * 0.5 + 1.0)",
        "v1.assign(tf.gather(v1, [2, 0, 1]))", "v1.assign(v2[0])", "v1.assign_sub(v1 * 0.5)",
        "v1.scatter_nd_update([[{i} % 3]], [tf.tanh({f})])",
        "tf.raw_ops.ResourceApplyGradientDescent(var=v1.handle, alpha=0.1, delta=tf.tanh({f3}))",
    ),
    "v2": (
        "v2[0].assign(tf.tanh({f3}))", "v2.assign(tf.stack([v1, v1]))",
        "v2.scatter_add(tf.IndexedSlices(tf.tanh({f3})[None], [{i} % 2]))",
        "v2.assign(tf.reverse(v2, [0, 1]))", "v2[:, 1].assign(tf.tanh({f3})[:2])",
    ),
    "v3": ("v3.assign(v3 // -2)", "v3[{i} % 3].assign({i} % 10)", "v3.assign_sub({i3} % 4)"),
    "v4": ("v4.assign(tf.logical_not(v4))",),
    "v5": ('v5.assign(tf.strings.substr(v5 + "c", 0, 6))',),
}  # fmt: skip
"""Changes of parts of variables, and by what other variables hold."""

GROWN_FLOATS = read(_ANY_FLOATS) + read(_VECTORS_AND_MATRICES)
GROWN_OTHERS = read(_OTHER_KINDS)
GROWN_FAILURES = read(_FAILURES)
CHANGES = [
    (name, entry)
    for name, texts in _VARIABLE_CHANGES.items()
    for entry in read("\n".join(f"f: {text}" for text in texts))
]
