"""Pipelines put together by chance give what the same steps on a Python list give."""

from __future__ import annotations

import numpy as np
import pytest

import emplace.tensorflow as tf

D = tf.data.Dataset


def step(random, dataset, numbers):
    """One more transformation, of the dataset and of the list."""
    n, i = int(random.integers(1, 5)), int(random.integers(0, 8))
    return (
        lambda: (dataset.take(i), numbers[:i]),
        lambda: (dataset.skip(i), numbers[i:]),
        lambda: (dataset.map(lambda x: x * 2 + 1), [x * 2 + 1 for x in numbers]),
        lambda: (dataset.filter(lambda x: x % 3 != 0), [x for x in numbers if x % 3]),
        lambda: (dataset.repeat(n), numbers * n),
        lambda: (dataset.shard(n, i % n), numbers[i % n :: n]),
        lambda: (dataset.prefetch(2), numbers),
        lambda: (dataset.cache(), numbers),
        lambda: (dataset.batch(n).unbatch(), numbers),
        lambda: (dataset.window(n).flat_map(lambda window: window), numbers),
    )[int(random.integers(0, 10))]()


@pytest.mark.parametrize("seed", range(40))
def test_a_pipeline_gives_what_python_gives(seed):
    random = np.random.default_rng(seed)
    numbers = list(range(int(random.integers(0, 15))))
    rows = D.from_tensor_slices(np.array(numbers, np.int64))
    dataset = D.range(len(numbers)) if seed % 2 else rows
    for _ in range(5):
        dataset, numbers = step(random, dataset, numbers)
    for _ in range(2):
        assert [int(x) for x in dataset] == numbers
    batches = [numbers[i : i + 3] for i in range(0, len(numbers), 3)]
    assert [x.numpy().tolist() for x in dataset.batch(3)] == batches
    mixed = dataset.shuffle(4, seed=seed).batch(3)
    assert sorted(x for batch in mixed for x in batch.numpy().tolist()) == sorted(numbers)
    count = int(dataset.cardinality())
    assert count in (len(numbers), tf.data.UNKNOWN_CARDINALITY)
