"""`shape_invariants` of `tf.while_loop`: loop variables that grow, composites among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


def thrice(grow: Callable[[Any], Any], value: Callable[[], Any], invariant: Any) -> Any:
    return tf.while_loop(
        lambda i, _: i < 3, lambda i, x: (i + 1, grow(x)), [tf.constant(0), value()],
        [tf.TensorSpec([], tf.int32), invariant],
    )[1]  # fmt: skip


def twice_as_sparse(x: Any) -> Any:
    return tf.sparse.concat(0, [x, x])


def twice(x: Any) -> Any:
    return tf.concat([x, x], 0)


def twice_the_slices(x: Any) -> Any:
    return tf.IndexedSlices(twice(x.values), twice(x.indices), x.dense_shape)


def sparse() -> Any:
    return tf.sparse.SparseTensor([[0]], [1.0], [2])


def ragged() -> Any:
    return tf.ragged.constant([[1, 2], [3]])


def slices() -> Any:
    return tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([4, 2]))


GROWING = {
    "sparse, its spec": (twice_as_sparse, sparse, tf.SparseTensorSpec([None])),
    "sparse, its shape": (twice_as_sparse, sparse, tf.TensorShape([None])),
    "ragged, its spec": (twice, ragged, tf.RaggedTensorSpec([None, None], tf.int32)),
    "ragged, its shape": (twice, ragged, tf.TensorShape([None, None])),
    "slices": (twice_the_slices, slices, tf.TensorShape([None, 2])),
    "dense": (twice, lambda: tf.ones([2]), tf.TensorSpec([None])),
}
WANTED = {
    "sparse": [1.0, 0] * 8,
    "ragged": [[1, 2], [3]] * 8,
    "slices": [[8.0, 8], [0, 0], [0, 0], [0, 0]],
    "dense": [1.0] * 16,
}


def plain(x: Any) -> Any:
    """As a value that can be compared."""
    if isinstance(x, tf.RaggedTensor):
        return x.to_list()
    if isinstance(x, tf.sparse.SparseTensor):
        x = tf.sparse.to_dense(x)
    return tf.convert_to_tensor(x).numpy().tolist()


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("in_function", [False, True])
def test_a_loop_variable_grows_as_its_invariant_says(name: str, in_function: bool) -> None:
    def run() -> Any:
        return thrice(*GROWING[name])

    found = tf.function(run)() if in_function else run()
    assert plain(found) == WANTED[name.split(",")[0]]


def test_a_sparse_tensor_grows_in_a_session() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        found = tf.sparse.to_dense(thrice(*GROWING["sparse, its spec"]))
        assert session.run(found).tolist() == WANTED["sparse"]


WRONG = [
    (lambda: tf.constant([1]), tf.SparseTensorSpec([None]), "TypeSpec SparseTensorSpec("),
    (ragged, tf.SparseTensorSpec([None]), "TypeSpec SparseTensorSpec("),
    (sparse, tf.SparseTensorSpec([None], tf.int32), "TypeSpec SparseTensorSpec("),
    (lambda: tf.ones([3]), tf.TensorSpec([3], tf.int32), "TypeSpec TensorSpec(shape=(3,)"),
    (lambda: tf.ones([3]), tf.TensorSpec([4]), "TypeSpec TensorSpec(shape=(4,)"),
    (lambda: tf.ones([3]), "foo", "'shape' must be one of TypeSpec, TensorShape or None. Received"),
    (lambda: tf.ones([3]), 3, "'shape' must be one of TypeSpec, TensorShape or None. Received: "),
]


@pytest.mark.parametrize(("value", "invariant", "text"), WRONG)
def test_an_invariant_of_something_else_is_refused(value: Any, invariant: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError) as error:
        thrice(lambda x: x, value, invariant)
    assert str(error.value).startswith(text)


def test_a_shape_that_a_loop_variable_does_not_have_is_refused() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="are not compatible"):
        thrice(lambda x: x, sparse, tf.TensorShape([4]))


def test_none_as_an_invariant_keeps_the_shape_of_its_variable():
    @tf.function
    def steady():
        return tf.while_loop(
            lambda x: tf.reduce_sum(x) < 20.0, lambda x: [x + 1.0], [tf.ones([2])],
            shape_invariants=[None],
        )  # fmt: skip

    assert steady.get_concrete_function().structured_outputs[0].shape == [2]
    assert steady()[0].numpy().tolist() == [10.0, 10.0]

    @tf.function
    def growing():
        return tf.while_loop(
            lambda x: tf.size(x) < 20, lambda x: [tf.concat([x, x], 0)], [tf.ones([2])],
            shape_invariants=[None],
        )  # fmt: skip

    with pytest.raises(ValueError, match=r"enters the loop with shape \(2,\), but has shape"):
        growing()


def test_a_list_is_no_invariant():
    @tf.function
    def run():
        return tf.while_loop(
            lambda x: tf.size(x) < 20, lambda x: [tf.concat([x, x], 0)], [tf.ones([2])],
            shape_invariants=[[None]],
        )  # fmt: skip

    with pytest.raises(ValueError, match="The two structures don't have the same nested structure"):
        run()


def test_a_loop_with_invariants_may_have_a_maximum_of_iterations() -> None:
    @tf.function
    def grown(x: Any) -> Any:
        return tf.while_loop(
            lambda x: tf.constant(True), lambda x: (twice(x),), [x], [tf.TensorShape([None])],
            maximum_iterations=3,
        )[0]  # fmt: skip

    assert grown(tf.constant([7])).numpy().tolist() == [7] * 8
