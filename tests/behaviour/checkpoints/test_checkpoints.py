"""`tf.train.Checkpoint` and `tf.train.CheckpointManager` of TF 2."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf


def made() -> Any:
    """A checkpoint of some variables."""
    return tf.train.Checkpoint(
        step=tf.Variable(0, dtype=tf.int64),
        model={"w": tf.Variable([1.0, 2.0]), "subs": [tf.Variable(3.0), tf.Variable(4.0)]},
    )


KEYS = [
    "_CHECKPOINTABLE_OBJECT_GRAPH",
    "model/subs/0/.ATTRIBUTES/VARIABLE_VALUE",
    "model/subs/1/.ATTRIBUTES/VARIABLE_VALUE",
    "model/w/.ATTRIBUTES/VARIABLE_VALUE",
    "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    "step/.ATTRIBUTES/VARIABLE_VALUE",
]


def test_variables_are_saved_by_the_paths_that_lead_to_them(tmp_path):
    path = made().save(str(tmp_path / "ck"))
    assert path == str(tmp_path / "ck-1")
    assert [name for name, _ in tf.train.list_variables(path)] == KEYS
    assert tf.train.latest_checkpoint(tmp_path) == path


def test_restored_variables_have_the_values_that_were_saved(tmp_path):
    checkpoint = made()
    path = checkpoint.save(str(tmp_path / "ck"))
    checkpoint.model["w"].assign([0.0, 0.0])
    checkpoint.restore(path).assert_consumed()
    assert checkpoint.model["w"].numpy().tolist() == [1.0, 2.0]
    other = made()
    other.step.assign(7)
    other.restore(path).assert_consumed().assert_nontrivial_match()
    assert int(other.step) == 0


def test_what_is_written_is_not_counted(tmp_path):
    checkpoint = made()
    path = checkpoint.write(str(tmp_path / "ck"))
    assert path == str(tmp_path / "ck")
    assert int(checkpoint.save_counter) == 0
    assert "save_counter/.ATTRIBUTES/VARIABLE_VALUE" not in dict(tf.train.list_variables(path))
    made().read(path).assert_consumed()
    assert tf.train.latest_checkpoint(tmp_path) is None


def test_a_part_of_a_checkpoint_can_be_restored(tmp_path):
    path = made().save(str(tmp_path / "ck"))
    part = tf.train.Checkpoint(step=tf.Variable(9, dtype=tf.int64))
    status = part.restore(path)
    status.assert_existing_objects_matched()
    assert status.expect_partial() is status
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.model"):
        status.assert_consumed()


def test_a_variable_that_the_checkpoint_lacks_is_named(tmp_path):
    path = made().save(str(tmp_path / "ck"))
    status = tf.train.Checkpoint(other=tf.Variable(1.0, name="mine")).restore(path)
    with pytest.raises(AssertionError, match=r"Found 1 Python objects that were not bound.*mine"):
        status.assert_existing_objects_matched()


def test_a_variable_with_two_paths_is_saved_once(tmp_path):
    v = tf.Variable(1.0)
    path = tf.train.Checkpoint(a=v, b=[v]).save(str(tmp_path / "ck"))
    keys = [name for name, _ in tf.train.list_variables(path)]
    assert "a/.ATTRIBUTES/VARIABLE_VALUE" in keys
    assert len(keys) == 3
    w = tf.Variable(5.0)
    tf.train.Checkpoint(b=[w]).restore(path).expect_partial()
    assert float(w) == 1.0


def test_optimizers_and_generators_are_saved(tmp_path):
    def parts() -> Any:
        v = tf.Variable(1.0, name="v")
        optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
        optimizer.minimize(lambda: v * v)
        return tf.train.Checkpoint(v=v, optimizer=optimizer, rng=tf.random.Generator.from_seed(1))

    first = parts()
    first.rng.normal([3])
    path = first.save(str(tmp_path / "ck"))
    second = parts()
    second.restore(path).assert_consumed()
    assert second.rng.normal([2]).numpy().tolist() == first.rng.normal([2]).numpy().tolist()


class Layer(tf.Module):
    """A module with variables in its attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf.Variable([1.0, 2.0])
        self.subs = [tf.Variable(3.0), {"k": tf.Variable(4.0)}]


def test_modules_are_saved_by_their_attributes(tmp_path):
    module = Layer()
    path = tf.train.Checkpoint(model=module).write(str(tmp_path / "ck"))
    keys = [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE")
            for name, _ in tf.train.list_variables(path)]  # fmt: skip
    assert keys[1:] == ["model/subs/0", "model/subs/1/k", "model/w"]
    module.w.assign([0.0, 0.0])
    tf.train.Checkpoint(model=module).read(path).assert_consumed()
    assert module.w.numpy().tolist() == [1.0, 2.0]


