"""The seeds that TensorFlow hands out in functions and graphs. Its answers."""

import emplace.tensorflow as tf

get_seed = tf.compat.v1.get_seed


def test_functions_have_the_programs_seed():
    tf.random.set_seed(7)
    seeds = []

    @tf.function
    def function():
        seeds.extend([get_seed(None), get_seed(None), get_seed(3)])
        tf.cond(tf.constant(True), lambda: seeds.append(get_seed(None)) or 1, lambda: 2)

    function()
    assert seeds == [(7, 0), (7, 1), (7, 3), (7, 0)]


def test_graphs_count_their_seeds():
    with tf.Graph().as_default():
        tf.compat.v1.set_random_seed(7)
        tf.constant(1.0)
        assert [get_seed(None), get_seed(None), get_seed(3)] == [(7, 0), (7, 1), (7, 3)]


def test_a_dataset_of_a_function_takes_a_seed_that_is_a_tensor():
    @tf.function
    def order(seed):
        empty = tf.zeros([0], tf.int64)
        rows = tf.data.Dataset.range(10).shuffle(10, seed=seed)
        return rows.reduce(empty, lambda so_far, row: tf.concat([so_far, row[None]], 0))

    tf.random.set_seed(7)
    assert order(tf.constant(3, tf.int64)).numpy().tolist() == [9, 7, 3, 8, 6, 2, 0, 5, 4, 1]


def test_what_takes_a_seed_counts_as_a_draw():
    tf.random.set_seed(9)
    tf.random.all_candidate_sampler([[1]], 1, 3, True)
    assert abs(float(tf.random.uniform([])) - 0.13962615) < 1e-7
    tf.random.set_seed(9)
    tf.nn.compute_accidental_hits([[1]], [1, 2], 1)
    assert abs(float(tf.random.uniform([])) - 0.13962615) < 1e-7
