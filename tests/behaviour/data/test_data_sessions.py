"""Datasets of graphs that sessions run: iterators, initializers, string handles."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import emplace.tensorflow as tf

tf1 = tf.compat.v1
D = tf1.data.Dataset


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def test_a_one_shot_iterator_needs_no_initializer():
    x = D.range(3).make_one_shot_iterator().get_next()
    with tf1.Session() as session:
        assert [int(session.run(x)) for _ in range(3)] == [0, 1, 2]
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            session.run(x)


def test_each_session_has_its_own_pass():
    x = D.range(3).make_one_shot_iterator().get_next()
    with tf1.Session() as one, tf1.Session() as other:
        assert [int(one.run(x)), int(one.run(x)), int(other.run(x))] == [0, 1, 0]


def test_a_one_shot_iterator_refuses_placeholders():
    n = tf1.placeholder(tf.int64, [])
    with pytest.raises(ValueError, match="Cannot capture a placeholder"):
        D.range(n).make_one_shot_iterator()


def test_a_one_shot_iterator_refuses_variables():
    v = tf1.get_variable("v", initializer=np.int64(3))
    with pytest.raises(ValueError, match="Cannot capture a stateful node"):
        D.range(3).map(lambda x: x * v).make_one_shot_iterator()


def test_an_initializer_takes_what_is_fed():
    n = tf1.placeholder(tf.int64, [])
    iterator = tf1.data.make_initializable_iterator(D.range(n).map(lambda x: x + n))
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run(iterator.initializer, {n: 2})
        assert [int(session.run(x)), int(session.run(x))] == [2, 3]
        session.run(iterator.initializer, {n: 5})
        assert session.run([x, x + 1]) == [5, 6]


def test_an_iterator_that_was_not_initialized_says_so():
    x = tf1.data.make_initializable_iterator(D.range(3)).get_next()
    with (
        tf1.Session() as session,
        pytest.raises(tf.errors.FailedPreconditionError, match="iterator has not been initialized"),
    ):
        session.run(x)


def test_a_dataset_reads_the_sessions_variables():
    v = tf1.get_variable("v", initializer=np.int64(3))
    iterator = tf1.data.make_initializable_iterator(D.range(3).map(lambda x: x * v))
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run([tf1.global_variables_initializer(), iterator.initializer])
        assert [int(session.run(x)) for _ in range(3)] == [0, 3, 6]


def test_one_iterator_serves_several_datasets():
    iterator = tf1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    x = iterator.get_next()
    first = iterator.make_initializer(D.range(2))
    second = iterator.make_initializer(D.range(10, 12))
    with tf1.Session() as session:
        session.run(first)
        assert int(session.run(x)) == 0
        session.run(second)
        assert int(session.run(x)) == 10


def test_an_initializer_checks_types_and_shapes():
    iterator = tf1.data.Iterator.from_structure(tf.int64, tf.TensorShape([]))
    with pytest.raises(TypeError, match="but got dataset with output types"):
        iterator.make_initializer(D.from_tensors("a"))
    with pytest.raises(TypeError, match=r"got dataset with output shapes TensorShape\(\[2\]\)"):
        iterator.make_initializer(D.from_tensors(np.array([1, 2])))


def test_an_iterator_takes_no_dataset_of_another_structure():
    with tf.Graph().as_default():
        iterator = tf1.data.Iterator.from_structure((tf.int64, tf.float64), ([None], [None]))
        whole, float_ = np.array([1]), np.array([1.0])
        for other in ((whole, float_, float_), ((whole,), (float_,))):
            with pytest.raises(ValueError, match="don't have the same nested structure"):
                iterator.make_initializer(D.from_tensors(other))
        with pytest.raises(TypeError, match="don't have the same nested structure"):
            iterator.make_initializer(D.from_tensors({"a": whole}))


def test_a_string_handle_picks_an_iterator():
    handle = tf1.placeholder(tf.string, [])
    picked = tf1.data.Iterator.from_string_handle(handle, tf.int64, tf.TensorShape([]))
    x = picked.get_next()
    one = D.range(3).make_one_shot_iterator()
    other = tf1.data.make_initializable_iterator(D.range(10, 20))
    with tf1.Session() as session:
        handles = session.run([one.string_handle(), other.string_handle()])
        session.run(other.initializer)
        found = [int(session.run(x, {handle: handles[i]})) for i in (0, 1, 0)]
        assert found == [0, 10, 1]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse string_handle"):
            session.run(x, {handle: b"nothing"})


def test_an_initializer_starts_the_same_shuffled_order_again():
    iterator = tf1.data.make_initializable_iterator(D.range(9).shuffle(9, seed=3))
    x = iterator.get_next()
    with tf1.Session() as session:
        orders = []
        for _ in range(2):
            session.run(iterator.initializer)
            orders.append([int(session.run(x)) for _ in range(9)])
        assert orders[0] == orders[1]


def test_types_and_shapes_by_their_old_names():
    dataset = D.from_tensor_slices({"a": np.zeros((3, 2)), "b": ["x", "y", "z"]}).batch(2)
    assert dataset.output_types == {"a": tf.float64, "b": tf.string}
    assert tf1.data.get_output_shapes(dataset)["a"].as_list() == [None, 2]
    assert tf1.data.get_output_classes(dataset) == {"a": tf.Tensor, "b": tf.Tensor}


def test_an_optional_tells_the_end():
    iterator = tf1.data.make_initializable_iterator(D.range(2))
    more = iterator.get_next_as_optional().has_value()
    with tf1.Session() as session:
        session.run(iterator.initializer)
        assert [bool(session.run(more)) for _ in range(3)] == [True, True, False]


def test_a_reduction_is_a_tensor_of_the_graph():
    total = D.range(5).reduce(np.int64(0), lambda state, x: state + x)
    only = tf.data.experimental.get_single_element(D.from_tensors(4))
    with tf1.Session() as session:
        assert session.run([total, only]) == [10, 4]


def test_python_does_not_iterate_in_a_graph():
    with pytest.raises(RuntimeError, match="only supports Python-style iteration in eager mode"):
        iter(D.range(3))


def test_lines_of_files_in_a_session(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    name = tf1.placeholder(tf.string, [None])
    lines = tf1.data.TextLineDataset(name).map(tf.strings.length).batch(2)
    iterator = lines.make_initializable_iterator()
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run(iterator.initializer, {name: [str(tmp_path / "a.txt")]})
        assert session.run(x).tolist() == [3, 3]


def test_an_array_that_is_fed_is_taken_apart():
    images = tf1.placeholder(tf.float32, [None, 2])
    dataset = D.from_tensor_slices(images).shuffle(3).repeat(2).batch(4)
    iterator = dataset.make_initializable_iterator()
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run(iterator.initializer, {images: np.arange(6.0).reshape(3, 2)})
        rows = [session.run(x), session.run(x)]
    assert sorted(np.concatenate(rows)[:, 0].tolist()) == [0.0, 0.0, 2.0, 2.0, 4.0, 4.0]


def test_batches_of_unknown_size_meet_the_sessions_variables():
    v = tf1.get_variable("v", initializer=[1.0, 2.0])
    rows = tf1.placeholder(tf.float32, [None, 2])
    dataset = D.from_tensor_slices(rows).batch(2).map(lambda x: x * v)
    iterator = tf1.data.make_initializable_iterator(dataset)
    x = iterator.get_next()
    with tf1.Session() as session:
        session.run(tf1.global_variables_initializer())
        session.run(iterator.initializer, {rows: np.ones((3, 2))})
        assert session.run(x).tolist() == [[1.0, 2.0], [1.0, 2.0]]
        assert session.run(x).tolist() == [[1.0, 2.0]]


@pytest.mark.parametrize(
    ("types", "shapes", "message"),
    [
        (tf.int32, [], "Data type mismatch at component 0: expected int32 but got int64"),
        (tf.int64, [2], r"Incompatible shapes at component 0: expected \(2,\) but got \(\)"),
        ((tf.int64, tf.int64), ([], []), "Number of components does not match: expected 2 types"),
    ],
)
def test_a_text_that_is_for_an_iterator_of_other_elements_is_refused(types, shapes, message):
    with tf.Graph().as_default(), tf1.Session() as session:
        text = session.run(tf1.data.make_one_shot_iterator(D.range(4)).string_handle())
        placeholder = tf1.placeholder(tf.string, [])
        iterator = tf1.data.Iterator.from_string_handle(placeholder, types, shapes)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(iterator.get_next(), {placeholder: text})


def test_each_initializer_draws_a_fixed_order_anew():
    dataset = D.range(50).shuffle(50, reshuffle_each_iteration=False)
    iterator = tf1.data.make_initializable_iterator(dataset.repeat(2))
    x = iterator.get_next()
    orders = []
    with tf1.Session() as session:
        for _ in range(2):
            session.run(iterator.initializer)
            orders.append([int(session.run(x)) for _ in range(100)])
    assert orders[0] != orders[1]
    assert orders[0][:50] == orders[0][50:]


def test_two_iterators_of_one_shuffle_draw_their_own_orders():
    dataset = D.range(50).shuffle(50, reshuffle_each_iteration=False)
    one, other = [tf1.data.make_one_shot_iterator(dataset).get_next() for _ in range(2)]
    with tf1.Session() as session:
        orders = [[int(session.run(x)) for _ in range(50)] for x in (one, other)]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) == sorted(orders[1]) == list(range(50))


def test_a_generator_makes_its_values_eagerly_while_a_session_runs():
    def generator():
        yield tf.ragged.constant([[1, 2], [3]])

    with tf1.Graph().as_default(), tf1.Session() as session:
        dataset = tf1.data.Dataset.from_generator(
            generator, output_signature=tf.RaggedTensorSpec([2, None], tf.int32)
        )
        iterator = tf1.data.make_one_shot_iterator(dataset)
        assert session.run(iterator.get_next()).to_list() == [[1, 2], [3]]
        assert iterator.string_handle() is iterator.string_handle()
        assert iterator.string_handle(name="again").op.name == "again"


def names_in_a_session(make, *feeds):
    """What `make` lists, as a session gets it: of each feed, one after the other."""
    found = []
    with tf.Graph().as_default():
        dataset, patterns = make()
        iterator = tf1.data.make_initializable_iterator(dataset)
        following = iterator.get_next()
        with tf1.Session() as session:
            for feed in feeds or (None,):
                session.run(iterator.initializer, None if feed is None else {patterns: feed})
                with contextlib.suppress(tf.errors.OutOfRangeError):
                    while True:
                        found.append(session.run(following).decode().rsplit("/", 1)[1])
    return found


def test_files_are_listed_when_the_graph_runs(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("x")
    listed = tf.data.Dataset.list_files

    def later():
        dataset = listed(f"{tmp_path}/n*", shuffle=False)
        (tmp_path / "n.txt").write_text("x")
        return dataset, None

    def fed():
        patterns = tf1.placeholder(tf.string, [None])
        return listed(patterns, shuffle=False), patterns

    one, two = [f"{tmp_path}/a*"], [f"{tmp_path}/c*", f"{tmp_path}/b*"]
    assert names_in_a_session(lambda: (listed(two, shuffle=False), None)) == ["b.txt", "c.txt"]
    assert names_in_a_session(fed, one, two) == ["a.txt", "b.txt", "c.txt"]
    shuffled = names_in_a_session(lambda: (listed(f"{tmp_path}/*", seed=3), None))
    assert sorted(shuffled) == ["a.txt", "b.txt", "c.txt"]
    assert names_in_a_session(later) == ["n.txt"]
    nothing = "No files matched pattern: /none/x, /none/y"
    with pytest.raises(tf.errors.InvalidArgumentError, match=nothing):
        names_in_a_session(lambda: (listed(["/none/x", "/none/y"]), None))
