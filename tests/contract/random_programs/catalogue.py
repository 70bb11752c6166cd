"""Single operations: the kind of the result, a colon, and an expression with kinds in braces.

`F`, `I`, `B` and `S` stand for each kind of floats, integers, booleans, strings. `{n}` is the name
that is made, `{k}` its number (operations with seeds take it), `{kind}` its kind. `fed` is what a
session feeds, and elsewhere the value itself: see `ways.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

F = ("f", "f3", "f23", "f32")
_WILD = {"F": F, "S": ("s", "s3"), "B": ("b", "b3"), "I": ("i", "i3")}

_FLOATS = """
F: tf.tanh({F})
F: tf.nn.relu({F})
F: -{F}
F: tf.sigmoid({F})
F: tf.abs({F})
F: tf.identity({F})
F: tf.sin({F})
F: tf.nn.softplus({F})
F: tf.stop_gradient({F})
F: tf.floor({F} * 2.0)
F: tf.cast(tf.cast({F} * 4.0, tf.int32) // 2, tf.float32)
F: tf.cast({F}, tf.float32)
F: {F} * 0.5 + 1.0
F: tf.sqrt(tf.abs({F}) + 0.5)
F: tf.exp(tf.minimum({F}, 1.0))
F: tf.clip_by_value(tf.square({F}), -4.0, 4.0)
F: tf.clip_by_value({F} + {F}, -4.0, 4.0)
F: tf.clip_by_value({F} * {F}, -4.0, 4.0)
F: tf.clip_by_value({F} - {F}, -4.0, 4.0)
F: {F} / (1.0 + tf.abs({F}))
F: tf.maximum({F}, {F})
F: tf.minimum({F}, {F})
F: tf.where({F} > {F}, {F}, {F} * 0.5)
F: tf.where({b}, {F}, {F})
F: tf.clip_by_value(tf.add_n([{F}, {F}, {F}]), -4.0, 4.0)
F: tf.zeros_like({F})
F: tf.ones_like({F}) * {f}
F: {F} * tf.cast({b}, tf.float32)
F: tf.compat.v1.placeholder_with_default({F}, {F}.shape)
F: tf.nn.leaky_relu({F} + {f})
f3: tf.fill([3], {f})
f3: {f} * tf.ones([3])
f3: {f3} + tf.zeros([3])
f23: tf.fill([2, 3], {f})
f23: tf.broadcast_to({f3}, [2, 3])
f: tf.reduce_mean({f3})
f: tf.tanh(tf.reduce_sum({f3}))
f: tf.reduce_max({f23})
f: tf.reduce_logsumexp({f32})
f: {f3}[1]
f: {f3}[{i} % 3]
f: tf.reduce_prod(tf.tanh({f3}))
f: tf.norm({f3} + 0.1)
f: tf.constant(0.75)
f: tf.squeeze({f3}[0:1])
f3: {f3}[::-1]
f3: tf.reverse({f3}, [0])
f3: tf.gather({f3}, {i3} % 3)
f3: tf.cumsum({f3}) * 0.3
f3: tf.sort({f3})
f3: tf.roll({f3}, 1, 0)
f3: tf.constant([0.25, -1.0, 2.0])
f3: tf.nn.softmax({f3})
f3: tf.one_hot({i} % 3, 3) * {f}
f3: tf.stack([{f}, {f}, {f}])
f3: tf.concat([{f3}[1:], {f3}[:1]], 0)
f3: tf.tensor_scatter_nd_update({f3}, [[1]], [{f}])
f3: tf.tensor_scatter_nd_add({f3}, [[{i} % 3]], [{f}])
f3: tf.math.unsorted_segment_sum({f3}, {i3} % 3, 3)
f3: tf.reduce_mean({f23}, 0)
f3: tf.reduce_max({f32}, 1)
f3: {f23}[1]
f3: {f23}[{i} % 2]
f3: tf.linalg.matvec({f32}, {f3}[:2])
f3: tf.cast({i3}, tf.float32)
f3: tf.cast({d3}, tf.float32)
f3: tf.math.real({c3})
f3: tf.clip_by_value(tf.abs({c3}), -4.0, 4.0)
f3: tf.ensure_shape({f3}, [3])
f3: tf.ensure_shape(tf.numpy_function(lambda x: x * 2, [tf.stop_gradient({f3})], tf.float32), [3])
f3: tf.ensure_shape(tf.py_function(lambda x: tf.tanh(x) * 2.0, [{f3}], tf.float32), [3])
f: tf.ensure_shape(tf.py_function(lambda x, y: x * y, [{f}, tf.tanh({f})], tf.float32), [])
f3: tf.sparse.to_dense(tf.sparse.from_dense({f3}))
f23: tf.sparse.to_dense(tf.SparseTensor([[0, 1], [1, 2]], {f3}[:2], [2, 3]))
f3: tf.squeeze(tf.sparse.sparse_dense_matmul(tf.sparse.from_dense({f32}), {f3}[:2, None]), 1)
f23: tf.RaggedTensor.from_row_lengths({f3}, [2, 1]).to_tensor(shape=[2, 3])
f3: tf.pad(tf.reduce_sum(tf.RaggedTensor.from_row_splits({f3}, [0, 2, 3]), 1), [[0, 1]])
f3: tf.random.stateless_normal([3], [{k}, 2]) * {f}
f3: tf.random.stateless_uniform([3], [3, {i}])
f23: tf.random.normal([2, 3], seed={k}) + {f}
f3: tf.random.uniform([3], seed={k})
f23: tf.nn.dropout({f23}, 0.5, seed={k})
f23: tf.random.stateless_gamma([2, 3], [{k}, 1], alpha=tf.abs({f3}) + 0.5) * 0.1
f23: tf.random.stateless_truncated_normal([2, 3], [{k}, 1]) + {f23}
f23: tf.stack([{f3}, {f3} * 2.0])
f23: tf.transpose({f32})
f23: tf.reshape({f32}, [2, 3])
f23: tf.reshape({f32}, [2, -1])
f23: {f23} + {f3}
f23: tf.nn.bias_add({f23}, {f3})
f23: tf.nn.softmax({f23})
f23: tf.nn.log_softmax({f23}) * 0.5
f23: tf.gather({f23}, [1, 0])
f23: tf.tanh(tf.matmul({f23}, tf.matmul({f32}, {f23})))
f23: tf.nn.relu(tf.matmul({f23}, tf.ones([3, 3])) * 0.3 + {f3})
f23: tf.linalg.l2_normalize({f23} + 0.1, 1)
f23: tf.pad({f3}[None], [[0, 1], [0, 0]])
f23: tf.boolean_mask(tf.concat([{f23}, {f23}], 0), [True, False, False, True])
f32: tf.transpose({f23})
f32: tf.reshape(tf.tile({f3}, [2]), [3, 2])
f32: tf.reshape({f23}, [tf.shape({f23})[1], -1])
f32: tf.concat(tf.split({f32}, 2, axis=1)[::-1], 1)
f32: tf.tanh(tf.einsum("ij,kj->ik", {f32}, {f32}) @ {f32})
f32: tf.stack([{f3}, {f3}], 1)
f32: tf.expand_dims({f3}, 1) * tf.ones([1, 2])
f32: tf.linalg.solve(tf.eye(3) * 2.0, {f32})
f3 i3: tf.math.top_k({f3}, 3)
f f: tf.nn.moments({f3}, [0])
f3 f3: tf.unstack(tf.ensure_shape({f23}, [2, 3]))
f f3: tf.meshgrid({f}, {f3})[0][0, 0], {f3} * 1.0
"""

_OTHERS = """
d3: tf.cast({f3}, tf.float64)
d3: tf.tanh({d3}) + tf.sin({d3})
d3: {d3} * tf.cast({f}, tf.float64) / 3.0
d3: tf.math.softplus({d3})
d3: tf.math.cumsum({d3}) * 0.25
i: tf.reduce_sum({i3}) % 7
i: tf.argmax({f3}, output_type=tf.int32)
i: tf.shape({f23})[1]
i: tf.size({f32})
i: tf.cast({f}, tf.int32)
i: tf.where({b}, {i}, {i})
i: tf.constant(2)
i: tf.strings.length({s})
i: tf.identity({i})
i: tf.range({i} % 4 + 1)[-1]
I: ({I} + {I}) % 11
I: {I} * 3 - 2 * ({I} % 5)
I: tf.maximum({I}, {I}) // 2
I: tf.bitwise.bitwise_xor({I}, {I}) % 13
I: tf.negative({I})
I: tf.math.floormod({I}, 4)
I: tf.stop_gradient({I})
i3: tf.cast(tf.round({f3}), tf.int32)
i3: tf.argsort({f3})
i3: tf.cast({l3} % 100, tf.int32)
i3: tf.range(3) + {i}
i3: tf.cast({b3}, tf.int32)
i3: tf.concat([{i3}[2:], {i3}[:2]], 0)
i3: tf.random.stateless_uniform([3], [1, {k}], 0, 9, tf.int32)
i3: tf.random.uniform([3], 0, 100, tf.int32, seed={k})
i3: tf.where({b3}, {i3}, {i})
l3: tf.cast({i3}, tf.int64) * 2
l3: {l3} + {l3} % 3
l3: tf.sort({l3} % 17)
l3: tf.strings.to_hash_bucket_fast({s3}, 97)
B: tf.logical_not({B})
B: tf.logical_and({B}, {B})
B: tf.logical_or({B}, {b})
b: tf.not_equal({i}, {i})
b3: tf.not_equal({i3}, {i3})
b: {f} > {f}
b: {f} > 0.3
b: tf.reduce_sum({f3}) > 0.0
b: tf.reduce_any({b3})
b: {i} < 3
b: tf.equal({s}, "a")
b: tf.constant(True)
b: tf.reduce_all(tf.math.is_finite({f23}))
b3: {f3} > {f3}
b3: {i3} > {i}
b3: tf.math.logical_xor({b3}, {b3})
b3: tf.equal({s3}, {s})
c3: tf.complex({f3}, {f3})
c3: tf.math.conj({c3})
c3: {c3} * tf.complex({f}, 0.5)
c3: tf.cast({f3}, tf.complex64)
c3: tf.exp(tf.complex(tf.zeros([3]), {f3}))
c3: {c3} * {c3} / tf.cast(1.0 + tf.abs({c3}) ** 2, tf.complex64)
c3: tf.signal.fft({c3}) * 0.3
S: tf.strings.substr({S} + "b", 0, 5)
S: tf.strings.upper({S})
S: tf.strings.join([{S}, {s}], "-")
S: tf.identity({S})
s: tf.strings.as_string({i})
s3: tf.strings.as_string({i3})
S: tf.strings.regex_replace({S}, "a", "xy")
S: tf.where(tf.equal({S}, "a"), {S}, "q")
s: tf.constant("text")
s: {s3}[{i} % 3]
s: tf.strings.reduce_join({s3}, separator=",")
s3: tf.stack([{s}, {s}, "z"])
s3: tf.gather({s3}, {i3} % 3)
s3: tf.fill([3], {s})
"""

_FEEDS = """
f: tf.reduce_sum(fed(given, "{n}", "f5", tf.compat.v1.placeholder_with_default({f3}, [None])))
f: tf.tanh(tf.reduce_sum(fed(given, "{n}", "f23", tf.identity({f23}))))
f3: fed(given, "{n}", "f3", tf.constant([1.0, 2.0, 3.0]))
f: fed(given, "{n}", "f", tf.constant(2.0))
f: fed(given, "{n}", "f", tf.compat.v1.placeholder_with_default(1.0, [])) * {f}
f3: fed(given, "{n}", "f3", tf.compat.v1.placeholder_with_default(tf.zeros([3]), [3]))
f3: tf.identity(fed(given, "{n}", "f3", {f3} * 2.0)) + {f3}
b: fed(given, "{n}", "b", tf.compat.v1.placeholder_with_default(True, []))
i: fed(given, "{n}", "i", tf.constant(1) + {i}) % 5
i3: fed(given, "{n}", "i3", tf.range(3))
s: fed(given, "{n}", "s", tf.constant("a"))
F: fed(given, "{n}", "{kind}", tf.zeros_like({F}))
"""

_FAILURES = """
f3: tf.gather({f3}, [7 + 0 * tf.cast({f} > 0.0, tf.int32), 0, 1])
f3: tf.reshape(tf.tile({f3}, [2 + tf.cast({b}, tf.int32)]), [3])
i3: {i3} // (({i} * 0) + tf.constant([1, 0, 1]))
f: tf.strings.to_number(tf.strings.join([{s}, "no"]))
f3: tf.debugging.check_numerics({f3} / (0.0 * {f}), "not finite")
f3: tf.ensure_shape(tf.tile({f3}, [1 + tf.cast(tf.abs({f}) >= 0.0, tf.int32)]), [3])
f3: tf.ensure_shape(tf.py_function(lambda x: 1 // 0, [{f3}], tf.float32), [3])
f3: tf.slice({f3}, [tf.abs({i}) + 1], [3])
f23: tf.concat([tf.tile({f23}, [1, 2 + 0 * {i}]), tf.ones([1, 3])], 0)[:2, :3]
F: tf.raw_ops.Reshape(tensor={F}, shape=tf.stack([tf.abs({i}) + 50]))
f32: tf.linalg.inv(tf.zeros([3, 3]) * {f}) @ {f32}
f: tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x + {f3}[:3 - i][-1]), (0, {f}))[1]
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """An expression, the kinds that it makes, and those it takes, in order."""

    makes: tuple[str, ...]
    text: str
    takes: tuple[str, ...]

    @property
    def keeps_a_state(self) -> bool:
        """True of random operations that go on where they ended."""
        return "seed=" in self.text


def read(table: str) -> list[Entry]:
    """The entries of a table."""
    return [
        entry for line in table.strip().splitlines() for entry in _entries(*line.split(": ", 1))
    ]


def _entries(makes: str, text: str) -> list[Entry]:
    wild = [w for w in _WILD if makes == w]
    if not wild:
        return [_entry(makes, text)]
    return [_entry(k, re.sub(rf"\{{{wild[0]}\}}", f"{{{k}}}", text)) for k in _WILD[wild[0]]]


def _entry(makes: str, text: str) -> Entry:
    takes: list[str] = []
    made_kinds = tuple(makes.split())

    def place(match: re.Match[str]) -> str:
        if match[1] == "kind":
            return made_kinds[0]
        if match[1] in ("n", "k"):
            return match[0]
        takes.append(match[1])
        return f"{{{len(takes) - 1}}}"

    made = re.sub(r"\{([a-zA-Z0-9]+)\}", place, text)
    return Entry(made_kinds, made, tuple(takes))


FLOATS = read(_FLOATS)
OTHERS = read(_OTHERS)
FEEDS = read(_FEEDS)
FAILURES = read(_FAILURES)
