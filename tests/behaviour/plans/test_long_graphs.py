"""Graphs of very many operations: their plans are several functions."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.graph.plan import splitting

tf1 = tf.compat.v1
LONG = 400


@pytest.fixture(autouse=True)
def _short_parts(monkeypatch):
    monkeypatch.setattr(splitting, "LONG", LONG)
    monkeypatch.setattr(splitting, "PART", 100)


def grown(x, count):
    """Sums and products, some of values from long ago."""
    values = [x]
    for i in range(count):
        one, other = values[-1], values[len(values) // 2]
        values.append(0.5 * (one + other) if i % 3 else tf.tanh(one))
    return tf.add_n(values[-5:])


def test_a_long_function_computes_what_its_operations_compute():
    function = tf.function(lambda x: grown(x, 2 * LONG))
    x = tf.constant([[0.1, -0.2, 3.0], [1.0, 2.0, 0.3]])  # chains on rows would be one operation
    np.testing.assert_array_equal(function(x), grown(x, 2 * LONG))
    concrete = function.get_concrete_function(x)
    assert len(concrete.plan([x]).codes) > 2


def test_loops_and_branches_take_part_in_a_long_graph():
    def program(x):
        x = grown(x, LONG)
        x = tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x - 1.0)
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), [0, x])
        return grown(y, LONG) + x

    x = tf.constant([0.1, -0.2, 3.0])
    np.testing.assert_array_equal(tf.function(program)(x), program(x))


def test_an_error_late_in_a_long_graph_names_its_operation():
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [4])
        index = tf1.placeholder(tf.int32, [])
        middle = grown(x, LONG)
        late = tf.gather(middle, index, name="late")
        last = grown(late, LONG)
    feeds = {x: np.ones(4, np.float32), index: 9}
    with (
        tf1.Session(graph=graph) as session,
        pytest.raises(tf.errors.InvalidArgumentError, match=r"9 is not in \[0, 4\)") as caught,
    ):
        session.run(last, feeds)
    assert caught.value.op is late.op
    assert "{{node late}}" in caught.value.message


@pytest.mark.gpus(1, memory="8MB")
def test_a_long_graph_takes_no_more_memory_than_what_it_still_needs():
    with tf.Graph().as_default() as graph:
        x = tf1.placeholder(tf.float32, [2**18])  # a megabyte
        y = x
        for _ in range(LONG):
            y = tf.tanh(y) + x
        last = tf.reduce_sum(y)
    with tf1.Session(graph=graph) as session:
        assert np.isfinite(session.run(last, {x: np.ones(2**18, np.float32)}))
        assert len(session.plan(last, {x: np.ones(2**18, np.float32)}).codes) > 2


def test_a_condition_on_what_comes_after_thousands_of_small_operations_can_be_asked():
    with tf.Graph().as_default():
        x = tf1.placeholder(tf.float32, [])
        y = x
        for _ in range(3000):
            y = y + 1.0
        z = tf.cond(y > 0.0, lambda: y, lambda: -y)
        with tf1.Session() as session:
            assert session.run(z, {x: 1.0}) == 3001.0
