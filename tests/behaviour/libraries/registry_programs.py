"""Programs that read and replace gradients in TensorFlow's private registry, or register their own.

Each takes `tf` and returns plain values. They are run on TensorFlow by
`scripts/record_oracle/gradient_registry.py` and here by `test_gradient_registry.py`.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
from unittest import mock

_NUMBERS = itertools.count()


def private(name):
    return importlib.import_module(f"tensorflow.python.{name}")


def entries():
    return private("framework.ops")._gradient_registry._registry


@contextlib.contextmanager
def replaced(**functions):
    """Puts functions in the place of gradients, and puts these back."""
    found = entries()
    before = {name: found[name]["type"] for name in functions}
    for name, function in functions.items():
        found[name]["type"] = function
    try:
        yield before
    finally:
        for name, function in before.items():
            found[name]["type"] = function


def registered(tf, function):
    """Registers a gradient under a name that nobody has used."""
    name = f"Registered{next(_NUMBERS)}"
    tf.RegisterGradient(name)(function)
    return name


def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(each) for each in x]
    if x is None or isinstance(x, (str, bool, int, float)):
        return x
    if hasattr(x, "indices"):
        return {"values": plain(x.values), "indices": plain(x.indices)}
    return x.numpy().tolist() if hasattr(x, "numpy") else x.tolist()


def on_a_tape(tf, f, *xs):
    with tf.GradientTape() as tape:
        for x in xs:
            tape.watch(x)
        y = f(*xs)
    return plain(tape.gradient(y, list(xs)))


def in_a_session(tf, f, value, shape=None):
    """The value and the gradient of a function of a placeholder of unknown shape."""
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, shape)
        y = f(x)
        grads = tf.gradients(y, x)
        with v1.Session() as session:
            return plain(session.run([y, *grads], {x: value}))


ROW = [[-1.0, 2.0, 3.0]]


def ten_times(op, grad):
    return grad * 10.0


def replaced_on_tapes(tf):
    x = tf.constant(ROW)
    found = [on_a_tape(tf, tf.nn.relu, x)]
    with replaced(Relu=ten_times):
        found += [on_a_tape(tf, tf.nn.relu, x), on_a_tape(tf, lambda x: tf.nn.relu(x) * x, x)]
    return [*found, on_a_tape(tf, tf.nn.relu, x)]


def replaced_in_functions(tf):
    x = tf.constant(ROW)

    def traced():
        return tf.function(lambda x: tf.nn.relu(x) * 2.0)

    @tf.function
    def taped(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.relu(x)
        return tape.gradient(y, x)

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def differentiated(x):
        return tf.gradients(tf.nn.relu(x), x)[0]

    early, late, after = traced(), traced(), traced()
    found = [on_a_tape(tf, early, x)]
    with replaced(Relu=ten_times):
        found += [on_a_tape(tf, early, x), on_a_tape(tf, late, x)]
        found += [plain(taped(x)), plain(differentiated(x))]
    found += [on_a_tape(tf, each, x) for each in (early, late, after)]
    return [*found, plain(taped(x)), plain(differentiated(x))]


def replaced_in_sessions(tf):
    found = []
    for shape in (None, [None, 3], [1, 3]):
        with replaced(Relu=ten_times):
            found.append(in_a_session(tf, tf.nn.relu, ROW, shape))
        found.append(in_a_session(tf, tf.nn.relu, ROW, shape))
    return found


def the_original_is_called(tf):
    def guided(op, grad):
        return tf.where(grad > 0.0, before["Relu"](op, grad), tf.zeros_like(grad))

    def f(x):
        return tf.nn.relu(x) * tf.constant([[1.0, -1.0, 2.0]])

    with replaced(Relu=guided) as before:
        found = [
            on_a_tape(tf, f, tf.constant(ROW)),
            on_a_tape(tf, tf.function(f), tf.constant(ROW)),
        ]
        found += [in_a_session(tf, f, ROW), in_a_session(tf, f, ROW, [None, 3])]
    return found


def originals_of_many_ops(tf):
    """Inputs and results of TensorFlow's form, and numbers, where ours calls the original."""
    found = {}
    for name, f in MANY.items():
        seen = []

        def ask(op, *grads, name=name, seen=seen):
            made = before[name](op, *grads)
            listed = list(made) if isinstance(made, (list, tuple)) else made
            inputs = [
                [x.dtype.name, x.shape.rank if x.dtype.is_floating else None] for x in op.inputs
            ]
            flat = listed if isinstance(listed, list) else [listed]
            missing = [
                g is None for g, x in zip(flat, op.inputs, strict=True) if x.dtype.is_floating
            ]
            seen.append([op.type, inputs, isinstance(listed, list), missing])
            return made

        for shape in ([2, 3], [None, 3]):
            seen.clear()
            with replaced(**{name: ask}) as before:
                values = in_a_session(tf, lambda x, f=f: f(tf, x), [[1.0, 2, 3], [4, 5, 6]], shape)
            key = f"{name} {'known' if shape[0] else 'unknown'}"
            found[key] = [values, list(seen) if shape[0] else None]
    return found


