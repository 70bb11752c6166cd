"""Restoring a checkpoint before the objects that it has values for exist.

Expected values were asked of TensorFlow 2.21, but for Keras models whose layers are in lists,
which it does not save.
"""

from __future__ import annotations

import gc
import json
from typing import Any, NamedTuple

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.state.checkpoint_files import write_checkpoint

Checkpoint = tf.train.Checkpoint


def zero() -> Any:
    return tf.Variable(0.0)


def saved(tmp_path: Any, **objects: Any) -> str:
    path: str = Checkpoint(**objects).save(str(tmp_path / "ck"))
    return path


def test_a_variable_that_is_made_after_restore_gets_its_value(tmp_path):
    path = saved(tmp_path, v=tf.Variable(1.0))
    r = Checkpoint()
    status = r.restore(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\)\.v"):
        status.assert_consumed()
    r.v = None
    r.v = zero()
    assert float(r.v) == 1.0
    status.assert_consumed().assert_nontrivial_match()


def test_elements_that_come_into_lists_and_dictionaries_later_get_their_values(tmp_path):
    one, two, three, four, five = (tf.Variable(float(i)) for i in range(1, 6))
    path = saved(tmp_path, l=[one, {"a": two}], d={"x": three}, t=(four,), e=[five])
    r = Checkpoint(l=[], d={})
    status = r.restore(path)
    r.l.append(zero())
    r.l += [{}]
    r.l[1]["a"] = zero()
    r.d.update(x=zero())
    r.t = (zero(),)
    r.e = others = []
    r.e.extend([zero()])
    values = [r.l[0], r.l[1]["a"], r.d["x"], r.t[0], r.e[0]]
    assert [float(each) for each in values] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert others == [r.e[0]] == r.e
    assert isinstance(r.l, list)
    assert isinstance(r.d, dict)
    assert tf.nest.flatten(r.l) == [r.l[0], r.l[1]["a"]]
    status.assert_consumed()


class Pair(NamedTuple):
    """Two lists."""

    one: list[Any]
    two: list[Any]


def test_elements_that_come_into_lists_in_tuples_get_their_values(tmp_path):
    path = saved(tmp_path, t=(([tf.Variable(1.0)],),), p=Pair([tf.Variable(2.0)], []))
    r = Checkpoint()
    status = r.restore(path)
    r.t, r.p = (([],),), Pair([], [])
    r.t[0][0].append(zero())
    r.p.one.append(zero())
    assert (float(r.t[0][0][0]), float(r.p.one[0])) == (1.0, 2.0)
    assert isinstance(r.p, Pair)
    status.assert_consumed()


def test_lists_are_plain_where_nothing_waits_for_their_elements(tmp_path):
    r = Checkpoint(l=[zero()])
    r.restore(saved(tmp_path, l=[tf.Variable(1.0)])).assert_consumed()
    assert type(r.l) is list


class Lazy(tf.Module):
    """A module that makes its variables when it is first called."""

    def __call__(self, x: Any) -> Any:
        if not hasattr(self, "w"):
            self.w = tf.Variable(lambda: tf.ones([2]))
            self.inner = [tf.Module()]
            self.inner[0].b = tf.Variable(9.0)
        return x * self.w + self.inner[0].b


