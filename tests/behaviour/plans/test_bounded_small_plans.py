"""What runs in its plain form on a bounded GPU, and that its sums stay right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.graph.plan.plan import Plan

pytestmark = [
    pytest.mark.gpus(1, memory="64MB"),
    pytest.mark.not_strict("plans on strict GPUs keep their instrumented form"),
]
RUNS = 12


def in_use() -> int:
    used = tf.config.experimental.get_memory_info("GPU:0")["current"]
    assert isinstance(used, int)
    return used


def plan_of(function: Any) -> Plan:
    (plan,) = function.plans()
    return plan


def is_plain(function: Any) -> bool:
    reservation: Any = plan_of(function).reservation
    return reservation is not None and bool(reservation.is_plain)


def test_a_small_function_charges_what_it_returns_while_that_lives() -> None:
    function = tf.function(lambda x: tf.matmul(x, x) * 2.0 + 1.0)
    x = tf.ones([4, 4])
    for _ in range(RUNS):
        function(x)
    assert is_plain(function)
    before = in_use()
    kept = [function(x) for _ in range(10)]
    assert in_use() == before + 10 * 256
    tf.config.experimental.reset_memory_stats("GPU:0")
    del kept[1:]
    assert in_use() == before + 256
    assert np.allclose(kept[0], 9.0)
    kept.clear()
    assert in_use() == before


def test_results_that_are_arguments_views_or_twice_the_same_are_charged_once() -> None:
    @tf.function
    def function(x: Any) -> Any:
        y = tf.tanh(tf.matmul(x, x))
        return x, y, y, y[1], tf.reduce_sum(y)

    x = tf.ones([4, 4])
    for _ in range(RUNS):
        function(x)
    assert is_plain(function)
    before = in_use()
    kept = function(x)
    assert in_use() == before + 2 * 256
    row = kept[3]
    del kept
    assert in_use() == before + 256
    del row
    assert in_use() == before


def test_without_room_a_small_function_refuses() -> None:
    function = tf.function(lambda x: tf.matmul(x, x) * 2.0 + 1.0)
    x = tf.ones([4, 4])
    for _ in range(RUNS):
        function(x)
    rest = 64 * 2**20 - in_use()
    held = tf.zeros([(rest - 256) // 4 // 64 * 64])
    assert 64 * 2**20 - in_use() < 2 * 256
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[4,4\]"):
        function(x)
    del held
    assert np.allclose(function(x), 9.0)


def test_tensors_in_a_returned_optional_are_charged() -> None:
    @tf.function
    def function(x: Any) -> Any:
        y = tf.tanh(tf.matmul(x, x))
        return tf.experimental.Optional.from_value({"loss": tf.reduce_sum(y), "y": y})

    x = tf.ones([256, 256])
    seen = []
    for _ in range(RUNS):
        before = in_use()
        result = function(x)
        seen.append(in_use() - before)
        del result
        assert in_use() == before
    assert is_plain(function)
    assert set(seen) == {256 * 256 * 4 + 256}


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    """The plans that are made."""
    made: list[Plan] = []
    init = Plan.__init__

    def noted(self: Plan, *args: Any) -> None:
        init(self, *args)
        made.append(self)

    monkeypatch.setattr(Plan, "__init__", noted)
    return made


def has_plain(plans: list[Plan]) -> bool:
    found: list[Any] = [plan.reservation for plan in plans if plan.reservation is not None]
    return any(each.is_plain for each in found)


def test_a_session_runs_its_plans_in_their_plain_form(plans: list[Plan]) -> None:
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [None, 4])
        v = tf.compat.v1.get_variable("v", [4, 4], initializer=tf.compat.v1.ones_initializer())
        y = tf.matmul(fed, v) * 2.0 + 1.0
        change = v.assign_add(tf.matmul(y, y, transpose_a=True))
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            row = np.ones([3, 4], "float32")
            session.run(y, {fed: row})
            before, seen = in_use(), list[int]()
            for _ in range(RUNS):
                np.testing.assert_array_equal(session.run(y, {fed: row}), np.full([3, 4], 9.0))
                assert in_use() == before
            assert has_plain(plans)
            session.run(change, {fed: 0 * row})  # y is 1 everywhere
            for run in range(RUNS - 1):
                session.run(change, {fed: 0 * row})
                if run in (6, RUNS - 2):  # both forms of the plan have their constants by now
                    seen.append(in_use())
            assert len(set(seen)) == 1
            np.testing.assert_array_equal(session.run(v), np.full([4, 4], 1.0 + 3 * RUNS))


def test_a_session_without_room_names_the_operation(plans: list[Plan]) -> None:
    with tf.Graph().as_default() as graph:
        fed = tf.compat.v1.placeholder(tf.float32, [512, 512])
        y = tf.reduce_sum(tf.add(tf.matmul(fed, fed), 1.0, name="larger"))
    row = np.ones([512, 512], "float32")
    session = tf.compat.v1.Session(graph=graph)
    for _ in range(RUNS):
        session.run(y, {fed: row})
    assert has_plain(plans)
    held = tf.zeros([(64 * 2**20 - in_use() - 2**20 - 2**19) // 4])
    for _ in range(2):
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[512,512\]") as info:
            session.run(y, {fed: row})
        assert info.value.op.name == "MatMul"
    del held
    session.run(y, {fed: row})
    session.close()