def _image(tf, x):
    return tf.reshape(tf.concat([x, x, x, x], 1)[:, :12], [-1, 3, 2, 2])


MANY = {
    "Sum": lambda tf, x: tf.reduce_sum(x, 1),
    "Mean": lambda tf, x: tf.reduce_mean(x, [0, 1]),
    "Max": lambda tf, x: tf.reduce_max(x, 1),
    "Prod": lambda tf, x: tf.reduce_prod(x, 1),
    "Reshape": lambda tf, x: tf.reshape(x, [3, -1]),
    "ConcatV2": lambda tf, x: tf.concat([x, x * 2.0], 1),
    "StridedSlice": lambda tf, x: x[:, 1],
    "Transpose": lambda tf, x: tf.transpose(x, [1, 0]),
    "GatherV2": lambda tf, x: tf.gather(x, [0, 0], axis=1),
    "Pad": lambda tf, x: tf.pad(x, [[1, 1], [0, 0]]),
    "ExpandDims": lambda tf, x: tf.expand_dims(x, 0),
    "Squeeze": lambda tf, x: tf.squeeze(tf.expand_dims(x, 1), 1),
    "Tile": lambda tf, x: tf.tile(x, [1, 2]),
    "ReverseV2": lambda tf, x: tf.reverse(x, [1]),
    "Split": lambda tf, x: tf.split(x, 3, 1)[1],
    "SplitV": lambda tf, x: tf.split(x, [1, 2], 1)[1],
    "Pack": lambda tf, x: tf.stack([x, x * 3.0]),
    "Unpack": lambda tf, x: tf.unstack(x, 3, axis=1)[0],
    "Cast": lambda tf, x: tf.cast(x, tf.float64),
    "SelectV2": lambda tf, x: tf.where(x > 2.0, x, -x),
    "AddN": lambda tf, x: tf.add_n([x, x, x]),
    "MatMul": lambda tf, x: tf.matmul(x, x, transpose_b=True),
    "BiasAdd": lambda tf, x: tf.nn.bias_add(x, x[0]),
    "AddV2": lambda tf, x: x + x[0],
    "Mul": lambda tf, x: x * x[0],
    "RealDiv": lambda tf, x: x / x[:, :1],
    "Slice": lambda tf, x: tf.slice(x, [0, 1], [1, 2]),
    "Cumsum": lambda tf, x: tf.cumsum(x, 1),
    "Softmax": lambda tf, x: tf.nn.softmax(x) * tf.constant([1.0, 2.0, 3.0]),
    "LogSoftmax": lambda tf, x: tf.nn.log_softmax(x) * tf.constant([1.0, 2.0, 3.0]),
    "MaxPool": lambda tf, x: tf.nn.max_pool2d(_image(tf, x), 2, 1, "SAME"),
    "AvgPool": lambda tf, x: tf.nn.avg_pool2d(_image(tf, x), 2, 1, "VALID"),
    "Conv2D": lambda tf, x: tf.nn.conv2d(_image(tf, x), tf.ones([2, 2, 2, 1]), 1, "SAME"),
    "Einsum": lambda tf, x: tf.einsum("ij,kj->ik", x, x),
    "Sigmoid": lambda tf, x: tf.sigmoid(x),
    "Tanh": lambda tf, x: tf.tanh(x),
    "Elu": lambda tf, x: tf.nn.elu(x - 2.0),
    "LeakyRelu": lambda tf, x: tf.nn.leaky_relu(x - 3.0),
    "Exp": lambda tf, x: tf.exp(x),
    "Square": lambda tf, x: tf.square(x),
    "Maximum": lambda tf, x: tf.maximum(x, 3.5),
    "Fill": lambda tf, x: tf.fill([2], x[0, 0]),
    "TopKV2": lambda tf, x: tf.math.top_k(x, 2)[0],
    "L2Loss": lambda tf, x: tf.nn.l2_loss(x),
    "Floor": lambda tf, x: tf.floor(x) * x,
}


