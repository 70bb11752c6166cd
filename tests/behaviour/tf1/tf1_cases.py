"""Small TF 1 programs. Each returns names and numbers, which must be those of TensorFlow.

`tests/data/tf1_cases.json` has what TensorFlow 2.21 returned. To record it again, run this file
with the Python of an installed TensorFlow: it prints the JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
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
    return in_a_graph(tf, CASES[name])


def in_a_graph(tf: Any, case: Callable[[Any], Any]) -> Any:
    """What a case returns in a graph of its own."""
    with tf.Graph().as_default():
        return plain(case(tf))


def record(v1: Any, cases: Mapping[str, Callable[[Any], Any]]) -> None:
    """Prints what TensorFlow returns in cases: in all, or in those that the command names."""
    v1.disable_v2_behavior()
    v1.enable_resource_variables()
    recorded = {}
    for each in sys.argv[1:] or cases:
        try:
            recorded[each] = in_a_graph(v1, cases[each])
        except Exception as error:
            print(each, "failed:", repr(error)[:300], file=sys.stderr)
    print(json.dumps(recorded, indent=0, sort_keys=True))


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
    tensors = {
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
    values = run_all(tf, tensors)
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


# -- recurrent networks ----------------------------------------------------------------------------


def rnn_case(name, make, **options):
    """A case for a cell over four steps, as a list and as a tensor."""

    def program(tf):
        results = []
        for kind in ("dynamic", "static", "lengths"):
            with tf.Graph().as_default():
                initializer = tf.random_uniform_initializer(-0.5, 0.5, seed=3)
                x = ramp(tf, [2, 4, 3])
                with tf.variable_scope("m", initializer=initializer):
                    cell = make(tf.nn.rnn_cell)
                    if kind == "static":
                        steps = tf.unstack(x, axis=1)
                        out, state = tf.nn.static_rnn(cell, steps, dtype=tf.float32)
                    else:
                        lengths = [2, 4] if kind == "lengths" else None
                        out, state = tf.nn.dynamic_rnn(cell, x, lengths, dtype=tf.float32)
                variables = [[v.name, v.shape.as_list()] for v in tf.global_variables()]
                values = run_all(tf, [out, state])
                results.append([values, variables])
        return results

    CASES[f"rnn_{name}"] = program


rnn_case("basic", lambda cells: cells.BasicRNNCell(3))
rnn_case("gru", lambda cells: cells.GRUCell(3))
rnn_case("basic_lstm", lambda cells: cells.BasicLSTMCell(3))
rnn_case("lstm", lambda cells: cells.LSTMCell(3, use_peepholes=True, num_proj=2, cell_clip=0.4))
rnn_case("multi", lambda cells: cells.MultiRNNCell([cells.BasicLSTMCell(2), cells.GRUCell(3)]))
rnn_case("residual", lambda cells: cells.ResidualWrapper(cells.GRUCell(3)))


@case
def rnns_in_both_directions(tf):
    x = ramp(tf, [2, 4, 3])
    cells = tf.nn.rnn_cell
    with tf.variable_scope("m", initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3)):
        made = [
            tf.nn.bidirectional_dynamic_rnn(
                cells.GRUCell(2), cells.GRUCell(2), x, [3, 4], dtype=tf.float32
            ),
            tf.nn.static_bidirectional_rnn(
                cells.BasicLSTMCell(2), cells.BasicLSTMCell(2), tf.unstack(x, axis=1),
                dtype=tf.float32, scope="list",
            ),
        ]  # fmt: skip
    return [run_all(tf, made), names(tf.global_variables())]


@case
def rnns_take_open_numbers_of_steps(tf):
    x = tf.placeholder(tf.float32, [None, None, 3])
    with tf.variable_scope("m", initializer=tf.random_uniform_initializer(-0.5, 0.5, seed=3)):
        out, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.BasicLSTMCell(2), x, dtype=tf.float32)
    gradients = tf.gradients(tf.reduce_sum(out), tf.trainable_variables())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        fed = [np.linspace(0.0, 1.0, 2 * n * 3).reshape(2, n, 3) for n in (2, 5)]
        return [session.run([out, state, gradients], {x: each}) for each in fed]


# -- layers ----------------------------------------------------------------------------------------


def ramp(tf, shape):
    """Numbers from 0 to 1 in a shape."""
    count = int(np.prod(shape))
    return tf.constant(np.linspace(0.0, 1.0, count).reshape(shape).astype(np.float32))


@case
def layers_have_names_and_values(tf):
    flat, image = ramp(tf, [2, 3]), ramp(tf, [1, 6, 6, 2])
    tenth = tf.constant_initializer(0.1)
    made = [
        tf.layers.dense(flat, 4, tf.nn.relu, kernel_initializer=tenth),
        tf.layers.dense(flat, 2, use_bias=False, kernel_initializer=tenth, name="fc"),
        tf.layers.dense(flat, 2, use_bias=False, name="fc", reuse=True),
        tf.layers.dense(ramp(tf, [2, 2, 3]), 2, kernel_initializer=tenth),
        tf.layers.conv2d(image, 3, 3, activation=tf.nn.relu, kernel_initializer=tenth),
        tf.layers.conv2d(image, 2, [3, 3], (2, 2), "same", kernel_initializer=tenth),
        tf.layers.conv1d(ramp(tf, [1, 5, 2]), 2, 3, padding="same", kernel_initializer=tenth),
        tf.layers.conv3d(ramp(tf, [1, 3, 3, 3, 1]), 1, 2, kernel_initializer=tenth),
        tf.layers.conv2d_transpose(image, 1, 3, 2, "same", kernel_initializer=tenth),
        tf.layers.conv2d_transpose(image, 1, 3, 2, kernel_initializer=tenth),
        tf.layers.separable_conv2d(
            image, 3, 3, depthwise_initializer=tenth, pointwise_initializer=tenth
        ),
        tf.layers.max_pooling2d(image, 2, 2), tf.layers.average_pooling2d(image, [2, 2], 2, "same"),
        tf.layers.max_pooling1d(ramp(tf, [1, 5, 2]), 2, 2),
        tf.layers.average_pooling3d(ramp(tf, [1, 4, 4, 4, 1]), 2, 2),
        tf.layers.flatten(image), tf.layers.dropout(flat, 0.4), tf.layers.batch_normalization(flat),
    ]  # fmt: skip
    variables = [[v.name, v.shape.as_list()] for v in tf.global_variables()]
    return [run_all(tf, made), variables, names(made[:2]), names(tf.trainable_variables())]


@case
def a_layer_is_shared_by_calls(tf):
    layer = tf.layers.Dense(
        2, kernel_initializer=tf.ones_initializer(),
        kernel_regularizer=lambda w: 0.5 * tf.reduce_sum(w * w),
    )  # fmt: skip
    before = layer.built
    a, b = layer(tf.ones([1, 3])), layer.apply(tf.ones([2, 3]) * 2.0)
    with tf.variable_scope("outer"):
        c = tf.layers.dense(a, 1, kernel_initializer=tf.ones_initializer())
    found = names(layer.variables), names([layer.kernel, layer.bias]), len(layer.losses)
    return [run_all(tf, [a, b, c, tf.losses.get_regularization_loss()]), found, before, layer.built,
            names(tf.global_variables()), [a.name, c.op.type]]  # fmt: skip


@case
def batch_normalization_updates_its_averages(tf):
    training = tf.placeholder_with_default(False, [])
    results = []
    for flag in (True, training):
        with tf.Graph().as_default():
            flag = True if flag is True else tf.placeholder(tf.bool, [])
            x = ramp(tf, [2, 2, 2, 3]) * 3.0
            z = ramp(tf, [4, 3])
            y = tf.layers.batch_normalization(x, momentum=0.9, training=flag)
            u = tf.layers.batch_normalization(
                z, momentum=0.5, training=flag, name="bn", scale=False
            )
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            feeds = {} if flag is True else {flag: True}
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                out = [session.run([y, u], feeds)]
                session.run(updates, feeds)
                out.append([session.run(v) for v in tf.global_variables()])
                if flag is not True:
                    out.append(session.run([y, u], {flag: False}))
            results.append([out, names(tf.global_variables()), len(updates)])
    return results


@case
def layers_train_with_open_batches(tf):
    x = tf.placeholder(tf.float32, [None, 4, 4, 1])
    tenth = tf.constant_initializer(0.1)
    h = tf.layers.conv2d(x, 2, 3, padding="same", kernel_initializer=tenth)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.flatten(h)
    y = tf.layers.dense(h, 3, kernel_initializer=tenth)
    loss = tf.losses.sparse_softmax_cross_entropy(tf.constant([1, 2]), y)
    gradients = tf.gradients(loss, tf.trainable_variables())
    fed = np.linspace(0.0, 1.0, 32).reshape(2, 4, 4, 1)
    return run_all(tf, [loss, *gradients], {x: fed})


# -- functions with their old arguments ------------------------------------------------------------


@case
def reductions_take_their_old_arguments(tf):
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 9.0]])
    made = [
        tf.reduce_sum(x, reduction_indices=[1]), tf.reduce_mean(x, 0, keep_dims=True),
        tf.reduce_max(x, axis=1), tf.reduce_logsumexp(x, 1, keep_dims=True),
        tf.argmax(x, 1), tf.argmax(x, dimension=0), tf.argmin(x), tf.arg_max(x, 1),
        tf.count_nonzero(x, 0, keep_dims=True), tf.reduce_all(x > 0.0), tf.norm(x, axis=1),
    ]  # fmt: skip
    wrong = error_of(lambda: tf.reduce_sum(x, axis=1, reduction_indices=1))
    return [run_all(tf, made), names(made[:3]), wrong]


@case
def array_functions_take_their_old_arguments(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    made = [
        tf.expand_dims(x, dim=0), tf.squeeze(tf.ones([1, 2, 1]), squeeze_dims=[0]),
        tf.constant(7, shape=[2, 2]), tf.constant([1, 2, 3], shape=[2, 3]),
        tf.where([True, False], x, -x), tf.where(x > 2.0), tf.to_float(tf.constant(3)),
        tf.to_int32(x), tf.div(7, 2), tf.div(7.0, 2.0), tf.transpose(x, name="t"),
        tf.boolean_mask(x, [True, False]), tf.gather(x, [1], axis=1),
        tf.shape(x, out_type=tf.int64), tf.size(x, name="s"), tf.zeros_like(x, tf.int32),
        tf.matrix_diag([1.0, 2.0]), tf.matrix_transpose(x), tf.diag([1.0, 2.0]),
        tf.unsorted_segment_sum([1.0, 2.0, 3.0], [0, 1, 0], 2), tf.log(x), tf.is_nan(x),
        tf.string_to_number(["1.5"]), tf.substr(["hello"], 1, 3), tf.reduce_join([["a", "b"]], 1),
        tf.pad(x, [[1, 0], [0, 0]]), tf.squared_difference(x, 1.0), tf.mod(7, 3),
        tf.verify_tensor_all_finite(x, "not finite"), tf.ones_like(x),
        tf.cumprod([1.0, 2.0, 3.0]),
    ]  # fmt: skip
    wrong = [
        error_of(lambda: tf.expand_dims(x)),
        error_of(lambda: tf.constant([1, 2], shape=[3], verify_shape=True)),
        error_of(lambda: tf.expand_dims(x, 0, dim=0)),
    ]
    return [run_all(tf, made), wrong]


@case
def network_functions_take_their_old_arguments(tf):
    x = tf.reshape(tf.range(32, dtype=tf.float32), [1, 4, 4, 2]) / 10.0
    w = tf.ones([2, 2, 2, 3]) * 0.1
    logits = tf.constant([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]])
    labels = tf.constant([[0.0, 1.0, 0.0], [0.3, 0.3, 0.4]])
    mean, variance = tf.nn.moments(x, [0, 1, 2], keep_dims=True)
    ones = tf.ones([4, 5])
    dropped = tf.nn.dropout(ones, keep_prob=0.5, seed=1)
    again = tf.nn.dropout(ones, rate=0.2, seed=1)
    tensors = [
        tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME", True),
        tf.nn.conv2d(x, filter=w, strides=[1, 2, 2, 1], padding="VALID"),
        tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.avg_pool(value=x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
        tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits),
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2], logits=logits),
        tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
        tf.nn.softmax(logits, dim=0), tf.nn.l2_normalize(logits, dim=1), mean, variance,
        tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3), dropped, again,
        tf.nn.embedding_lookup(tf.constant([[1.0], [2.0]]), [1, 0]),
        tf.nn.xw_plus_b(logits, tf.ones([3, 2]), [1.0, 2.0]), tf.nn.in_top_k(logits, [1, 0], 1),
        tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "VALID"),
    ]  # fmt: skip
    wrong = [
        error_of(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 2], logits)),
        error_of(lambda: tf.nn.dropout(ones)),
        error_of(lambda: tf.nn.sigmoid_cross_entropy_with_logits(labels=labels))[0],
    ]
    return [run_all(tf, tensors), wrong]


@case
def images_are_resized_as_in_tf1(tf):
    x = ramp(tf, [1, 3, 4, 2])
    made = [
        tf.image.resize_images(x, [5, 7]), tf.image.resize_images(x, [5, 7], 1),
        tf.image.resize_images(x, [5, 7], tf.image.ResizeMethod.BICUBIC, align_corners=True),
        tf.image.resize_images(x[0], [2, 2], tf.image.ResizeMethod.AREA),
        tf.image.resize_bilinear(x, [2, 6], align_corners=True),
        tf.image.resize_nearest_neighbor(x, [6, 6]), tf.image.resize_bicubic(x, [4, 4]),
        tf.image.resize_area(x, [2, 3]), tf.image.resize_image_with_crop_or_pad(x, 2, 6),
    ]  # fmt: skip
    return run_all(tf, made)


# -- losses ----------------------------------------------------------------------------------------


@case
def losses_are_weighted_and_collected(tf):
    labels = tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    predictions = tf.constant([[0.8, 0.3], [0.4, 0.7], [0.2, 0.9]])
    weights = tf.constant([[1.0], [0.0], [2.0]])
    losses = [
        tf.losses.mean_squared_error(labels, predictions),
        tf.losses.mean_squared_error(labels, predictions, weights, scope="weighted"),
        tf.losses.absolute_difference(labels, predictions, weights, None, None, "none"),
        tf.losses.absolute_difference(labels, predictions, 0.5, reduction="weighted_sum"),
        tf.losses.huber_loss(labels, predictions * 3.0, delta=0.5),
        tf.losses.log_loss(labels, predictions, reduction="weighted_mean"),
        tf.losses.hinge_loss(labels, predictions, reduction="weighted_sum_over_batch_size"),
        tf.losses.cosine_distance(labels, predictions, axis=1),
        tf.losses.sigmoid_cross_entropy(labels, predictions, label_smoothing=0.1),
        tf.losses.softmax_cross_entropy(labels, predictions, weights[:, 0]),
        tf.losses.softmax_cross_entropy(labels, predictions, label_smoothing=0.2),
        tf.losses.sparse_softmax_cross_entropy([[1], [0], [1]], predictions, [1.0, 2.0, 3.0]),
        tf.losses.mean_pairwise_squared_error(labels, predictions),
        tf.losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 0.0, 1.0]),
    ]
    tf.get_variable("v", [2], initializer=tf.ones_initializer(),
                    regularizer=lambda v: tf.reduce_sum(v) * 0.1)  # fmt: skip
    losses += [tf.losses.get_total_loss(), tf.losses.get_regularization_loss()]
    found_names = names(tf.losses.get_losses())
    keep = ("mean_squared_error/value:0", "weighted/value:0", "huber_loss/value:0",
            "softmax_cross_entropy_loss_1/value:0", "weighted_loss/value:0")  # fmt: skip
    wrong = [
        error_of(lambda: tf.losses.mean_squared_error(None, predictions)),
        error_of(lambda: tf.losses.mean_squared_error(labels, predictions, reduction="sum")),
        error_of(lambda: tf.losses.cosine_distance(labels, predictions)),
    ]
    return [run_all(tf, losses), len(found_names), [name in found_names for name in keep], wrong,
            names(losses[-2:])]  # fmt: skip


# -- metrics ---------------------------------------------------------------------------------------


def over_runs(tf, make, batches):
    """Values and updates of metrics over several batches."""
    fed = [tf.placeholder(tf.float32, [None] * np.ndim(each)) for each in batches[0]]
    value, update = make(*fed)
    runs = []
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        runs.append(session.run(value))
        for batch in batches:
            feeds = dict(zip(fed, batch, strict=True))
            runs += [session.run(update, feeds), session.run(value)]
    called = [value.name, update.name] if update.name.endswith("update_op:0") else []
    return [runs, called, names(tf.local_variables())]


MEASURED = [
    ([1.0, 0.0, 1.0, 1.0], [0.9, 0.2, 0.3, 1.0], [1.0, 1.0, 0.5, 2.0]),
    ([0.0, 0.0, 1.0], [0.6, 0.1, 0.8], [1.0, 3.0, 1.0]),
]
HARD = [(a, [round(each) for each in b], c) for a, b, c in MEASURED]


def metric_case(name, make, batches=MEASURED):
    """A case for one metric, with weights and without."""

    def program(tf):
        with tf.Graph().as_default():
            plain_runs = over_runs(tf, lambda a, b, _: make(tf, a, b, {}), batches)
        with tf.Graph().as_default():
            weighted = over_runs(tf, lambda a, b, c: make(tf, a, b, {"weights": c}), batches)
        return [plain_runs, weighted]

    CASES[f"metric_{name}"] = program


metric_case("mean", lambda tf, a, b, w: tf.metrics.mean(b, **w))
metric_case("accuracy", lambda tf, a, b, w: tf.metrics.accuracy(a, b, **w), HARD)
metric_case("named", lambda tf, a, b, w: tf.metrics.accuracy(a, b, name="mine", **w), HARD)
for each in ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error"):
    metric_case(each, lambda tf, a, b, w, each=each: getattr(tf.metrics, each)(a, b, **w))
metric_case("relative", lambda tf, a, b, w: tf.metrics.mean_relative_error(a, b, b, **w))
metric_case("below", lambda tf, a, b, w: tf.metrics.percentage_below(b, 0.5, **w))
for each in ("precision", "recall", "true_positives", "false_positives", "true_negatives",
             "false_negatives"):  # fmt: skip
    metric_case(each, lambda tf, a, b, w, each=each: getattr(tf.metrics, each)(a, b, **w), HARD)
for each in ("precision_at_thresholds", "recall_at_thresholds", "true_positives_at_thresholds"):
    metric_case(
        each,
        lambda tf, a, b, w, each=each: getattr(tf.metrics, each)(a, b, [0.25, 0.5, 0.85], **w),
    )
for each in ("ROC", "PR"):
    for way in ("trapezoidal", "minoring", "majoring"):
        metric_case(
            f"auc_{each}_{way}",
            lambda tf, a, b, w, each=each, way=way: tf.metrics.auc(
                a, b, num_thresholds=11, curve=each, summation_method=way, **w
            ),
        )
metric_case("iou", lambda tf, a, b, w: tf.metrics.mean_iou(a, b, 2, **w), HARD)
metric_case("per_class", lambda tf, a, b, w: tf.metrics.mean_per_class_accuracy(a, b, 2, **w), HARD)


if __name__ == "__main__":
    import tensorflow

    record(tensorflow.compat.v1, CASES)
