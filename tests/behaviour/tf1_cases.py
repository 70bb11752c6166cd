"""Small TF 1 programs. Each returns names and numbers, which must be those of TensorFlow.

`tests/data/tf1_cases.json` has what TensorFlow 2.21 returned. To record it again, run this file
with the Python of an installed TensorFlow: it prints the JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any], Any]] = {}


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Adds a program to the cases."""
    CASES[function.__name__] = function
    return function


def plain(value: Any) -> Any:
    """A result as JSON has it: floats with five digits."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return float(f"{value:.5g}")
    return value


def run(tf: Any, name: str) -> Any:
    """What a program returns, in a graph of its own."""
    with tf.Graph().as_default():
        return plain(CASES[name](tf))


def run_all(tf: Any, fetches: Any, feeds: Any = None) -> Any:
    """Values in a new session, with all variables initialised."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        return session.run(fetches, feeds)


def error_of(call: Callable[[], Any]) -> list[str]:
    """The class and the first line of what a call raises."""
    try:
        call()
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0].split(" Originally")[0]]
    return ["nothing", ""]


def names(things: Any) -> list[str]:
    """The names of tensors, operations or variables."""
    return [each.name for each in things]


# -- variable scopes -------------------------------------------------------------------------------


@case
def scopes_name_variables_and_operations(tf):
    with tf.variable_scope("a"):
        v = tf.get_variable("v", [2])
        x = v + 1.0
        with tf.variable_scope("b") as inner:
            w = tf.get_variable("w", initializer=tf.constant([3.0]))
            y = tf.add(w, 1.0)
    with tf.variable_scope("a"):
        z = tf.add(x, 1.0, name="z")
    with tf.variable_scope(inner, reuse=True) as again:
        w2 = tf.get_variable("w")
        u = tf.multiply(w2, 2.0)
    return [names([v, x, w, y, z, u]), w is w2, again.name, again.original_name_scope, again.reuse,
            v.op.name, v.initializer.name]  # fmt: skip


@case
def scopes_by_default_get_numbers(tf):
    found = []
    for _ in range(2):
        with tf.variable_scope(None, default_name="layer") as scope:
            found.append([scope.name, tf.get_variable("w", []).name, tf.constant(1.0).name])
    with tf.variable_scope("outer"):
        for _ in range(2):
            with tf.variable_scope(None, "layer") as scope:
                found.append([scope.name, tf.get_variable("w", []).name, tf.constant(1.0).name])
    with tf.variable_scope("outer"), tf.variable_scope(None, "layer") as scope:
        found.append(scope.name)
    return found


@case
def name_scopes_do_not_name_variables_of_get_variable(tf):
    with tf.name_scope("n"), tf.variable_scope("s") as scope:
        v = tf.get_variable("v", [])
        w = tf.Variable(1.0, name="w")
        x = v + w
    with tf.variable_scope("s", auxiliary_name_scope=False):
        y = tf.constant(1.0, name="y")
    return [names([v, w, x, y]), scope.original_name_scope]


@case
def sharing_is_refused_in_words(tf):
    def twice():
        with tf.variable_scope("s"):
            tf.get_variable("w", [2])

    twice()

    def missing():
        with tf.variable_scope("s", reuse=True):
            tf.get_variable("zz", [2])

    def other_shape():
        with tf.variable_scope("s", reuse=True):
            tf.get_variable("w", [3])

    def other_dtype():
        with tf.variable_scope("s", reuse=True):
            tf.get_variable("w", [2], tf.int32)

    def open_shape():
        tf.get_variable("open", [None, 2])

    def no_name():
        with tf.variable_scope(None):
            pass

    def reuse_without_name():
        with tf.variable_scope(None, "d", reuse=True):
            pass

    def value_and_shape():
        tf.get_variable("q", [1], initializer=tf.constant([1.0]))

    def other_initial():
        tf.get_variable("q", dtype=tf.int32, initializer=tf.constant([1.0]))

    def no_scope():
        with tf.variable_scope(3):
            pass

    calls = [twice, missing, other_shape, other_dtype, open_shape, no_name, reuse_without_name,
             value_and_shape, other_initial, no_scope]  # fmt: skip
    return {call.__name__: error_of(call) for call in calls}


