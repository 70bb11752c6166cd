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

import pytest

from .base.typing import TensorLike

_MOST_LISTED = 20


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker."""
    config.addinivalue_line(
        "markers",
        "gpus(count, memory=None): run with `count` virtual GPUs of this size each, for example "
        'gpus(4, memory="64MB"), in a fresh runtime',
    )


@contextmanager
def fresh_runtime(count: int | None = None, memory: str | int | None = None) -> Iterator[None]:
    """A runtime of its own: reset before and after, with virtual GPUs in between.

    Args:
        count: how many virtual GPUs; None leaves the machine's own devices.
        memory: what each may hold, such as "64MB" or bytes; None shares the machine's memory.
    """
    from . import runtime
    from .ops.op import lift_restrictions

    runtime.reset(virtual=True)
    if count is not None:
        runtime.virtual_gpus(count, memory)
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


def _marked(count: int, memory: str | int | None = None) -> tuple[int, str | int | None]:
    return count, memory


@pytest.fixture
def virtual_gpus() -> Iterator[Callable[..., None]]:
    """A function `virtual_gpus(count, memory=None)` in a fresh runtime of the test's own."""
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
        for copy in hidden[:_MOST_LISTED]
    ]
    left = len(hidden) - len(lines)
    more = [f"  and {left} more"] if left else []
    what = "1 input was" if total == 1 else f"{total:,} inputs were"
    raise AssertionError("\n".join([f"{what} copied between devices:", *lines, *more]))
