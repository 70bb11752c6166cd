"""Lists and dictionaries that tell of what is put into them; TensorFlow 2.21 answers the same."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.core.tracked_containers import List, ListWrapper, _DictWrapper


def test_a_restored_list_is_a_tensor_as_any_other(tmp_path: Any):
    first, second = tf.Module(), tf.Module()
    first.l = [1, 2, tf.Variable(3.0)]
    second.l = [1, 2]
    tf.train.Checkpoint(first).write(str(tmp_path / "x"))
    tf.train.Checkpoint(second).read(str(tmp_path / "x"))
    assert type(second.l) is ListWrapper
    assert tf.constant(second.l).numpy().tolist() == [1, 2]
    assert tf.constant([second.l, [3, 4]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert (tf.constant([1, 1]) + second.l).numpy().tolist() == [2, 3]
    assert tf.reshape(tf.range(2), second.l).shape == [1, 2]
    assert np.array(second.l).tolist() == json.loads(json.dumps(second.l)) == [1, 2]


def test_functions_take_it_for_a_list():
    @tf.function
    def first(values: Any) -> Any:
        return values["x"][0] + 1.0

    @tf.function
    def same(values: Any) -> Any:
        return values

    one = first.get_concrete_function({"x": [tf.constant(1.0)]})
    other = _DictWrapper({"x": ListWrapper([tf.constant(2.0)])})
    assert first.get_concrete_function(other) is one
    assert float(first(other)) == 3.0
    assert type(same(ListWrapper([tf.constant(1.0)]))) is list
    assert type(same(_DictWrapper({"x": tf.constant(1.0)}))) is dict


def test_structures_take_it_for_a_list():
    for one, other in (
        ([1], ListWrapper([1])),
        ({"a": [1]}, _DictWrapper({"a": ListWrapper([1])})),
    ):
        tf.nest.assert_same_structure(one, other)
        tf.nest.assert_same_structure(other, one)
    with pytest.raises(TypeError, match=r"str=ListWrapper\(\[1\]\)"):
        tf.nest.assert_same_structure((1,), ListWrapper([1]))
    assert type(tf.nest.map_structure(lambda x: x + 1, ListWrapper([1]))) is ListWrapper


def test_it_is_added_multiplied_copied_and_shown_as_tensorflows():
    values = ListWrapper([1])
    assert repr(values) == "ListWrapper([1])"
    assert repr(_DictWrapper({"a": 1})) == "DictWrapper({'a': 1})"
    assert (ListWrapper([None]) + tf.TensorShape([2])).as_list() == [None, 2]
    made = [values + [2], [2] + values, values * 2, values[:1]]  # noqa: RUF005
    assert [type(x) for x in made] == [list] * 4
    copies = [values.copy(), copy.copy(values), copy.deepcopy(values), values]
    copies[3] = pickle.loads(pickle.dumps(values))
    for each in copies:
        each.append(2)
    assert [type(each) for each in copies] == [ListWrapper] * 4
    assert values == [1]
    with pytest.raises(TypeError, match="can only concatenate list"):
        values + (2,)  # noqa: RUF005
    v = tf.Variable(1.0)
    repeated = values = ListWrapper([1, v])
    repeated *= 2
    assert repeated is values
    assert list(values._trackable_children()) == ["1", "3"]


def test_it_tells_of_the_variables_in_it():
    v, w = tf.Variable(1.0), tf.Variable(2.0, trainable=False)
    module = tf.Module()
    module.x = tf.Variable(3.0)
    for made in (List([v, w, [module]]), ListWrapper([v, w, 3, [module]]),
                 _DictWrapper({1: v, 2: w, "m": module})):  # fmt: skip
        assert made.trainable
        trained = zip(made.trainable_weights, [module.x, v], strict=True)
        assert all(x is y for x, y in trained)
        assert made.non_trainable_variables == [w]
        assert made.layers == made.losses == made.updates == []
        made.trainable = False
        assert made.trainable_variables == []
        assert len(made.variables) == len(made.non_trainable_weights) == 3


def test_lists_of_tensorflows_own_are_appended_to_and_no_more():
    v = tf.Variable(1.0)
    made = List([v, [v]])
    others = [made + [v], made[:1], made * 2, [v] + made]  # noqa: RUF005
    assert [type(x) for x in others] == [list] * 4
    assert type(made[1]) is ListWrapper
    assert len({List(), List()}) == 2
    assert made != List([v, [v]])
    made *= 2
    assert (type(made), len(made)) == (List, 4)
    for lacks in ("pop", "insert", "__setitem__", "sort"):
        assert not hasattr(made, lacks)
    with pytest.raises(ValueError, match="multiplying in place by 0 removes elements"):
        made *= 0
    with pytest.raises(ValueError, match=r"Only trackable objects .* Got 1, which does not"):
        List([1])


def test_lists_of_tensorflows_own_are_restored_also_when_they_are_filled_later(tmp_path: Any):
    first, second = tf.Module(), tf.Module()
    first.l = List([tf.Variable(3.0), [tf.Variable(4.0)]])
    second.l = List()
    taken = second.l
    path = tf.train.Checkpoint(m=first).save(str(tmp_path / "x"))
    assert "m/l/1/0/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
    status = tf.train.Checkpoint(m=second).restore(path)
    taken.append(tf.Variable(0.0))
    taken.append([])
    taken[1].append(tf.Variable(0.0))
    status.assert_consumed()
    assert [float(x) for x in taken.variables] == [4.0, 3.0]
