"""Variables in parts in TF 1's graphs: each case returns names, numbers or the text of an error.

`tests/data/variables_in_parts.json` has what TensorFlow 2.21 returned. To record it again, run this
file with the Python of an installed TensorFlow: it prints the JSON.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tf1_cases import in_a_graph, record

CASES: dict[str, Callable[[Any], Any]] = {}
WHOLE = np.arange(14, dtype=np.float32).reshape(7, 2)


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Adds a program to the cases."""
    CASES[function.__name__] = function
    return function


def values(tf: Any, fetched: Any) -> Any:
    """What a session with new variables fetches."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetched)


def specs(parts: Any) -> Any:
    """The names of variables, and which parts they are."""
    infos = [part._get_save_slice_info() for part in parts]
    return [
        [part.name, info and [info.full_name, info.spec]]
        for part, info in zip(parts, infos, strict=True)
    ]


def error(call: Callable[[], Any]) -> Any:
    """The class of an error and the end of its first line with words."""
    try:
        return call()
    except Exception as raised:
        return [type(raised).__name__, str(raised)]


def variable(tf: Any, name: str = "v", parts: int = 3, axis: int = 0) -> Any:
    """A variable with the numbers 0, 1, 2, ... in parts."""
    return tf.get_variable(
        name, initializer=tf.constant(WHOLE), partitioner=tf.fixed_size_partitioner(parts, axis)
    )


@case
def a_variable_in_parts(tf: Any) -> Any:
    """Names, shapes, lists and values."""
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(3)):
        v = tf.get_variable("v", [7, 2], initializer=tf.ones_initializer())
    joined = tf.convert_to_tensor(v)
    return [
        type(v).__name__, v.name, v.shape.as_list(), v.get_shape().as_list(), v.dtype.name, len(v),
        specs(v), [part.shape.as_list() for part in v], joined.name, joined.shape.as_list(),
        list(v._get_partitions()), [each.name for each in tf.global_variables()],
        [each.name for each in tf.trainable_variables("s")], tf.is_tensor(v),
        values(tf, [list(v), joined, tf.reduce_sum(v), tf.ones([7, 2]) + v]),
    ]  # fmt: skip


@case
def values_are_cut_along_the_axis(tf: Any) -> Any:
    """Initial values that are tensors, lists, arrays."""
    cut = tf.fixed_size_partitioner(2, 1)
    found = [
        variable(tf, "a", 2, 1),
        tf.get_variable("b", [7, 2], initializer=WHOLE, partitioner=cut),
        tf.get_variable("c", [3], initializer=[1.0, 2.0, 3.0],
                        partitioner=tf.fixed_size_partitioner(2)),
        tf.get_variable("d", [2, 3], tf.int32, partitioner=cut),
    ]  # fmt: skip
    return [specs(v) for v in found], values(tf, [list(v) for v in found])


@case
def initializers_know_the_whole(tf: Any) -> Any:
    """Those of one's own, and those whose numbers depend on the shape of the whole."""
    told: list[Any] = []

    def own(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        part = partition_info
        told.append([list(shape), dtype.name, list(part.full_shape), list(part.var_offset),
                     part.single_offset(shape), part.single_slice_dim(shape)])  # fmt: skip
        told.extend(error(lambda bad=bad: part.single_offset(bad)) for bad in ([5], [6, 3], [2, 2]))
        return tf.zeros(shape, dtype)

    by_two = tf.fixed_size_partitioner(2)
    tf.get_variable("own", [5, 3], initializer=own, partitioner=by_two)
    eye = tf.get_variable("e", [4, 3], initializer=tf.initializers.identity(), partitioner=by_two)
    drawn = tf.get_variable("g", [400, 2], partitioner=by_two)
    scaled = tf.get_variable(
        "u", [400, 2], initializer=tf.uniform_unit_scaling_initializer(), partitioner=by_two
    )
    read = values(tf, [eye.as_tensor(), drawn.as_tensor(), scaled.as_tensor()])
    return [told, read[0], *(round(float(np.abs(each).max()), 2) for each in read[1:])]


@case
def what_partitioners_may_answer(tf: Any) -> Any:
    """Errors, and scalars, which stay whole."""
    answers = {
        "number": 3, "length": [3, 1, 1], "zero": [0, 1], "both": [2, 3], "many": [9, 1],
        "tuple": (1, 2), "whole": [1, 1],
    }  # fmt: skip
    found: dict[str, Any] = {}
    for name, answer in answers.items():
        found[name] = error(
            lambda n=name, a=answer: specs(
                tf.get_variable(n, [3, 3], partitioner=lambda shape, dtype: a)
            )
        )
    by_two = tf.fixed_size_partitioner(2)
    found["no function"] = error(lambda: tf.get_variable("x", [3], partitioner=3))
    found["unknown"] = error(lambda: tf.get_variable("x", [None, 3], partitioner=by_two))[0]
    found["no shape"] = error(lambda: tf.get_variable("x", partitioner=by_two))
    found["value"] = error(lambda: tf.get_variable("x", initializer=[1.0], partitioner=by_two))
    found["scalar"] = tf.get_variable("scalar", [], partitioner=by_two).name
    found["no rank"] = error(lambda: tf.get_variable("x", tf.TensorShape([]), partitioner=by_two))
    return found


@case
def sharing(tf: Any) -> Any:
    """What `reuse` looks at."""
    by_two, by_three = tf.fixed_size_partitioner(2), tf.fixed_size_partitioner(3)
    v = tf.get_variable("v", [4, 3], partitioner=by_two)
    tf.get_variable("whole", [4, 3])
    tf.get_variable("few/part_0", [2, 3])
    for i in range(3):
        tf.get_variable(f"many/part_{i}", [2, 3])

    def asked(*args: Any, reuse: Any = True, **kwargs: Any) -> Any:
        with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
            shared = tf.get_variable(*args, **kwargs)
            return shared is v or getattr(shared, "name", None)

    auto = tf.AUTO_REUSE
    calls: dict[str, Callable[[], Any]] = {
        "same": lambda: asked("v", [4, 3], partitioner=by_two),
        "auto": lambda: asked("v", [4, 3], partitioner=by_two, reuse=auto),
        "no partitioner": lambda: asked("v", [4, 3]),
        "name": lambda: asked("v"),
        "part": lambda: asked("v/part_0", [2, 3]),
        "shape": lambda: asked("v", [4, 4], partitioner=by_two),
        "dtype": lambda: asked("v", [4, 3], tf.float64, partitioner=by_two),
        "count": lambda: asked("v", [4, 3], partitioner=by_three),
        "axis": lambda: asked("v", [4, 3], partitioner=tf.fixed_size_partitioner(2, 1)),
        "other": lambda: asked("w", [4, 3], partitioner=by_two),
        "auto, no partitioner": lambda: asked("v", [4, 3], reuse=auto),
        "twice": lambda: asked("v", [4, 3], partitioner=by_two, reuse=False),
        "twice, no partitioner": lambda: asked("v", [4, 3], reuse=False),
        "whole": lambda: asked("whole", [4, 3], partitioner=by_two, reuse=auto),
        "few": lambda: asked("few", [4, 3], partitioner=by_two, reuse=auto),
        "many": lambda: asked("many", [4, 3], partitioner=by_two, reuse=auto),
    }
    return {name: error(call) for name, call in calls.items()}


@case
def created_parts(tf: Any) -> Any:
    """`create_partitioned_variables`."""
    make = tf.create_partitioned_variables
    ones = tf.ones_initializer()
    first = make([4, 2], [2, 1], ones)
    second = make([7, 2], [1, 2], tf.constant(WHOLE, tf.float64), trainable=False)
    named = make([4, 2], [2, 1], ones, name="n", collections=["mine"])
    again = make([4, 2], [2, 1], ones, name="n", reuse=True)
    return [
        specs(first), specs(second), specs(named), again[0] is named[0],
        [each.name for each in tf.trainable_variables()],
        [each.name for each in tf.get_collection("mine")],
        error(lambda: specs(make([4, 2], [2, 1], ones, name="n"))),
        error(lambda: specs(make([4, 2], [2], ones))), error(lambda: specs(make([], [], ones))),
        error(lambda: specs(make([4, 2], [2, 2], ones))), values(tf, second),
    ]  # fmt: skip


@case
def losses_of_parts(tf: Any) -> Any:
    """Each part has a regularizer's loss of its own."""
    regularizer = lambda part: tf.reduce_sum(part)  # noqa: E731
    with tf.variable_scope("s", regularizer=regularizer):
        variable(tf)
    return values(tf, [tf.identity(each) for each in tf.losses.get_regularization_losses()])


@case
def changes(tf: Any) -> Any:
    """Assignments to the whole and to the parts."""
    v, w = variable(tf), variable(tf, "w")
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for change in (
            v.assign(tf.ones([7, 2])), v.assign_add(w), v.assign_sub(WHOLE),
            v.assign([tf.zeros(part.shape) for part in v]), tf.assign(v, tf.ones([7, 2])),
            tf.assign_add(v, WHOLE), tf.assign_sub(v, tf.ones([7, 2])),
        ):  # fmt: skip
            session.run(change)
            found.append([len(change), session.run(v.as_tensor())])
    return found


@case
def a_step_of_training(tf: Any) -> Any:
    """Gradients and slots per part."""
    v = variable(tf)
    loss = tf.reduce_sum(tf.identity(v) * WHOLE)
    grads = tf.gradients(loss, list(v))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply(list(v))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        given = session.run(grads)
        session.run(step)
        after = session.run(v.as_tensor())
    return [
        specs(sorted(tf.global_variables(), key=lambda each: each.name)), given,
        after, error(lambda: tf.gradients(loss, v))[0],
    ]  # fmt: skip


@case
def lookups(tf: Any) -> Any:
    """Rows, with gradients that are slices of the parts."""
    v = variable(tf)
    ids = tf.constant([0, 1, 5, 6, 1])
    sparse = tf.SparseTensor(
        [[0, 0], [0, 1], [1, 0], [2, 0]], tf.constant([0, 3, 6, 2], tf.int64), [3, 2]
    )
    found: dict[str, Any] = {"gather": tf.gather(v, ids)}
    for way in ("mod", "div"):
        rows = tf.nn.embedding_lookup(v, ids, partition_strategy=way)
        grads = tf.gradients(rows, list(v))
        found[way] = [rows, [[each.values, each.indices] for each in grads]]
        found[f"{way}, norm"] = tf.nn.embedding_lookup(list(v), ids, way, max_norm=1.0)
        for combiner in ("sum", "mean", "sqrtn"):
            found[f"{way}, {combiner}"] = [
                tf.nn.embedding_lookup_sparse(v, sparse, None, way, combiner=combiner),
                tf.nn.safe_embedding_lookup_sparse(v, sparse, None, combiner, 3, None, way),
            ]
    return values(tf, found)


@case
def saved_and_restored(tf: Any) -> Any:
    """One tensor in the checkpoint, for any number of parts."""
    folder = tempfile.mkdtemp()
    v, w = variable(tf), tf.get_variable("w", initializer=tf.constant(WHOLE))
    tf.train.AdamOptimizer().minimize(tf.reduce_sum(tf.identity(v)))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, f"{folder}/all")
        renamed = tf.train.Saver({"x": v, "y": w}).save(session, f"{folder}/renamed")
    found: dict[str, Any] = {
        "listed": [[name, list(shape)] for name, shape in tf.train.list_variables(path)],
        "renamed": [[name, list(shape)] for name, shape in tf.train.list_variables(renamed)],
        "loaded": tf.train.load_variable(path, "v"),
    }
    for name, parts, axis in (("v", 2, 0), ("v", 2, 1), ("w", 3, 0), ("v", 0, 0)):
        with tf.Graph().as_default(), tf.Session() as session:
            cut = tf.fixed_size_partitioner(parts, axis) if parts else None
            other = tf.get_variable(name, [7, 2], partitioner=cut)
            tf.train.Saver().restore(session, path)
            found[f"{name} {parts} {axis}"] = session.run(list(other) if parts else [other])
    return found


