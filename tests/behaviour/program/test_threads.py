"""Many threads, each under its own device scope: nothing leaks from one into another.

The soak runs for 2 seconds; set EMPLACE_SOAK_S to let it run longer.
"""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import emplace
import emplace.tensorflow as tf
from emplace.core.context import LOCAL

# Read before the fixture clears the variables of Emplace.
SOAK_S = float(os.environ.get("EMPLACE_SOAK_S", "2"))
THREADS = 16


@pytest.fixture(autouse=True)
def hectic() -> Iterator[None]:
    """Threads take turns a hundred times as often as usual."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    yield
    sys.setswitchinterval(usual)


def place(x: Any) -> str:
    return str(x.device).split("device:")[1]


def run_in_threads(work: Callable[[int], None], count: int = THREADS) -> list[BaseException]:
    """Runs `work(number)` in several threads at once; returns what they raised."""
    errors: list[BaseException] = []
    start = threading.Barrier(count)

    def guarded(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def matmul(number: int, device: str) -> None:
    a = np.full((3, 4), number, np.float32)
    product = tf.matmul(tf.constant(a), tf.ones([4, 2]))
    assert place(product) == device
    assert (product.numpy() == 4 * number).all()


def arithmetic(number: int, device: str) -> None:
    x = tf.constant([1.0, 2.0, 3.0]) * float(number) + 1.0
    assert place(x) == device
    assert x.numpy().tolist() == [number + 1.0, 2 * number + 1.0, 3 * number + 1.0]
    assert place(x[1:]) == device


def variable(number: int, device: str) -> None:
    v = tf.Variable(float(number))
    v.assign_add(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    assert place(v) == place(y) == device
    assert float(tape.gradient(y, v)) == 2.0 * (number + 1)


def copy_from_elsewhere(number: int, device: str) -> None:
    with tf.device("/CPU:0"):
        host = tf.fill([64], float(number))
    there = tf.identity(host)
    assert (place(host), place(there)) == ("CPU:0", device)
    assert float(tf.reduce_sum(there)) == 64.0 * number


def string_on_the_cpu(number: int, device: str) -> None:
    text = tf.strings.upper(f"gpu {number}")
    assert (place(text), text.numpy()) == ("CPU:0", f"GPU {number}".encode())


def nested_scopes(number: int, device: str) -> None:
    with tf.device("/CPU:0"), tf.device(device):
        assert place(tf.ones([2]) + 1.0) == device
    assert place(tf.ones([2]) + 1.0) == device


JOBS = (matmul, arithmetic, variable, copy_from_elsewhere, string_on_the_cpu, nested_scopes)


@pytest.mark.timeout(SOAK_S + 600)
@pytest.mark.gpus(4, memory="64MB")
def test_sixteen_threads_under_different_scopes_do_not_disturb_each_other() -> None:
    end = time.monotonic() + SOAK_S
    rounds = [0] * THREADS

    def work(number: int) -> None:
        choose = random.Random(number)
        while time.monotonic() < end or not rounds[number]:
            device = choose.choice(["GPU:0", "GPU:1", "GPU:2", "GPU:3"])
            with tf.device(f"/{device}"):
                choose.choice(JOBS)(number + 1, device)
            assert LOCAL.state.scope is None
            rounds[number] += 1

    assert run_in_threads(work) == []


@pytest.mark.gpus(2, memory="64MB")
def test_threads_that_are_the_first_to_use_a_device_start_it_once() -> None:
    found: list[Any] = []
    assert run_in_threads(lambda number: found.append(tf.constant(float(number)))) == []
    assert {place(x) for x in found} == {"GPU:0"}
    assert len({x.device for x in found}) == 1


@pytest.mark.gpus(2, memory="64MB")
def test_settings_changed_while_threads_run_ops_break_nothing() -> None:
    stop = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            for i in range(200):
                tf.config.set_soft_device_placement(bool(i % 2))
                with emplace.watch():
                    tf.constant(1.0) + 1.0
            stop.set()
            return
        while not stop.is_set():
            with tf.device(f"/GPU:{number % 2}"):
                x = tf.ones([4]) * float(number)
            assert (place(x), float(x[0])) == (f"GPU:{number % 2}", float(number))

    assert run_in_threads(work, 4) == []


@pytest.mark.gpus(4, memory="64MB")
def test_a_new_thread_starts_without_the_scope_of_the_one_that_made_it() -> None:
    places: list[str] = []
    with tf.device("/GPU:3"):
        thread = threading.Thread(target=lambda: places.append(place(tf.ones([2]))))
        thread.start()
        thread.join()
    assert places == ["GPU:0"]


@pytest.mark.gpus(2, memory="64MB")
def test_tapes_of_several_threads_record_only_their_own_ops() -> None:
    v = tf.Variable([1.0, 2.0])

    def work(number: int) -> None:
        for _ in range(50):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(v * float(number))
            assert tape.gradient(y, v).numpy().tolist() == [number, number]

    assert run_in_threads(work, 8) == []


@pytest.mark.gpus(2, memory="64MB")
def test_device_policies_belong_to_one_thread() -> None:
    tf.config.list_logical_devices()
    tf.config.experimental.set_device_policy("explicit")
    seen: list[str] = []
    thread = threading.Thread(
        target=lambda: seen.append(tf.config.experimental.get_device_policy())
    )
    thread.start()
    thread.join()
    assert seen == ["silent"]
