"""What runs in its plain form on a bounded GPU, and that its sums stay right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import emplace.tensorflow as tf
from emplace.devices.inventory import find_devices
from emplace.devices.memory import MOST_YOUNG_BYTES
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


def reservation_of(function: Any) -> Any:
    return plan_of(function).reservation


def is_plain(function: Any) -> bool:
    reservation = reservation_of(function)
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


def test_the_peak_counts_what_a_small_function_takes_for_a_moment() -> None:
    function = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x) * tf.tanh(x)))
    x = tf.ones([16, 16])
    peaks = []
    for _ in range(RUNS):
        tf.config.experimental.reset_memory_stats("GPU:0")
        before = in_use()
        function(x)
        peak = tf.config.experimental.get_memory_info("GPU:0")["peak"]
        peaks.append(peak - before)
        assert in_use() == before
    assert is_plain(function)
    assert reservation_of(function)._besides > 0  # which is not set aside
    assert peaks[-1] == peaks[0] > 2 * 16 * 16 * 4


def test_a_small_function_that_ends_with_an_error_gives_everything_back() -> None:
    function = tf.function(lambda x: tf.debugging.check_numerics(tf.tanh(x) / x, "zero") + 1.0)
    x = tf.ones([16, 16])
    for _ in range(RUNS):
        function(x)
    assert is_plain(function)
    zeros = tf.zeros([16, 16])
    before = in_use()
    for _ in range(5):
        with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
            function(zeros)
    assert in_use() == before
    assert np.allclose(function(x), np.tanh(1.0) + 1.0)


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


def test_few_dead_results_are_kept_however_high_the_peak_was() -> None:
    function = tf.function(lambda x: tf.matmul(x, x) * 2.0 + 1.0)
    x = tf.ones([32, 32])
    for _ in range(RUNS):
        function(x)
    assert is_plain(function)
    high = tf.zeros([8 * 2**20])
    del high
    assert in_use() < 2**20
    budget: Any = find_devices(type="GPU", index=0)[0].budget
    kept = []
    for _ in range(200):  # 800 KiB of results
        function(x)
        kept.append(sum(claim.nbytes for _, claim, _ in budget._young))
    assert max(kept) <= 64 * 2**10 + MOST_YOUNG_BYTES
    assert min(kept[20:]) > 0


def test_what_a_session_fetches_and_feeds_is_the_programs_own(plans: list[Plan]) -> None:
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [64, 64])
        v = tf.compat.v1.get_variable("v", [64, 64], initializer=tf.compat.v1.ones_initializer())
        y = tf.tanh(fed) + v
        wanted = [y, tf.identity(fed), tf.reshape(fed, [-1]), fed[0], v, tf.transpose(y)]
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            rows = np.full([64, 64], 2.0, "float32")
            sums = np.tanh(rows) + 1
            kept = []
            for run in range(RUNS):
                before = in_use()
                found = session.run(wanted, {fed: rows})
                if run > 5:  # the plain form has its constants
                    assert in_use() == before
                kept.append(found[0].copy())
                for array in found:  # nobody sees it
                    array[...] = 77
            assert has_plain(plans)
            for each in kept:
                np.testing.assert_allclose(each, sums, rtol=1e-6)
            assert (rows == 2).all()
            assert (session.run(v) == 1).all()
            rows[...] = 0
            np.testing.assert_array_equal(session.run(y, {fed: rows}), np.ones([64, 64]))


def test_a_session_counts_its_feeds_and_results_while_it_runs() -> None:
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [512, 512])
        y = tf.tanh(fed) + 1.0
        session = tf.compat.v1.Session()
    rows = np.ones([512, 512], "float32")
    peaks = set()
    for _ in range(RUNS):
        before = in_use()
        tf.config.experimental.reset_memory_stats("GPU:0")
        session.run(y, {fed: rows})
        peaks.add(tf.config.experimental.get_memory_info("GPU:0")["peak"] - before)
    first = {peak for peak in peaks if peak > 0}
    assert len(first) <= 2  # the first run makes the constants
    assert min(first) >= 2 * 2**20
    session.close()


def test_a_failing_operation_of_a_session_gives_back_what_was_set_aside(plans: list[Plan]) -> None:
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [64, 64])
        checked = tf.debugging.check_numerics(tf.tanh(fed) * 2.0, "too large", name="checked")
        y = checked + 1.0
        session = tf.compat.v1.Session()
    rows = np.ones([64, 64], "float32")
    for _ in range(RUNS):
        session.run(y, {fed: rows})
    assert has_plain(plans)
    before = in_use()
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="too large") as info:
            session.run(y, {fed: rows * np.nan})
        assert info.value.op.name == "checked"
        assert in_use() == before
    np.testing.assert_allclose(session.run(y, {fed: rows}), np.tanh(1) * 2 + 1, rtol=1e-6)
    session.close()


@pytest.mark.parametrize("counts", [False, True], ids=["value", "counter and value"])
def test_a_counted_loop_charges_its_results_to_the_loop(counts: bool) -> None:
    @tf.function
    def function(x: Any) -> Any:
        i, y = tf.while_loop(
            lambda i, y: i < 10, lambda i, y: (i + 1, tf.tanh(tf.matmul(y, x) + y)), [0, x]
        )
        return (i, y) if counts else y

    x = tf.eye(16) * 0.5
    expected = x.numpy()
    for _ in range(10):
        expected = np.tanh(expected @ x.numpy() + expected)
    for _ in range(30):  # from the 18th on in machine code, where there is a compiler
        values = function(x)
        y = values[1] if counts else values
        np.testing.assert_allclose(y, expected, rtol=1e-4)
        assert not counts or int(values[0]) == 10
        del values, y
    assert is_plain(function)
    before = in_use()
    result = function(x)
    assert in_use() == before + 1024 + (256 if counts else 0)
    budget: Any = find_devices(type="GPU", index=0)[0].budget
    (charge,) = [
        charge
        for charge in budget.holdings()[1]
        if charge.op_name == "StatelessWhile" and charge.shape == (16, 16)
    ]
    assert charge.line.file.endswith("test_bounded_small_plans.py")
    del result, charge
    assert in_use() == before


@pytest.mark.parametrize("part", ["whole", "view"])
def test_a_variable_that_is_given_a_feed_has_memory_of_its_own(
    part: str, plans: list[Plan]
) -> None:
    with tf.Graph().as_default():
        fed = tf.compat.v1.placeholder(tf.float32, [64, 64])
        v = tf.compat.v1.get_variable("v", [64, 64], initializer=tf.compat.v1.zeros_initializer())
        given = fed if part == "whole" else tf.reshape(tf.reshape(fed, [-1]), [64, 64])
        change = v.assign(given)
        total = tf.reduce_sum(tf.tanh(fed)) + tf.reduce_sum(change)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            seen = []
            for run in range(RUNS):
                rows = np.full([64, 64], float(run), "float32")
                session.run(total, {fed: rows})
                rows[...] = 77
                assert (session.run(v) == run).all()
                seen.append(in_use())
            assert has_plain(plans)
            assert len(set(seen[-4:])) == 1
            held: Any = find_devices(type="GPU", index=0)[0].budget
            used, charges = held.holdings()
            assert used == sum(charge.nbytes for charge in charges)
