"""Large graphs as written for TensorFlow; Emplace runs this same file."""

import functools

import numpy as np
import tensorflow as tf

from . import SIZES

tf1 = tf.compat.v1
CONFIG = tf1.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=True)
VALUE = np.full(4, 0.1, np.float32)
# The first session of a process decides how many CPUs there are.
tf1.Session(graph=tf.Graph(), config=CONFIG).close()


@functools.cache
def grown(count):
    """A graph of about so many nodes, a tenth of them with devices: its input and its last node."""
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [4])
        values = [x]
        for number in range(1, count):
            with tf.device(f"/CPU:{number // 10 % 2}" if number % 10 == 0 else None):
                values.append(combined(number, values[-1], values[number // 2]))
        return graph, x, tf.add_n(values[-100:])


def combined(number, one, other):
    if number % 3 == 0:
        return tf.tanh(one)
    return tf.add(one, other) if number % 3 == 1 else tf.multiply(one, other)


def first_run(size):
    graph, x, last = grown(SIZES[size])
    with tf1.Session(graph=graph, config=CONFIG) as session:
        return session.run(last, {x: VALUE})


def plan(size):
    graph, x, last = grown(SIZES[size])
    with tf1.Session(graph=graph, config=CONFIG) as session:
        return session.plan(last, {x: VALUE})


@functools.cache
def kept(size):
    return tf1.Session(graph=grown(SIZES[size])[0], config=CONFIG)


def second_run(size):
    _, x, last = grown(SIZES[size])
    return kept(size).run(last, {x: VALUE})


ROWS = {f"first run of {size} nodes": f"first_run({size!r})" for size in SIZES}
ROWS["second run of 1k nodes"] = "second_run('1k')"
if hasattr(tf1.Session, "plan"):
    ROWS |= {f"plan of {size} nodes": f"plan({size!r})" for size in SIZES}