def test_the_attributes_of_a_root_are_saved_as_if_they_were_given(tmp_path):
    path = tf.train.Checkpoint(Layer()).write(str(tmp_path / "ck"))
    layer = Layer()
    tf.train.Checkpoint(w=layer.w, subs=layer.subs).read(path).assert_consumed()


def keys(path: str) -> list[str]:
    """What a checkpoint has values of, without endings."""
    listed = [name for name, _ in tf.train.list_variables(path)]
    return [name.split("/.ATTR")[0] for name in listed if "/" in name]


def test_what_is_reached_in_two_ways_has_the_name_that_came_first(tmp_path):
    """The names of TensorFlow 2.21."""
    module = tf.Module()
    module.z, module.a = tf.Module(), tf.Module()
    module.z.w = module.a.w = tf.Variable(1.0)
    path = tf.train.Checkpoint(root=module).write(str(tmp_path / "order"))
    assert keys(path) == ["z/w"]
    shared = tf.Variable(1.0)
    path = tf.train.Checkpoint(b=[shared], a=[shared]).write(str(tmp_path / "sorted"))
    assert keys(path) == ["a/0"]


def test_parts_of_named_tuples_are_saved_by_their_fields(tmp_path):
    Pair = collections.namedtuple("Pair", "x y")
    module, other = tf.Module(), tf.Module()
    module.p = Pair(tf.Variable(1.0), {"q": tf.Variable(2.0)})
    path = tf.train.Checkpoint(root=module).write(str(tmp_path / "named"))
    assert keys(path) == ["p/x", "p/y/q"]  # TF 2.21
    other.p = Pair(tf.Variable(0.0), {})
    tf.train.Checkpoint(root=other).read(path)
    other.p.y["q"] = tf.Variable(0.0)
    assert float(other.p.x) == 1.0
    assert float(other.p.y["q"]) == 2.0


def test_named_tuples_of_older_checkpoints_are_restored_by_their_places(tmp_path):
    Pair = collections.namedtuple("Pair", "x y")
    saved, other = tf.Module(), tf.Module()
    saved.p = (tf.Variable(1.0), [tf.Variable(2.0)])
    path = tf.train.Checkpoint(root=saved).write(str(tmp_path / "places"))
    other.p = Pair(tf.Variable(0.0), [])
    tf.train.Checkpoint(root=other).read(path)
    other.p.y.append(tf.Variable(0.0))
    assert [float(other.p.x), float(other.p.y[0])] == [1.0, 2.0]


def test_two_keys_of_one_name_are_refused(tmp_path):
    """One of them would be lost."""
    checkpoint = tf.train.Checkpoint(d={1: tf.Variable(1.0), "1": tf.Variable(2.0)})
    with pytest.raises(ValueError, match="two of its keys have the same name in a checkpoint"):
        checkpoint.write(str(tmp_path / "keys"))


def test_a_module_tells_of_its_containers_in_the_order_in_which_it_got_them():
    """The names of TensorFlow 2.21, whose values are wrappers."""
    module = tf.Module()
    module.z, module.l, module.n = tf.Variable(1.0), [tf.Variable(2.0)], [1]
    module.t, module.u, module.d = (tf.Variable(3.0),), (1,), {}
    module.a = tf.Variable(4.0)
    assert list(module._trackable_children()) == ["z", "l", "n", "t", "d", "a"]


def test_values_of_tf1_are_restored_by_name(tmp_path):
    v = tf.Variable([1.0], name="v")
    path = tf.compat.v1.train.Saver([v]).save(None, str(tmp_path / "m"))
    w = tf.Variable([5.0], name="v")
    tf.train.Checkpoint(x=w).restore(path)
    assert w.numpy().tolist() == [1.0]


def test_no_checkpoint_is_no_error_until_it_is_asserted():
    status = made().restore(None)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        status.assert_consumed()


def test_a_missing_checkpoint_is_not_found(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="Please double-check that the path"):
        made().restore(str(tmp_path / "none"))


def test_a_value_of_another_shape_is_refused(tmp_path):
    path = made().save(str(tmp_path / "ck"))
    other = tf.train.Checkpoint(step=tf.Variable(np.zeros(2, np.int64)))
    with pytest.raises(ValueError, match=r"incompatible tensor with shape \(\) when attempting"):
        other.restore(path)


def test_what_holds_no_variables_is_refused():
    with pytest.raises(ValueError, match="was expecting x to be a trackable object"):
        tf.train.Checkpoint(x=3)


