"""`tensorflow.python.eager.context`: what TensorFlow's eager runtime is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..core import context as _context
from ..core.context import executing_eagerly as executing_eagerly
from ..devices.name import DeviceSpecV2
from ..eager.target import EAGER
from ..graph.recording.default import get_default_graph
from ..graph.recording.scopes import init_scope
from ..graph.session.config import message
from ..interop.keras_two import get_device_name as asked_device
from ..ops.random.stateful import global_seed as seed_of_process


class Context:
    """TensorFlow's object of that name: a few questions and orders."""

    def clear_kernel_cache(self) -> None:
        """Nothing: what is remembered of ops holds no memory and does not go stale. Keras calls
        this in `clear_session`, and collects garbage itself where it was asked to.
        """

    def executing_eagerly(self) -> bool:
        """Whether ops run when they are called."""
        return executing_eagerly()

    @property
    def scope_name(self) -> str:
        """The name scope of eager mode, which ends with a slash unless there is none."""
        return _context.LOCAL.state.names

    @property
    def device_spec(self) -> DeviceSpecV2:
        """The device that the program asked for, of which nothing is known where it did not."""
        return DeviceSpecV2.from_string(asked_device())


_CONTEXT = Context()


def context() -> Context:
    """The one context."""
    return _CONTEXT


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A scope in which ops run when they are called, whatever graph is around it."""
    state = _context.LOCAL.state
    with init_scope():
        before, state.target = state.target, EAGER
        try:
            yield
        finally:
            state.target = before


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A scope in which ops are recorded in the graph that is the default one."""
    if executing_eagerly():
        with get_default_graph().as_default():
            yield
    else:
        yield


def global_seed() -> int | None:
    """The seed of `tf.random.set_seed`, None for none."""
    return seed_of_process()


def async_wait() -> None:
    """Waits for what devices still do; our CPU has nothing pending when an op returns."""


def _reset_context() -> None:
    """A fresh runtime."""
    _context.reset()


def get_config() -> Any:
    """The settings of a session that has none of its own: a new `ConfigProto`."""
    return message("ConfigProto")()


def get_device_name() -> str:
    """The device that the program asked for, "" for none."""
    return asked_device()