@case
def reuse_is_inherited(tf):
    def pair(reuse):
        with tf.variable_scope("s", reuse=reuse), tf.variable_scope("t"):
            return tf.get_variable("w", [])

    first = pair(tf.AUTO_REUSE)
    second = pair(tf.AUTO_REUSE)
    third = pair(True)
    with tf.variable_scope("s"):
        tf.get_variable_scope().reuse_variables()
        with tf.variable_scope("t"):
            fourth = tf.get_variable("w", [])
    return [first is second, first is third, first is fourth, names(tf.global_variables())]


@case
def scopes_say_what_variables_have(tf):
    loss = lambda v: tf.reduce_sum(v) * 0.5  # noqa: E731
    with tf.variable_scope(
        "s", initializer=tf.constant_initializer(0.5), regularizer=loss, dtype=tf.float64
    ):
        v = tf.get_variable("v", [2])
        with tf.variable_scope("t", regularizer=tf.no_regularizer):
            w = tf.get_variable("w", [3], trainable=False)
        u = tf.get_variable("u", [1], initializer=tf.ones_initializer())
        n = tf.get_variable("n", [1], tf.int32, tf.zeros_initializer(), tf.no_regularizer)
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    values = run_all(tf, [v, w, losses])
    trainable = names(tf.trainable_variables("s/[vn]"))
    return [names([v, w, u, n]), u.dtype.name, values, names(losses), trainable]


@case
def custom_getters_are_chained(tf):
    seen = []

    def outer(getter, name, *args, **kwargs):
        seen.append(f"outer {name}")
        return getter(name, *args, **kwargs)

    def inner(getter, name, *args, **kwargs):
        seen.append(f"inner {name} {sorted(kwargs)}")
        return getter(f"{name}_x", *args, **kwargs) * 2.0

    with tf.variable_scope("s", custom_getter=outer), tf.variable_scope("t", custom_getter=inner):
        v = tf.get_variable("v", [], initializer=tf.constant_initializer(3.0))
    seen = [each.split(" [")[0] for each in seen]
    return [seen, names(tf.global_variables()), run_all(tf, v)]


@case
def collections_hold_variables(tf):
    v = tf.Variable(1.0, name="v")
    w = tf.get_variable("w", [], trainable=False)
    local = tf.get_local_variable("l", [], initializer=tf.zeros_initializer())
    only = tf.get_variable("o", [], collections=["mine"])
    tf.add_to_collection("things", 3)
    tf.add_to_collections(["things", "others"], v)
    lists = {
        "global": names(tf.global_variables()), "local": names(tf.local_variables()),
        "trainable": names(tf.trainable_variables()), "mine": names(tf.get_collection("mine")),
        "others": names(tf.get_collection("others")), "things": len(tf.get_collection("things")),
        "none": tf.get_collection("nothing"),
        "keys": sorted(map(str, tf.get_default_graph().collections)),
    }  # fmt: skip
    lists["keys"] = [each for each in lists["keys"] if not each.startswith(("(", "__"))]
    return [lists, names([v, w, local, only])]


@case
def variables_report_that_they_have_no_value(tf):
    v = tf.get_variable("v", [])
    tf.get_variable("w", [])
    report = tf.report_uninitialized_variables()
    ready = tf.is_variable_initialized(v)
    init = tf.variables_initializer([v], name="only_v")
    with tf.Session() as session:
        before = session.run([report, ready])
        session.run(init)
        after = session.run([report, ready])
        session.run(tf.global_variables_initializer())
        end = session.run(report)
    return [before, after, end, init.name, tf.global_variables_initializer().name,
            tf.local_variables_initializer().name]  # fmt: skip


