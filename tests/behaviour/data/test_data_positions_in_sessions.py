"""Iterators of graphs in checkpoints: by a saver, and by tf.train.Checkpoint."""

from __future__ import annotations

import pytest

import emplace.tensorflow as tf2
import emplace.v1 as tf

D = tf.data.Dataset


@pytest.fixture
def graph():
    with tf.Graph().as_default() as made:
        yield made


def iterator_of(dataset):
    iterator = tf.data.make_initializable_iterator(dataset)
    return iterator, iterator.get_next()


def test_a_saver_writes_and_restores_an_iterator(graph, tmp_path):
    path = str(tmp_path / "saved")
    iterator, following = iterator_of(D.range(10).shuffle(4, seed=1).batch(2))
    saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
    variable = tf.get_variable("v", initializer=1.0)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run([iterator.initializer, variable.initializer])
        session.run([following, variable.assign(3.0)])
        saver.save(session, path)
        expected = [session.run(following).tolist() for _ in range(4)]
    with tf.Session() as session:
        session.run(iterator.initializer)
        saver.restore(session, path)
        assert [session.run(following).tolist() for _ in range(4)] == expected
        assert session.run(variable) == 3.0
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)
    assert [name for name, _ in tf.train.list_variables(path)] == [f"{saveable.name}_STATE", "v"]


def test_a_saver_of_an_iterator_alone(graph, tmp_path):
    path = str(tmp_path / "saved")
    iterator, following = iterator_of(D.range(5))
    saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            saver.save(session, path)
        session.run(iterator.initializer)
        session.run(following)
        saver.save(session, path)
        session.run(following)
        saver.restore(session, path)
        assert session.run(following) == 1
    with (
        tf.Session() as session,
        pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"),
    ):
        saver.restore(session, path)


def test_a_checkpoint_of_objects_holds_an_iterator_of_a_graph(graph, tmp_path):
    iterator, following = iterator_of(D.range(5))
    checkpoint = tf.train.Checkpoint(it=iterator)
    with tf.Session() as session:
        session.run([iterator.initializer, checkpoint.save_counter.initializer])
        session.run(following), session.run(following)
        path = checkpoint.save(str(tmp_path / "saved"), session=session)
        session.run(following)
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        assert session.run(following) == 2


def test_a_policy_that_there_is_not_is_refused(graph):
    iterator, _ = iterator_of(D.range(5))
    with pytest.raises(
        ValueError, match=r"Supported values include 'warn', 'ignore', and 'fail\.'"
    ):
        tf.data.experimental.make_saveable_from_iterator(iterator, "perhaps")


def test_the_policy_says_what_is_done_about_random_numbers(graph, tmp_path):
    dataset = D.range(5).map(lambda x: x + tf.cast(tf.random.uniform([]), tf.int64))
    iterator, _ = iterator_of(dataset)
    make = tf.data.experimental.make_saveable_from_iterator
    strict, lax = tf.train.Saver([make(iterator)]), tf.train.Saver([make(iterator, "ignore")])
    with tf.Session() as session:
        session.run(iterator.initializer)
        with pytest.raises(tf.errors.FailedPreconditionError, match="RandomUniform is stateful"):
            strict.save(session, str(tmp_path / "strict"))
        assert lax.save(session, str(tmp_path / "lax"))


def test_iterators_of_eager_mode_have_no_name():
    with pytest.raises(AttributeError, match="name"):
        tf2.data.experimental.make_saveable_from_iterator(iter(tf2.data.Dataset.range(3)))


def test_an_element_by_its_number_in_a_function():
    at = tf2.data.experimental.at

    @tf2.function
    def doubled(i):
        return at(tf2.data.Dataset.range(10).map(lambda x: x * 2), i)

    assert int(doubled(tf2.constant(3, tf2.int64))) == 6


def test_an_element_by_its_number_in_a_session(graph):
    at = tf2.data.experimental.at
    place = tf.placeholder(tf.int64, [])
    batch, one = at(D.range(5).batch(2), 1), at(D.range(5), place)
    with tf.Session() as session:
        assert session.run(batch).tolist() == [2, 3]
        assert session.run(one, {place: 4}) == 4
        with pytest.raises(tf.errors.OutOfRangeError, match="out of range"):
            session.run(one, {place: 5})
