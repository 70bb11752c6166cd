"""The pytest plugin: the marker `gpus`, the fixture `virtual_gpus`, and the assertions."""

from __future__ import annotations

import re

import programs
import pytest

import emplace
import emplace.tensorflow as tf
from emplace import runtime, testing
from emplace.devices.inventory import INVENTORY
from emplace.testing import assert_no_copies, assert_placed

pytest_plugins = "pytester"

HEAD = "import pytest, emplace\nimport emplace.tensorflow as tf\n"


@pytest.fixture
def inner(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A project of its own, whose tests run in a process of their own."""
    monkeypatch.setenv("PYTHONPATH", str(programs.REPOSITORY))
    monkeypatch.setenv("EMPLACE_GPUS", "0")
    return pytester


# In a project of its own, as users meet it


@pytest.mark.slow
def test_the_marker_and_the_fixture_give_each_test_a_fresh_runtime(
    inner: pytest.Pytester,
) -> None:
    inner.makepyfile(
        HEAD
        + """
def num_gpus():
    return len(tf.config.list_logical_devices("GPU"))

@pytest.mark.gpus(4, memory="1MB")
def test_a_marker_gives_gpus():
    assert num_gpus() == 4
    with pytest.raises(tf.errors.ResourceExhaustedError):
        tf.zeros([1 << 20])
    tf.config.set_soft_device_placement(True)
    emplace.set_op_devices("Cast", ["CPU"])

@pytest.mark.gpus(2)
def test_b_next_test_begins_anew():
    assert num_gpus() == 2
    assert tf.config.get_soft_device_placement() is False
    assert tf.cast(tf.constant([1.0]), tf.int32).device.endswith("GPU:0")

def test_c_fixture_gives_gpus(virtual_gpus):
    virtual_gpus(3, memory="2MB")
    assert num_gpus() == 3

def test_d_nothing_is_left():
    emplace.reset()
    assert num_gpus() == 0

class TestGroup:
    pytestmark = pytest.mark.gpus(1)

    def test_e_marker_on_a_group(self):
        assert num_gpus() == 1
"""
    )
    result = inner.runpytest_subprocess("-q", "-n", "2", "--strict-markers", "-W", "error")
    result.assert_outcomes(passed=5)


def test_the_plugin_loads_neither_torch_nor_numpy(inner: pytest.Pytester) -> None:
    inner.makepyfile(
        """
import sys

def test_nothing_heavy_is_loaded():
    assert "emplace.testing" in sys.modules
    assert not [name for name in ("torch", "numpy") if name in sys.modules]
"""
    )
    inner.runpytest_subprocess("-q").assert_outcomes(passed=1)


def test_the_marker_is_described(inner: pytest.Pytester) -> None:
    result = inner.runpytest_subprocess("--markers")
    result.stdout.fnmatch_lines(
        ["@pytest.mark.gpus(count, memory=None, strict=False): run with `count` virtual*"]
    )


# The assertions


@pytest.mark.gpus(2)
def test_what_is_where_it_should_be_passes() -> None:
    with tf.device("/GPU:1"):
        x, v = tf.constant([1.0]), tf.Variable([1.0])
    for device in ("GPU:1", "/GPU:1", "/device:GPU:1", "GPU", x.device):
        assert_placed(x, device)
    assert_placed({"a": [x, (v,)]}, "GPU:1")
    assert_placed([], "GPU:1")


@pytest.mark.gpus(2)
def test_what_is_elsewhere_is_named_with_the_reason() -> None:
    with tf.device("/CPU:0"):
        x = tf.constant([1.0, 2.0])
    with pytest.raises(AssertionError) as raised:
        assert_placed([x + x], "GPU:1")
    assert str(raised.value).splitlines() == [
        "expected on GPU:1, but:",
        "tensor float32 (2,)",
        "  op      AddV2",
        "  device  GPU:0",
        "  why     no device was asked for; AddV2 has a GPU kernel, and GPUs go before CPUs",
        "  copied  input 'x': CPU:0 -> GPU:0, 8 B",
        "  line    not recorded; make it inside `with emplace.watch():` to know",
    ]


def test_what_is_on_no_device_is_refused() -> None:
    with pytest.raises(TypeError, match="it takes a tensor, a variable"):
        assert_placed([1.0], "CPU:0")


@pytest.mark.gpus(2)
def test_without_copies_nothing_is_said() -> None:
    with assert_no_copies():
        x = tf.constant([1.0])
        with tf.device("/GPU:1"):
            tf.identity(x)
        x + 1.0


@pytest.mark.gpus(2)
def test_a_copy_is_named_with_its_line_op_and_bytes() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0, 2.0])
    with pytest.raises(AssertionError) as raised, assert_no_copies():
        tf.square(x)
    first, row = str(raised.value).splitlines()
    assert first == "1 input was copied between devices:"
    assert re.fullmatch(rf"  {__file__}:\d+: 1 x for Square, GPU:1 -> GPU:0, 8 B", row)


@pytest.mark.gpus(2)
def test_many_copies_are_added_up_by_line() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0, 2.0])

    def copies() -> None:
        for _ in range(1000):
            x + x
        for number in range(30):
            exec("\n" * number + "x - 1.0", {"x": x})

    with pytest.raises(AssertionError) as raised, assert_no_copies():
        copies()
    lines = str(raised.value).splitlines()
    assert lines[0] == "1,030 inputs were copied between devices:"
    assert lines[1].endswith(": 1,000 x for AddV2, GPU:1 -> GPU:0, 7.81 KiB")
    assert lines[2:4] == [
        f"  <string>:{number}: 1 x for Sub, GPU:1 -> GPU:0, 8 B" for number in (1, 2)
    ]
    assert len(lines) == 22
    assert lines[-1] == "  and 11 more"


@pytest.mark.gpus(2)
def test_the_tests_own_error_is_not_hidden_by_a_copy() -> None:
    with tf.device("/GPU:1"):
        x = tf.constant([1.0])

    def fails() -> None:
        tf.square(x)
        raise KeyError

    with pytest.raises(KeyError), assert_no_copies():
        fails()


def test_the_assertions_are_reached_from_the_package() -> None:
    assert emplace.testing.assert_no_copies is assert_no_copies


def _started_by_others(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Devices start right after a reset, so many times, as by a thread of an earlier test."""
    resets: list[int] = []
    real = runtime.reset

    def reset(virtual: bool = False) -> None:
        real(virtual)
        resets.append(len(resets))
        if len(resets) <= times:
            INVENTORY.devices()

    monkeypatch.setattr(runtime, "reset", reset)
    return resets


def test_devices_that_a_thread_of_an_earlier_test_starts_are_reset_again(monkeypatch):
    resets = _started_by_others(monkeypatch, 2)
    with testing.fresh_runtime(2, "1MB"):
        assert len(INVENTORY.devices()) == 3
        assert len(resets) == 3


def test_devices_that_others_start_each_time_are_told(monkeypatch):
    _started_by_others(monkeypatch, 100)
    with (
        pytest.raises(RuntimeError, match="must be asked for before devices are first used"),
        testing.fresh_runtime(2, "1MB"),
    ):
        pass
    monkeypatch.undo()
    runtime.reset(virtual=True)
