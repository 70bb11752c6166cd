"""What a limit costs, as written for TensorFlow; Emplace runs this file with one and without."""

import tensorflow as tf

from ..keras.tf_program import PARTS as _FITS, fit  # noqa: F401  # a row calls it

a, b = tf.random.uniform((4, 4)), tf.random.uniform((4, 4))
v = tf.Variable(b)
ROW = b.numpy()
image, kernel = tf.random.uniform((1, 8, 8, 4)), tf.random.uniform((3, 3, 4, 4))
square = tf.random.uniform((32, 32))


def chain():
    x = a + b
    y = x * a
    return y + x


@tf.function
def small(x):
    return tf.matmul(x, x) * 2.0 + 1.0


def ten(x):
    for _ in range(10):
        x = tf.tanh(tf.matmul(x, square) + x)
    return x


step = tf.function(ten)
any_rows = tf.function(ten, input_signature=[tf.TensorSpec([None, 32])])


@tf.function
def loop(x):
    return tf.while_loop(
        lambda i, y: i < 10, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, square) + y)), [0, x]
    )[1]


weights = [
    tf.Variable(tf.random.normal(shape, stddev=0.05))
    for shape in ((5, 5, 3, 32), (5, 5, 32, 32), (6 * 6 * 32, 10))
]
images = tf.random.normal((16, 24, 24, 3))


@tf.function
def cnn():
    with tf.GradientTape() as tape:
        x = images
        for filters in weights[:2]:
            x = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME")), 2, 2, "SAME")
        loss = tf.reduce_mean(tf.matmul(tf.reshape(x, [16, -1]), weights[2]) ** 2)
    for variable, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
        variable.assign_sub(0.01 * gradient)
    return loss


with tf.Graph().as_default():
    fed = tf.compat.v1.placeholder(tf.float32, [4, 4])
    of_fed = tf.matmul(fed, fed) * 2.0 + 1.0
    session = tf.compat.v1.Session()

ROWS = {
    "add": "a + b",
    "matmul": "tf.matmul(a, b)",
    "conv": "tf.nn.conv2d(image, kernel, 1, 'SAME')",
    "chain": "chain()",
    "variable": "v + a",
    "function call": "small(a)",
    "function step": "step(square)",
    "unknown shapes": "any_rows(square)",
    "loop": "loop(square)",
    "session run": "session.run(of_fed, {fed: ROW})",
    "mlp fit": "fit('mlp')",
    "cnn step": "cnn()",
}
PARTS = {"mlp fit": _FITS["mlp step"]}