@case
def assignments_change_variables(tf):
    v = tf.get_variable("v", initializer=tf.constant([1.0, 2.0, 3.0]))
    m = tf.get_variable("m", initializer=tf.ones([3, 2]))
    n = tf.get_variable("n", initializer=0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        results = [
            session.run(tf.assign(v, [4.0, 5.0, 6.0])),
            session.run(tf.assign_add(v, [1.0, 1.0, 1.0])),
            session.run(tf.assign_sub(v, [2.0, 2.0, 2.0])),
            session.run(tf.scatter_update(v, [0, 2], [9.0, 8.0])),
            session.run(tf.scatter_add(v, [1], [1.0])),
            session.run(tf.scatter_sub(m, [1], [[1.0, 2.0]])),
            session.run(tf.scatter_mul(m, [1, 2], [[3.0, 2.0], [5.0, 5.0]])),
            session.run(tf.scatter_nd_update(m, [[0, 1]], [7.0])),
            session.run(tf.scatter_nd_add(m, [[0, 1]], [7.0])),
            session.run(tf.scatter_max(m, [0], [[2.0, 2.0]])),
            session.run(tf.assign(n, n + 5)),
            session.run(tf.count_up_to(n, 10)),
            session.run(n),
        ]
    return results


@case
def groups_run_everything(tf):
    v = tf.Variable(1.0)
    w = tf.Variable(1.0)
    both = tf.group(v.assign_add(1.0), [w.assign_sub(1.0)], name="both")
    nothing = tf.no_op()
    a, b = tf.tuple([tf.constant(1.0), tf.constant(2.0)], control_inputs=[both])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        result = [session.run(both), session.run([v, w]), session.run(nothing)]
        result += [session.run(a), session.run([v, w])]
    return [*result, names([both, nothing, a, b]), names([tf.group(v, w)])]


@case
def seeds_repeat_in_new_sessions(tf):
    x = tf.random_uniform([3], seed=7)
    y = tf.random_normal([2], seed=3)
    t = tf.truncated_normal([2], seed=5)
    shuffled = tf.random_shuffle(tf.range(6), seed=2)
    runs = []
    for _ in range(2):
        with tf.Session() as session:
            runs.append([session.run([x, y, t, shuffled]) for _ in range(2)])
    tf.set_random_seed(42)
    z = tf.random_uniform([2], seed=7)
    with tf.Session() as session:
        return [runs, session.run(z), session.run(z), tf.get_seed(3)]


@case
def initializers_give_values(tf):
    shape = [2, 3]
    made = {
        "constant": tf.constant_initializer([1.0, 2.0])(shape),
        "zeros": tf.zeros_initializer(tf.int32)(shape),
        "ones": tf.ones_initializer()(shape, dtype=tf.float64),
        "normal": tf.random_normal_initializer(1.0, 2.0, seed=1)(shape),
        "uniform": tf.random_uniform_initializer(-1.0, 1.0, seed=1)(shape),
        "truncated": tf.truncated_normal_initializer(stddev=0.1, seed=1)(shape),
        "scaling": tf.uniform_unit_scaling_initializer(1.5, seed=1)(shape),
        "variance": tf.variance_scaling_initializer(2.0, "fan_out", "uniform", seed=1)(shape),
        "glorot": tf.glorot_uniform_initializer(seed=1)(shape),
        "glorot_normal": tf.glorot_normal_initializer(seed=1)(shape),
        "he": tf.initializers.he_normal(seed=1)(shape),
        "lecun": tf.initializers.lecun_uniform(seed=1)(shape),
        "identity": tf.initializers.identity(2.0)(shape),
    }
    orthogonal = tf.orthogonal_initializer(seed=1)([2, 3])
    values = run_all(tf, made)
    values["product"] = np.round(
        run_all(tf, tf.matmul(orthogonal, orthogonal, transpose_b=True)), 5
    )
    values["configs"] = [
        tf.glorot_uniform_initializer(seed=1).get_config(),
        tf.constant_initializer(2).get_config(),
        error_of(lambda: tf.constant_initializer([1, 2, 3])([2])),
        error_of(lambda: tf.constant_initializer([1, 2], verify_shape=True)([3])),
        error_of(lambda: tf.variance_scaling_initializer(-1.0)),
    ]
    return values


@case
def templates_share_their_variables(tf):
    def scaled(x):
        return x * tf.get_variable("w", [], initializer=tf.constant_initializer(2.0))

    template = tf.make_template("scale", scaled)
    other = tf.make_template("scale", scaled)
    a, b, c = template(1.0), template(2.0), other(3.0)
    return [names(tf.global_variables()), run_all(tf, [a, b, c]), names([a, b, c])]


if __name__ == "__main__":
    import tensorflow

    v1 = tensorflow.compat.v1
    v1.disable_v2_behavior()
    v1.enable_resource_variables()
    recorded = {}
    for each in sys.argv[1:] or CASES:
        try:
            recorded[each] = run(v1, each)
        except Exception as error:
            print(each, "failed:", repr(error)[:300], file=sys.stderr)
    print(json.dumps(recorded, indent=0, sort_keys=True))
