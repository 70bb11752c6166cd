"""Help for tests, as a pytest plugin that is loaded by itself.

    @pytest.mark.gpus(4, memory="64MB")
    def test_towers():
        with emplace.testing.assert_no_copies():
            ...

A test marked `gpus`, or that asks for the fixture `virtual_gpus`, gets a fresh runtime with that
many virtual GPUs and leaves none of it behind. The assertions also work outside tests, where pytest
is installed. Nothing here loads torch before a test needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .base.typing import TensorLike

_MOST_LISTED = 20


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "gpus(count, memory=None, strict=False): run with `count` virtual GPUs of this size each, "
        'for example gpus(4, memory="64MB"), in a fresh runtime',
    )


# So often devices may be started by others between a reset and the wish for virtual ones.
_ATTEMPTS = 5


@contextmanager
def fresh_runtime(
    count: int | None = None, memory: str | int | None = None, strict: bool = False
) -> Iterator[None]:
    """A runtime of its own: reset before and after, with virtual GPUs in between.

    Args:
        count: how many virtual GPUs; None leaves the machine's own devices.
        memory: what each may hold, such as "64MB" or bytes; None shares the machine's memory.
        strict: whether each has a memory that only copies reach; see `emplace.virtual_gpus`.
    """
    from . import runtime
    from .ops.op import lift_restrictions

    for left in reversed(range(_ATTEMPTS)):
        runtime.reset(virtual=True)
        if count is None:
            break
        try:
            runtime.virtual_gpus(count, memory, strict)
            break
        except RuntimeError:  # a thread that an earlier test has left uses devices: once more
            if not left:
                raise
    try:
        yield
    finally:
        runtime.reset(virtual=True)
        lift_restrictions()


@pytest.fixture(autouse=True)
def _gpus_marker(request: pytest.FixtureRequest) -> Iterator[None]:
    """Gives a test marked `gpus` its virtual GPUs."""
    marker = request.node.get_closest_marker("gpus")
    if marker is None:
        yield
        return
    with fresh_runtime(*_marked(*marker.args, **marker.kwargs)):
        yield


def _marked(
    count: int, memory: str | int | None = None, strict: bool = False
) -> tuple[int, str | int | None, bool]:
    return count, memory, strict


@pytest.fixture
def virtual_gpus() -> Iterator[Callable[..., None]]:
    """A function `virtual_gpus(count, memory=None, strict=False)` in a fresh runtime."""
    from . import runtime

    with fresh_runtime():
        yield runtime.virtual_gpus


def assert_placed(x: TensorLike, device: str) -> None:
    """Fails unless a tensor or variable is on `device`.

    Args:
        x: a tensor or variable, or a list, tuple or dict of them.
        device: a name such as "GPU:1" or "/device:GPU:1"; without a number any of that type.

    Raises:
        AssertionError: something is elsewhere; the message says where and why.
        TypeError: there is something in `x` that is on no device.

    >>> import emplace.tensorflow as tf
    >>> with tf.device("/CPU:0"):
    ...     assert_placed([tf.constant(1.0), tf.Variable(2.0)], "CPU:0")
    """
    from .base import nest
    from .devices.name import DeviceSpec
    from .observe.explain import explain

    wanted = DeviceSpec.from_string(device)
    for each in nest.flatten(x):
        found = explain(each)
        actual = DeviceSpec.from_string(each.device)
        if actual.make_merged_spec(wanted) != actual:
            raise AssertionError(f"expected on {device}, but:\n{found}")


@contextmanager
def assert_no_copies() -> Iterator[None]:
    """Fails if an op inside copies an input from another device.

    Constants on their way to a device, and `tf.identity`, which exists to copy, do not count.

    Raises:
        AssertionError: at the end; the message lists the copies by source line, the largest first.

    >>> with assert_no_copies():
    ...     pass
    """
    from .devices.memory import format_bytes
    from .observe.report import watch

    with watch() as watching:
        yield
    hidden = [copy for copy in watching.report().to_dict()["copies"] if copy["hidden"]]
    if not hidden:
        return
    total = sum(copy["count"] for copy in hidden)
    lines = [
        f"  {copy['line']}: {copy['count']:,} x for {copy['op']}, "
        f"{copy['from']} -> {copy['to']}, {format_bytes(copy['bytes'])}"
        for copy in hidden
    ]
    what = "1 input was" if total == 1 else f"{total:,} inputs were"
    raise _failure(f"{what} copied between devices:", lines)


def _failure(title: str, lines: list[str]) -> AssertionError:
    """The error of an assertion that lists what it found, the first lines of it."""
    left = len(lines) - _MOST_LISTED
    more = [f"  and {left} more"] if left > 0 else []
    return AssertionError("\n".join([title, *lines[:_MOST_LISTED], *more]))


@contextmanager
def assert_no_waits() -> Iterator[None]:
    """Fails if something inside makes the host wait for a strict virtual GPU.

    An op that reads a value, a result whose size depends on values, a copy from the host's memory
    inside a kernel, and a value that the program reads (`tensor.numpy()`) all make it wait.

    Raises:
        AssertionError: at the end; the message lists the waits by source line.
        RuntimeError: there are no strict virtual GPUs: others do not know when they would wait.

    >>> import emplace, emplace.tensorflow as tf
    >>> with fresh_runtime(1, strict=True):
    ...     x = tf.constant([1.0, 2.0])
    ...     with assert_no_waits():
    ...         y = x * 2
    """
    from .devices.inventory import INVENTORY
    from .observe.report import wait_text, watch

    if not any(device.backend.is_strict for device in INVENTORY.devices()):
        raise RuntimeError(
            "[assert_no_waits] needs strict virtual GPUs, which know when hardware would wait: "
            'mark the test gpus(1, strict=True), or set EMPLACE_GPUS="1:strict".'
        )
    with watch() as watching:
        yield
    waits = watching.report().to_dict()["waits"]
    if not waits:
        return
    lines = [
        f"  {wait['line']}: {wait['count']:,} x {wait['device']}: "
        + wait_text(wait["op"], wait["what"], wait["bytes"] // wait["count"])
        for wait in waits
    ]
    total = sum(wait["count"] for wait in waits)
    what = "1 time" if total == 1 else f"{total:,} times"
    raise _failure(f"the host waited for a GPU, {what}:", lines)
