"""How large the batches of datasets are, as Keras asks before it shares them out."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf
from emplace.private.data_distribute import batch_sizes_for_worker, compute_batch_size

D = tf.data.Dataset
NUMBERS = D.range(16)
FIVES = NUMBERS.batch(5)


def test_the_size_of_a_batch_is_an_int64_scalar() -> None:
    size = compute_batch_size(FIVES)
    assert (size.dtype, size.shape.rank, int(size)) == (tf.int64, 0, 5)


@pytest.mark.parametrize(
    ("dataset", "size"),
    [
        (NUMBERS.batch(5, drop_remainder=True), 5),
        (FIVES.prefetch(2).shuffle(2).repeat(2).take(9).skip(1).cache().shard(2, 0), 5),
        (FIVES.filter(lambda x: True).with_options(tf.data.Options()), 5),
        (FIVES.map(lambda x: x), -1),
        (D.zip((FIVES, FIVES)), 5),
        (D.zip((FIVES, NUMBERS.batch(4))), -1),
        (FIVES.concatenate(FIVES), 5),
        (FIVES.concatenate(NUMBERS.batch(4)), -1),
        (FIVES.batch(2), 2),
        (FIVES.rebatch(2), -1),
        (D.from_tensors([1, 2, 3]), 3),
        (D.from_tensor_slices(([[1, 2], [3, 4]], [[1, 2, 3], [3, 4, 4]])), -1),
        (NUMBERS.map(tf.range).padded_batch(3), 3),
        (NUMBERS.map(tf.range).ragged_batch(3), 3),
    ],
)
def test_the_last_batching_tells_the_size(dataset: Any, size: int) -> None:
    assert int(compute_batch_size(dataset)) == size


def test_a_batch_is_cut_for_the_replicas_of_each_machine() -> None:
    cut = [batch_sizes_for_worker(10, 3, 2, worker).numpy().tolist() for worker in range(3)]
    assert cut == [[2, 2, 2, 2, 1, 1], [2, 2, 1, 1, 2, 2], [1, 1, 2, 2, 2, 2]]
    assert batch_sizes_for_worker(8, 2, 2, 1).numpy().tolist() == [2, 2, 2, 2]
