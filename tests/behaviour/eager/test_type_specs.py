"""Specs as names and tuples, by which files tell them, and as structures of the tensors below."""

from __future__ import annotations

import collections

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


class Pair(tf.experimental.ExtensionType):
    """A value of a program's own type."""

    x: tf.Tensor
    n: int


NARROW_AND_WIDE = [
    (tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3])),
    (tf.RaggedTensorSpec([2, None]), tf.RaggedTensorSpec([None, None])),
    (tf.RaggedTensorSpec([2, None]), tf.RaggedTensorSpec(None, ragged_rank=1)),
    (tf.SparseTensorSpec([2, 3]), tf.SparseTensorSpec([None, 3])),
    (tf.SparseTensorSpec([None, 3]), tf.SparseTensorSpec(None)),
    (tf.IndexedSlicesSpec([2, 3]), tf.IndexedSlicesSpec([None, 3])),
    (tf.data.DatasetSpec(tf.TensorSpec([2])), tf.data.DatasetSpec(tf.TensorSpec([None]))),
    (tf.OptionalSpec({"a": tf.TensorSpec([2])}), tf.OptionalSpec({"a": tf.TensorSpec([None])})),
    (Pair.Spec(tf.TensorSpec([2]), 1), Pair.Spec(tf.TensorSpec([None]), 1)),
]


@pytest.mark.parametrize(("narrow", "wide"), NARROW_AND_WIDE)
def test_a_spec_is_a_subtype_of_wider_ones_alone(narrow, wide):
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)
    assert narrow.is_subtype_of(narrow)
    assert narrow.is_compatible_with(wide)
    assert wide.is_compatible_with(narrow)
    assert narrow.most_specific_common_supertype([wide]) == wide
    assert wide.most_specific_compatible_type(narrow) == wide


def test_specs_of_other_kinds_are_no_subtypes():
    specs = {type(narrow): narrow for narrow, _ in NARROW_AND_WIDE}.values()
    for one in specs:
        for other in specs:
            assert one.is_subtype_of(other) == (one is other)
    assert not Pair.Spec(tf.TensorSpec([2]), 1).is_subtype_of(Pair.Spec(tf.TensorSpec([2]), 2))


def test_names_of_tensors_belong_to_their_specs():
    plain, named, other = (tf.TensorSpec([2], name=name) for name in (None, "a", "b"))
    assert plain.is_subtype_of(named)
    assert not named.is_subtype_of(plain)
    assert not named.is_subtype_of(other)
    assert named.is_compatible_with(other)
    assert named.most_specific_common_supertype([plain]) is None
    with pytest.raises(ValueError, match="No TypeSpec is compatible with both"):
        named.most_specific_compatible_type(other)


def test_named_tuples_of_the_same_names_are_of_one_kind():
    def spec(size):
        made = collections.namedtuple("Both", ["a", "b"])
        return tf.OptionalSpec(made(tf.TensorSpec([size]), tf.TensorSpec([2])))

    assert spec(3).is_subtype_of(spec(None))
    assert spec(None).is_compatible_with(spec(3))
    assert not spec(None).is_subtype_of(spec(3))
    found = spec(3).most_specific_compatible_type(spec(4))
    assert found.element_spec.a.shape.as_list() == [None]
