"""Feature columns and lookup tables in TF 1's graphs: each case returns names and numbers.

`tests/data/feature_columns.json` has what TensorFlow 2.21 returned. To record it again, run this
file with the Python of an installed TensorFlow: it prints the JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from tf1_cases import in_a_graph, plain, record

CASES: dict[str, Callable[[Any], Any]] = {}


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Adds a program to the cases."""
    CASES[function.__name__] = function
    return function


def ascending(tf: Any) -> Callable[..., Any]:
    """An initializer: 0, 1, 2, ..."""

    def made(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        sizes = [int(size) for size in shape]
        return tf.reshape(tf.range(float(math.prod(sizes))), sizes)

    return made


def features(tf: Any) -> dict[str, Any]:
    """Three examples."""
    places = np.array([[0, 0], [0, 1], [2, 0]], np.int64)
    sparse = lambda values: tf.SparseTensor(tf.constant(places), tf.constant(values), [3, 2])  # noqa: E731
    return {
        "price": tf.constant([[1.0], [5.0], [12.0]]),
        "age": tf.constant([1.0, 5.0, 12.0]),
        "size": tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 60.0]]),
        "color": tf.constant([["R"], ["G"], ["X"]]),
        "id": tf.constant([[0], [2], [7]], tf.int64),
        "word": tf.constant([["dog", "cat"], ["", "fish"], ["dog", ""]]),
        "tags": sparse(["a", "b", "zz"]),
        "w": sparse([0.5, 2.0, 3.0]),
        "years": sparse([1995, 7, 42]),
    }


def columns(tf: Any) -> dict[str, Any]:
    """Columns of each kind on the features, by a name of the case's own."""
    fc, ascend = tf.feature_column, ascending(tf)
    price, size = fc.numeric_column("price"), fc.numeric_column("size", shape=2)
    by_price = fc.bucketized_column(price, [2, 8])
    color = fc.categorical_column_with_vocabulary_list("color", ["R", "G", "B"])
    tags = fc.categorical_column_with_vocabulary_list("tags", ["a", "b"], default_value=0)
    word = fc.categorical_column_with_hash_bucket("word", 11)
    some = fc.categorical_column_with_vocabulary_list("word", ["dog"], num_oov_buckets=3)
    return {
        "normalized": fc.numeric_column("price", normalizer_fn=lambda x: x / 10),
        "vector": fc.numeric_column("age"),
        "two": size,
        "buckets": by_price,
        "buckets_of_two": fc.bucketized_column(size, [2.0, 4.0]),
        "color": color,
        "color_indicator": fc.indicator_column(color),
        "some": some,
        "some_embedding": fc.embedding_column(some, 2, initializer=ascend, combiner="sqrtn"),
        "tags": tags,
        "weighted": fc.weighted_categorical_column(tags, "w"),
        "weighted_indicator": fc.indicator_column(fc.weighted_categorical_column(tags, "w")),
        "weighted_embedding": fc.embedding_column(
            fc.weighted_categorical_column(tags, "w"), 2, initializer=ascend
        ),
        "years": fc.categorical_column_with_hash_bucket("years", 5, tf.int32),
        "years_list": fc.categorical_column_with_vocabulary_list("years", [7, 42], tf.int32),
        "id": fc.categorical_column_with_identity("id", 5, default_value=1),
        "id_embedding": fc.embedding_column(
            fc.categorical_column_with_identity("id", 5, 1), 3, "sum", ascend
        ),
        "word_embedding": fc.embedding_column(word, 2, initializer=ascend),
        "word_indicator": fc.indicator_column(word),
        "crossed": fc.crossed_column(["color", "word"], 50),
        "crossed_indicator": fc.indicator_column(fc.crossed_column(["color", "word"], 50)),
        "crossed_columns": fc.embedding_column(
            fc.crossed_column([by_price, "word"], 50, hash_key=7), 2, initializer=ascend,
            max_norm=20.0,
        ),
        "crossed_again": fc.embedding_column(
            fc.crossed_column([fc.crossed_column(["color", "word"], 9), tags], 8), 2,
            initializer=ascend,
        ),
    }  # fmt: skip


DENSE = [
    "normalized", "vector", "two", "buckets", "buckets_of_two", "color_indicator",
    "some_embedding", "weighted_indicator", "weighted_embedding", "id_embedding",
    "word_embedding", "word_indicator", "crossed_indicator", "crossed_columns", "crossed_again",
]  # fmt: skip
LINEAR = [
    "normalized", "two", "buckets", "buckets_of_two", "color", "some", "tags", "weighted", "years",
    "years_list", "id", "crossed", "word_embedding",
]  # fmt: skip


