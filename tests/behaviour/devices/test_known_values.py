"""What the host knows of a GPU's integers: it reads them without a wait, and they are right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.devices.known import MOST, known
from emplace.testing import assert_no_waits, fresh_runtime


@pytest.mark.gpus(1, strict=True)
def test_shapes_that_a_program_computes_are_read_without_a_wait() -> None:
    x = tf.ones([4, 6])
    with assert_no_waits():
        rows, columns = tf.unstack(tf.shape(x))
        halves = tf.reshape(x, tf.stack([rows * 2, columns // 2]))
        filled = tf.fill([tf.reduce_prod(tf.shape(x)[1:])], 1)
        places = tf.range(tf.minimum(rows, 3))
        padded = tf.pad(x, tf.constant([[0, 1], [1, 0]]))
        assert int(rows) == 4
        assert rows.numpy() == 4
    assert halves.shape == [8, 3]
    assert filled.shape == [6]
    assert places.numpy().tolist() == [0, 1, 2]
    assert padded.shape == [5, 7]


@pytest.mark.gpus(1, strict=True)
@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_what_a_counter_decides_needs_no_wait(wrap: Callable[..., Any]) -> None:
    steps, total = tf.Variable(0, dtype=tf.int64), tf.Variable(0.0)

    def step() -> None:
        steps.assign_add(1)
        tf.cond(steps % 3 == 0, lambda: total.assign_add(1.0), lambda: total + 0.0)

    run = wrap(step)
    run()
    with assert_no_waits():
        for _ in range(8):
            run()
    assert float(total) == 3.0
    assert int(steps) == 9


@pytest.mark.gpus(1, strict=True)
def test_a_loop_over_steps_that_are_computed_needs_no_wait() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def add_rows(x):
        _, total = tf.while_loop(
            lambda i, total: i < tf.shape(x)[0],
            lambda i, total: (i + 1, total + x[i]),
            (tf.constant(0), tf.zeros([3])),
        )
        return total

    add_rows(tf.ones([4, 3]))
    with assert_no_waits():
        totals = [add_rows(tf.ones([rows, 3])) for rows in (4, 5, 6)]
    assert [total.numpy()[0] for total in totals] == [4.0, 5.0, 6.0]


CHANGES: dict[str, Callable[[Any], Any]] = {
    "assign": lambda v: v.assign([7, 8, 9]),
    "assign_add": lambda v: v.assign_add([1, 2, 3]),
    "assign_sub": lambda v: v.assign_sub([1, 2, 3]),
    "a part": lambda v: v[1:].assign([5, 6]),
    "one place": lambda v: v[0].assign(11),
    "scatter_update": lambda v: v.scatter_update(tf.IndexedSlices([12], [2])),
    "scatter_add": lambda v: v.scatter_add(tf.IndexedSlices([1, 1], [0, 0])),
    "scatter_nd_update": lambda v: v.scatter_nd_update([[1]], [13]),
    "of itself": lambda v: v.assign(v * 2 + 1),
    "of what nobody knows": lambda v: v.assign(tf.cast(tf.random.uniform([3]) * 0.0, v.dtype)),
    "sorted": lambda v: v.assign(tf.sort(v, direction="DESCENDING")),
}


def changed(names: list[str], wrap: Callable[..., Any]) -> list[Any]:
    v, seen = tf.Variable([1, 2, 3]), []
    for name in names:
        kept = v * 1, v.read_value()
        wrap(lambda name=name: [CHANGES[name](v), None][1])()
        seen += [each.numpy().tolist() for each in (*kept, v, v + 1)]
    return seen


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
@pytest.mark.parametrize("seed", range(6))
def test_a_variable_that_changes_in_any_way_is_read_as_it_is(
    seed: int, wrap: Callable[..., Any]
) -> None:
    names = np.random.default_rng(seed).choice(list(CHANGES), 12).tolist()
    with fresh_runtime(1, strict=True):
        found = changed(names, wrap)
    with fresh_runtime(0):
        assert found == changed(names, wrap), names


@pytest.mark.gpus(1, strict=True)
def test_what_the_host_knows_cannot_be_changed_through_an_array() -> None:
    x = tf.constant([1, 2, 3])
    array = x.numpy()
    array[0] = 9
    np.asarray(x)[1] = 9
    assert x.numpy().tolist() == [1, 2, 3]
    source = np.array([4, 5])
    y = tf.constant(source)
    source[0] = 9
    assert y.numpy().tolist() == [4, 5]


@pytest.mark.gpus(1, strict=True)
def test_large_and_floating_values_are_not_kept() -> None:
    assert known(tf.range(MOST)._value) is not None
    assert known(tf.range(MOST + 1)._value) is None
    assert known(tf.constant([1.0])._value) is None


@pytest.mark.not_strict("it is about GPUs in the host's memory")
@pytest.mark.gpus(1)
def test_gpus_in_the_hosts_memory_keep_nothing() -> None:
    assert known(tf.constant([1])._value) is None
