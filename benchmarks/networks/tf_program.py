"""The networks as written for TensorFlow; Emplace runs this same file."""

import tensorflow as tf

from .inputs import (
    ALPHA,
    BETA,
    DECAY,
    DIGITS,
    IMAGES,
    LABELS,
    MLP_WEIGHTS,
    RADIUS,
    WEIGHTS,
)

w = {name: tf.Variable(array) for name, array in WEIGHTS.items()}
weights = list(w.values())
images, labels = tf.constant(IMAGES), tf.constant(LABELS)
m = {name: tf.Variable(array) for name, array in MLP_WEIGHTS.items()}
mlp_weights = list(m.values())
digits = tf.constant(DIGITS)


def logits():
    x = tf.nn.conv2d(images, w["conv1"], 1, "SAME")
    x = tf.nn.relu(tf.nn.bias_add(x, w["bias1"]))
    x = tf.nn.max_pool2d(x, 3, 2, "SAME")
    x = tf.nn.lrn(x, RADIUS, 1.0, ALPHA, BETA)
    x = tf.nn.conv2d(x, w["conv2"], 1, "SAME")
    x = tf.nn.relu(tf.nn.bias_add(x, w["bias2"]))
    x = tf.nn.lrn(x, RADIUS, 1.0, ALPHA, BETA)
    x = tf.nn.max_pool2d(x, 3, 2, "SAME")
    x = tf.reshape(x, [128, -1])
    x = tf.nn.relu(tf.matmul(x, w["dense3"]) + w["bias3"])
    x = tf.nn.relu(tf.matmul(x, w["dense4"]) + w["bias4"])
    return tf.matmul(x, w["dense5"]) + w["bias5"]


def loss():
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits())
    decay = tf.nn.l2_loss(w["dense3"]) + tf.nn.l2_loss(w["dense4"])
    return tf.reduce_mean(entropy) + DECAY * decay


def step():
    with tf.GradientTape() as tape:
        value = loss()
    return tape.gradient(value, weights)


def mlp_loss():
    x = tf.nn.relu(tf.matmul(digits, m["dense1"]) + m["bias1"])
    x = tf.nn.relu(tf.matmul(x, m["dense2"]) + m["bias2"])
    x = tf.matmul(x, m["dense3"]) + m["bias3"]
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x))


def mlp_step():
    with tf.GradientTape() as tape:
        value = mlp_loss()
    return tape.gradient(value, mlp_weights)


def compiled():
    raise NotImplementedError("there is no tf.function yet")


mlp_compiled = compiled
if hasattr(tf, "function"):
    compiled, mlp_compiled = tf.function(step), tf.function(mlp_step)

ROWS = {
    "cifar10 forward": "loss()",
    "cifar10 step": "step()",
    "cifar10 compiled": "compiled()",
    "mlp step": "mlp_step()",
    "mlp compiled": "mlp_compiled()",
    "cifar10 quiet": "compiled()",
    "cifar10 busy": "compiled()",
    "mlp quiet": "mlp_compiled()",
    "mlp busy": "mlp_compiled()",
}
