"""`eager.context` and other modules of TensorFlow's eager runtime."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import emplace.tensorflow as tf
from emplace.private import eager_context

from ..holes import USES, Hole

_config = tf.config


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    """A scope in which ops are recorded, in a graph of its own unless one is there."""
    if not tf.executing_eagerly():
        yield
        return
    with tf.Graph().as_default():
        yield


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A scope in which ops run when they are called, whatever graph is around it."""
    with eager_context.eager_mode():
        yield


@contextlib.contextmanager
def device_policy(policy: str | None) -> Iterator[None]:
    """A scope with another policy of copies between devices."""
    before = _config.experimental.get_device_policy()
    _config.experimental.set_device_policy(policy)
    try:
        yield
    finally:
        _config.experimental.set_device_policy(before)


@contextlib.contextmanager
def execution_mode(mode: int) -> Iterator[None]:
    """A scope in which ops are waited for (0), or not (1)."""
    before = _config.experimental.get_synchronous_execution()
    _config.experimental.set_synchronous_execution(mode != 1)
    try:
        yield
    finally:
        _config.experimental.set_synchronous_execution(before)


def _setting(name: str, get: Any, put: Any) -> property:
    """A property of the context that has public functions."""
    made = property(lambda self: get(), lambda self, value: put(value))
    made.__doc__ = f"The setting {name}."
    return made


class PublicContext:
    """What `context.context()` returns, as far as it is public under other names."""

    executing_eagerly = staticmethod(tf.executing_eagerly)
    device = staticmethod(tf.device)
    list_physical_devices = staticmethod(_config.list_physical_devices)
    list_logical_devices = staticmethod(_config.list_logical_devices)

    device_policy = _setting(
        "device_policy", _config.experimental.get_device_policy,
        _config.experimental.set_device_policy,
    )  # fmt: skip
    soft_device_placement = _setting(
        "soft_device_placement", _config.get_soft_device_placement,
        _config.set_soft_device_placement,
    )  # fmt: skip
    inter_op_parallelism_threads = _setting(
        "inter_op_parallelism_threads", _config.threading.get_inter_op_parallelism_threads,
        _config.threading.set_inter_op_parallelism_threads,
    )  # fmt: skip
    intra_op_parallelism_threads = _setting(
        "intra_op_parallelism_threads", _config.threading.get_intra_op_parallelism_threads,
        _config.threading.set_intra_op_parallelism_threads,
    )  # fmt: skip
    if hasattr(tf.debugging, "get_log_device_placement"):
        log_device_placement = _setting(
            "log_device_placement", tf.debugging.get_log_device_placement,
            tf.debugging.set_log_device_placement,
        )  # fmt: skip

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return len(_config.list_logical_devices("GPU"))

    def ensure_initialized(self) -> None:
        """Starts the devices."""
        _config.list_logical_devices()

    def devices(self) -> list[str]:
        """The names of all devices."""
        return [device.name for device in _config.list_logical_devices()]

    def __getattr__(self, name: str) -> Any:
        return None if USES.importing else getattr(Hole("context.context()"), name)


_CONTEXT = PublicContext()

NAMES: dict[str, dict[str, Any]] = {
    "eager.context": {
        "ASYNC": 1,
        "Context": Hole("tensorflow.python.eager.context.Context"),
        "DEVICE_PLACEMENT_EXPLICIT": "explicit",
        "DEVICE_PLACEMENT_SILENT": "silent",
        "DEVICE_PLACEMENT_SILENT_FOR_INT32": "silent_for_int32",
        "DEVICE_PLACEMENT_WARN": "warn",
        "EAGER_MODE": 1,
        "GRAPH_MODE": 0,
        "SYNC": 0,
        "_context": _CONTEXT,
        "_reset_context": eager_context._reset_context,
        "_reset_jit_compiler_flags": lambda: None,
        "async_wait": lambda: None,
        "context": lambda: _CONTEXT,
        "device": tf.device,
        "device_policy": device_policy,
        "eager_mode": eager_mode,
        "ensure_initialized": _CONTEXT.ensure_initialized,
        "executing_eagerly": tf.executing_eagerly,
        "executing_eagerly_v1": tf.executing_eagerly,
        "execution_mode": execution_mode,
        "global_seed": lambda: None,
        "graph_mode": graph_mode,
        "in_graph_mode": lambda: not tf.executing_eagerly(),
        "is_custom_device": lambda name: False,
        "is_tfrt_enabled": lambda: False,
        "num_gpus": _CONTEXT.num_gpus,
        "run_eager_op_as_function_enabled": lambda: True,
        "set_server_def": lambda *args: None,
    },
    "eager.def_function": {
        "function": tf.function,
        "functions_run_eagerly": _config.functions_run_eagerly,
        "run_functions_eagerly": _config.run_functions_eagerly,
    },
    "eager.polymorphic_function.polymorphic_function": {"function": tf.function},
    "tf2": {"disable": lambda: None, "enable": lambda: None, "enabled": lambda: True},
}
