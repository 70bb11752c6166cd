"""The eager rows as written for TensorFlow; Emplace runs this same file."""

import tensorflow as tf

a = tf.random.uniform((4, 4))
b = tf.random.uniform((4, 4))
home = a.device
w = tf.Variable(b)
v = tf.Variable(b)
g = a * 1e-6


def gradient():
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.nn.relu(tf.matmul(a, w)))
    return tape.gradient(loss, w)


ROWS = {
    "add": "tf.add(a, b)",
    "matmul": "tf.matmul(a, b)",
    "relu": "tf.nn.relu(a)",
    "reduce_sum": "tf.reduce_sum(a)",
    "reduce_sum axis=0": "tf.reduce_sum(a, axis=0)",
    "a * 2": "a * 2.0",
    "a[0]": "a[0]",
    "constant": "tf.constant([1.0, 2.0, 3.0])",
    "zeros": "tf.zeros((4, 4))",
    "assign_sub": "v.assign_sub(g)",
    "gradient": "gradient()",
    "device scope": "with tf.device(home): tf.add(a, b)",
}
