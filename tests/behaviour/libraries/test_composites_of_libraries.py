"""Composite tensors and specs that a library writes, by TensorFlow's protocol."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf
from emplace.core.composite import CompositeTensor
from emplace.graph.recording.module import Module


class IntervalSpec(tf.TypeSpec):
    """Of an `Interval`: specs of both ends, and what is no tensor."""

    def __init__(self, low, high, unit):
        self._low, self._high, self._unit = low, high, unit

    @property
    def value_type(self):
        return Interval

    def _serialize(self):
        return self._low, self._high, self._unit

    @property
    def _component_specs(self):
        return {"low": self._low, "high": self._high}

    def _to_components(self, value):
        return {"low": value.low, "high": value.high}

    def _from_components(self, components):
        return Interval(components["low"], components["high"], self._unit)


class Interval(CompositeTensor):
    """Its constructor computes, as constructors of libraries do."""

    def __init__(self, low, high, unit="m"):
        self.low, self.high, self.unit = low, high, unit
        self.width = tf.convert_to_tensor(high) - tf.convert_to_tensor(low)

    @property
    def _type_spec(self):
        low, high = (tf.TensorSpec(each.shape, each.dtype) for each in (self.low, self.high))
        return IntervalSpec(low, high, self.unit)


def interval(low=1.0, high=3.0, unit="m"):
    return Interval(tf.constant(low), tf.constant(high), unit)


def test_its_tensors_are_taken_out_and_put_back():
    high, low = tf.nest.flatten(interval(), expand_composites=True)
    assert (float(low), float(high)) == (1.0, 3.0)  # TF: in the order of the names
    doubled = tf.nest.map_structure(lambda x: x * 2, interval(), expand_composites=True)
    assert (type(doubled), float(doubled.width), doubled.unit) == (Interval, 4.0, "m")
    assert tf.nest.flatten(interval()) != tf.nest.flatten(interval(), expand_composites=True)


def test_it_is_no_tensor():
    assert not tf.is_tensor(interval())
    assert tf.is_tensor(tf.ragged.constant([[1], []]))
    with pytest.raises(ValueError, match="Interval"):
        tf.convert_to_tensor(interval())


def test_a_function_takes_and_returns_it():
    traces = []

    @tf.function
    def moved(x, by):
        traces.append(x.unit)
        return Interval(x.low + by, x.high + by, x.unit)

    found = moved(interval(), 1.0)
    assert (float(found.low), float(found.high), found.unit) == (2.0, 4.0, "m")
    moved(interval(5.0, 6.0), 1.0)
    assert traces == ["m"]
    assert moved(interval(unit="s"), 1.0).unit == "s"
    assert traces == ["m", "s"]


def test_a_variable_in_it_is_the_functions_argument():
    v, w = tf.Variable(1.0), tf.Variable(10.0)

    @tf.function
    def width(x):
        return x.width + 0.0 * x.low

    assert float(width(Interval(v, tf.constant(3.0)))) == 2.0
    v.assign(2.0)
    assert float(width(Interval(v, tf.constant(3.0)))) == 1.0
    assert float(width(Interval(w, tf.constant(3.0)))) == -7.0


def test_loops_and_branches_carry_it():
    @tf.function
    def grown(x, times):
        (x,) = tf.while_loop(
            lambda x: x.width < times,
            lambda x: (Interval(x.low - 1.0, x.high + 1.0, x.unit),),
            (x,),
        )
        return tf.cond(x.low < 0.0, lambda: x, lambda: Interval(x.low, x.high * 2.0, x.unit))

    found = grown(interval(), tf.constant(5.0))
    assert (float(found.low), float(found.high)) == (-1.0, 5.0)
    found = grown(interval(), tf.constant(4.0))
    assert (float(found.low), float(found.high)) == (0.0, 8.0)


def test_its_gradient_reaches_its_parts():
    low, high = tf.constant(1.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([low, high])
        square = tf.function(lambda x: x.width**2)(Interval(low, high))
    assert [float(each) for each in tape.gradient(square, [low, high])] == [-4.0, 4.0]


def test_specs_are_equal_where_what_they_tell_is():
    one, same, other = (interval(unit=unit)._type_spec for unit in "mms")
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one.is_compatible_with(interval())
    assert not one.is_compatible_with(other)
    assert not one.is_compatible_with(tf.constant(1.0))


def test_specs_have_a_common_supertype():
    one = Interval(tf.zeros([2]), tf.zeros([2]))._type_spec
    other = Interval(tf.zeros([3]), tf.zeros([3]))._type_spec
    wide = one.most_specific_compatible_type(other)
    assert wide._component_specs["low"].shape.as_list() == [None]
    assert one.most_specific_common_supertype([other]) == wide
    assert one.most_specific_common_supertype([interval(unit="s")._type_spec]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        one.most_specific_compatible_type(interval(unit="s")._type_spec)
    assert one._with_tensor_ranks_only() == wide


def test_a_spec_takes_values_apart_and_puts_them_together():
    spec = interval()._type_spec
    assert [each.shape.rank for each in spec._flat_tensor_specs] == [0, 0]
    high, low = spec._to_tensor_list(interval())
    assert float(spec._from_tensor_list([high, low]).width) == 2.0
    made = tf.nest.pack_sequence_as(spec, [high, low], expand_composites=True)
    assert (made.unit, float(made.width)) == ("m", 2.0)


def test_a_spec_of_what_has_no_hash_says_so():
    spec = interval(unit={1, 2})._type_spec
    with pytest.raises(ValueError, match="Cannot generate a hashable key for IntervalSpec"):
        hash(spec)


def test_specs_of_tensors_speak_of_batches_and_ranks():
    spec = tf.TensorSpec([2, 3], tf.float32, "x")
    assert spec._batch(4) == tf.TensorSpec([4, 2, 3])
    assert spec._unbatch() == tf.TensorSpec([3])
    assert spec._with_tensor_ranks_only() == tf.TensorSpec([None, None], name="x")
    assert spec._without_tensor_names() == tf.TensorSpec([2, 3])
    assert spec.is_subtype_of(tf.TensorSpec([None, 3], name="x"))
    assert not spec.is_subtype_of(tf.TensorSpec([None, 3]))  # TF: a name says which tensor
    assert not tf.TensorSpec([None, 3]).is_subtype_of(spec)


def test_an_attribute_without_dependency_is_no_child():
    class Kept(Module):
        def __init__(self):
            super().__init__()
            self.part = Module(name="part")
            self.other = self._no_dependency(Module(name="other"))

    kept = Kept()
    assert isinstance(kept.other, Module)
    assert list(kept._trackable_children()) == ["part"]
