"""Objects that tell of variables or saveables (`_gather_saveables_for_checkpoint`), and roots."""

from __future__ import annotations

import gc
import weakref
from typing import Any, NamedTuple

import pytest

import emplace.tensorflow as tf
import emplace.v1 as v1


class Spec(NamedTuple):
    """What a saveable wants written."""

    name: str
    tensor: Any
    dtype: Any = tf.float32


class Doubling:
    """A saveable that is written once and read into two variables."""

    def __init__(self, first: Any, second: Any, name: str) -> None:
        self.name, self._variables = name, (first, second)
        self.specs = [Spec(name, first.read_value)]

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        return tf.group(*[each.assign(restored_tensors[0]) for each in self._variables])


class Owner(tf.__internal__.tracking.Trackable):
    """An object with two variables that are saved as one, and one that is told of."""

    def __init__(self) -> None:
        self.first = v1.Variable(1.0, use_resource=True)
        self.second = v1.Variable(2.0, use_resource=True)
        self.third = v1.Variable(3.0, use_resource=True, name="third")

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {
            "VARIABLE_VALUE": lambda name="first": Doubling(self.first, self.second, name),
            "third": self.third,
        }

    def set(self, number: float) -> list[Any]:
        """The three variables, set to a number."""
        return [each.assign(number) for each in (self.first, self.second, self.third)]

    def variables(self) -> list[Any]:
        return [self.first, self.second, self.third]


def test_an_object_s_saveables_are_in_a_checkpoint(tmp_path):
    owner = Owner()
    checkpoint = tf.train.Checkpoint(it=owner)
    path = checkpoint.save(str(tmp_path / "ck"))
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH", "it/.ATTRIBUTES/VARIABLE_VALUE", "it/.ATTRIBUTES/third",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    ]  # fmt: skip
    owner.set(9.0)
    checkpoint.restore(path).assert_consumed()
    assert [float(each) for each in owner.variables()] == [1.0, 1.0, 3.0]


def test_they_are_in_a_session_s_checkpoint(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        owner = Owner()
        session.run([each.initializer for each in owner.variables()])
        checkpoint = tf.train.Checkpoint(it=owner)
        path = checkpoint.save(str(tmp_path / "ck"))
        session.run(owner.set(9.0))
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        assert session.run(owner.variables()) == [1.0, 1.0, 3.0]


@pytest.mark.parametrize("is_eager", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_a_saver_writes_and_reads_them(tmp_path, is_eager, named):
    graph = tf.Graph()
    with graph.as_default() if not is_eager else tf.init_scope():
        owner = Owner()
        saver = v1.train.Saver({"it": owner} if named else [owner])
        session = None if is_eager else v1.Session()
        if session:
            session.run([each.initializer for each in owner.variables()])
        path = saver.save(session, str(tmp_path / "ck"))
        names = [name for name, _ in tf.train.list_variables(path)]
        assert names == (["it", "it_third"] if named else ["first", "third"])
        changed = owner.set(9.0)
        if session:
            session.run(changed)
        saver.restore(session, path)
        values = session.run(owner.variables()) if session else owner.variables()
        assert [float(each) for each in values] == [1.0, 1.0, 3.0]


def test_a_root_that_is_weakly_referred_to_is_not_kept_alive(tmp_path):
    root = tf.Module()
    root.v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(root=weakref.ref(root))
    path = checkpoint.save(str(tmp_path / "ck"))
    root.v.assign(2.0)
    checkpoint.restore(path)
    assert float(root.v) == 1.0
    there = weakref.ref(root.v)
    del root
    gc.collect()
    assert there() is None


def test_objects_are_asked_for_what_their_attributes_do_not_tell(tmp_path):
    path = tf.train.Checkpoint(it=tf.train.Checkpoint(v=tf.Variable(5.0))).save(str(tmp_path / "c"))
    asked = []

    class Own(tf.Module):
        def _lookup_dependency(self, name: str, cached_dependencies: Any = None) -> Any:
            asked.append((name, "w" in cached_dependencies))
            return super()._lookup_dependency(name, cached_dependencies)

    own = Own()
    own.w = tf.Variable(0.0)
    tf.train.Checkpoint(it=own).restore(path)
    assert asked == [("v", True)]


def test_the_folder_of_a_tensor_must_exist(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    write = tf.function(lambda prefix: checkpoint.write(prefix))
    for call in (write, checkpoint.write):
        with pytest.raises(tf.errors.NotFoundError, match="missing; No such file or directory"):
            call(tf.constant(str(tmp_path / "missing" / "ck")))
    assert not (tmp_path / "missing").exists()
    assert checkpoint.write(tf.constant(str(tmp_path / "ck"))) == str(tmp_path / "ck")
    assert checkpoint.write(str(tmp_path / "a" / "b" / "ck")) == str(tmp_path / "a" / "b" / "ck")
    text = str(tmp_path / "c" / "d" / "ck")
    assert tf.function(lambda: checkpoint.write(text))().numpy() == text.encode()
    with pytest.raises(tf.errors.NotFoundError, match="f; No such file or directory"):
        tf.raw_ops.SaveV2(
            prefix=str(tmp_path / "e" / "f" / "ck"), tensor_names=["x"], shape_and_slices=[""],
            tensors=[tf.constant(1.0)],
        )  # fmt: skip


def test_a_saver_of_parts_may_be_called_like_the_list_of_checkpoints(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train").mkdir()
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(1.0, use_resource=True)
        session.run(variable.initializer)
        prefix = "train/checkpoint"
        with pytest.raises(ValueError, match="collides with"):
            v1.train.Saver().save(session, prefix)
        v1.train.Saver(sharded=True).save(session, prefix)
        assert tf.train.latest_checkpoint("train") == prefix
