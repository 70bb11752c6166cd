"""What traces are made for: plain arguments, variables, and the way functions run."""

from __future__ import annotations

import functools
import gc
import re
import threading
import weakref

import pytest

import emplace
import emplace.tensorflow as tf

PAIR = tf.TensorSpec([2], tf.float32)


@pytest.fixture
def x():
    """Two numbers."""
    return tf.constant([1.0, 2.0])


def test_a_concrete_function_answers_for_its_own_plain_arguments_only(x):
    concrete = tf.function(lambda x, y: x * y).get_concrete_function(PAIR, y=3)
    for found in (concrete(x), concrete(x, y=3), concrete(x, 3), concrete(x=x)):
        assert found.numpy().tolist() == [3, 6]
    for args, kwargs in (((x,), {"y": 4}), ((x, 4), {})):
        with pytest.raises(TypeError) as error:
            concrete(*args, **kwargs)
        assert str(error.value).startswith(
            "Binding inputs to tf.function failed due to `Can not cast 4 to Literal[3]`. Received "
        )
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        concrete(z=x)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'z'"):
        concrete(x, y=3, z=4)


def test_defaults_partials_and_keywords_are_plain_arguments_too(x):
    g = tf.function(lambda x, y, flag=True: x + y if flag else x - y)
    concrete = g.get_concrete_function(PAIR, PAIR)
    assert concrete(y=x, x=2 * x).numpy().tolist() == [3, 6]
    with pytest.raises(TypeError, match=r"Can not cast False to Literal\[True\]"):
        concrete(x, x, flag=False)
    bound = tf.function(functools.partial(lambda x, y: x * y, y=3)).get_concrete_function(PAIR)
    assert bound(x).numpy().tolist() == [3, 6]
    with pytest.raises(TypeError, match=r"Can not cast 4 to Literal\[3\]"):
        bound(x, y=4)
    many = tf.function(lambda *a, **k: a[0] * k["s"]).get_concrete_function(PAIR, s=2)
    assert many(x).numpy().tolist() == [2, 4]
    with pytest.raises(TypeError, match=r"Can not cast 3 to Literal\[2\]"):
        many(x, s=3)
    with pytest.raises(TypeError, match="too many positional arguments"):
        many(x, x)


def test_texts_none_and_objects_are_told_from_others(x):
    f = tf.function(lambda x, s: x)
    one, other = type("A", (), {})(), type("A", (), {})()
    for given, wrong in (("hi", "ho"), (None, "hi"), ("hi", None), (one, other)):
        concrete = f.get_concrete_function(PAIR, given)
        assert concrete(x, given).numpy().tolist() == [1, 2]
        with pytest.raises(TypeError, match="Can not cast"):
            concrete(x, wrong)


def test_tensors_of_a_concrete_function_come_in_structures_or_by_name(x):
    nested = tf.function(lambda d, n: d["a"] * n).get_concrete_function({"a": PAIR}, 2)
    assert nested({"a": x}, 2).numpy().tolist() == [2, 4]
    assert nested(x).numpy().tolist() == [2, 4]
    with pytest.raises(TypeError, match=r"Can not cast 3 to Literal\[2\]"):
        nested({"a": x}, 3)
    with pytest.raises(TypeError, match="Can not cast"):
        nested({"b": x})
    spec = tf.TensorSpec([], tf.float32, name="foo")
    named = tf.function(lambda x: x + 1).get_concrete_function(spec)
    assert [float(named(foo=tf.constant(1.0))), float(named(x=1.0)), float(named(1))] == [2, 2, 2]
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        nested(tf.constant([1, 2]))
    assert "was expected to be a float tensor but is a int32 tensor" in str(error.value)


def test_one_trace_serves_all_variables_that_are_alike():
    traced = []

    @tf.function
    def f(x, v):
        traced.append(1)
        v.assign_add(x)
        return v * 2

    variables = [tf.Variable(float(i)) for i in range(3)]
    assert [float(f(tf.constant(1.0), v)) for v in variables] == [2, 4, 6]
    assert [float(v) for v in variables] == [1, 2, 3]
    assert len(traced) == 1
    f(tf.constant(1.0), tf.Variable(1.0, trainable=False))
    assert len(traced) == 2


def test_a_concrete_function_takes_another_variable_like_the_first(x):
    v, w = tf.Variable(2.0), tf.Variable(5.0)
    concrete = tf.function(lambda x, v: x * v).get_concrete_function(PAIR, v)
    assert concrete(x, v).numpy().tolist() == [2, 4]
    assert concrete(x, w).numpy().tolist() == [5, 10]
    with pytest.raises(TypeError, match="missing a required argument: 'v'"):
        concrete(x)


def test_the_same_variable_twice_is_one_variable():
    @tf.function
    def f(a, b):
        a.assign_add(1.0)
        return a + b

    v, w = tf.Variable(1.0), tf.Variable(10.0)
    assert [float(f(v, w)), float(f(v, v)), float(f(w, v))] == [12, 6, 14]


