"""Values that may be missing: made, asked, carried through functions, branches and loops."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset
Optional = tf.experimental.Optional


def test_one_with_a_value_gives_it():
    found = Optional.from_value((1, {"a": [2.0]}))
    assert bool(found.has_value())
    number, named = found.get_value()
    assert int(number) == 1
    assert named["a"].numpy().tolist() == [2.0]


def test_one_without_a_value_refuses():
    found = Optional.empty(tf.TensorSpec((), tf.int32))
    assert not bool(found.has_value())
    with pytest.raises(tf.errors.InvalidArgumentError, match="optional does not have a value"):
        found.get_value()


def test_an_iterator_gives_its_elements_as_optionals():
    iterator = iter(D.range(2))
    found = [iterator.get_next_as_optional() for _ in range(3)]
    assert [bool(each.has_value()) for each in found] == [True, True, False]
    assert int(found[1].get_value()) == 1


def test_a_function_returns_one():
    @tf.function
    def step(iterator):
        return Optional.from_value({"double": iterator.get_next() * 2})

    found = step(iter(D.range(3, 9)))
    assert int(found.get_value()["double"]) == 6
    assert found.element_spec == {"double": tf.TensorSpec((), tf.int64)}


def test_elements_may_hold_them():
    dataset = D.range(3).map(lambda x: (x, Optional.from_value(x * x)))
    assert dataset.element_spec[1] == tf.OptionalSpec(tf.TensorSpec((), tf.int64))
    assert [int(y.get_value()) for _, y in dataset] == [0, 1, 4]


def test_a_generator_may_yield_one_without_a_value():
    def generator():
        yield 1, Optional.empty(None)

    signature = (tf.TensorSpec((), tf.int32), tf.OptionalSpec(None))
    dataset = D.from_generator(generator, output_signature=signature).prefetch(1)
    ((number, missing),) = list(dataset)
    assert int(number) == 1
    assert isinstance(missing, Optional)


def test_a_loop_takes_several_steps_while_there_are_elements():
    """What Keras does for `steps_per_execution`."""

    @tf.autograph.experimental.do_not_convert
    def steps(iterator):
        empty = Optional.empty(None)

        def cond(step, outputs, inputs):
            return tf.logical_and(tf.less(step, 3), inputs.has_value())

        def body(step, outputs, inputs):
            def has_next():
                summed = Optional.from_value({"sum": tf.reduce_sum(inputs.get_value())})
                empty._element_spec = summed.element_spec
                return summed

            def no_next():
                outputs._element_spec = empty._element_spec
                return outputs

            summed = tf.cond(inputs.has_value(), has_next, no_next)
            following = tf.cond(
                tf.less(step + 1, 3), lambda: iterator.get_next_as_optional(), lambda: inputs
            )
            return step + 1, summed, following

        first = iterator.get_next_as_optional()
        _, last, _ = tf.while_loop(cond, body, loop_vars=[tf.constant(0), empty, first])
        last._element_spec = empty.element_spec
        return last

    run = tf.function(steps, reduce_retracing=True)
    iterator = iter(D.range(10).batch(2))
    assert int(run(iterator).get_value()["sum"]) == 4 + 5
    assert int(run(iterator).get_value()["sum"]) == 8 + 9
    assert not bool(run(iterator).has_value())
    assert run.experimental_get_tracing_count() == 1
