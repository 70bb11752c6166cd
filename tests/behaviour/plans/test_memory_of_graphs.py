"""What graphs hold: nothing of a trace's first call, no text of plans that are gone, no constant
that a device has no room for.
"""

from __future__ import annotations

import gc
import linecache
import re
import weakref

import numpy as np
import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def test_a_trace_keeps_nothing_of_its_first_call_alive():
    f = tf.function(lambda x, text, parts: x + parts["a"])

    def dying():
        x = tf.zeros([1000])
        f(x, "call", {"a": x})
        f.get_concrete_function(x, "concrete", {"a": x})
        return weakref.ref(x)

    dies = dying()
    gc.collect()
    assert dies() is None


@pytest.mark.gpus(1, memory="64MB")
def test_a_trace_keeps_no_memory_of_its_first_call_charged():
    f = tf.function(tf.reduce_sum)
    with tf.device("GPU:0"):
        x = tf.zeros([1_000_000])
        total = f(x)
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    del x, total
    gc.collect()
    after = tf.config.experimental.get_memory_info("GPU:0")["current"]
    assert before - after >= 4_000_000


def test_the_text_of_a_plan_goes_with_the_plan():
    def texts() -> int:
        return sum(name.startswith("<plan ") for name in linecache.cache)

    gc.collect()
    before = texts()
    for _ in range(5):
        with tf.Graph().as_default(), v1.Session() as session:
            x = v1.placeholder(tf.float32, [None])
            session.run(x * 2, {x: [1.0]})
    f = tf.function(lambda x: x + 1.0)
    f(tf.constant(1.0))
    assert texts() > before
    del f
    gc.collect()
    assert texts() <= before


@pytest.mark.gpus(1, memory="64MB")
def test_a_constant_that_a_device_has_no_room_for_is_refused_in_the_usual_words():
    large = np.zeros(1 << 25, np.float32)
    words = r"OOM when allocating tensor with shape\[33554432\] and type float on .*GPU:0 by"
    with tf.Graph().as_default(), v1.Session() as session:
        with tf.device("GPU:0"):
            y = tf.identity(tf.constant(large))
        with pytest.raises(tf.errors.ResourceExhaustedError, match=words) as error:
            session.run(y)
    assert re.search(
        r"Const \(test_memory_of_graphs.py:71\) needs 128.00 MiB on GPU:0", error.value.message
    )

    @tf.function
    def f():
        with tf.device("GPU:0"):
            return tf.identity(tf.constant(large))

    with pytest.raises(tf.errors.ResourceExhaustedError, match=words):
        f()
