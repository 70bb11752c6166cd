"""The functions as written for TensorFlow; Emplace runs this same file."""

import tensorflow as tf

from .inputs import BATCH, BIAS, KERNEL, RECURRENT, ROW, SEQUENCE, STEPS, UNITS

kernel, recurrent, bias = tf.Variable(KERNEL), tf.Variable(RECURRENT), tf.Variable(BIAS)
sequence, row = tf.constant(SEQUENCE), tf.constant(ROW)


@tf.function
def small(x):
    return tf.matmul(x, x) * 2.0 + 1.0


@tf.function
def lstm(xs):
    with tf.GradientTape() as tape:
        inputs = tf.TensorArray(tf.float32, STEPS, element_shape=[BATCH, UNITS]).unstack(xs)
        outputs = tf.TensorArray(tf.float32, STEPS, element_shape=[BATCH, UNITS])

        def body(t, h, c, outputs):
            z = tf.matmul(inputs.read(t), kernel) + tf.matmul(h, recurrent) + bias
            i, f, g, o = tf.split(z, 4, 1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
            return t + 1, h, c, outputs.write(t, h)

        zeros = tf.zeros([BATCH, UNITS])
        loop = tf.while_loop(lambda t, *_: t < STEPS, body, [0, zeros, zeros, outputs])
        loss = tf.reduce_mean(loop[3].stack() ** 2)
    return tape.gradient(loss, [kernel, recurrent, bias])


with tf.Graph().as_default():
    held, fed = tf.constant(ROW), tf.compat.v1.placeholder(tf.float32, [4, 4])
    of_held, of_fed = (tf.matmul(x, x) * 2.0 + 1.0 for x in (held, fed))
    session = tf.compat.v1.Session()

ROWS = {
    "small function call": "small(row)",
    "session run": "session.run(of_held)",
    "session run with feed": "session.run(of_fed, {fed: ROW})",
    "lstm loop step": "lstm(sequence)",
}
