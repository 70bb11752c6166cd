"""Where determinism is wished for, draws without a seed are refused: in eager mode, functions,
graphs and datasets, and by what draws nothing but takes a seed.
"""

import pytest

import emplace.tensorflow as tf

_REFUSED = "Random ops require a seed to be set when determinism is enabled"


@pytest.fixture(autouse=True)
def _wished_for():
    tf.config.experimental.enable_op_determinism()


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.uniform([2]),
        lambda: tf.random.shuffle([1, 2]),
        lambda: tf.nn.dropout(tf.ones([2]), 0.5),
        lambda: tf.data.Dataset.range(3).shuffle(3).reduce(tf.zeros([], tf.int64), tf.add),
        lambda: tf.cond(tf.constant(True), lambda: tf.random.uniform([]), lambda: 0.0),
    ],
)
def test_a_function_draws_by_a_seed_alone(draw):
    function = tf.function(draw)
    with pytest.raises(RuntimeError, match=_REFUSED):
        function()
    tf.random.set_seed(1)
    tf.function(draw)()


def test_a_graph_draws_by_its_own_seed_alone():
    tf.random.set_seed(1)  # no graph's
    with tf.Graph().as_default():
        with pytest.raises(RuntimeError, match=_REFUSED):
            tf.random.uniform([2])
        with pytest.raises(RuntimeError, match=_REFUSED):
            tf.compat.v1.get_variable("v", [2])
        tf.compat.v1.set_random_seed(1)
        assert tf.random.uniform([2]).shape == [2]


def test_a_map_draws_by_a_seed_alone():
    with pytest.raises(RuntimeError, match=_REFUSED):
        tf.data.Dataset.range(2).map(lambda each: tf.random.uniform([]))


@pytest.mark.parametrize(
    "call",
    [
        lambda **seed: tf.queue.RandomShuffleQueue(5, 1, [tf.int32], [[]], **seed),
        lambda **seed: tf.random.all_candidate_sampler([[1]], 1, 3, True, **seed),
        lambda **seed: tf.nn.compute_accidental_hits([[1]], [1, 2], 1, **seed),
        lambda seed=None: tf.compat.v1.get_seed(seed),
    ],
)
def test_what_takes_a_seed_wants_one(call):
    with pytest.raises(RuntimeError, match=_REFUSED):
        call()
    call(seed=3)
    tf.random.set_seed(1)
    call()
