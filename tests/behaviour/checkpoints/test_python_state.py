"""`tf.train.experimental.PythonState`: Python objects in checkpoints."""

import json

import pytest

import emplace.tensorflow as tf

v1 = tf.compat.v1


class Notes(tf.train.experimental.PythonState):
    def __init__(self, *notes):
        self.notes = list(notes)

    def serialize(self):
        return json.dumps(self.notes)

    def deserialize(self, string_value):
        self.notes = json.loads(string_value)


def test_an_object_is_saved_and_restored(tmp_path):
    notes = Notes("a", 1)
    checkpoint = tf.train.Checkpoint(notes=notes, v=tf.Variable(2.0))
    path = checkpoint.save(str(tmp_path / "ckpt"))
    assert "notes/.ATTRIBUTES/py_state" in dict(tf.train.list_variables(path))
    notes.notes = []
    checkpoint.restore(path).assert_consumed()
    assert notes.notes == ["a", 1]


def test_an_object_that_comes_later_is_restored_then(tmp_path):
    path = tf.train.Checkpoint(notes=Notes("early")).write(str(tmp_path / "ckpt"))
    late = tf.train.Checkpoint()
    late.restore(path)
    late.notes = Notes()
    assert late.notes.notes == ["early"]


def test_a_session_s_graph_does_not_grow(tmp_path):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        notes, v = Notes("b"), v1.get_variable("v", initializer=1.0)
        session.run(v.initializer)
        checkpoint = tf.train.Checkpoint(notes=notes, v=v)
        path = checkpoint.save(str(tmp_path / "ckpt"))
        checkpoint.restore(path).run_restore_ops()
        graph.finalize()
        notes.notes = []
        path = checkpoint.save(str(tmp_path / "ckpt"))
        notes.notes = ["other"]
        checkpoint.restore(path).run_restore_ops()
        assert notes.notes == []


def test_a_function_asks_whenever_it_runs(tmp_path):
    notes = Notes("first")
    checkpoint = tf.train.Checkpoint(notes=notes)

    @tf.function
    def write(prefix):
        return checkpoint.write(prefix)

    write(str(tmp_path / "one"))
    notes.notes = ["second"]
    write(str(tmp_path / "two"))
    found = []
    for name in "one", "two":
        checkpoint.read(str(tmp_path / name))
        found.append(notes.notes)
    assert found == [["first"], ["second"]]


def test_a_policy_of_shards_refuses():
    with pytest.raises(NotImplementedError, match=r"Leave it out: a checkpoint is one file\."):
        tf.train.experimental.MaxShardSizePolicy(10)
