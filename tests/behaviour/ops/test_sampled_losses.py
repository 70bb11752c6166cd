"""Losses over drawn classes, in programs as people write them."""

from __future__ import annotations

from typing import Any

import numpy as np

import emplace.tensorflow as tf
from emplace import v1 as tf1

CLASSES, WIDTH, SAMPLED = 30, 8, 5


def pairs(rng: Any, count: int) -> tuple[Any, Any]:
    """Words and the words that follow them."""
    words = rng.integers(0, CLASSES, count)
    return words.astype(np.int32), ((words + 1) % CLASSES).astype(np.int32)[:, None]


def test_a_word2vec_program_of_tf_1_learns() -> None:
    graph = tf1.Graph()
    with graph.as_default():
        tf1.set_random_seed(1)
        inputs = tf1.placeholder(tf1.int32, [None])
        labels = tf1.placeholder(tf1.int32, [None, 1])
        embeddings = tf1.Variable(tf1.random_uniform([CLASSES, WIDTH], -1.0, 1.0))
        embed = tf1.nn.embedding_lookup(embeddings, inputs)
        weights = tf1.Variable(tf1.truncated_normal([CLASSES, WIDTH], stddev=0.3))
        biases = tf1.Variable(tf1.zeros([CLASSES]))
        loss = tf1.reduce_mean(
            tf1.nn.nce_loss(
                weights=weights, biases=biases, labels=labels, inputs=embed,
                num_sampled=SAMPLED, num_classes=CLASSES,
            )
        )  # fmt: skip
        assert loss.shape == ()
        train = tf1.train.GradientDescentOptimizer(1.0).minimize(loss)
        init = tf1.global_variables_initializer()
    rng = np.random.default_rng(0)
    losses = []
    with tf1.Session(graph=graph) as session:
        session.run(init)
        for _ in range(300):
            words, following = pairs(rng, 64)
            _, value = session.run([train, loss], {inputs: words, labels: following})
            losses.append(value)
    assert np.mean(losses[-20:]) < 0.5 * np.mean(losses[:20])


def test_other_classes_are_drawn_in_each_run_of_a_graph() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        drawn = tf1.nn.uniform_candidate_sampler([[0]], 1, 8, False, 1000, seed=4)[0]
        first, second = session.run(drawn), session.run(drawn)
    assert first.tolist() != second.tolist()
    with tf1.Graph().as_default(), tf1.Session() as session:
        again = tf1.nn.uniform_candidate_sampler([[0]], 1, 8, False, 1000, seed=4)[0]
        assert session.run(again).tolist() == first.tolist()


def test_a_learning_sampler_in_a_graph_remembers_what_was_true() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        true = tf1.fill(tf1.constant([500, 1], tf1.int32), tf1.constant(2, tf1.int64))
        found = tf1.nn.learned_unigram_candidate_sampler(true, 1, 4, False, 3)
        before = session.run(found.true_expected_count)[0, 0]
        after = session.run(found.true_expected_count)[0, 0]
    assert np.isclose(before, 4 / 3)
    assert np.isclose(after, 4 * 501 / 503)


def test_a_traced_sampled_softmax_has_gradients() -> None:
    weights = tf.Variable(tf.random.normal([CLASSES, WIDTH], seed=1))
    biases = tf.Variable(tf.zeros([CLASSES]))

    @tf.function(input_signature=[tf.TensorSpec([None, WIDTH]), tf.TensorSpec([None, 1], tf.int64)])
    def step(x: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.sampled_softmax_loss(weights, biases, labels, x, SAMPLED, CLASSES)
        gradients = tape.gradient(loss, [weights, biases])
        return loss, [tf.convert_to_tensor(each) for each in gradients]

    loss, gradients = step(tf.ones([3, WIDTH]), [[1], [2], [3]])
    assert loss.shape == [3]
    assert [each.shape.as_list() for each in gradients] == [[CLASSES, WIDTH], [CLASSES]]
    assert all(np.isfinite(each.numpy()).all() for each in (loss, *gradients))


def test_the_true_class_is_never_its_own_rival() -> None:
    labels = np.arange(CLASSES, dtype=np.int64)[:, None]
    drawn = tf.random.uniform_candidate_sampler(labels, 1, CLASSES, True, CLASSES)
    x, weights = np.ones((CLASSES, WIDTH), np.float32), np.ones((CLASSES, WIDTH), np.float32)
    loss = tf.nn.sampled_softmax_loss(
        weights, np.zeros(CLASSES, np.float32), labels, x, CLASSES, CLASSES, sampled_values=drawn
    )
    assert np.allclose(loss.numpy(), np.log(CLASSES), rtol=1e-5)
