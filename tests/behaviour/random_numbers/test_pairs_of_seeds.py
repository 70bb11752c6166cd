"""The pairs of seeds that ops get; TensorFlow 2.21 gave the values."""

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1
_CASES = [
    (None, None, (None, None)), (None, 1, (87654321, 1)), (1, 1, (1, 1)), (0, 0, (0, 2**31 - 1)),
    (2**31 - 1, 0, (0, 2**31 - 1)), (0, 2**31 - 1, (0, 2**31 - 1)),
]  # fmt: skip


@pytest.mark.parametrize(("whole", "own", "pair"), _CASES)
def test_an_eager_op_gets_the_global_seed_and_its_own(
    whole: int | None, own: int | None, pair: tuple[int | None, int | None]
) -> None:
    v1.set_random_seed(whole)
    assert v1.get_seed(own) == pair


@pytest.mark.parametrize(("whole", "own", "pair"), _CASES)
def test_an_op_of_a_graph_gets_the_graphs_seed_and_its_own(
    whole: int | None, own: int | None, pair: tuple[int | None, int | None]
) -> None:
    with tf.Graph().as_default():
        v1.set_random_seed(whole)
        assert v1.get_seed(own) == pair


def test_ops_without_a_seed_get_one_after_the_other() -> None:
    tf.random.set_seed(1)
    assert [v1.get_seed(None) for _ in range(2)] == [(1, 577090037), (1, 271041745)]
