"""Dataclasses with `__tf_flatten__` as arguments, results and elements."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import emplace.tensorflow as tf


@dataclasses.dataclass
class Masked:
    mask: Any
    value: Any

    def __tf_flatten__(self) -> Any:
        return (self.mask,), (self.value,)

    def __tf_unflatten__(self, metadata: Any, components: Any) -> Masked:
        return Masked(metadata[0], components[0])


def test_a_function_takes_and_returns_them() -> None:
    traces = []

    @tf.function
    def f(x: Masked) -> Masked:
        traces.append(x.mask)
        return Masked(x.mask, x.value + 1 if x.mask else x.value)

    made = f(Masked(True, tf.constant(1)))
    assert (made.mask, int(made.value)) == (True, 2)
    assert int(f(Masked(True, tf.constant(3))).value) == 4
    assert int(f(Masked(False, tf.constant(3))).value) == 3
    assert traces == [True, False]
    assert int(f(Masked([1, {"a": 2}], tf.constant(3))).value) == 4
    with pytest.raises(TypeError, match="immutable/hashable"):
        f(Masked({1}, tf.constant(3)))


def test_branches_loops_and_gradients() -> None:
    three = Masked(True, tf.constant(3.0))
    doubled = tf.function(lambda p, x: tf.cond(p, lambda: x, lambda: Masked(True, x.value * 2)))
    assert float(doubled(tf.constant(False), three).value) == 6
    grown = tf.while_loop(
        lambda x: x.value < 10, lambda x: [Masked(x.mask, x.value * 2)], [three]
    )  # fmt: skip
    assert float(grown[0].value) == 12
    with tf.GradientTape() as tape:
        tape.watch(three.value)
        y = three.value**2
    assert float(tape.gradient(y, three).value) == 6


def test_they_are_elements_of_datasets() -> None:
    rows = tf.data.Dataset.from_tensor_slices(Masked(True, tf.constant([1, 2])))
    assert rows.element_spec == Masked(True, tf.TensorSpec([], tf.int32))
    doubled = rows.map(lambda x: Masked(x.mask, x.value * 2)).batch(2)
    assert next(iter(doubled)).value.numpy().tolist() == [2, 4]
    numbers = tf.data.Dataset.range(2)
    pairs = list(tf.data.Dataset.zip(Masked(False, (numbers, numbers))))
    assert [int(each.value[0]) for each in pairs] == [0, 1]
