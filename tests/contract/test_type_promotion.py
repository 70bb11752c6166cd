"""The type promotion "safe" and "all": pairs of types have the common types of TensorFlow.

All answers are compared: the dtype, whether it is weak, the numbers, and which promotions are
refused. Where TensorFlow answers, Emplace gives the same answer or an error, never another one.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from type_promotion_cases import FUNCTIONS, KINDS, MODES, OPERATORS, answers, value

import emplace
import emplace.tensorflow as tf
from emplace.interop.promotion.weak_tensor import WeakTensor

TESTS = Path(__file__).resolve().parents[1]
RECORDED = TESTS / "oracle" / "type_promotion.json.gz"
REFUSED = TESTS / "data" / "type_promotion_refused.json"


def enable(mode: str) -> None:
    tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)


def is_weak(x: object) -> bool:
    return isinstance(x, WeakTensor)


def recorded(mode: str) -> dict[str, dict[str, Any]]:
    with gzip.open(RECORDED) as file:
        return dict(json.load(file)[mode])


def numbers(text: str) -> Any:
    names = {"nan": np.nan, "inf": np.inf, "nanj": complex(0, np.nan), "infj": complex(0, np.inf)}
    return eval(text, names)


def verdict(ours: Any, theirs: Any) -> str:
    """ "same", "refused" where TensorFlow alone has an answer, or "other"."""
    if list(ours) == list(theirs):  # to the letter, as nearly all are
        return "same"
    if theirs[0] == "error" and not theirs[2]:  # it lacks a kernel, or fails by a mistake
        return "same"
    if ours[0] == "error":
        return "same" if list(ours) == list(theirs) else "refused"
    if ours[0] != theirs[0]:
        return "other"
    if theirs[0] == "plain":
        return "same" if ours[1] == theirs[1] else "other"
    a, b = numbers(ours[1]), numbers(theirs[1])
    if any(name in ours[0] for name in ("string", "int", "bool")):
        return "same" if np.array_equal(np.asarray(a), np.asarray(b)) else "other"
    near = np.allclose(a, b, 2e-2 if "16" in ours[0] else 1e-4, 1e-5, equal_nan=True)
    return "same" if near and np.shape(a) == np.shape(b) else "other"


@pytest.mark.slow  # 32,000 calls; the test of graphs asks about those of the operators
@pytest.mark.parametrize("mode", MODES)
def test_no_pair_of_types_has_another_common_type_than_in_tensorflow(mode: str) -> None:
    enable(mode)
    found, expected = answers(tf, WeakTensor.from_tensor, is_weak), recorded(mode)
    assert {name: set(each) for name, each in found.items()} == {
        name: set(each) for name, each in expected.items()
    }
    verdicts = {
        (name, kinds): verdict(found[name][kinds], theirs)
        for name, answered in expected.items() for kinds, theirs in answered.items()
    }  # fmt: skip
    others = [key for key, said in verdicts.items() if said == "other"]
    assert not others, [(key, found[key[0]][key[1]], expected[key[0]][key[1]]) for key in others]
    refused = Counter(name for (name, _), said in verdicts.items() if said == "refused")
    assert refused == json.loads(REFUSED.read_text())[mode]  # may only shrink


@pytest.mark.parametrize("mode", MODES)
def test_promotions_that_may_lose_something_are_refused_by_their_text(mode: str) -> None:
    enable(mode)
    texts = [
        theirs[2] for answered in recorded(mode).values() for theirs in answered.values()
        if theirs[0] == "error" and "disallowed" in theirs[2]
    ]  # fmt: skip
    assert bool(texts) is (mode == "safe")
    if mode == "all":
        return
    with pytest.raises(TypeError) as told:
        tf.constant(1, tf.int32) + tf.constant(1.5, tf.float32)
    assert str(told.value) in texts


def test_graphs_find_the_same_types_as_eager_mode() -> None:
    """The whole table of the operators and of some functions, in one graph."""
    enable("all")
    expected, wrong = recorded("all"), []
    asked = {**OPERATORS, **{name: FUNCTIONS[name] for name in ("add", "maximum", "equal", "pow")}}
    with tf.Graph().as_default():
        for name, function in asked.items():
            for a in KINDS:
                for b in KINDS:
                    theirs = expected[name][f"{a}, {b}"]
                    if theirs[0] == "error" or name in ("x == y", "x != y"):  # of objects there
                        continue
                    x, y = (value(tf, WeakTensor.from_tensor, kind, [1, 2]) for kind in (a, b))
                    made = function(tf, x, y)
                    ours = made.dtype.name + "*" * is_weak(made)
                    if ours != theirs[0]:
                        wrong.append((name, a, b, ours, theirs[0]))
    assert not wrong


def test_weak_tensors_go_in_and_out_of_functions_and_loops() -> None:
    enable("all")
    half = tf.constant(1.5, tf.float16)

    @tf.function
    def sum_up(x: Any, count: Any) -> Any:
        total = tf.constant(0.0)
        while count > 0:
            total, count = total + x, count - 1
        return total

    weak = sum_up(tf.constant(1.5), tf.constant(2))
    assert is_weak(weak)
    assert float(weak) == 3.0
    assert (weak + half).dtype is tf.float16
    assert is_weak(tf.function(lambda x: x + 1)(1))  # a number of Python's that comes back
    assert is_weak(tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)))


def test_gradients_of_weak_tensors_are_weak() -> None:
    enable("all")
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    made = tape.gradient(y, x)
    assert is_weak(made)
    assert made.numpy().tolist() == [2.0, 4.0]


def test_datasets_hand_weak_tensors_on() -> None:
    enable("all")
    (row,) = tf.data.Dataset.from_tensors(tf.constant([1, 2]))
    assert is_weak(row)
    assert row.numpy().tolist() == [1, 2]


@pytest.mark.parametrize("mode", MODES)
def test_sessions_return_the_value_of_a_weak_tensor(mode: str) -> None:
    enable(mode)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float16, [2])
        weak = tf.add(1, 2.5)
        assert is_weak(weak)
        total = x * weak
        assert total.dtype is tf.float16
        value, several = session.run([weak, {"total": total}], {x: [2.0, 4.0]})
    assert value == np.float32(3.5)
    assert several["total"].tolist() == [7.0, 14.0]


def test_a_weak_tensor_says_so_and_is_a_tensor() -> None:
    enable("all")
    x = tf.constant([1, 2])
    assert repr(x) == (
        "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32), weak=True>"
    )
    assert f"{x[0]} {tf.constant(1)}" == "1 1 weakly typed"
    assert tf.is_tensor(x)
    assert not isinstance(x, tf.Tensor)
    assert x.to_tensor().dtype is tf.int32
    with pytest.raises(TypeError, match="not allowed as a weak type"):
        WeakTensor(tf.cast(x, tf.int8))
    with pytest.raises(TypeError, match=r"tf.Tensor or tf.WeakTensor"):
        WeakTensor.from_tensor(1)


def test_graphs_feed_differentiate_and_iterate_over_weak_tensors() -> None:
    enable("all")
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.constant([1.0, 2.0])
        (gradient,) = tf.gradients(x * x, x)
        assert is_weak(gradient)
        assert session.run([x, gradient], {x: [3.0, 4.0]})[1].tolist() == [6.0, 8.0]
        assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]
        with pytest.raises(AttributeError, match="'numpy'"):
            x.numpy()
        with pytest.raises(TypeError, match=r"Iterating over a symbolic `tf\.WeakTensor`"):
            iter(x)

    @tf.function
    def total(x: Any, count: Any) -> Any:
        found = tf.constant(0, tf.int32)
        for each in x:
            found += each
        for i in range(count):
            found += i
        return found

    assert int(total(tf.constant([1, 2]), tf.constant(4))) == 9


def test_functions_of_numpy_hand_weakness_on_or_follow_numpys_rules() -> None:
    enable("all")
    numpy = tf.experimental.numpy
    half, eight = tf.constant([1.0, 2.0], tf.float16), tf.constant([1, 2], tf.int8)
    assert all(map(is_weak, (*numpy.ix_([0, 1], [1]), numpy.ptp([1, 2]), numpy.sign(2.5))))
    first, second = numpy.atleast_1d(3, eight)
    assert is_weak(first)
    assert not is_weak(second)
    assert numpy.where([True, False], half, 2.5).dtype is tf.float16
    assert numpy.append(1, eight).dtype is tf.int8
    assert numpy.add(tf.constant([1.0]), tf.constant([1.0], tf.float16)).dtype is tf.float32
    assert [each.dtype for each in numpy.divmod(7, 2.5)] == [tf.float64, tf.float64]
    grid = numpy.meshgrid([1, 2], [1.5])
    assert [each.dtype for each in grid] == [tf.int32, tf.float32]
    assert numpy.random.uniform(size=2).dtype is tf.float32


def test_a_fresh_runtime_promotes_nothing() -> None:
    enable("all")
    assert is_weak(tf.constant(1))
    assert tf.Variable([1, 2]).assign([3, 4]).dtype is tf.int32
    emplace.reset()
    assert not is_weak(tf.constant(1))
    assert tf.experimental.numpy.log10(100.0).dtype is tf.float64
    assert tf.experimental.numpy.kron([1], [2]).numpy().tolist() == [2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.constant(1) + tf.constant(1.0)
    assert not is_weak(tf.add(1, 2))
