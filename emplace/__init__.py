"""Emplace: programs written for TensorFlow, on PyTorch's kernels, with devices you can see,
bound and multiply.

    import emplace.tensorflow as tf     # TensorFlow 2
    import emplace                      # what TensorFlow does not have

Names are loaded when they are first used: importing this module loads neither torch nor NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .base.torch_environment import prepare_torch as _prepare_torch

if TYPE_CHECKING:
    from . import testing
    from .devices.doctor import doctor
    from .devices.limits import limit
    from .devices.table import devices
    from .graph.function.custom_gradients import recompute
    from .graph.plan.foresight import try_anyway
    from .hook import install
    from .observe.estimate import estimate, largest_batch
    from .observe.explain import explain
    from .observe.kernels import kernels
    from .observe.memory import memory
    from .observe.report import watch
    from .ops.op import set_op_devices
    from .runtime import immediate_checks, release, reset, virtual_gpus

_prepare_torch()  # before anything loads torch

__version__ = "0.1.0"

__all__ = [
    "devices",
    "doctor",
    "estimate",
    "explain",
    "immediate_checks",
    "install",
    "kernels",
    "largest_batch",
    "limit",
    "memory",
    "recompute",
    "release",
    "reset",
    "set_op_devices",
    "testing",
    "try_anyway",
    "virtual_gpus",
    "watch",
]

# Where each name lives; importing that must not bind the name to anything that is no function.
# `devices` is also a folder, which therefore can be called.

_MODULES = {
    "devices": "devices.table",
    "doctor": "devices.doctor",
    "estimate": "observe.estimate",
    "explain": "observe.explain",
    "immediate_checks": "runtime",
    "install": "hook",
    "kernels": "observe.kernels",
    "largest_batch": "observe.estimate",
    "limit": "devices.limits",
    "memory": "observe.memory",
    "recompute": "graph.function.custom_gradients",
    "release": "runtime",
    "try_anyway": "graph.plan.foresight",
    "reset": "runtime",
    "set_op_devices": "ops.op",
    "virtual_gpus": "runtime",
    "watch": "observe.report",
}


def __getattr__(name: str) -> Any:
    if name == "testing":
        return importlib.import_module(".testing", __name__)
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module 'emplace' has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{module}", __name__), name)
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