def entries_are_those_of_tensorflow(tf):
    asked = ["Relu", "Shape", "TensorListReserve", "Switch", "Merge", "Enter", "RandomUniform",
             "ZerosLike", "ClipByValue", "While", "Const", "Nothing", "FusedBatchNormV3",
             "StopGradient", "ArgMax", "ResourceGather"]  # fmt: skip
    found = entries()
    registry = private("framework.ops").gradient_registry
    said = [[name, name in found] for name in asked]
    said += [sorted(found["Relu"]), found["Shape"]["type"] is None, registry.lookup("Shape")]
    said += ["Relu" in registry.list(), callable(registry.lookup("Relu"))]
    try:
        registry.lookup("Nothing")
    except LookupError as error:
        said.append(str(error))
    return said


def entries_come_and_go(tf):
    found, x = entries(), tf.constant(ROW)
    entry = found["Relu"]
    said = []
    del found["Relu"]
    try:
        on_a_tape(tf, tf.nn.relu, x)
    except LookupError as error:
        said.append(str(error))
    tf.RegisterGradient("Relu")(ten_times)  # what says that there is one already, otherwise
    said.append(on_a_tape(tf, tf.nn.relu, x))
    found.pop("Relu")
    found["Relu"] = {"type": None, "location": entry["location"]}
    said.append(on_a_tape(tf, tf.nn.relu, x))
    found["Relu"] = entry
    said.append(on_a_tape(tf, tf.nn.relu, x))
    with mock.patch.dict(found, {"Relu": {"type": ten_times, "location": None}}):
        said.append(on_a_tape(tf, tf.nn.relu, x))
    said.append(on_a_tape(tf, tf.nn.relu, x))
    return said


def an_op_without_gradient_gets_one(tf):
    """The straight-through way."""
    with replaced(StopGradient=lambda op, grad: grad * 2.0, Floor=lambda op, grad: grad):
        x = tf.constant([1.5, 2.5])
        found = [on_a_tape(tf, lambda x: tf.stop_gradient(x) * tf.floor(x), x)]
        found.append(in_a_session(tf, tf.stop_gradient, [1.5]))
    return [*found, on_a_tape(tf, lambda x: tf.stop_gradient(x) * tf.floor(x), x)]


def unused_outputs_have_zeros(tf):
    seen = []

    def joined(op, *grads):
        seen.append(len(grads))
        return None, tf.concat([grad + 1.0 for grad in grads], 1)

    x = tf.constant([[1.0, 2.0, 3.0, 4.0]])
    with replaced(Split=joined):
        found = [on_a_tape(tf, lambda x: tf.split(x, 2, 1)[0], x)]
        found.append(in_a_session(tf, lambda x: tf.split(x, 2, 1)[0], [[1.0, 2, 3, 4]], [1, 4]))
    return [found, seen]


def a_wrong_number_of_gradients(tf):
    with replaced(AddV2=lambda op, grad: [grad]):
        try:
            return in_a_session(tf, lambda x: x + 1.0, ROW)
        except ValueError as error:
            return str(error).partition(" for op ")[0]


