"""`tf.train.CheckpointView` and `tf.train.TrackableView`."""

from __future__ import annotations

from typing import Any

import pytest

import emplace.tensorflow as tf
import emplace.v1 as v1


def module(**attributes: Any) -> Any:
    """A module with these attributes."""
    made = tf.Module()
    for name, each in attributes.items():
        setattr(made, name, each)
    return made


def test_a_checkpoint_tells_its_nodes_and_what_matches_them(tmp_path):
    saved = module(d={"a": tf.Variable(4.0)}, l=[tf.Variable(2.0), tf.Variable(3.0)])
    saved.v = tf.Variable(1.0)
    path = tf.train.Checkpoint(saved).save(str(tmp_path / "ck"))
    view = tf.train.CheckpointView(path)
    assert view.descendants() == list(range(8))
    assert view.children(0) == {"d": 1, "l": 2, "v": 3, "save_counter": 4}
    assert view.children(2) == {"0": 6, "1": 7}
    other = module(v=tf.Variable(1.0), l=[tf.Variable(2.0)], x=tf.Variable(5.0))
    expected = {0: other, 2: other.l, 3: other.v, 6: other.l[0]}
    matched = view.match(other)
    assert sorted(matched) == sorted(expected)
    assert all(matched[number] is each for number, each in expected.items())
    again, nodes, objects = view.diff(other)
    assert sorted(again) == sorted(expected)
    assert nodes == [1, 4, 5, 7]
    assert len(objects) == 1
    assert objects[0] is other.x
    with pytest.raises(ValueError, match=r"^Expected a Trackable, got 3 of type <class 'int'>"):
        view.match(3)
    with pytest.raises(IndexError):
        view.children(99)


def test_two_objects_at_the_place_of_one_are_told(tmp_path, caplog):
    one = tf.Module()
    path = tf.train.Checkpoint(module(a=one, b=one)).save(str(tmp_path / "ck"))
    other = module(a=tf.Module(), b=tf.Module())
    matched = tf.train.CheckpointView(path).match(other)
    assert {number: id(each) for number, each in matched.items()} == {0: id(other), 1: id(other.a)}
    assert "Inconsistent references when matching the checkpoint" in caplog.text


def test_a_checkpoint_without_objects_has_no_view(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(1.0, use_resource=True)
        session.run(variable.initializer)
        path = v1.train.Saver().save(session, str(tmp_path / "ck"))
    with pytest.raises(ValueError, match="does not appear to be object-based"):
        tf.train.CheckpointView(path)
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.CheckpointView(str(tmp_path / "missing"))


def test_an_object_tells_what_is_below_it():
    root = module(v=tf.Variable(1.0), l=[tf.Variable(2.0)])
    root.itself = root
    view = tf.train.TrackableView(root)
    assert view.root is root
    assert [id(each) for each in view.descendants()] == [
        id(each) for each in (root, root.v, root.l, root.l[0])
    ]
    assert list(tf.train.TrackableView.children(root)) == ["v", "l", "itself"]
    with pytest.raises(TypeError, match="cannot create weak reference to 'int' object"):
        tf.train.TrackableView(3)


def test_a_tuple_with_variables_is_a_child():
    variable = tf.Variable(1.0)
    root = module(pair=(variable, 2), numbers=(1, 2), nested=((variable,), 3))
    told = root._trackable_children()
    assert list(told) == ["pair", "nested"]
    assert told["pair"] is root.pair