def saver_of(tf: Any, make: Callable[[Any], Any]) -> Any:
    """What a saver of variables writes."""
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [7, 2], partitioner=tf.fixed_size_partitioner(2))
        saver = tf.train.Saver(make(v))
        session.run(tf.global_variables_initializer())
        path = saver.save(session, f"{tempfile.mkdtemp()}/c")
        return [[name, list(shape)] for name, shape in tf.train.list_variables(path)]


@case
def what_savers_take(tf: Any) -> Any:
    """Parts, lists of parts, wholes, and what is refused."""
    plain_one = lambda: tf.get_variable("z", [2])  # noqa: E731
    other = lambda: next(iter(tf.get_variable("z", [2], partitioner=lambda **_: [2])))  # noqa: E731
    asked: dict[str, Callable[[Any], Any]] = {
        "whole": lambda v: [v], "by name": lambda v: {"v": v}, "list": lambda v: {"u": list(v)},
        "tuple": lambda v: {"u": tuple(v)}, "parts": lambda v: list(v)[::-1],
        "twice": lambda v: [v, *v], "same": lambda v: [v, v],
        "same part": lambda v: [next(iter(v))] * 2, "two names": lambda v: {"v": v, "w": v},
        "mixed": lambda v: [*v, tf.Variable(1.0, name="v")],
        "of another": lambda v: {"v": [next(iter(v)), other()]},
    }  # fmt: skip
    found = {name: error(lambda make=make: saver_of(tf, make)) for name, make in asked.items()}
    found["no slice"] = error(lambda: saver_of(tf, lambda v: {"v": [next(iter(v)), plain_one()]}))[
        0
    ]
    found["no variable"] = error(lambda: saver_of(tf, lambda v: {"v": [tf.ones([])]}))[0]
    found["alone"] = error(lambda: saver_of(tf, lambda v: v))[0]
    return found


