"""Programs whose variables, or what they return, get their first value in a loop of a graph."""

from __future__ import annotations

from typing import Any

from autograph_programs import Plain, case

tf: Any = None


@case(([3, 4],), ([2, 5],))
def returned_from_a_loop(xs):
    s = 0
    for c in xs:
        s += c
        return s
    return s


@case(([3, 4],), ([4, 4],))
def returned_by_two_ways(xs):
    s = 0
    for c in xs:
        s += c
        if c % 2 > 0:
            return s
        else:
            return -s
    return s


@case((0,), (3,))
def returned_from_while(x):
    s = 0
    while x > 0:
        x -= 1
        s += x
        return s
    return s


@case(([1, 2],))
def returned_structures(xs):
    for c in xs:
        return {"a": c, "b": (c * 2, 5)}
    return {"a": 0, "b": (0, 0)}


@case((0,), (4,))
def returned_from_a_loop_of_loops(n):
    for i in tf.range(n):
        for j in tf.range(n):
            return i, j
    return 5, 5


@case((4,))
def returned_sometimes_from_a_loop_of_loops(n):
    for i in tf.range(n):
        for j in tf.range(n):
            if i * j > 2:
                return i, j
    return -1, -1


@case((0,), (3,))
def of_another_size_each_time(n):
    i = 0
    while i < n:
        v = tf.range(i)
        i += 1
    return v


@case((0,), (3,))
def none_before_the_loop(n):
    i = 0
    v = None
    while i < n:
        v = tf.range(i)
        i += 1
    return v


@case((1,))
def of_an_unknown_rank(n):
    i = 0
    while i < n:
        v = tf.zeros(tf.range(tf.reduce_max([i, 0])))
        i += 1
    return v


@case((3,))
def in_a_dictionary(n):
    i = 0
    while i < n:
        v = {"a": tf.zeros([1, i], tf.int32), "b": tf.ones([i, 2], tf.int32)}
        i += 1
    return v["a"], v["b"]


@case((0,), (4,))
def as_a_key_of_a_dictionary(b):
    y = {"b": b + 10 * (b // 4)}
    while y["b"] <= 10:
        y["a"] = y["b"] + 1
        y["b"] = 2 * y["b"] + 1
    return y


@case((Plain(50),), (Plain(5),))
def as_a_key_of_a_dictionary_of_numbers(b):
    y = {"b": b}
    while y["b"] <= 10:
        y["a"] = y["b"] + 1
        y["b"] *= 2
    return {key: tf.constant(y[key]) for key in y}


@case((Plain(False),))
def never_set(c):
    if c:
        i = 0
    return i


@case(([1, 2],))
def not_of_the_demanded_shape(xs):
    t = tf.constant([1])
    for x in xs:
        tf.autograph.experimental.set_loop_options(shape_invariants=((t, tf.TensorShape([1])),))
        t = tf.range(x)
    return t


@case(())
def of_any_shape_over_a_dataset():
    t = tf.constant([1])
    for x in tf.data.Dataset.range(4):
        tf.autograph.experimental.set_loop_options(shape_invariants=((t, tf.TensorShape([1])),))
        t = tf.range(tf.cast(x, tf.int32))
    return t