def guided_backpropagation_in_a_session(tf):
    """As programs for TF 1 do it, with the functions of generated modules."""
    gen_nn_ops = private("ops.gen_nn_ops")

    def guided(op, grad):
        gate = tf.cast(op.inputs[0] > 0.0, grad.dtype)
        return tf.where(grad > 0.0, gen_nn_ops.relu_grad(grad, op.outputs[0]), 0.0 * grad) * gate

    name, found = registered(tf, guided), []
    for shape in ([None, 3], [2, 3]):

        def f(x):
            with tf.compat.v1.get_default_graph().gradient_override_map({"Relu": name}):
                y = tf.nn.relu(x) * tf.constant([1.0, -1.0, 2.0])
            return tf.nn.relu(y)

        found.append(in_a_session(tf, f, [[1.0, 2.0, -3.0], [2.0, -1.0, 1.0]], shape))
    return found


def an_override_in_a_function(tf):
    name = registered(tf, ten_times)

    @tf.function
    def overridden(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Relu": name}):
            return tf.nn.relu(x)

    @tf.function
    def differentiated(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"Relu": name}):
            y = tf.nn.relu(x)
        return tf.gradients(y, x)[0]

    @tf.function
    def taped(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.compat.v1.get_default_graph().gradient_override_map({"Relu": name}):
                y = tf.nn.relu(x)
        return tape.gradient(y, x)

    x = tf.constant(ROW)
    return [on_a_tape(tf, overridden, x), plain(differentiated(x)), plain(taped(x))]


def relevance_through_pooling(tf):
    """The rules of layer-wise relevance propagation, with attributes of the op."""
    gen_nn_ops = private("ops.gen_nn_ops")

    def relevance(op, grad):
        return gen_nn_ops.max_pool_grad(
            op.inputs[0], op.outputs[0], grad * op.outputs[0], op.get_attr("ksize"),
            op.get_attr("strides"), padding=op.get_attr("padding"),
        )  # fmt: skip

    image = [[[[1.0], [2.0]], [[4.0], [3.0]]]]

    def f(x):
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    name = registered(tf, relevance)

    def overridden(x):
        with tf.compat.v1.get_default_graph().gradient_override_map({"MaxPool": name}):
            return f(x)

    with replaced(MaxPool=relevance):
        found = [
            on_a_tape(tf, f, tf.constant(image)),
            on_a_tape(tf, tf.function(f), tf.constant(image)),
        ]
    return [*found, in_a_session(tf, overridden, image, [None, 2, 2, 1])]


def a_rescale_rule(tf):
    """The first half of the batch is compared with the second one, as DeepLIFT does: new entries,
    and a function that hears of each operation of a function and records it under their names.
    """
    backprop, execute = private("eager.backprop"), private("eager.execute")
    gradients, before, heard = entries(), {}, []

    def rescale(op, grad):
        op.type = op.type.removeprefix("rescaled_")
        ordinary = before[op.type](op, grad)
        x, reference = tf.split(op.inputs[0], 2)
        y, reference_y = tf.split(op.outputs[0], 2)
        step = x - reference
        slope = tf.tile((y - reference_y) / tf.where(step == 0.0, tf.ones_like(step), step), [2, 1])
        return tf.where(tf.tile(step == 0.0, [2, 1]), ordinary, grad * slope)

    def passed(op, *grads):
        op.type = op.type.removeprefix("rescaled_")
        return before[op.type](op, *grads)

    def record(op_name, inputs, attrs, results):
        heard.append(op_name)
        return backprop.record_gradient("rescaled_" + op_name, inputs, attrs, results)

    weights = tf.constant([[1.0, -1.0], [0.5, 2.0]])

    @tf.function
    def attributed(x):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = tf.nn.relu(tf.matmul(x, weights)) + tf.sigmoid(x)
        return tape.gradient(y, x)

    rules = {"Relu": rescale, "Sigmoid": rescale, "MatMul": passed, "AddV2": passed}
    for name, rule in rules.items():
        before[name] = gradients[name]["type"]
        gradients["rescaled_" + name] = {"type": rule, "location": gradients[name]["location"]}
        gradients[name]["type"] = rule
    own, execute.record_gradient = execute.record_gradient, record
    x = tf.constant([[1.0, 2.0], [-1.0, 1.0], [0.0, 1.0], [-1.0, -2.0]])
    try:
        values = plain(attributed(x))
    finally:
        execute.record_gradient = own
        for name in rules:
            del gradients["rescaled_" + name]
            gradients[name]["type"] = before[name]
    heard = sorted(set(heard) & set(rules))
    return [values, heard, on_a_tape(tf, tf.nn.relu, x), plain(attributed(x))]


def rows_of_unknown_length(tf):
    """A product that is made when the sizes are known, long after the gradient was asked for."""
    v1 = tf.compat.v1
    value = [[[1.0, 2.0], [3.0, 4.0]]]
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None, None, 2])
        y = tf.tensordot(x, tf.constant([[1.0], [-1.0]]), 1)
        with replaced(
            MatMul=lambda op, grad: [10.0 * g for g in before["MatMul"](op, grad)]
        ) as before:
            tenfold = tf.gradients(y, x)
        once = tf.gradients(y, x)
        with v1.Session() as session:
            found = plain(session.run([tenfold, once], {x: value}))
            with replaced(MatMul=ten_times):
                found += plain(session.run([tenfold, once], {x: value * 2}))
    return found