@pytest.mark.parametrize("wrapped", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_module_that_is_built_when_called_gets_its_values(tmp_path, wrapped):
    first = Lazy()
    first(1.0)
    first.w.assign([5.0, 6.0])
    path = saved(tmp_path, m=first)
    second = Lazy()
    status = Checkpoint(m=second).restore(path)
    assert wrapped(second.__call__)(tf.constant(1.0)).numpy().tolist() == [14.0, 15.0]
    status.assert_consumed()
    root = Lazy()
    Checkpoint(root).read(Checkpoint(first).write(str(tmp_path / "root")))
    assert root(1.0).numpy().tolist() == [14.0, 15.0]


def test_of_two_restores_the_later_one_counts(tmp_path):
    one = Checkpoint(v=tf.Variable(1.0)).save(str(tmp_path / "one"))
    two = Checkpoint(v=tf.Variable(2.0)).save(str(tmp_path / "two"))
    r = Checkpoint()
    r.restore(one)
    r.restore(two)
    r.v = zero()
    assert float(r.v) == 2.0
    waiting, x = Checkpoint(), zero()
    waiting.restore(one)
    Checkpoint(v=x).restore(two)
    waiting.v = x
    assert float(x) == 2.0


def test_a_second_object_of_that_name_is_another_one(tmp_path):
    r = Checkpoint()
    status = r.restore(saved(tmp_path, v=tf.Variable(1.0)))
    first = r.v = zero()
    r.v = zero()
    assert (float(first), float(r.v)) == (1.0, 0.0)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()


def test_one_variable_that_is_two_now_is_told(tmp_path, caplog):
    x = tf.Variable(1.0)
    y, z = zero(), zero()
    status = Checkpoint(a=y, b=z).restore(saved(tmp_path, a=x, b=x))
    assert (float(y), float(z)) == (1.0, 0.0)
    assert "Inconsistent references when loading the checkpoint" in caplog.text
    with pytest.raises(AssertionError, match="Found 1 Python objects"):
        status.assert_consumed()


def momentum(v: Any, w: Any) -> Any:
    """A step of an optimizer with a slot for each of two variables of one name."""
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    optimizer.minimize(lambda: v * v + w * w * 3.0)
    return optimizer


def test_slots_that_are_made_later_get_their_values(tmp_path):
    v, w = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="v")
    path = saved(tmp_path, v=v, w=w, o=momentum(v, w))
    keys = [name for name, _ in tf.train.list_variables(path)]
    assert "w/.OPTIMIZER_SLOT/o/momentum/.ATTRIBUTES/VARIABLE_VALUE" in keys
    v, w = zero(), zero()
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.1, 0.9)
    status = Checkpoint(v=v, w=w, o=optimizer).restore(path)
    status.assert_consumed()
    optimizer.minimize(lambda: (v + w) * 0.0)
    slots = [float(optimizer.get_slot(each, "momentum")) for each in (v, w)]
    assert slots == pytest.approx([1.8, 10.8])  # 0.9 of 2 and 12


def test_numbers_of_an_optimizer_that_are_made_later_get_their_values(tmp_path):
    v = tf.Variable(1.0)
    first = tf.compat.v1.train.AdamOptimizer(0.1)
    first.minimize(lambda: v * v)
    path = saved(tmp_path, o=first, v=v)
    second, w = tf.compat.v1.train.AdamOptimizer(0.1), zero()
    status = Checkpoint(o=second, v=w).restore(path)
    second.minimize(lambda: w * 0.0)
    assert float(second._get_beta_accumulators()[0]) == pytest.approx(0.9**3)
    status.assert_consumed()


def test_tables_that_change_are_saved(tmp_path):
    def table() -> Any:
        return tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    first, second = table(), table()
    first.insert(["a", "b"], [1, 2])
    second.insert(["c"], [3])
    path = saved(tmp_path, t=first)
    Checkpoint(t=second).restore(path).assert_consumed()
    assert second.lookup(tf.constant(["a", "b", "c"])).numpy().tolist() == [1, 2, -1]
    r = Checkpoint()
    r.restore(path)
    r.t = table()
    assert r.t.lookup(tf.constant(["b"])).numpy().tolist() == [2]


class Counting(tf.Module):
    """A module with a Python number that it saves itself."""

    number = 0

    def _serialize_to_tensors(self) -> Any:
        return {"number": tf.constant(self.number)}

    def _restore_from_tensors(self, restored_tensors: Any) -> None:
        self.number = int(restored_tensors["number"])


def test_what_an_object_saves_itself_comes_back(tmp_path):
    first, r = Counting(), Checkpoint()
    first.number = 7
    status = r.restore(saved(tmp_path, c=first))
    r.c = Counting()
    assert r.c.number == 7
    status.assert_consumed()


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        ([0.0, 0.0], ValueError, r"Received incompatible tensor with shape \(\) when attempting"),
        (0, tf.errors.InvalidArgumentError, "expected dtype int32 does not equal original dtype f"),
    ],
)
def test_a_value_that_does_not_fit_is_refused_whenever_it_comes(tmp_path, value, error, text):
    path = saved(tmp_path, a=tf.Variable(2.0), v=tf.Variable(1.0))
    r = Checkpoint()
    r.restore(path)
    with pytest.raises(error, match=text):
        r.v = tf.Variable(value)
    both = Checkpoint(a=zero(), v=tf.Variable(value))
    with pytest.raises(error, match=text):
        both.restore(path)
    assert float(both.a) == 0.0  # all or nothing


def test_an_object_without_values_does_not_take_those_of_a_variable(tmp_path):
    path = saved(tmp_path, v=tf.Variable(1.0))
    r = Checkpoint(v=tf.Module())
    with pytest.raises(
        AssertionError, match=r"Unused attributes(.|\n)*\(root\)\.v .*VARIABLE_VALUE"
    ):
        r.restore(path).assert_consumed()
    r.v = zero()
    assert float(r.v) == 0.0  # TensorFlow: the place was the module's
    waiting = Checkpoint(other=zero())
    waiting.restore(path)
    waiting.v = tf.Module()
    waiting.v = zero()
    assert float(waiting.v) == 0.0