def test_variables_of_a_graph_are_saved_in_the_default_session(tmp_path):
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=v1.constant(1.0))
        checkpoint = v1.train.Checkpoint(v=v)
        session.run(v.initializer)
        path = checkpoint.save(str(tmp_path / "ck"))
        session.run(v.assign(5.0))
        checkpoint.restore(path).assert_consumed().run_restore_ops()
        assert session.run(v) == 1.0
        assert checkpoint.save(str(tmp_path / "ck")) == str(tmp_path / "ck-2")


def test_in_a_function_a_checkpoint_is_written_whenever_it_runs(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))

    @tf.function
    def write() -> Any:
        return checkpoint.write(str(tmp_path / "ck"))

    for value in (1.0, 3.0):
        checkpoint.v.assign(value)
        assert write().numpy() == str(tmp_path / "ck").encode()
        other = tf.train.Checkpoint(v=tf.Variable(0.0))
        other.read(str(tmp_path / "ck")).assert_consumed()
        assert float(other.v) == value
    with pytest.raises(NotImplementedError, match="save\\(\\) from a function is not supported"):
        tf.function(lambda: checkpoint.save(str(tmp_path / "ck")))()


def test_a_checkpoint_in_a_module_brings_it_no_variables():
    layer = Layer()
    layer.checkpoint = tf.train.Checkpoint(layer=layer, other=tf.Variable(5.0))
    assert len(layer.variables) == 3


def test_a_root_has_no_second_child_of_a_name():
    layer = Layer()
    tf.train.Checkpoint(layer, w=layer.w)
    with pytest.raises(ValueError, match=r"if root\.w already exists"):
        tf.train.Checkpoint(layer, w=tf.Variable(1.0))


# -- CheckpointManager -----------------------------------------------------------------------------


def names(folder: Path) -> list[str]:
    return sorted(each.stem for each in folder.glob("*.safetensors"))


def test_a_manager_keeps_the_last_checkpoints(tmp_path):
    manager = tf.train.CheckpointManager(made(), tmp_path, max_to_keep=2)
    paths = [manager.save() for _ in range(3)]
    assert manager.checkpoints == paths[1:]
    assert manager.latest_checkpoint == paths[2]
    assert names(tmp_path) == ["ckpt-2", "ckpt-3"]
    assert manager.save(checkpoint_number=10) == str(tmp_path / "ckpt-10")
    assert int(manager.checkpoint.save_counter) == 4


def test_a_manager_goes_on_with_what_is_there(tmp_path):
    tf.train.CheckpointManager(made(), tmp_path, 2).save()
    again = made()
    again.model["w"].assign([9.0, 9.0])
    manager = tf.train.CheckpointManager(again, tmp_path, 2)
    assert manager.restore_or_initialize() == str(tmp_path / "ckpt-1")
    assert again.model["w"].numpy().tolist() == [1.0, 2.0]
    manager.save()
    manager.save()
    assert names(tmp_path) == ["ckpt-2", "ckpt-3"]


def test_a_manager_initialises_where_there_is_nothing(tmp_path):
    calls: list[int] = []
    manager = tf.train.CheckpointManager(
        made(), tmp_path / "new", 2, init_fn=lambda: calls.append(1)
    )
    assert manager.restore_or_initialize() is None
    assert calls == [1]


def test_one_checkpoint_per_some_hours_stays_for_good(tmp_path):
    manager = tf.train.CheckpointManager(made(), tmp_path, 1, keep_checkpoint_every_n_hours=0)
    for _ in range(3):
        manager.save()
    assert names(tmp_path) == ["ckpt-1", "ckpt-2", "ckpt-3"]
    assert manager.checkpoints == [str(tmp_path / "ckpt-3")]


def test_checkpoints_have_some_steps_between_them(tmp_path):
    checkpoint = made()
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path, 5, step_counter=checkpoint.step, checkpoint_interval=2
    )
    saved = []
    for step in range(5):
        checkpoint.step.assign(step)
        saved.append(manager.save() is not None)
    assert saved == [True, False, True, False, True]
    assert manager.save(check_interval=False) is not None


def test_wrong_managers_are_refused(tmp_path):
    with pytest.raises(ValueError, match="Expected a positive integer or `None`"):
        tf.train.CheckpointManager(made(), tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="`step_counter` should be passed"):
        tf.train.CheckpointManager(made(), tmp_path, 1, checkpoint_interval=2)


def test_a_manager_saves_what_is_in_the_default_session(tmp_path):
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        step = v1.get_variable("step", initializer=0)
        manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(step=step), tmp_path, 5, step_counter=step, checkpoint_interval=2
        )
        session.run(v1.global_variables_initializer())
        paths = []
        for value in range(3):
            step.load(value, session)
            paths.append(manager.save())
        assert paths == [str(tmp_path / "ckpt-1"), None, str(tmp_path / "ckpt-2")]
        step.load(9, session)
        assert manager.restore_or_initialize() == paths[2]
        assert session.run(step) == 2
