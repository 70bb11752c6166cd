"""`with tf.device(...)`: what it accepts, how scopes nest, and how they end."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import emplace
import emplace.tensorflow as tf

pytestmark = pytest.mark.gpus(4)

GPU_NAME = "/job:localhost/replica:0/task:0/device:GPU:1"


def here() -> str:
    """Where an op runs now, such as "GPU:1"."""
    return short(tf.add(tf.constant([1.0]), tf.constant([1.0])).device)


def short(name: str) -> str:
    return name.removeprefix("/job:localhost/replica:0/task:0/device:")


def under(*names: Any) -> str:
    """Where an op runs inside scopes with these names, outermost first."""
    if not names:
        return here()
    with tf.device(names[0]):
        return under(*names[1:])


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], "GPU:0"),
        ([None], "GPU:0"),
        ([""], "CPU:0"),
        (["/"], "CPU:0"),
        (["/job:localhost"], "CPU:0"),
        (["/job:*"], "CPU:0"),
        (["/task:0"], "CPU:0"),
        (["/cpu"], "CPU:0"),
        (["/cpu:*"], "CPU:0"),
        (["/gpu"], "GPU:0"),
        (["/device:GPU:*"], "GPU:0"),
        (["/device:*:2"], "GPU:2"),
        (["/gpu:1", "/gpu:*"], "GPU:1"),
        (["/gpu:1", ""], "GPU:1"),
        (["/gpu:1", "/job:localhost"], "GPU:1"),
        (["/cpu:2", "/gpu"], "GPU:2"),
        (["/gpu:1", "/cpu:0", "/gpu:3"], "GPU:3"),
        (["/gpu:3", "/cpu:0", "/gpu"], "GPU:0"),
        (["/gpu:2", None], "GPU:0"),
        (["/gpu:2", None, "/gpu"], "GPU:0"),
        (["/gpu:2", None, ""], "CPU:0"),
    ],
)
def test_a_scope_fills_what_it_leaves_open_from_the_scope_around_it(
    names: list[str | None], expected: str
) -> None:
    assert under(*names) == expected


@pytest.mark.parametrize(
    "device",
    [
        "/gpu:1",
        GPU_NAME,
        tf.DeviceSpec.from_string("/gpu:1"),
        tf.compat.v1.DeviceSpec.from_string("/gpu:1"),
        tf.config.LogicalDevice("/device:GPU:1", "GPU"),
    ],
    ids=str,
)
def test_a_scope_takes_a_name_a_spec_or_a_logical_device(device: Any) -> None:
    assert under(device) == "GPU:1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3, "Expecting a string device name. Got <class 'int'>(3)"),
        (b"/cpu:0", "Expecting a string device name. Got <class 'bytes'>(b'/cpu:0')"),
        (["/cpu:0"], "Expecting a string device name. Got <class 'list'>(['/cpu:0'])"),
        (("/cpu:0",), "Expecting a string device name. Got <class 'tuple'>(('/cpu:0',))"),
        (True, "Expecting a string device name. Got <class 'bool'>(True)"),
        (
            tf.config.PhysicalDevice("/physical_device:GPU:0", "GPU"),
            "Expecting a string device name. Got <class 'emplace.devices.inventory.PhysicalDevice'>"
            "(PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU'))",
        ),
        ("/foo", "Unknown attribute 'foo' is encountered while parsing the device spec: '/foo'."),
    ],
    ids=str,
)
def test_what_is_no_name_is_refused_when_the_scope_is_entered(value: Any, text: str) -> None:
    scope = tf.device(value)
    with pytest.raises(ValueError) as raised:
        scope.__enter__()
    assert str(raised.value) == text
    assert here() == "GPU:0"


def test_a_tensor_is_no_device_name() -> None:
    with pytest.raises(ValueError, match="Expecting a string device name"):
        tf.device(tf.constant(1)).__enter__()


@pytest.mark.parametrize("function", [lambda op: "/cpu:0", str, print])
def test_a_scope_takes_no_function(function: Any) -> None:
    with pytest.raises(RuntimeError, match=r"^tf\.device does not support functions\.$"):
        tf.device(function)


def test_making_a_scope_starts_the_devices() -> None:
    tf.device("/cpu:0")
    with pytest.raises(RuntimeError, match="cannot be modified after being initialized"):
        tf.config.set_visible_devices([], "GPU")


def test_a_scope_object_can_be_used_again_and_inside_itself() -> None:
    scope = tf.device("/gpu:1")
    with scope:
        with scope:
            assert here() == "GPU:1"
        assert here() == "GPU:1"
    assert here() == "GPU:0"
    with tf.device("/gpu:2"), scope:
        assert here() == "GPU:1"


def test_scopes_must_be_left_in_the_order_they_were_entered() -> None:
    outer, inner = tf.device("/gpu:1"), tf.device("/gpu:2")
    outer.__enter__()
    inner.__enter__()
    with pytest.raises(RuntimeError, match=r"^Exiting device scope without proper scope nesting$"):
        outer.__exit__(None, None, None)
    assert here() == "GPU:2"
    inner.__exit__(None, None, None)
    outer.__exit__(None, None, None)
    assert here() == "GPU:0"


def test_a_scope_that_was_not_entered_cannot_be_left() -> None:
    with pytest.raises(RuntimeError, match="without proper scope nesting"):
        tf.device("/gpu:1").__exit__(None, None, None)


def test_a_scope_ends_when_its_block_raises() -> None:
    with pytest.raises(KeyError), tf.device("/gpu:1"):
        raise KeyError
    assert here() == "GPU:0"


def test_a_thread_starts_without_a_scope() -> None:
    seen = []
    with tf.device("/gpu:2"):
        thread = threading.Thread(target=lambda: seen.append(here()))
        thread.start()
        thread.join()
        assert here() == "GPU:2"
    assert seen == ["GPU:0"]


def test_scopes_of_two_threads_do_not_meet() -> None:
    both_inside = threading.Barrier(2, timeout=60)
    seen = {}

    def work(name: str) -> None:
        with tf.device(name):
            both_inside.wait()
            seen[name] = here()

    threads = [threading.Thread(target=work, args=(f"/gpu:{i}",)) for i in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"/gpu:1": "GPU:1", "/gpu:2": "GPU:2"}


def test_a_scope_object_can_be_entered_by_several_threads() -> None:
    scope = tf.device("/gpu:3")
    seen = []

    def work() -> None:
        with scope:
            seen.append(here())

    with scope:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen == ["GPU:3"]


def test_a_scope_stays_open_across_a_reset() -> None:
    with tf.device("/gpu:1"):
        emplace.reset()
        assert here() == "GPU:1"
    assert here() == "GPU:0"


def test_entering_a_scope_for_a_missing_device_is_allowed() -> None:
    with tf.device("/gpu:9"), tf.device("/gpu:1"):
        assert here() == "GPU:1"
