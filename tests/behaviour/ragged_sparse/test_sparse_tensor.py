"""`tf.SparseTensor` as an object: its parts, its text, nests of it, gradients through it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


def sparse() -> Any:
    return tf.SparseTensor([[0, 1], [1, 2]], [1.0, 2.0], [2, 3])


def test_a_sparse_tensor_knows_its_parts() -> None:
    x = sparse()
    assert x.indices.dtype is tf.int64
    assert x.indices.numpy().tolist() == [[0, 1], [1, 2]]
    assert x.values.numpy().tolist() == [1.0, 2.0]
    assert x.dense_shape.numpy().tolist() == [2, 3]
    assert x.shape == x.get_shape() == [2, 3]
    assert x.dtype is tf.float32


def test_a_sparse_tensor_prints_its_parts() -> None:
    assert repr(sparse()) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 1]\n [1 2]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([1. 2.], shape=(2,), dtype=float32), "
        "dense_shape=tf.Tensor([2 3], shape=(2,), dtype=int64))"
    )


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (([0, 1], [1.0, 2.0], [3]), "Shape (2,) must have rank 2"),
        (([[0, 1]], [1.0, 2.0], [2, 3]), "Dimensions 1 and 2 are not compatible"),
        (([[0, 1]], 1.0, [2, 3]), "Shape () must have rank 1"),
        (([[0, 1]], [1.0], [2, 3, 4]), "Dimensions 2 and 3 are not compatible"),
        (([[0, 1]], [1.0], [-2, 3]), "Dimension -2 must be >= 0"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parts: Any, text: str) -> None:
    with pytest.raises(ValueError, match="^" + text.replace("(", r"\(").replace(")", r"\)")):
        tf.SparseTensor(*parts)


def test_int32_indices_are_refused_as_tensors_and_cast_as_arrays() -> None:
    with pytest.raises(ValueError, match="indices: Tensor conversion requested dtype int64"):
        tf.SparseTensor(tf.constant([[0, 1]]), [1.0], [2, 3])
    made = tf.SparseTensor(np.array([[0, 1]], np.int32), [1.0], [2, 3])
    assert made.indices.dtype is tf.int64


def test_with_values_keeps_the_places() -> None:
    x = sparse()
    changed = x.with_values([3, 4])
    assert changed.indices is x.indices
    assert changed.dtype is tf.int32
    with pytest.raises(ValueError, match="Dimensions 2 and 3 are not compatible"):
        x.with_values([1.0, 2.0, 3.0])


def test_from_value_takes_a_sparse_tensor_value() -> None:
    value = tf.compat.v1.SparseTensorValue([[0, 1]], [1.0], [2, 3])
    assert tf.SparseTensor.from_value(value).shape == [2, 3]
    with pytest.raises(TypeError, match="Argument sparse_tensor_value=3 is neither"):
        tf.SparseTensor.from_value(3)


def test_set_shape_checks_the_shape() -> None:
    sparse().set_shape([2, None])
    with pytest.raises(ValueError, match=r"Shapes \(2, 3\) and \(2, 4\) are not compatible"):
        sparse().set_shape([2, 4])


def test_a_sparse_tensor_is_a_tensor_that_cannot_be_made_dense_by_accident() -> None:
    assert tf.is_tensor(sparse())
    with pytest.raises(ValueError, match=r"Attempt to convert a value \(SparseTensor\(indices="):
        tf.convert_to_tensor(sparse())


def test_a_nest_expands_a_sparse_tensor_on_demand() -> None:
    x = sparse()
    assert tf.nest.flatten({"a": x, "b": 1}) == [x, 1]
    parts = tf.nest.flatten([x, 7], expand_composites=True)
    assert len(parts) == 4
    packed = tf.nest.pack_sequence_as([x, 7], parts, expand_composites=True)
    assert packed[0].values is x.values
    assert packed[1] == 7


def test_map_structure_reaches_the_parts() -> None:
    same = tf.nest.map_structure(tf.identity, {"x": sparse()}, expand_composites=True)
    assert isinstance(same["x"], tf.SparseTensor)


def test_packing_too_few_parts_is_refused() -> None:
    with pytest.raises(ValueError, match="Structure had 3 atoms, but flat_sequence had 1 items"):
        tf.nest.pack_sequence_as(sparse(), [1], expand_composites=True)


def test_structures_with_and_without_a_sparse_tensor_differ_only_when_expanded() -> None:
    tf.nest.assert_same_structure(sparse(), 1)
    with pytest.raises(ValueError, match="don't have the same nested structure"):
        tf.nest.assert_same_structure(sparse(), 1, expand_composites=True)


def test_gradients_flow_through_the_values() -> None:
    v = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = sparse().with_values(v * 3.0).values
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 3.0]


def test_watching_a_sparse_tensor_watches_its_values() -> None:
    x = sparse()
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = x.values * x.values
    assert tape.gradient(y, x.values).numpy().tolist() == [2.0, 4.0]


def test_a_sparse_tensor_is_no_source_of_a_gradient() -> None:
    x = sparse()
    with tf.GradientTape() as tape:
        tape.watch(x.values)
        y = x.values * 2.0
    with pytest.raises(ValueError, match="Type SparseTensor is not supported as a gradient source"):
        tape.gradient(y, x)


def test_a_spec_tells_shape_and_dtype() -> None:
    spec = tf.SparseTensorSpec([None, 3])
    assert repr(spec) == "SparseTensorSpec(TensorShape([None, 3]), tf.float32)"
    assert spec.is_compatible_with(sparse())
    assert not tf.SparseTensorSpec([None, 3], tf.int32).is_compatible_with(sparse())
    assert tf.SparseTensorSpec.from_value(sparse()) == tf.SparseTensorSpec([2, 3])
    assert spec.value_type is tf.SparseTensor


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        *[(each, "float32") for each in ("uint8", "int8", "uint16", "int16")],
        *[(each, "float64") for each in ("int32", "int64", "uint32", "uint64", "float64")],
        ("float16", "float16"),
    ],
)
def test_integers_are_divided_as_floats(dtype, wanted):
    x = tf.sparse.from_dense(tf.cast([[3, 0], [0, 5]], dtype))
    for two in (2, tf.cast(2, dtype)):
        found = x / two
        assert found.dtype.name == wanted
        assert found.values.numpy().tolist() == [1.5, 2.5]


def test_divisors_of_another_type_are_refused():
    x = tf.sparse.from_dense([[3, 0], [0, 5]])
    with pytest.raises(ValueError, match="Tensor conversion requested dtype int32"):
        x / tf.constant(2, tf.int64)
