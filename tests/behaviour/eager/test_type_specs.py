"""Specs as names and tuples, by which files tell them, and as structures of the tensors below."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf
from emplace.private import type_spec_registry as registry

SPECS = {
    "tf.TensorSpec": tf.TensorSpec([None, 2], tf.float32, "a"),
    "tf.RaggedTensorSpec": tf.RaggedTensorSpec([None, None], tf.int32),
    "tf.SparseTensorSpec": tf.SparseTensorSpec([None, 3]),
}


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_is_found_by_its_name_and_made_of_what_it_tells(name):
    spec = SPECS[name]
    assert registry.get_name(type(spec)) == name
    assert registry.lookup(name)._deserialize(spec._serialize()) == spec


def test_a_program_registers_specs_of_its_own():
    @registry.register("test_type_specs.Mine")
    class Mine(tf.TypeSpec):
        pass

    assert registry.lookup("test_type_specs.Mine") is Mine
    with pytest.raises(ValueError, match="has already been registered for class"):
        registry.register("test_type_specs.Mine")(Mine)


def test_names_that_nobody_registered_and_names_without_a_project_are_refused():
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'Nothing'"):
        registry.lookup("Nothing")
    with pytest.raises(ValueError, match="Registered name must have the form"):
        registry.register("Nothing")
    with pytest.raises(ValueError, match="has not been registered"):
        registry.get_name(tf.data.DatasetSpec)


def test_the_spec_of_a_composite_is_a_structure_of_the_specs_below():
    parts = tf.nest.flatten(tf.SparseTensorSpec([None, 3]), expand_composites=True)
    assert [part.shape.as_list() for part in parts] == [[None, 2], [None], [2]]
    parts = tf.nest.flatten(tf.RaggedTensorSpec([None, None]), expand_composites=True)
    assert [part.dtype for part in parts] == [tf.float32, tf.int64]


def test_tensors_are_packed_into_the_composite_that_a_spec_tells():
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    parts = [tf.constant([1, 2, 3]), tf.constant([0, 1, 3], tf.int64)]
    assert tf.nest.pack_sequence_as(spec, parts, expand_composites=True).to_list() == [[1], [2, 3]]
