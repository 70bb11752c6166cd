"""What traces and plans keep alive: nothing that only their first call was given."""

import gc
import linecache
import weakref

import pytest

import emplace.tensorflow as tf
import emplace.v1 as tf1


def collected(ref):
    gc.collect()
    return ref() is None


def bytes_in_use():
    gc.collect()
    return tf.config.experimental.get_memory_info("GPU:0")["current"]


@pytest.mark.gpus(1, memory="64MB")
def test_a_trace_keeps_no_argument_of_its_first_call():
    @tf.function
    def total(x, parts, more=None):
        return tf.reduce_sum(x) + tf.reduce_sum(parts["a"]) + tf.reduce_sum(more)

    before = bytes_in_use()
    arguments = [tf.ones([1 << 18]), {"a": tf.ones([1 << 18])}, tf.ragged.constant([[1.0], []])]
    refs = [weakref.ref(arguments[0]), weakref.ref(arguments[1]["a"])]
    assert float(total(*arguments)) == 2**19 + 1
    del arguments
    assert all(collected(ref) for ref in refs)
    assert bytes_in_use() <= before + 256


class Doubler(tf.Module):
    def __init__(self):
        super().__init__()
        self.factor = tf.Variable(2.0)

    @tf.function
    def __call__(self, x):
        return x * self.factor


def test_an_object_lives_no_longer_for_a_function_that_is_its_method():
    module = Doubler()
    assert float(module(tf.constant(3.0))) == 6.0
    ref = weakref.ref(module)
    del module
    assert collected(ref)


def test_a_method_of_an_object_that_is_gone_says_so():
    call = Doubler().__call__
    gc.collect()
    with pytest.raises(ReferenceError, match=r"__call__\(\) is a method of an object that is gone"):
        call(tf.constant(1.0))


def test_a_function_of_a_method_that_was_asked_for_by_hand_keeps_the_object():
    class Adder:
        def add(self, x):
            return x + 1.0

    add = tf.function(Adder().add)
    gc.collect()
    assert float(add(tf.constant(1.0))) == 2.0


def test_a_trace_tells_what_it_takes_without_keeping_it():
    @tf.function
    def f(x, y=3, **more):
        return tf.constant(1.0)

    ragged = tf.ragged.constant([[1], [2, 3]])
    for arguments, text in (
        ((tf.ones([2]), tf.ones([3], tf.int32)),
         "((TensorSpec(shape=(2,), dtype=tf.float32, name='x'),"
         " TensorSpec(shape=(3,), dtype=tf.int32, name='y')), {})"),
        (([tf.ones([2]), 5],),
         "(([TensorSpec(shape=(2,), dtype=tf.float32, name='x_0'), 5], 3), {})"),
        ((ragged,), "((RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64), 3), {})"),
        ((tf.sparse.from_dense([[1.0, 0.0]]), "s"),
         "((SparseTensorSpec(TensorShape([1, 2]), tf.float32), 's'), {})"),
    ):  # fmt: skip
        assert str(f.get_concrete_function(*arguments).structured_input_signature) == text
    (given, _), _ = f.get_concrete_function(object()).structured_input_signature
    assert type(given).__name__ == "UnknownArgument"


def lines_of_plans():
    gc.collect()
    return {file for file in linecache.cache if file.startswith("<plan ")}


def test_the_text_of_a_plan_goes_with_the_plan():
    before = lines_of_plans()
    for _ in range(5):
        with tf1.Graph().as_default(), tf1.Session() as session:
            assert session.run(tf1.constant(1.0) + tf1.placeholder_with_default(2.0, [])) == 3.0
        assert float(tf.function(lambda x: x + 1.0)(tf.constant(1.0))) == 2.0
    del session
    tf1.reset_default_graph()
    assert lines_of_plans() <= before


def test_a_living_plan_shows_its_lines():
    before = lines_of_plans()
    f = tf.function(lambda x: x + 1.0)
    f(tf.constant(1.0))
    (file,) = lines_of_plans() - before
    assert "def plan(" in linecache.getline(file, 1)


def test_a_method_that_does_not_ask_its_object_runs_though_the_object_is_gone():
    class Adder:
        @tf.function
        def add(self, x):
            return x + 1

        @tf.function
        def add_mine(self, x):
            return x + self.mine

    assert int(Adder().add(tf.constant(1))) == 2
    with pytest.raises(ReferenceError, match=r"object that is gone: .*asked for 'mine'"):
        Adder().add_mine(tf.constant(1))
