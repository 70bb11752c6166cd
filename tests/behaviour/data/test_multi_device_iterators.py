"""Iterators whose elements go to several devices in turn, as TensorFlow 2.21 answered."""

from __future__ import annotations

import pytest

import emplace
import emplace.tensorflow as tf
from emplace.data.library.multi_device import (
    MultiDeviceIterator,
    MultiDeviceIteratorSpec,
    OwnedMultiDeviceIterator,
)

D = tf.data.Dataset
GPUS = ["/gpu:0", "/gpu:1"]
BOTH = pytest.mark.parametrize("kind", [MultiDeviceIterator, OwnedMultiDeviceIterator])
pytestmark = pytest.mark.gpus(2, memory="64MB")


def values(found):
    return [x.numpy().tolist() for x in found]


@BOTH
def test_each_device_gets_an_element_in_turn(kind):
    it = kind(D.range(5), GPUS)
    first = it.get_next()
    assert values(first) == [0, 1]
    assert [x.device[-5:] for x in first] == ["GPU:0", "GPU:1"]
    assert values(it.get_next()) == [2, 3]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        it.get_next()


@BOTH
def test_a_device_may_ask_for_its_own_elements(kind):
    it = kind(D.range(7), GPUS)
    asked = ["/gpu:0", "/gpu:0", "/gpu:1", "/gpu:1", "/gpu:1", "/gpu:0", "/gpu:0"]
    assert values(it.get_next(name) for name in asked) == [0, 2, 1, 3, 5, 4, 6]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        it.get_next("/gpu:1")
    with pytest.raises(ValueError, match="'/cpu:7' is not in list"):
        it.get_next("/cpu:7")


@BOTH
def test_there_may_be_an_element_for_some_devices_only(kind):
    it = kind(D.range(3), GPUS)
    found = [[bool(x.has_value()) for x in it.get_next_as_optional()] for _ in range(3)]
    assert found == [[True, True], [True, False], [False, False]]


@BOTH
def test_elements_are_structures_of_any_tensors(kind):
    words = tf.constant(["a", "b"])
    made = D.range(2).map(lambda x: {"a": words[x], "r": tf.ragged.stack([tf.range(x)])})
    one, other = kind(made, GPUS).get_next()
    assert (one["a"].numpy(), other["a"].numpy()) == (b"a", b"b")
    assert (one["r"].to_list(), other["r"].to_list()) == ([[]], [[0]])


@BOTH
def test_all_devices_share_one_pass(kind):
    it = kind(D.range(6).shuffle(6), GPUS)
    assert sorted(x for _ in range(3) for x in values(it.get_next())) == list(range(6))


@BOTH
def test_functions_take_elements_of_an_iterator_around_them(kind):
    it = kind(D.range(6), GPUS)

    @tf.function
    def towers():
        found = []
        for name in GPUS:
            with tf.device(name):
                found.append(it.get_next(name) + 10)
        return found

    assert values(towers()) == [10, 11]
    assert values(it.get_next()) == [2, 3]
    assert values(towers()) == [14, 15]
    with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
        towers()


@BOTH
def test_a_function_may_make_one(kind):
    made = tf.function(lambda: kind(D.range(4), GPUS).get_next())
    assert values(made()) == [0, 1]
    assert values(made()) == [0, 1]


def test_a_function_takes_one_as_an_argument():
    it = OwnedMultiDeviceIterator(D.range(6), GPUS)
    step = tf.function(lambda it: it.get_next())
    assert values(step(it)) == [0, 1]
    assert values(step(it)) == [2, 3]
    assert step.experimental_get_tracing_count() == 1
    assert isinstance(it._type_spec, MultiDeviceIteratorSpec)
    assert it.element_spec == tf.TensorSpec([], tf.int64)


def test_python_goes_through_the_elements_of_all_devices():
    assert [values(x) for x in OwnedMultiDeviceIterator(D.range(5), GPUS)] == [[0, 1], [2, 3]]
    assert values(OwnedMultiDeviceIterator(D.range(5), GPUS).next()) == [0, 1]


def test_one_may_start_again():
    it = MultiDeviceIterator(D.range(4), GPUS)
    assert values(it.get_next()) == [0, 1]
    it._eager_reset()
    assert values(it.get_next()) == [0, 1]


def test_sessions_start_one_by_its_initializer():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        it = MultiDeviceIterator(tf.compat.v1.data.Dataset.range(5), GPUS)
        one, other = it.get_next()
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run([one, other])
        session.run(it.initializer)
        assert session.run([one, other]) == [0, 1]
        assert session.run(other) == 3
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            session.run(other)
        assert session.run([one, one]) == [2, 2]
        session.run(it.initializer)
        assert session.run([one, other]) == [0, 1]
        with pytest.raises(RuntimeError, match=r"only supported inside of tf\.function or when ea"):
            OwnedMultiDeviceIterator(tf.compat.v1.data.Dataset.range(5), GPUS)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: MultiDeviceIterator([1], GPUS), AttributeError, "'list' object has no attribute"),
        (lambda: MultiDeviceIterator(D.range(2), []), tf.errors.InvalidArgumentError,
         "Length for attr 'devices' of 0 must be at least minimum 1"),
        (lambda: OwnedMultiDeviceIterator(D.range(2)), ValueError, "`devices` must be provided"),
        (lambda: OwnedMultiDeviceIterator(devices=GPUS), ValueError, "both `components` and `ele"),
    ],
)  # fmt: skip
def test_what_is_no_dataset_or_has_no_devices_is_refused(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def test_the_private_module_has_them():
    emplace.install()
    from tensorflow.python.data.ops import multi_device_iterator_ops

    assert multi_device_iterator_ops.OwnedMultiDeviceIterator is OwnedMultiDeviceIterator
    assert multi_device_iterator_ops.MultiDeviceIterator is MultiDeviceIterator


def test_an_iterator_is_made_of_a_dataset_or_of_another_ones_parts():
    dataset = tf.data.Dataset.range(4)
    with pytest.raises(ValueError, match="`element_spec` and `components` must not be specified"):
        OwnedMultiDeviceIterator(dataset, ["/cpu:0"], element_spec=dataset.element_spec)
    with pytest.raises(ValueError, match="both `components` and `element_spec` must be specified"):
        OwnedMultiDeviceIterator(devices=["/cpu:0"], element_spec=dataset.element_spec)