def test_values_that_nobody_took_are_told_at_the_end(tmp_path, caplog):
    path = saved(tmp_path, v=tf.Variable(1.0), l=[tf.Variable(2.0)])
    r = Checkpoint(v=zero())
    status = r.restore(path)
    del r, status
    gc.collect()
    told = caplog.text
    caplog.clear()
    assert "is being deleted with unrestored values" in told
    assert "Value in checkpoint could not be found in the restored object: (root).l.0" in told
    assert "(root).v" not in told
    Checkpoint().restore(path).expect_partial()
    gc.collect()
    assert "unrestored" not in caplog.text


def test_variables_of_a_graph_that_are_made_later_get_their_values(tmp_path):
    v1 = tf.compat.v1
    path = saved(tmp_path, v=tf.Variable(5.0), t=tf.Variable(6.0))
    with v1.Graph().as_default(), v1.Session() as session:
        r = v1.train.Checkpoint()
        status = r.restore(path)
        r.v = v1.get_variable("v", initializer=0.0)
        r.w = v1.get_variable("w", initializer=3.0)
        status.initialize_or_restore(session)
        assert session.run([r.v, r.w]) == [5.0, 3.0]
        r.t = v1.get_variable("t", initializer=0.0)
        session.run(r.t.initializer)
        status.run_restore_ops(session)
        assert session.run(r.t) == 6.0


def test_values_of_tf1_are_restored_by_name_whenever_the_variable_comes(tmp_path):
    path = tf.compat.v1.train.Saver([tf.Variable(9.0, name="v")]).save(None, str(tmp_path / "m"))
    r = Checkpoint(m=tf.Module())
    status = r.restore(path)
    r.m.own = tf.Variable(0.0, name="v")
    assert float(r.m.own) == 9.0
    status.assert_consumed()


def test_a_saver_finds_what_a_checkpoint_of_objects_has_for_its_names(tmp_path):
    path = saved(tmp_path, own=tf.Variable(5.0, name="v"))
    v1 = tf.compat.v1
    with v1.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=0.0)
        v1.train.Saver([v]).restore(session, path)
        assert session.run(v) == 5.0
    w = tf.Variable(0.0, name="v")
    v1.train.Saver([w]).restore(None, path)
    assert float(w) == 5.0


def test_a_file_as_emplace_wrote_it_at_first_is_restored(tmp_path):
    path, end = str(tmp_path / "old"), "/.ATTRIBUTES/VARIABLE_VALUE"
    graph = {
        "others": {f"b/0{end}": f"a{end}"},
        "names": {f"a{end}": "v", f"o/v.SMomentum{end}": ""},
    }
    write_checkpoint(path, {f"a{end}": np.float32(3.0), f"o/v.SMomentum{end}": np.float32(4.0),
                            "_CHECKPOINTABLE_OBJECT_GRAPH": json.dumps(graph)})  # fmt: skip
    r = Checkpoint()
    status = r.read(path)
    r.b = [tf.Variable(0.0, name="v")]
    r.o = tf.compat.v1.train.MomentumOptimizer(0.0, 1.0)
    r.o.minimize(lambda: r.b[0] * 0.0)
    assert (float(r.b[0]), float(r.o.variables()[0])) == (3.0, 4.0)
    r.a = r.b[0]
    status.assert_consumed()


@pytest.mark.parametrize(
    "holds", [lambda m: tf.train.Checkpoint(m), lambda m: tf.train.Checkpoint(m=m)]
)
def test_containers_of_a_root_that_are_filled_later_are_restored(tmp_path, holds):
    saved, other = tf.Module(), tf.Module()
    saved.l, saved.d = [tf.Variable(1.0)], {"k": tf.Variable(2.0)}
    saved.t = (tf.Variable(3.0), [tf.Variable(4.0)])
    path = holds(saved).write(str(tmp_path / "saved"))
    other.l, other.d, other.t = [], {}, (tf.Variable(0.0), [])
    checkpoint = holds(other)
    checkpoint.read(path)
    other.l.append(tf.Variable(0.0))
    other.d["k"] = tf.Variable(0.0)
    other.t[1].append(tf.Variable(0.0))
    found = [other.l[0], other.d["k"], other.t[0], other.t[1][0]]
    assert [float(each) for each in found] == [1.0, 2.0, 3.0, 4.0]
