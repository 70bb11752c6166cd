"""Pipelines whose elements, specs, cardinalities and errors TensorFlow was asked for.

`answer` says what an expression leads to; `scripts/record_oracle/data.py` keeps TensorFlow's
answers in `tests/oracle/data.json`.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

# What the expressions know besides tf, np and D (tf.data.Dataset).
SETUP = """
def halves(x):
    if x % 2 == 0:
        return x // 2
    return x * 10

def thirds(x):
    if x % 3 == 0:
        return tf.constant(True)
    return tf.constant(False)

def counting(n=3):
    def generator():
        for i in range(n):
            yield i
    return generator

def pairs():
    for i in range(3):
        yield i, [i] * i

def raising(kind):
    def function(*args):
        raise kind("no")
    return function

spec = tf.TensorSpec
squares = D.range(5).map(lambda x: x * x)
steps = D.range(6).map(tf.range)
named = D.from_tensor_slices({"b": [1, 2, 3], "a": np.eye(3)})
"""

MOST = 12

CASES = """
D.range(5)
D.range(2, 9, 3)
D.range(5, 0, -2)
D.range(0)
D.range(3, output_type=tf.float32)
D.from_tensors([1, 2])
D.from_tensors((1, {"a": [2.0], "b": "c"}))
D.from_tensors(tf.ragged.constant([[1, 2], [3]]))
D.from_tensor_slices([[1, 2], [3, 4]])
D.from_tensor_slices(([1, 2], ["a", "b"]))
D.from_tensor_slices({"a": [1, 2], "b": ([3, 4], [5, 6])})
D.from_tensor_slices(np.arange(6).reshape(3, 2))
D.from_tensor_slices(tf.ragged.constant([[1, 2], [3]]))
D.from_tensor_slices(tf.ragged.constant([[[1, 2], []], [[3]]]))
D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 3]]))
D.from_tensor_slices(np.zeros((0, 3)))
named
named.batch(2)
D.counter().take(3)
D.counter(5, -2).take(3)
D.counter(dtype=tf.int32)
D.from_generator(counting(), tf.int32)
D.from_generator(counting(), tf.int64, ())
D.from_generator(counting(), output_signature=spec((), tf.float32))
D.from_generator(pairs, (tf.int32, tf.float32))
D.from_generator(pairs, (tf.int32, tf.float32), ((), (None,)))
D.from_generator(lambda n: range(n), args=(3,), output_signature=spec((), tf.int32))
D.from_generator(lambda: ["a", "b"], output_signature=spec((), tf.string))
D.from_generator(lambda: [{"a": 1}], output_signature={"a": spec((), tf.int32)})
D.from_generator(lambda: [tf.ragged.constant([[1], [2, 3]])], output_signature=tf.RaggedTensorSpec((2, None), tf.int32))
D.range(4).map(lambda x: x * 2)
D.range(4).map(halves)
D.range(4).map(halves, num_parallel_calls=2)
D.range(4).map(halves, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
D.range(2).map(lambda x: (x, x + 1)).map(lambda x, y: x * y)
D.range(2).map(lambda x: {"a": x, "b": tf.cast(x, tf.float32)})
D.range(2).map(lambda x: [x, x])
D.range(2).map(lambda x: (x, [x, x]))
D.range(2).map(lambda x: "text")
D.range(2).map(lambda x: tf.py_function(lambda v: v + 1, [x], tf.int64))
D.range(2).map(lambda x: tf.numpy_function(lambda v: v + 1, [x], tf.int64))
D.range(2).map(lambda x: (x, None))
D.from_tensors(tf.sparse.from_dense([[1, 0], [0, 3]])).map(lambda x: x)
D.from_tensors(tf.sparse.from_dense([[1, 0], [0, 3]])).map(lambda x: tf.constant(x.shape.as_list()))
D.from_tensors(tf.ragged.constant([[1, 2], [3]])).map(lambda x: x.nrows())
D.range(3).map(lambda x: D.range(x)).flat_map(lambda x: x)
steps
steps.map(lambda x: tf.shape(x)[0])
steps.batch(1)
squares.filter(lambda x: x % 2 == 0)
squares.filter(thirds)
D.range(4).batch(2)
D.range(5).batch(2)
D.range(5).batch(2, drop_remainder=True)
D.range(5).batch(7, drop_remainder=True)
D.range(5).batch(2, num_parallel_calls=2)
D.range(5).batch(2).batch(2)
D.range(4).batch(2).batch(2)
D.range(5).repeat().batch(2)
D.from_tensor_slices(["a", "bc", "d"]).batch(2)
D.from_tensor_slices(tf.ragged.constant([[1, 2], [3], []])).batch(2)
D.from_tensor_slices(tf.ragged.constant([[[1, 2], []], [[3]]])).batch(2)
D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 3], [4, 0]])).batch(2)
D.range(3).map(lambda x: (x, None)).batch(2)
D.range(5).batch(2).unbatch()
D.range(4).batch(2, drop_remainder=True).unbatch()
D.from_tensor_slices(tf.ragged.constant([[1, 2], [3], []])).batch(2).unbatch()
D.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 3], [4, 0]])).batch(2).unbatch()
D.from_tensors((np.arange(4), np.arange(8).reshape(4, 2))).unbatch()
D.range(5).take(2)
D.range(5).take(9)
D.range(5).take(-1)
D.range(5).take(0)
D.range(5).skip(2)
D.range(5).skip(9)
D.range(5).skip(-1)
D.range(7).skip(2).take(3).skip(1)
D.range(3).repeat(2)
D.range(3).repeat()
D.range(3).repeat(0)
D.range(3).repeat(-1)
squares.filter(thirds).repeat()
squares.filter(thirds).repeat(2)
squares.filter(thirds).repeat(0)
D.range(3).repeat().repeat(2)
D.range(10).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s * 10)))
D.range(8).apply(tf.data.experimental.group_by_reducer(lambda x: (x * 7 + 5) % 11 - 3, tf.data.experimental.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)))
D.range(6).group_by_window(lambda x: tf.numpy_function(lambda y: y % 2, [x], tf.int64), lambda k, w: w.batch(10), 2)
list(D.range(3).map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x + 2), [x + 1, 1])).flat_map(lambda x: D.from_tensor_slices(x)).unbatch().as_numpy_iterator())
tf.data.experimental.from_list([1, 2, 3])
tf.data.experimental.at(D.range(5), 3)
D.from_tensor_slices({"a": [1, 2]}).apply(tf.data.experimental.pad_to_cardinality(3))
D.range(4).apply(tf.data.experimental.map_and_batch(lambda x: x + 1, 3))
D.range(3).filter(lambda x: x < 2).apply(tf.data.experimental.assert_cardinality(2))
D.range(2).apply(tf.data.experimental.shuffle_and_repeat(1, 2))
D.range(0).repeat()
D.range(3).repeat(2).take(4).repeat(2)
D.range(10).shard(3, 1)
D.range(10).shard(3, 0)
D.range(3).prefetch(2)
D.range(3).prefetch(0)
D.range(3).prefetch(tf.data.AUTOTUNE)
D.range(2).concatenate(D.range(5, 7))
D.from_tensors([1, 2]).concatenate(D.from_tensors([1, 2, 3]))
D.zip(D.range(2), D.range(5, 9))
D.zip((D.range(2), (D.range(5, 9), D.range(3))))
D.zip({"a": D.range(2), "b": D.range(5, 9)})
D.zip(D.range(2))
D.zip(D.range(2).repeat(), D.range(3).repeat())
D.zip(D.range(2).repeat(), D.range(3).filter(thirds))
D.range(5, 8).enumerate()
D.range(5, 8).enumerate(start=4)
D.from_tensor_slices([1, 2, 1, 3]).unique()
D.from_tensor_slices(["a", "b", "a"]).unique()
D.range(9).take_while(lambda x: x < 3)
D.range(5).scan(np.int64(0), lambda s, x: (s + x, s * x))
D.range(5).scan((np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1] * 2.0), s[1]))
D.range(5).reduce(np.int64(0), lambda s, x: s + x)
D.range(5).reduce((np.int64(0), 0), lambda s, x: (s[0] + x, s[1] + 1))
D.range(0).reduce(7, lambda s, x: s)
D.from_tensors((1, "a")).get_single_element()
len(D.range(5).batch(2))
D.range(3).shuffle(2).cardinality()
D.range(4).apply(lambda ds: ds.skip(1))
D.range(3).with_options(tf.data.Options())
sorted(int(x) for x in D.range(9).shuffle(4))
steps.padded_batch(2)
steps.padded_batch(2, drop_remainder=True)
steps.padded_batch(4, padded_shapes=[6], padding_values=np.int64(-1))
steps.padded_batch(4, padded_shapes=[None])
steps.padded_batch(4, padded_shapes=(6,))
steps.map(lambda x: (x, {"s": tf.strings.as_string(x)})).padded_batch(3)
steps.map(lambda x: (x, {"s": tf.strings.as_string(x)})).padded_batch(3, ([7], {"s": [8]}), (np.int64(4), {"s": "none"}))
D.from_tensor_slices(["a", "b", "c"]).padded_batch(2, [])
steps.ragged_batch(4)
D.range(4).map(lambda x: tf.zeros([2, x, 1])).ragged_batch(3)
D.range(4).ragged_batch(3, drop_remainder=True)
steps.sparse_batch(4, [6])
steps.sparse_batch(4, [-1])
D.range(8).batch(3).rebatch(2)
D.range(8).batch(3).rebatch(2, drop_remainder=True)
D.range(8).batch(3).rebatch([2, 1])
D.range(8).batch(3).rebatch([2, 1], drop_remainder=True)
D.range(3).cache()
D.range(3).cache().repeat(2)
steps.cache().skip(1).map(lambda x: x + 1)
steps.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 4], [2, 2, 3])
steps.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 4], [2, 2, 3], drop_remainder=True)
steps.take(4).bucket_by_sequence_length(lambda x: tf.shape(x)[0], [2, 5], [2, 2, 3], pad_to_bucket_boundary=True)
steps.map(lambda x: (x, tf.size(x))).bucket_by_sequence_length(lambda x, n: n, [2, 4], [2, 2, 3])
D.range(6).bucket_by_sequence_length(lambda x: tf.cast(x, tf.int32), [2, 4], [2, 2, 3], no_padding=True)
D.choose_from_datasets([D.range(3), D.range(10, 13)], D.from_tensor_slices(np.array([0, 1, 1, 0, 0, 0, 1, 1])))
D.choose_from_datasets([D.range(3), D.range(10, 13)], D.from_tensor_slices(np.array([0, 1, 1, 0, 0, 0, 1, 1])), stop_on_empty_dataset=False)
D.sample_from_datasets([D.range(3), D.range(10, 13)], [0.0, 1.0], stop_on_empty_dataset=True)
sorted(int(x) for x in D.sample_from_datasets([D.range(3), D.range(10, 13)]))
repr(D.range(9).rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.5, 0.5]).element_spec)
D.range(4).map(lambda x: 6 // (x - 1)).ignore_errors()
steps.flat_map(D.from_tensor_slices)
named.flat_map(lambda x: D.from_tensors(x["b"]).repeat(2))
D.range(1, 5).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=2)
D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=2)
D.range(1, 6).interleave(lambda x: D.from_tensors(x).repeat(x), cycle_length=3, block_length=2, num_parallel_calls=2)
D.range(1, 4).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=1, block_length=4)
D.range(3).interleave(lambda x: D.range(x), cycle_length=5)
D.range(7).window(3).flat_map(lambda w: w.batch(3))
[list(w.as_numpy_iterator()) for w in D.range(7).window(3, 2, 2)]
[list(w.as_numpy_iterator()) for w in D.range(7).window(3, 1, 1, True)]
[list(w.as_numpy_iterator()) for w in D.range(9).window(2, 3)]
[int(D.range(n).window(s, k, d, r).cardinality()) for n in (0, 5, 7) for s in (1, 3) for k in (1, 2) for d in (1, 2) for r in (True, False)]
repr(D.range(7).window(3).element_spec)
repr(named.window(2).element_spec)
named.window(2).flat_map(lambda w: D.zip((w["b"].batch(2), w["a"].batch(2))))
D.range(10).group_by_window(lambda x: x % 2, lambda k, w: w.batch(3), window_size=3)
D.range(10).group_by_window(lambda x: x % 3, lambda k, w: w.map(lambda x: x + k).batch(4), window_size_func=lambda k: k + 1)
sorted(int(x) for x in D.range(9).shuffle(tf.data.UNKNOWN_CARDINALITY))
"""  # noqa: E501

# Of these errors the text is compared too, but for what says who speaks.
ERRORS = """
D.from_tensor_slices(3)
D.from_tensor_slices(())
D.from_tensor_slices(([1, 2], [1, 2, 3]))
D.range()
D.range(1, 2, 3, 4)
D.range(0, 3, 0)
D.range(3).batch(0)
D.range(3).shuffle(0)
D.range(3).shuffle(-1)
D.range(3).prefetch(-2)
D.range(3).filter(lambda x: x)
D.range(3).concatenate(D.from_tensors("a"))
D.zip(3)
D.zip([D.range(2)])
D.zip()
D.range(9).shard(3, 3)
D.range(9).shard(0, 0)
D.range(9).shard(3, -1)
len(D.range(3).repeat())
len(D.range(3).filter(lambda x: True))
D.range(3).map(3)
D.from_generator(counting())
D.from_generator(3, tf.int32)
D.range(3).get_single_element()
D.range(0).get_single_element()
D.range(5).reduce(0.0, lambda s, x: x)
D.range(5).unbatch()
D.range(3).window(0)
D.range(3).apply(tf.data.experimental.assert_cardinality(2)).take(5)
tf.data.experimental.at(D.range(5), 9)
tf.data.experimental.SqlDataset("mysql", "file", "query", (tf.int32,))
tf.data.experimental.TFRecordWriter("file").write(D.range(3))
steps.padded_batch(4, padded_shapes=[1])
steps.padded_batch(4, padding_values=0.5)
steps.padded_batch(4, padding_values=[1, 2])
steps.padded_batch(4, padded_shapes=[2, 2])
steps.padded_batch(0)
D.range(8).rebatch(2)
D.choose_from_datasets([D.range(3)], D.from_tensor_slices(np.array([0, 5])))
D.choose_from_datasets([D.range(3)], D.from_tensor_slices([0, 5]))
D.choose_from_datasets([], D.range(3))
D.sample_from_datasets([D.range(3), D.range(3)], [1.0])
D.sample_from_datasets([])
D.list_files("/no/such/folder/*.txt")
tf.data.TextLineDataset(3)
tf.data.TextLineDataset("/no/such/file").take(1)
D.range(3).interleave(lambda x: D.range(x), cycle_length=0)
D.range(3).group_by_window(lambda x: x, lambda k, w: w)
"""

# Of these the class alone.
ERROR_TYPES = """
D.from_generator(raising(ValueError), tf.int32)
D.from_generator(raising(TypeError), tf.int32)
D.from_generator(raising(KeyError), tf.int32)
D.from_generator(raising(NotImplementedError), tf.int32)
D.range(1).map(lambda x: tf.py_function(raising(ValueError), [x], tf.int64))
D.range(1).map(lambda x: tf.numpy_function(raising(MemoryError), [x], tf.int64))
D.range(3).group_by_window(lambda x: 1.0, lambda k, w: w, 2)
D.from_tensors(None)
D.range(3).batch(1.5)
D.range(3).map(lambda x: None)
D.range(3).map(lambda x, y: x)
steps.batch(2)
D.range(3).map(lambda x: 1 // (x - 1))
D.range(3).map(lambda x: tf.py_function(lambda y: 1 / 0, [x], tf.int64))
D.from_generator(lambda: iter([1, "a"]), output_signature=spec((), tf.int32))
D.from_generator(lambda: iter([1, [2]]), tf.int32, ())
D.from_generator(lambda: iter([1, (2, 3)]), (tf.int32, tf.int32))
D.from_generator(lambda: 1 / 0, tf.int32)
D.range(5).reduce(0.0, lambda s, x: (s, s))
"""


def lines(text: str) -> list[str]:
    return [line for line in text.strip().split("\n") if line]


def answer(tf: Any, expression: str) -> Any:
    """What an expression leads to, in plain values."""
    space = {"tf": tf, "np": np, "D": tf.data.Dataset}
    exec(SETUP, space)
    try:
        return told(tf, eval(expression, space))
    except Exception as error:
        return {"error": type(error).__name__, "text": plain_text(str(error))}


def told(tf: Any, value: Any) -> Any:
    if not isinstance(value, tf.data.Dataset):
        return described(value)
    count = int(value.cardinality())
    return {
        "spec": repr(value.element_spec),
        "cardinality": count,
        "elements": [described(each) for each in value.take(MOST)],
    }


def described(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): described(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(each) for each in value]
    if hasattr(value, "dense_shape"):
        return [type(value).__name__, *map(described, (value.indices, value.values))]
    if hasattr(value, "to_list"):
        return [type(value).__name__, described(value.to_list())]
    if hasattr(value, "numpy"):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        return described(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    return value.decode() if isinstance(value, bytes) else value


def plain_text(text: str) -> str:
    text = re.sub(r"^\{\{function_node [^}]*\}\} ", "", text)
    return re.sub(r" \[Op:\w+\] name: $", "", text)
