"""Private names that single libraries import, and what TensorFlow answers to them."""

from __future__ import annotations

import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.usefixtures("installed")


def test_tapes_are_asked_what_they_follow() -> None:
    from tensorflow.python.eager.record import should_record_backprop as followed

    one, variable = tf.constant(1.0), tf.Variable(2.0)
    assert not followed([one])
    with tf.GradientTape() as tape:
        assert not followed([one])
        assert followed([variable.read_value()])
        assert followed([tf.convert_to_tensor(variable)])
        tape.watch(one)
        assert [followed([one]), followed([one * 2])] == [True, True]
        assert [followed([tf.constant(3.0)]), followed([])] == [False, False]
        assert followed([tf.constant(3.0), one])
        with tape.stop_recording():
            assert not followed([one])
        with tf.GradientTape():
            assert followed([one])
    assert not followed([one])


def test_modules_of_the_private_package_are_its_attributes() -> None:
    import tensorflow.python as package

    assert not hasattr(package.eager.tape, "should_record_backprop")
    assert callable(package.eager.record.should_record_backprop)


def test_gauges_and_counters_keep_what_they_are_told() -> None:
    from tensorflow.python.eager import monitoring

    gauge = monitoring.BoolGauge("/a/b/c", "what it says", "label")
    gauge.get_cell("x").set(True)
    assert [gauge.get_cell("x").value(), gauge.get_cell("y").value()] == [True, False]
    counter = monitoring.Counter("/a/b/d", "what it counts")
    counter.get_cell().increase_by(3)
    counter.get_cell().increase_by(-1)
    assert counter.get_cell().value() == 3
    with pytest.raises(ValueError, match="The BoolGauge expects taking 1 labels"):
        gauge.get_cell()
    assert tf.__internal__.monitoring.BoolGauge is monitoring.BoolGauge


def test_variables_of_strategies_and_iterators_are_of_the_classes_that_libraries_import() -> None:
    from tensorflow.python.data.ops.iterator_ops import OwnedIterator
    from tensorflow.python.distribute.ps_values import AggregatingVariable
    from tensorflow.python.distribute.values import DistributedVariable

    emplace.virtual_gpus(2)
    with tf.distribute.MirroredStrategy(["/GPU:0", "/GPU:1"]).scope():
        variable = tf.Variable(1.0)
    assert isinstance(variable, DistributedVariable)
    assert not isinstance(variable, AggregatingVariable)
    assert isinstance(iter(tf.data.Dataset.range(2)), OwnedIterator)


class _Doubled(tf.Variable):
    """A variable around another one, as libraries that quantize write it."""

    def __init__(self, inner: tf.Variable) -> None:
        self.inner = inner

    def value(self):
        return self.inner.value() * 2.0

    def _dense_var_to_tensor(self, *args, **kwargs):
        return self.inner._dense_var_to_tensor(*args, **kwargs) * 2.0

    def __getattr__(self, name):
        return getattr(self.inner, name)


def test_variables_around_variables_compute_with_what_they_say_is_their_value() -> None:
    _Doubled._OverloadAllOperators()
    tf.register_tensor_conversion_function(_Doubled, _Doubled._dense_var_to_tensor)
    doubled = _Doubled(tf.Variable([1.0, 2.0]))
    assert (doubled + 1.0).numpy().tolist() == [3.0, 5.0]
    assert (1.0 - doubled).numpy().tolist() == [-1.0, -3.0]
    assert tf.add(doubled, 0.0).numpy().tolist() == [2.0, 4.0]
    assert doubled[1].numpy() == 4.0
    assert tf.convert_to_tensor(doubled).numpy().tolist() == [2.0, 4.0]
    with tf.GradientTape() as tape:
        total = tf.reduce_sum(doubled * doubled)
    assert tape.gradient(total, doubled.inner).numpy().tolist() == [8.0, 16.0]
    assert tf.function(lambda: doubled * 3.0)().numpy().tolist() == [6.0, 12.0]
