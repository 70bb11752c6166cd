"""Small results on bounded GPUs are charged only when somebody asks: the sums are right anyway."""

from __future__ import annotations

import dis
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch

import emplace
import emplace.tensorflow as tf
from emplace.devices.memory import Budget
from emplace.eager.variable import Variable

pytestmark = pytest.mark.gpus(1, memory="64MB")


def in_use() -> int:
    used = tf.config.experimental.get_memory_info("GPU:0")["current"]
    assert isinstance(used, int)
    return used


@pytest.fixture
def pair() -> tuple[Any, Any]:
    a, b = tf.ones([4, 4]), tf.ones([4, 4])
    del_later = [a + b for _ in range(3)]  # the op is known to make new memory from here on
    del del_later
    return a, b


def test_a_small_result_counts_while_it_lives(pair: tuple[Any, Any]) -> None:
    a, b = pair
    before = in_use()
    kept = [a + b for _ in range(5)]
    assert in_use() == before + 5 * 256
    del kept[1:4]
    assert in_use() == before + 2 * 256
    kept.clear()
    assert in_use() == before


def test_it_counts_as_long_as_a_view_of_it_lives(pair: tuple[Any, Any]) -> None:
    a, b = pair
    before = in_use()
    row = (a + b)[1]
    assert in_use() == before + 256
    raw = (a + b)._value[2:]  # as a kernel may make one
    assert in_use() == before + 2 * 256
    del row
    assert in_use() == before + 256
    del raw
    assert in_use() == before


def test_it_counts_as_long_as_another_library_holds_it(pair: tuple[Any, Any]) -> None:
    a, b = pair
    before = in_use()
    imported = torch.from_dlpack(a + b)
    assert in_use() == before + 256
    del imported
    assert in_use() == before


def test_the_peak_is_that_of_what_lived_at_once(pair: tuple[Any, Any]) -> None:
    a, b = pair
    tf.config.experimental.reset_memory_stats("GPU:0")
    before = in_use()
    for _ in range(1000):
        a + b
    held = [a + b for _ in range(7)]
    for _ in range(1000):
        a + b
    info = tf.config.experimental.get_memory_info("GPU:0")
    assert info == {"current": before + 7 * 256, "peak": before + 8 * 256}
    del held


def test_what_is_refused_is_what_does_not_fit(pair: tuple[Any, Any]) -> None:
    a, b = pair
    rest = 64 * 2**20 - in_use()
    with emplace.limit("GPU:0", 64 * 2**20 - rest + 10 * 256):
        for _ in range(100):  # what has died makes room
            a + b
        held = [a + b for _ in range(10)]
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[4,4\]"):
            a + b
        held.pop()
        held.append(a + b)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            a + b


def test_an_error_names_the_ops_of_young_results(pair: tuple[Any, Any]) -> None:
    a, b = pair
    held = [a + b for _ in range(3)]
    budget = a._kind.device.budget
    charges = [(c.op_name, c.shape, c.nbytes) for c in budget.biggest(100)]
    assert charges.count(("AddV2", (4, 4), 256)) == 3
    del held


def test_a_variable_changes_in_place_what_it_was_given_young(pair: tuple[Any, Any]) -> None:
    a, b = pair
    v = Variable(a + b)
    v.assign(a + b)
    before, place = in_use(), v._handle._value.value.data_ptr()
    v.assign_add(a)
    assert v._handle._value.value.data_ptr() == place
    assert in_use() == before
    np.testing.assert_array_equal(v.numpy(), np.full((4, 4), 3.0))


def test_an_op_that_hands_its_input_on_is_not_charged_twice(pair: tuple[Any, Any]) -> None:
    a, b = pair
    before = in_use()
    same = tf.identity(tf.cast(a + b, tf.float32))
    assert in_use() == before + 256
    del same
    assert in_use() == before


def test_the_queue_of_young_results_stays_short(pair: tuple[Any, Any]) -> None:
    a, b = pair
    budget = a._kind.device.budget
    big = tf.zeros([12 << 20])
    budget.reserve(1 << 20)
    budget.cancel(1 << 20)
    del big
    longest = 0
    for _ in range(20_000):
        a + b
        longest = max(longest, len(budget._young))
    assert 0 < longest <= 2 * (64 << 10) // 256


def test_threads_that_make_and_drop_small_results_leave_nothing(pair: tuple[Any, Any]) -> None:
    a, b = pair
    before, errors = in_use(), []

    def work() -> None:
        try:
            kept: list[Any] = []
            for i in range(400):
                kept.append(a + b)
                if i % 7 == 0:
                    kept = kept[-3:]
                if i % 50 == 0:
                    in_use()
        except Exception as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
    assert in_use() == before


def test_threads_that_reserve_without_the_lock_never_pass_the_limit() -> None:
    budget = Budget(100 * 256)
    budget.reserve(100 * 256)  # the peak is the limit: the gate is open as far as it goes
    budget.cancel(100 * 256)
    most, errors = [0], []

    def work() -> None:
        for _ in range(3000):
            try:
                budget.reserve(256)
            except Exception as error:
                errors.append(error)
                return
            most[0] = max(most[0], budget._in_use)
            budget.cancel(256)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not errors
    assert 256 <= most[0] <= 8 * 256
    assert budget.usage().in_use == 0


# Where Python may hand the processor to another thread.
_SWITCHES = ("CALL", "PRECALL", "RESUME", "JUMP_BACKWARD", "POP_JUMP_BACKWARD", "SEND", "YIELD")


def _sections(function: Callable[..., Any], name: str) -> Iterator[list[str]]:
    """The operations from each load of an attribute up to the store of it."""
    names: list[str] | None = None
    for each in dis.get_instructions(function):
        if each.opname == "LOAD_ATTR" and each.argval == name and names is None:
            names = []
        if names is not None:
            names.append(each.opname)
            if each.opname == "STORE_ATTR" and each.argval == name:
                yield names
                names = None


@pytest.mark.parametrize("method", [Budget.reserve, Budget.reserve_easily, Budget.cancel])
def test_no_other_thread_runs_between_reading_and_writing_a_sum(method: Any) -> None:
    sections = list(_sections(method, "_in_use"))
    assert sections
    for names in sections:
        assert not [name for name in names if name.startswith(_SWITCHES)]


def test_no_other_thread_runs_between_letting_go_and_the_sum() -> None:
    names = [each.opname for each in dis.get_instructions(Budget._let_young_go)]
    start = names.index("DELETE_SUBSCR")
    section = names[start : names.index("STORE_ATTR", start)]
    assert not [name for name in section if name.startswith(_SWITCHES)]


def test_a_section_with_a_call_is_noticed() -> None:
    def wrong(self: Any, nbytes: int) -> None:
        in_use = self._in_use + abs(nbytes)
        self._in_use = in_use

    (names,) = _sections(wrong, "_in_use")
    assert [name for name in names if name.startswith(_SWITCHES)]