def values(tf: Any, fetches: Any, is_random: bool = False) -> Any:
    """Fetched in a session whose variables and tables are initialized."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for k, variable in enumerate(tf.global_variables() if is_random else ()):
            count = math.prod(variable.shape.as_list())
            numbers = np.sin(np.arange(count) + k).reshape(variable.shape.as_list())
            session.run(variable.assign(numbers.astype("float32")))
        return plain(session.run(fetches))


def names(tf: Any) -> Any:
    """The variables."""
    return [[each.name, each.shape.as_list()] for each in tf.global_variables()]


for _name in DENSE:

    def _input(tf: Any, name: str = _name) -> Any:
        column = columns(tf)[name]
        tensor = tf.feature_column.input_layer(features(tf), [column])
        spec = tf.feature_column.make_parse_example_spec([column])
        return [values(tf, tensor), names(tf), column.name, str(sorted(spec.items()))]

    CASES[f"input_layer_{_name}"] = _input

for _name in LINEAR:

    def _linear(tf: Any, name: str = _name) -> Any:
        found: dict[Any, Any] = {}
        model = tf.feature_column.linear_model(
            features(tf), [columns(tf)[name]], units=2, cols_to_vars=found
        )
        return [values(tf, model, True), names(tf), model.shape.as_list(), len(found)]

    CASES[f"linear_model_{_name}"] = _linear


@case
def whole_input(tf):
    wanted = [each for name, each in columns(tf).items() if name in DENSE]
    wanted = list({each.name: each for each in wanted}.values())
    variables, parts = {}, {}
    with tf.variable_scope("net"):
        layer = tf.feature_column.input_layer(
            features(tf), wanted, cols_to_vars=variables, cols_to_output_tensors=parts
        )
    made = {k.name: [each.name for each in v] for k, v in variables.items()}
    sizes = {k.name: v.shape.as_list()[1:] for k, v in parts.items()}
    return [values(tf, layer), made, sizes, names(tf), layer.shape.as_list()[1:]]


@case
def shared_table(tf):
    fc = tf.feature_column
    ids = [fc.categorical_column_with_identity(key, 9) for key in ("id", "other")]
    shared = fc.shared_embedding_columns(ids, 2, initializer=ascending(tf))
    given = {
        "id": tf.constant([[0], [2], [7]], tf.int64),
        "other": tf.constant([[1, 2], [3, -1], [-1, -1]], tf.int64),
    }
    layer = fc.input_layer(given, shared)
    return [values(tf, layer), names(tf), [each.name for each in shared]]


@case
def trained(tf):
    wanted = columns(tf)
    given = features(tf)
    layer = tf.feature_column.input_layer(given, [wanted["word_embedding"], wanted["two"]])
    linear = tf.feature_column.linear_model(given, [wanted["color"], wanted["crossed"]])
    loss = tf.reduce_sum(tf.square(layer)) + tf.reduce_sum(tf.square(linear - 1.0))
    step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return plain([session.run([loss, step])[0] for _ in range(3)])


def message(run: Callable[[], Any]) -> list[str]:
    """The error of a call, without what tells of classes of the implementation."""
    try:
        run()
    except Exception as error:
        return [type(error).__name__, str(error).split("Given")[0]]
    return ["", ""]


@case
def refusals(tf):
    fc = tf.feature_column
    price = fc.numeric_column("price")
    color = fc.categorical_column_with_vocabulary_list("color", ["R", "G"])
    calls = {
        "shape": lambda: fc.numeric_column("a", shape=0),
        "shape type": lambda: fc.numeric_column("a", shape=(2.5,)),
        "dtype": lambda: fc.numeric_column("a", dtype=tf.string),
        "default": lambda: fc.numeric_column("a", shape=2, default_value=[1.0, 2.0, 3.0]),
        "default type": lambda: fc.numeric_column("a", dtype=tf.int32, default_value=1.5),
        "normalizer": lambda: fc.numeric_column("a", normalizer_fn=3),
        "key": lambda: fc.numeric_column(3),
        "boundaries": lambda: fc.bucketized_column(price, [3, 2]),
        "no boundaries": lambda: fc.bucketized_column(price, []),
        "source": lambda: fc.bucketized_column(color, [1]),
        "two axes": lambda: fc.bucketized_column(fc.numeric_column("a", shape=(2, 2)), [1]),
        "hash size": lambda: fc.categorical_column_with_hash_bucket("a", 0),
        "hash dtype": lambda: fc.categorical_column_with_hash_bucket("a", 5, tf.float32),
        "identity": lambda: fc.categorical_column_with_identity("a", 0),
        "identity default": lambda: fc.categorical_column_with_identity("a", 3, 3),
        "no words": lambda: fc.categorical_column_with_vocabulary_list("a", []),
        "words twice": lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"]),
        "words and number": lambda: fc.categorical_column_with_vocabulary_list(
            "a", ["x"], dtype=tf.int32),
        "buckets and default": lambda: fc.categorical_column_with_vocabulary_list(
            "a", ["x"], default_value=0, num_oov_buckets=2),
        "no file": lambda: fc.categorical_column_with_vocabulary_file("a", ""),
        "missing file": lambda: fc.categorical_column_with_vocabulary_file("a", "/nowhere/words"),
        "cross of one": lambda: fc.crossed_column(["a"], 10),
        "cross of numbers": lambda: fc.crossed_column(["a", price], 10),
        "cross of hashes": lambda: fc.crossed_column(
            ["a", fc.categorical_column_with_hash_bucket("b", 5)], 10),
        "embedding size": lambda: fc.embedding_column(color, 0),
        "embedding initializer": lambda: fc.embedding_column(color, 2, initializer=3),
        "embedding checkpoint": lambda: fc.embedding_column(color, 2, ckpt_to_load_from="x"),
        "indicator": lambda: fc.indicator_column(price),
        "weights": lambda: fc.weighted_categorical_column(color, "w", tf.string),
        "categories": lambda: fc.input_layer(features(tf), [color]),
        "nothing": lambda: fc.input_layer(features(tf), []),
        "no column": lambda: fc.input_layer(features(tf), ["price"]),
        "twice": lambda: fc.input_layer(features(tf), [price, fc.numeric_column("price")]),
        "no feature": lambda: fc.input_layer({"a": tf.constant([1.0])}, [price]),
        "rank 0": lambda: fc.input_layer({"price": tf.constant(1.0)}, [price]),
        "sparse": lambda: fc.input_layer(features(tf), [fc.numeric_column("tags")]),
        "wrong feature": lambda: fc.input_layer(
            features(tf), [fc.indicator_column(fc.categorical_column_with_hash_bucket("id", 4))]),
        "parse": lambda: fc.make_parse_example_spec(["a"]),
        "parse twice": lambda: fc.make_parse_example_spec(
            [price, fc.numeric_column("price", shape=2)]),
    }  # fmt: skip
    return {name: message(call) for name, call in calls.items()}


@case
def tables_of_a_session(tf):
    """What the tables of a graph hold belongs to a session, once its initializers have run."""
    letters = tf.lookup.KeyValueTensorInitializer(["a", "b"], np.arange(2))
    table = tf.lookup.StaticHashTable(letters, -1)
    words = tf.lookup.StaticVocabularyTable(letters, 3)
    changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -5)
    dense = tf.lookup.experimental.DenseHashTable(
        tf.int64, tf.int64, -1, empty_key=-10, deleted_key=-11)  # fmt: skip
    keys = tf.constant(["b", "c", "a"])
    asked = {
        "static": table.lookup(keys), "size": table.size(), "words": words.lookup(keys),
        "changing": changing.lookup(keys), "changing size": changing.size(),
        "dense": dense.lookup(tf.constant([3, 4], tf.int64)),
        "branch": tf.cond(
            tf.constant(True), lambda: table.lookup(keys), lambda: tf.constant([0, 0, 0], tf.int64)
        ),
    }  # fmt: skip
    changes = changing.insert(["b"], [7]), dense.insert([3], [9])
    mapped = tf.data.Dataset.from_tensor_slices(["a", "b", "z"]).map(table.lookup).batch(3)
    iterator = tf.data.make_initializable_iterator(mapped)
    following = iterator.get_next()
    answers = []
    for _ in range(2):
        with tf.Session() as session:
            answers.append(message(lambda s=session: s.run(asked["static"]))[0])
            session.run(tf.tables_initializer())
            answers.append(plain(session.run(asked)))
            session.run([*changes, iterator.initializer])
            answers.append(plain(session.run([asked, following])))
    return [answers, len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS))]


def run(tf: Any, name: str) -> Any:
    """What a case returns in a graph of its own."""
    return in_a_graph(tf, CASES[name])


if __name__ == "__main__":
    import tensorflow

    record(tensorflow.compat.v1, CASES)