def second_derivatives(tf):
    def thrice(op, grad):
        return grad * 3.0 * op.inputs[0] * op.inputs[0]

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(x)
        return tape.gradient(y, x)

    x = tf.constant([2.0])
    with replaced(Square=thrice):
        found = [on_a_tape(tf, f, x), on_a_tape(tf, tf.function(f), x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(x)
        found.append(plain(tape.jacobian(y, x)))
    return found


def branches_and_loops(tf):
    @tf.function
    def f(x, n):
        for _ in tf.range(n):
            x = tf.nn.relu(x) * 2.0
        if tf.reduce_sum(x) > 0.0:
            x = tf.square(x)
        return x

    with replaced(Relu=ten_times, Square=lambda op, grad: grad * 7.0):
        found = [on_a_tape(tf, lambda x: f(x, tf.constant(3)), tf.constant([1.0, -1.0]))]
    return found


def variables(tf):
    seen = []

    def doubled(op, grad):
        seen.append([op.get_attr("transpose_a"), op.get_attr("transpose_b"), op.get_attr("T").name])
        return [None if each is None else each * 2.0 for each in before["MatMul"](op, grad)]

    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    x = tf.constant([[1.0, 1.0]])
    with replaced(MatMul=doubled) as before:
        with tf.GradientTape() as tape:
            y = tf.matmul(x, w)
        found = [plain(tape.gradient(y, [w]))]
        with tf.GradientTape() as tape:
            y = tf.function(lambda x: tf.matmul(x, w))(x)
        found.append(plain(tape.gradient(y, [w])))
    return [found, seen[0]]


def rows_that_are_gathered(tf):
    seen = []

    def asked(op, grad):
        made = list(before["GatherV2"](op, grad))
        seen.append([type(made[0]).__name__, len(made)])
        return made

    table = [[1.0], [2.0], [3.0]]
    with replaced(GatherV2=asked) as before:
        found = on_a_tape(tf, lambda x: tf.gather(x, [0, 2, 2]), tf.constant(table))
        with tf.Graph().as_default():
            x = tf.compat.v1.placeholder(tf.float32, [None, 1])
            grad = tf.gradients(tf.gather(x, [0, 2, 2]), x)[0]
            with tf.compat.v1.Session() as session:
                dense = tf.convert_to_tensor(grad)
                found = [found, plain(session.run(dense, {x: table}))]
    return [found, seen]


def attributes(tf):
    """What `op.get_attr` tells gradient functions."""
    seen = {}

    def asking(name, wanted):
        def ask(op, *grads):
            for each in wanted.split():
                told = op.get_attr(each)
                told = told.name if hasattr(told, "as_numpy_dtype") else told
                seen[f"{name}.{each}"] = told.decode() + "b" if isinstance(told, bytes) else (
                    [x.decode() + "b" if isinstance(x, bytes) else x for x in told]
                    if isinstance(told, list) else told
                )  # fmt: skip
            return before[name](op, *grads)

        return ask

    for name, wanted in ATTRIBUTES.items():
        with replaced(**{name: asking(name, wanted)}) as before:
            in_a_session(
                tf, lambda x, name=name: MANY[name](tf, x), [[1.0, 2, 3], [4, 5, 6]], [2, 3]
            )
    return seen


ATTRIBUTES = {
    "MaxPool": "ksize strides padding data_format explicit_paddings T",
    "AvgPool": "ksize strides padding data_format",
    "Conv2D": "strides padding dilations data_format use_cudnn_on_gpu explicit_paddings T",
    "MatMul": "transpose_a transpose_b T",
    "Cast": "SrcT DstT",
    "Squeeze": "squeeze_dims T",
    "Sum": "keep_dims T Tidx",
    "StridedSlice": "begin_mask end_mask shrink_axis_mask new_axis_mask ellipsis_mask T Index",
    "Pack": "axis N T",
    "Unpack": "axis num T",
    "ConcatV2": "N T Tidx",
    "Softmax": "T",
    "BiasAdd": "data_format",
    "Einsum": "equation N T",
    "Split": "num_split",
    "AddN": "N T",
    "GatherV2": "batch_dims Tparams Tindices Taxis",
    "Transpose": "Tperm",
    "TopKV2": "sorted",
}


def the_op_is_that_of_the_graph(tf):
    """In graphs the function gets the operation, by whatever name it asks for it."""
    v1, seen, op = tf.compat.v1, [], None

    def asked(given, grad):
        seen.extend([given == op, op == given, given in {op: 1}, given.name, given.type])
        seen.extend([isinstance(given, tf.Operation), given.graph is op.graph, given.device])
        with tf.control_dependencies([given]):
            return tf.reduce_sum(grad) * tf.ones_like(given.inputs[0]), None

    with replaced(Sum=asked), tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [2, 2])
        y = tf.reduce_sum(x, 1, name="total")
        op = y.op
        grad = tf.gradients(y, x)[0]
        with v1.Session() as session:
            return [plain(session.run(grad, {x: [[1.0, 2.0], [3.0, 4.0]]})), seen]


def a_keras_model(tf):
    def guided(op, grad):
        return tf.where((op.outputs[0] > 0.0) & (grad > 0.0), grad, tf.zeros_like(grad))

    keras = tf.keras
    model = keras.Sequential(
        [
            keras.layers.Input((2,)),
            keras.layers.Dense(3, activation="relu"),
            keras.layers.Dense(1, activation="relu"),
        ]
    )
    weights = [[[1.0, -1, 2], [0.5, 1, -1]], [0.0, 0, 0], [[1.0], [-2], [3]], [0.0]]
    model.set_weights([tf.constant(each).numpy() for each in weights])
    x = tf.constant([[1.0, 2.0], [2.0, -1.0]])
    found = [on_a_tape(tf, model, x)]
    with replaced(Relu=guided):
        found += [on_a_tape(tf, model, x), on_a_tape(tf, tf.function(model), x)]
    return [*found, on_a_tape(tf, model, x)]


PROGRAMS = [
    replaced_on_tapes, replaced_in_functions, replaced_in_sessions, the_original_is_called,
    originals_of_many_ops, entries_are_those_of_tensorflow, entries_come_and_go,
    an_op_without_gradient_gets_one, unused_outputs_have_zeros, a_wrong_number_of_gradients,
    guided_backpropagation_in_a_session, an_override_in_a_function, relevance_through_pooling,
    a_rescale_rule, rows_of_unknown_length, second_derivatives, branches_and_loops, variables,
    rows_that_are_gathered, attributes, the_op_is_that_of_the_graph, a_keras_model,
]  # fmt: skip
