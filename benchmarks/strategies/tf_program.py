"""Training steps as written for TensorFlow; Emplace runs this same file."""

import contextlib
import functools
import sys

import tensorflow as tf

from ..keras.backend import choose
from ..networks.inputs import ALPHA, BETA, DECAY, RADIUS
from .inputs import DIGITS, DIGITS_BATCH, STEPS

COUNTS = (1, 2, 4)
KIND = "CPU"
# TensorFlow's own choice, collectives, works for one strategy of several replicas in a program.
WAY = None
if "emplace" in sys.modules:
    import emplace

    emplace.virtual_gpus(max(COUNTS), "4GB")
    KIND = "GPU"
else:
    tf.config.set_logical_device_configuration(
        tf.config.list_physical_devices("CPU")[0],
        [tf.config.LogicalDeviceConfiguration()] * max(COUNTS),
    )
    WAY = tf.distribute.ReductionToOneDevice()


def entropy(labels, logits):
    return tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def step_loss(w, examples, labels):
    return tf.reduce_sum(examples * w["weight"])


def cnn_loss(w, x, labels):
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w["conv1"], 1, "SAME"), w["bias1"]))
    x = tf.nn.max_pool2d(x, 2, 2, "VALID")
    x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, w["conv2"], 1, "SAME"), w["bias2"]))
    x = tf.reduce_mean(x, [1, 2])
    return entropy(labels, tf.matmul(x, w["dense3"]) + w["bias3"]) / 512.0


def mlp_loss(w, x, labels):
    x = tf.nn.relu(tf.matmul(x, w["dense1"]) + w["bias1"])
    x = tf.nn.relu(tf.matmul(x, w["dense2"]) + w["bias2"])
    return entropy(labels, tf.matmul(x, w["dense3"]) + w["bias3"]) / 512.0


def cifar10_loss(w, x, labels):
    rows = x.shape[0]
    x = tf.nn.conv2d(x, w["conv1"], 1, "SAME")
    x = tf.nn.relu(tf.nn.bias_add(x, w["bias1"]))
    x = tf.nn.max_pool2d(x, 3, 2, "SAME")
    x = tf.nn.lrn(x, RADIUS, 1.0, ALPHA, BETA)
    x = tf.nn.conv2d(x, w["conv2"], 1, "SAME")
    x = tf.nn.relu(tf.nn.bias_add(x, w["bias2"]))
    x = tf.nn.lrn(x, RADIUS, 1.0, ALPHA, BETA)
    x = tf.nn.max_pool2d(x, 3, 2, "SAME")
    x = tf.reshape(x, [rows, -1])
    x = tf.nn.relu(tf.matmul(x, w["dense3"]) + w["bias3"])
    x = tf.nn.relu(tf.matmul(x, w["dense4"]) + w["bias4"])
    decay = tf.nn.l2_loss(w["dense3"]) + tf.nn.l2_loss(w["dense4"])
    share = rows / 128
    return entropy(labels, tf.matmul(x, w["dense5"]) + w["bias5"]) / 128.0 + DECAY * share * decay


LOSSES = {"step": step_loss, "cnn": cnn_loss, "mlp": mlp_loss, "cifar10": cifar10_loss}
RATE = 1e-6


def gradients(name, w, batch):
    with tf.GradientTape() as tape:
        value = LOSSES[name](w, *batch)
    return tape.gradient(value, list(w.values()))


@functools.cache
def plain(name):
    """The step on one device; a function of nothing."""
    weights, batch = STEPS[name]
    w = {each: tf.Variable(array) for each, array in weights.items()}
    given = tuple(tf.constant(each) for each in batch)

    def train(*batch):
        for variable, gradient in zip(w.values(), gradients(name, w, batch), strict=True):
            variable.assign_sub(RATE * gradient)

    function = tf.function(train)
    return lambda: function(*given)


@functools.cache
def strategy(count):
    return tf.distribute.MirroredStrategy([f"{KIND}:{i}" for i in range(count)], WAY)


def updated(strategy, gradients, variables):
    for variable, gradient in zip(variables, gradients, strict=True):
        strategy.extended.update(variable, lambda v, g: v.assign_sub(RATE * g), args=(gradient,))


@functools.cache
def mirrored(name, count):
    """The step on replicas; a function of nothing."""
    weights, batch = STEPS[name]
    many = strategy(count)
    with many.scope():
        w = {each: tf.Variable(array) for each, array in weights.items()}
    rows = len(batch[0]) // count

    def part(context):
        number = context.replica_id_in_sync_group
        with tf.device(f"{KIND}:{number}"):
            return tuple(tf.constant(x[number * rows : (number + 1) * rows]) for x in batch)

    given = many.experimental_distribute_values_from_function(part)

    def replica(*batch):
        found = gradients(name, w, batch)
        context = tf.distribute.get_replica_context()
        found = context.all_reduce(tf.distribute.ReduceOp.SUM, found)
        context.merge_call(updated, args=(found, list(w.values())))

    function = tf.function(lambda *batch: many.run(replica, args=batch))
    return lambda: function(*given)


@functools.cache
def summed(count):
    """The sums over two replicas of 10,000,000 numbers in as many tensors."""
    many = strategy(2)
    with many.scope():
        variables = [tf.Variable(tf.zeros([10_000_000 // count])) for _ in range(count)]

    def replica():
        context = tf.distribute.get_replica_context()
        values = [variable.read_value() for variable in variables]
        return context.all_reduce(tf.distribute.ReduceOp.SUM, values)[-1]

    return tf.function(lambda: many.run(replica))


@functools.cache
def fitted(count):
    """An epoch of Keras's `fit` on some replicas, or on one device; a function of nothing."""
    choose("tensorflow")
    import keras

    scope = strategy(count).scope() if count else contextlib.nullcontext()
    layers = keras.layers
    with scope:
        keras.utils.set_random_seed(0)
        model = keras.Sequential(
            [
                keras.Input((8, 8, 1)), layers.Conv2D(16, 3, padding="same", activation="relu"),
                layers.MaxPooling2D(), layers.Conv2D(32, 3, padding="same", activation="relu"),
                layers.MaxPooling2D(), layers.Flatten(), layers.Dense(10),
            ]
        )  # fmt: skip
        model.compile(
            keras.optimizers.SGD(RATE, momentum=0.9),
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
        )
    return lambda: model.fit(*DIGITS, batch_size=DIGITS_BATCH, shuffle=False, verbose=0)


COUNTED = {"plain": 0, **{str(count): count for count in COUNTS}}
ROWS = {f"{name} plain": f"plain({name!r})()" for name in STEPS}
ROWS |= {f"{name} {count}": f"mirrored({name!r}, {count})()" for name in STEPS for count in COUNTS}
ROWS |= {f"fit {how}": f"fitted({count})()" for how, count in COUNTED.items()}
ROWS |= {f"gradients {count}": f"summed({count})()" for count in (1000, 1)}
# A row of `fit` is an epoch; the time is that of a step.
PARTS = {f"fit {how}": len(DIGITS[0]) // DIGITS_BATCH for how in COUNTED}