def test_a_variable_that_a_function_also_reads_by_itself_is_one_variable():
    w = tf.Variable(10.0)

    @tf.function
    def f(a):
        before = w + 0.0
        a.assign_add(1.0)
        return before, w + 0.0, a + 0.0

    v = tf.Variable(1.0)
    assert [[float(y) for y in f(each)] for each in (v, w, v)] == [
        [10, 10, 2], [10, 11, 11], [11, 11, 3]
    ]  # fmt: skip


def test_gradients_reach_variables_that_are_arguments():
    @tf.function
    def square(v):
        return v * v

    @tf.function
    def f(v):
        return square(v) + tf.cond(v > 2.0, lambda: v * 1.0, lambda: v * 2.0)

    for value, expected in ((1.0, 4.0), (3.0, 7.0)):
        v = tf.Variable(value)
        with tf.GradientTape() as tape:
            y = f(v)
        assert float(tape.gradient(y, v)) == expected

    @tf.function
    def step(v):
        with tf.GradientTape() as tape:
            y = v * 3.0
        v.assign_sub(tape.gradient(y, v))

    step(v)
    assert float(v) == 0


def test_a_trace_keeps_no_variable_alive():
    f = tf.function(lambda v, x: v + x)
    v = tf.Variable([1.0])
    dies = weakref.ref(v)
    f(v, tf.constant([1.0]))
    del v
    gc.collect()
    assert dies() is None


def test_functions_that_were_traced_before_run_eagerly_when_told_to():
    runs = []

    @tf.function
    def f(x):
        runs.append(tf.executing_eagerly())
        return x + 1

    for _ in range(2):
        f(tf.constant(1.0))
    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    f(tf.constant(1.0))
    assert runs == [False, True]


def test_composites_of_a_concrete_function_must_be_of_the_same_kind():
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    concrete = tf.function(lambda r: tf.reduce_sum(r)).get_concrete_function(ragged)
    assert float(concrete(tf.ragged.constant([[4.0, 5.0], [6.0]]))) == 15
    deeper = tf.ragged.constant([[[1.0]], [[2.0], [3.0]]])
    for wrong in (deeper, tf.sparse.from_dense([[1.0]])):
        with pytest.raises(TypeError, match="Can not cast"):
            concrete(wrong)


def test_threads_that_ask_for_a_concrete_function_at_once_get_the_same_one(x):
    f = tf.function(lambda x: x * 2.0)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(f.get_concrete_function(PAIR)))
        for _ in range(8)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(set(map(id, found))) == 1


def test_a_concrete_function_takes_a_variable_of_any_shape():
    v = tf.Variable([[1.0, 2.0]])
    concrete = tf.function(lambda v: v.assign_add(v * 2.0)).get_concrete_function(v)
    assert concrete(v).numpy().tolist() == [[3.0, 6.0]]


def test_a_trace_prints_what_it_takes_and_returns():
    # TensorFlow 2.21's texts.
    v = tf.Variable(2.0)

    @tf.function(input_signature=[tf.TensorSpec(None)])
    def plain(a, b=1):
        return a + b * v

    number, text = "TensorSpec(shape=(), dtype=tf.float32, name=None)", "shape=<unknown>"
    unknown = number.replace("shape=()", text)
    traced = plain.get_concrete_function()
    assert traced.pretty_printed_signature(False) == f"(a: {unknown}, b: Literal[1]) -> {unknown}"
    assert re.fullmatch(
        r"Input Parameters:\n  a \(POSITIONAL_OR_KEYWORD\): TensorSpec\(.*\)\n"
        r"  b \(POSITIONAL_OR_KEYWORD\): Literal\[1\]\nOutput Type:\n  TensorSpec\(.*\)\n"
        r"Captures:\n  \d+: TensorSpec\(shape=\(\), dtype=tf.resource, name=None\)",
        traced.pretty_printed_signature(),
    )
    many = tf.function(lambda x, *z, k=3, **more: {"a": x[0], "b": [None, 1]})
    traced = many.get_concrete_function([tf.constant(1.0)], "text", k=1.5, w=True)
    assert traced.pretty_printed_signature(False) == (
        f"(x: List[{number}], z_0: Literal['text'], /, *, k: Literal[1.5], w: Literal[True]) -> "
        f"Dict[['a', {number}], ['b', List[Literal[None], TensorSpec(shape=(), dtype=tf.int32, "
        "name=None)]]]"
    )
    assert repr(traced).startswith("<ConcreteFunction (x: List[")
    assert str(traced) == f"ConcreteFunction {traced.pretty_printed_signature()}"


@pytest.mark.gpus(2)
@pytest.mark.parametrize("place", ["CPU:0", "GPU:1"])
def test_what_is_done_with_a_variable_that_is_given_is_done_where_it_is(place):
    with tf.device(place):
        v = tf.Variable([1.0, 2.0])
    function = tf.function(lambda v: v.assign_add(v * 2.0))
    assert function(v).numpy().tolist() == [3.0, 6.0]
    steps = emplace.explain(function, v).steps
    assert {each.device for each in steps if "Variable" in each.op} == {place}
