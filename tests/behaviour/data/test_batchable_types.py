"""`tf.experimental.BatchableExtensionType`: batches and rows of the program's own types."""

from __future__ import annotations

import typing

import pytest

import emplace.tensorflow as tf


class Network(tf.experimental.BatchableExtensionType):
    shape: tf.TensorShape
    work: tf.Tensor
    kind: int = 3

    def __init__(self, work, kind=3):
        self.work = tf.convert_to_tensor(work)
        self.shape = self.work.shape[:-1]
        self.kind = kind


class Mixed(tf.experimental.BatchableExtensionType):
    rows: tf.RaggedTensor
    places: tf.SparseTensor
    network: Network
    more: typing.Tuple[tf.Tensor, ...] = ()  # noqa: UP006  # as programs write it


class Nested(tf.experimental.BatchableExtensionType):
    rows: tf.RaggedTensor
    network: Network


def networks() -> Network:
    return Network([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])


def mixed() -> Mixed:
    return Mixed(
        tf.ragged.constant([[1], [2, 3], []]),
        tf.sparse.from_dense([[0, 1], [2, 0], [0, 3]]),
        networks(),
        (tf.constant([7, 8, 9]),),
    )


def shown(value: Network) -> object:
    return value.shape.as_list(), value.work.numpy().tolist(), value.kind


def test_a_dataset_of_rows_gives_values_with_the_shape_of_a_row():
    data = tf.data.Dataset.from_tensor_slices(networks())
    assert data.element_spec == Network.Spec(tf.TensorShape([]), tf.TensorSpec([2]), 3)
    assert [shown(x) for x in data] == [([], [1, 2], 3), ([], [3, 4], 3), ([], [5, 6], 3)]


def test_batches_are_put_together_and_taken_apart_again():
    data = tf.data.Dataset.from_tensor_slices(networks()).batch(2)
    assert data.element_spec == Network.Spec(tf.TensorShape([None]), tf.TensorSpec([None, 2]), 3)
    found = [(x.work.numpy().tolist(), x.shape.as_list()) for x in data]
    assert found == [([[1, 2], [3, 4]], [None]), ([[5, 6]], [None])]  # TF 2.21: (None,) too
    assert shown(list(data.unbatch())[2]) == ([], [5, 6], 3)
    assert [x.work.shape[0] for x in data.rebatch(1)] == [1, 1, 1]
    whole = tf.data.Dataset.from_tensor_slices(networks()).batch(2, drop_remainder=True)
    assert [shown(x) for x in whole] == [([2], [[1, 2], [3, 4]], 3)]


def test_a_generator_may_yield_them():
    data = tf.data.Dataset.from_generator(
        lambda: iter([Network([1.0]), Network([2.0])]),
        output_signature=Network.Spec(tf.TensorShape([]), tf.TensorSpec([1]), 3),
    )
    assert [x.work.numpy().tolist() for x in data.batch(2)] == [[[1], [2]]]


def test_composites_and_other_such_types_in_the_fields_go_along():
    data = tf.data.Dataset.from_tensor_slices(mixed())
    second = list(data)[1]
    assert second.rows.numpy().tolist() == [2, 3]
    assert tf.sparse.to_dense(second.places).numpy().tolist() == [2, 0]
    assert (shown(second.network), second.more[0].numpy()) == (([], [3, 4], 3), 8)
    first = next(iter(data.batch(2)))
    assert first.rows.to_list() == [[1], [2, 3]]
    assert tf.sparse.to_dense(first.places).numpy().tolist() == [[0, 1], [2, 0]]
    assert first.network.work.numpy().tolist() == [[1, 2], [3, 4]]
    assert first.more[0].numpy().tolist() == [7, 8]


def test_map_fn_goes_through_rows_and_stacks_values():
    def twice(network):
        return Network(network.work * 2, network.kind)

    expected = ([3], [[2, 4], [6, 8], [10, 12]], 3)
    assert shown(tf.map_fn(twice, networks())) == expected
    assert shown(tf.function(lambda x: tf.map_fn(twice, x))(networks())) == expected
    sums = tf.map_fn(lambda x: tf.reduce_sum(x.work), networks(), fn_output_signature=tf.float32)
    assert sums.numpy().tolist() == [3, 7, 11]
    spec = Network.Spec(tf.TensorShape([]), tf.TensorSpec([2]), 3)
    made = tf.map_fn(Network, tf.constant([[1.0, 2.0]]), fn_output_signature=spec)
    assert shown(made) == ([1], [[1, 2]], 3)
    same = tf.map_fn(lambda x: x, Nested(tf.ragged.constant([[1], [2, 3], []]), networks()))
    assert same.rows.to_list() == [[1], [2, 3], []]
    assert shown(same.network) == shown(networks())
    with pytest.raises(ValueError, match=r"expected `fn` to return a Network\.Spec"):
        tf.map_fn(lambda x: x.work, networks())


class Tenfold(tf.experimental.ExtensionTypeBatchEncoder):
    def encode(self, spec, value, minimum_rank=0):
        return value.work * 10

    def encoding_specs(self, spec):
        return spec.work

    def decode(self, spec, encoding):
        return Encoded(encoding / 10, spec.kind)


class Encoded(tf.experimental.BatchableExtensionType):
    __batch_encoder__ = Tenfold()
    work: tf.Tensor
    kind: str


def test_an_encoder_of_the_program_is_asked():
    data = tf.data.Dataset.from_tensor_slices(Encoded([1.0, 2.0], "a"))
    assert [(x.work.numpy(), x.kind) for x in data] == [(1, "a"), (2, "a")]
    assert next(iter(data.batch(2))).work.numpy().tolist() == [1, 2]
    seen = []
    data.map(lambda x: seen.append(type(x).__name__) or x.work)
    assert seen == ["Encoded"]


def test_other_extension_types_are_still_refused():
    class Single(tf.experimental.ExtensionType):
        value: tf.Tensor

    with pytest.raises(TypeError, match="Unable to take elements of"):
        tf.data.Dataset.from_tensor_slices(Single([1]))
    with pytest.raises(TypeError, match="Unable to batch elements of"):
        tf.data.Dataset.from_tensors(Single([1])).batch(2)