def started_from(tf: Any, path: str, start: Callable[[Any], Any], name: str = "v") -> Any:
    """A variable in two parts after its initialisers have taken values."""
    with tf.Graph().as_default():
        with tf.variable_scope("s"):
            v = tf.get_variable(name, [7, 2], partitioner=tf.fixed_size_partitioner(2))
        start(v)
        return values(tf, list(v))


@case
def first_values_of_a_checkpoint(tf: Any) -> Any:
    """`init_from_checkpoint` and `warm_start`."""
    with tf.Session() as session:
        variable(tf)
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, f"{tempfile.mkdtemp()}/c")
    take = lambda wanted: lambda v: tf.train.init_from_checkpoint(path, wanted(v))  # noqa: E731
    warm = lambda *args: lambda v: tf.train.warm_start(path, *args)  # noqa: E731
    calls: dict[str, Callable[[Any], Any]] = {
        "name": take(lambda v: {"v": "s/v"}), "list": take(lambda v: {"v": list(v)}),
        "scope": take(lambda v: {"/": "s/"}),
        "part": take(lambda v: {"v": next(iter(v))}),
        "warm": warm(".*", None, {"s/v": "v"}),
        "warm list": lambda v: tf.train.warm_start(path, list(v), None, {"s/v": "v"}),
    }  # fmt: skip
    return {
        name: error(lambda call=call: started_from(tf, path, call)) for name, call in calls.items()
    } | {"missing": error(lambda: started_from(tf, path, calls["scope"], "u"))[0]}


