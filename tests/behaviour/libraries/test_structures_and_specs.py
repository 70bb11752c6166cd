"""Structures beside the specs of their values, as libraries compare them."""

from typing import Any, NamedTuple

import pytest

import emplace.tensorflow as tf
from emplace.private import structures


class Pair(NamedTuple):
    one: Any
    other: Any


def values():
    return {
        "ragged": tf.ragged.constant([[1], [2, 3]]),
        "sparse": tf.SparseTensor([[0, 1]], [1.0], [2, 3]),
        "slices": tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2])),
        "iterator": iter(tf.data.Dataset.range(3)),
    }


def same(one, other) -> None:
    tf.nest.assert_same_structure(one, other, expand_composites=True)


@pytest.mark.parametrize("name", ["ragged", "sparse", "slices", "iterator"])
def test_a_composite_may_stand_opposite_to_its_spec(name) -> None:
    value = values()[name]
    spec = tf.type_spec_from_value(value)
    same(value, spec)
    same([1, spec], [2, value])


def test_a_spec_of_another_kind_dtype_or_rank_does_not_fit() -> None:
    there = values()
    same(there["sparse"], tf.SparseTensorSpec([None, None], tf.float32))
    for wrong in (
        tf.SparseTensorSpec([None, None], tf.int32),
        tf.SparseTensorSpec([None], tf.float32),
        tf.RaggedTensorSpec([2, None], tf.float32),
    ):
        with pytest.raises((ValueError, TypeError), match="same nested structure"):
            same(there["sparse"], wrong)
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        same(there["ragged"], 1)


def test_slices_have_a_spec_of_their_own() -> None:
    found = tf.type_spec_from_value(values()["slices"])
    assert isinstance(found, tf.IndexedSlicesSpec)
    assert (found.dtype, found.shape) == (tf.float32, [2])


def test_options_of_datasets_on_devices_are_refused_where_a_dataset_is_distributed() -> None:
    options = tf.distribute.InputOptions(experimental_place_dataset_on_device=True)
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    with pytest.raises(NotImplementedError, match="Datasets run on the host"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(2).batch(1), options)
    with pytest.raises(NotImplementedError, match="Datasets run on the host"):
        strategy.distribute_datasets_from_function(
            lambda _: tf.data.Dataset.range(2).batch(1), options
        )


def test_paths_go_by_the_fields_of_named_tuples() -> None:
    there = Pair([1], {"b": Pair(2, 3)})
    found = structures.flatten_with_joined_string_paths(there)
    assert found == [("one/0", 1), ("other/b/one", 2), ("other/b/other", 3)]

    class Holder(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.pair = Pair(tf.Variable(1.0), 2)

    paths = dict(Holder()._flatten(predicate=lambda x: isinstance(x, tf.Variable), with_path=True))
    assert list(paths) == [("pair", "one")]


def test_options_of_input_are_compared_by_what_they_say() -> None:
    made = tf.distribute.InputOptions
    assert made() == made(experimental_fetch_to_device=True)
    assert made() != made(experimental_fetch_to_device=False)
    assert "experimental_fetch_to_device=True" in repr(made())
