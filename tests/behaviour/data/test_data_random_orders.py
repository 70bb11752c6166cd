"""Random orders are TensorFlow's own: the same seeds give the same elements, pass after pass.

`tests/data/random_orders.json` has three passes over each dataset on TensorFlow 2.21, made after
`tf.random.set_seed(11)`.
"""

import json

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.data.iteration.seeds import Samples
from tests.behaviour.programs import REPOSITORY

D = tf.data.Dataset
CASES = json.loads((REPOSITORY / "tests" / "data" / "random_orders.json").read_text())
SHUFFLED = "D.range(10).shuffle(4, seed=5, reshuffle_each_iteration=False)"


def elements(dataset):
    return [int(x) for x in dataset.take(40).as_numpy_iterator()]


@pytest.mark.parametrize("case", CASES)
def test_passes_have_tensorflows_order(case):
    tf.random.set_seed(11)
    dataset = eval(case)
    assert [elements(dataset) for _ in range(3)] == CASES[case]


def test_a_function_goes_through_the_same_order():
    @tf.function
    def found():
        result = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for x in D.range(10).shuffle(4, seed=5, reshuffle_each_iteration=False):
            result = result.write(result.size(), x)
        return result.stack()

    tf.random.set_seed(11)
    assert found().numpy().tolist() == CASES[SHUFFLED][0]


def test_a_session_goes_through_the_same_order():
    tf1 = tf.compat.v1
    with tf.Graph().as_default(), tf1.Session() as session:
        tf1.set_random_seed(11)
        dataset = D.range(10).shuffle(4, seed=5, reshuffle_each_iteration=False)
        following = tf1.data.make_one_shot_iterator(dataset).get_next()
        assert [int(session.run(following)) for _ in range(10)] == CASES[SHUFFLED][0]


@pytest.mark.parametrize("taken", range(9))
def test_a_restored_iterator_goes_on_in_tensorflows_order(taken, tmp_path):
    def iterator():
        return iter(D.range(10).shuffle(4, seed=5, reshuffle_each_iteration=False))

    tf.random.set_seed(11)
    first, second = iterator(), iterator()
    for _ in range(taken):
        next(first)
    path = tf.train.Checkpoint(iterator=first).write(str(tmp_path / "at"))
    tf.train.Checkpoint(iterator=second).read(path)
    assert [int(x) for x in second] == CASES[SHUFFLED][0][taken:]


def test_pieces_of_samples_are_the_samples():
    whole = Samples((3, 7 << 64)).take(30).tolist()
    samples = Samples((3, 7 << 64))
    assert np.concatenate([samples.take(n) for n in (1, 2, 5, 4, 11, 7)]).tolist() == whole


def test_a_pass_that_nobody_goes_through_counts():
    """TensorFlow's orders; Keras's `fit` begins such a pass after each epoch."""
    tf.random.set_seed(0)
    dataset = tf.data.Dataset.range(60).shuffle(60).batch(8)
    assert [int(batch[0]) for batch in dataset][:3] == [23, 59, 37]
    iter(dataset), iter(dataset)
    assert [int(batch[0]) for batch in dataset][:3] == [22, 33, 26]