def counting(tf: Any) -> Callable[..., Any]:
    """An initializer: 100, 101, ..."""

    def made(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
        numbers = tf.range(tf.reduce_prod(shape)) + 100
        return tf.reshape(tf.cast(numbers, tf.float32), shape)

    return made


@case
def first_values_of_words(tf: Any) -> Any:
    """`warm_start` with words: rows and columns that have moved, are new, or stand for others."""
    folder = Path(tempfile.mkdtemp())
    files = {"rows": "a b c d", "new_rows": "c x a b y z", "columns": "t u", "new_columns": "u s t",
             "twice": "a a b c"}  # fmt: skip
    for file, words in files.items():
        (folder / file).write_text("\n".join(words.split()) + "\n")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", initializer=tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2)))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(folder / "c"))

    def info(axis: int, size: int, others: int, **more: Any) -> Any:
        new, old = ("new_rows", "rows") if axis == 0 else ("new_columns", "columns")
        files = {"new_vocab": str(folder / new), "old_vocab": str(folder / old), **more}
        return tf.train.VocabInfo(
            new_vocab_size=size, num_oov_buckets=others, axis=axis, **files
        )  # fmt: skip

    def started(shape: Any, parts: int, vocabulary: Any, **more: Any) -> Any:
        with tf.Graph().as_default():
            cut = tf.fixed_size_partitioner(parts) if parts else None
            v = tf.get_variable("v", shape, partitioner=cut)
            w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
            arguments = {"vars_to_warm_start": ["v"], **more}
            tf.train.warm_start(path, var_name_to_vocab_info={"v": vocabulary}, **arguments)
            return values(tf, [*(v if parts else [v]), w])

    counted, old = {"backup_initializer": counting(tf)}, {"old_vocab": str(folder / "twice")}
    calls: dict[str, Callable[[], Any]] = {
        "rows": lambda: started([4, 2], 0, info(0, 4, 0)),
        "none": lambda: started([4, 2], 0, info(0, 4, 0), vars_to_warm_start=None),
        "others": lambda: started([6, 2], 0, info(0, 4, 2, **counted)),
        "fewer": lambda: started([4, 2], 0, info(0, 4, 0, old_vocab_size=2, **counted)),
        "parts": lambda: started([7, 2], 3, info(0, 5, 2, **counted)),
        "parts of others": lambda: started([6, 2], 3, info(0, 3, 3, **counted)),
        "columns": lambda: started([4, 3], 0, info(1, 3, 0, **counted)),
        "other columns": lambda: started([4, 5], 0, info(1, 3, 2, **counted)),
        "columns of parts": lambda: started([4, 3], 2, info(1, 3, 0, **counted)),
        "too many": lambda: started([5, 2], 0, info(0, 4, 0)),
        "wide": lambda: started([4, 4], 0, info(1, 3, 0)),
        "axis": lambda: info(2, 1, 1),
        "unused": lambda: started([4, 2], 0, info(0, 4, 0), var_name_to_prev_var_name={"q": "v"}),
    }
    failing: dict[str, Callable[[], Any]] = {
        "lines": lambda: started([9, 2], 0, info(0, 9, 0)),
        "old lines": lambda: started([4, 2], 0, info(0, 4, 0, old_vocab_size=9)),
        "twice": lambda: started([4, 2], 0, info(0, 4, 0, **old)),
        "no file": lambda: started([4, 2], 0, info(0, 4, 0, old_vocab=str(folder / "none"))),
        "width": lambda: started([4, 3], 0, info(0, 4, 0)),
    }
    return {name: error(call) for name, call in calls.items()} | {
        name: isinstance(error(call)[0], str) for name, call in failing.items()
    }


def run(tf: Any, name: str) -> Any:
    """What a case returns in a graph of its own."""
    return in_a_graph(tf, CASES[name])


if __name__ == "__main__":
    import tensorflow

    record(tensorflow.compat.v1, CASES)
