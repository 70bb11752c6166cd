"""Settings of `tf.config` that are neither about devices nor about placement.

Some mean something on torch (TF32, determinism), some only to TensorFlow's own machinery; those
are kept and given back, so that programs which set them run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..base.arguments import as_switch
from ..devices.inventory import INVENTORY
from .context import PROCESS, at_reset, forget_routes

_DEFAULT_OPTIONS = {"disable_model_pruning": False, "disable_meta_optimizer": False}
#: All of them, in the order in which TensorFlow tells them.
_KNOWN_OPTIONS = (
    "layout_optimizer", "constant_folding", "shape_optimization", "remapping",
    "arithmetic_optimization", "dependency_optimization", "loop_optimization",
    "function_optimization", "debug_stripper", "disable_model_pruning",
    "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector",
    "auto_mixed_precision", "use_plugin_optimizers", "disable_meta_optimizer",
    "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_mkl", "min_graph_nodes",
)  # fmt: skip
_COUNT = "min_graph_nodes"  # the one option that is no switch
_STATE: dict[str, Any] = {}
# How to give torch back what the program changed, by what it is.
_UNDO: dict[str, Callable[[], None]] = {}


@at_reset
def _forget() -> None:
    for undo in _UNDO.values():
        undo()
    _UNDO.clear()
    _STATE.clear()
    _STATE.update(jit="", options={}, synchronous=True)


_forget()


def get_jit() -> str:
    """'autoclustering' if XLA was asked for, else '' (`tf.config.optimizer.get_jit`)."""
    return str(_STATE["jit"])


def set_jit(enabled: bool | str | None) -> None:
    """Keeps whether XLA was asked for; torch's kernels do not use it
    (`tf.config.optimizer.set_jit`).

    Raises:
        ValueError: `enabled` is neither a bool nor "autoclustering".
    """
    if enabled not in (True, False, "autoclustering", "", None):
        raise ValueError(
            f"Invalid value for `enabled`: {enabled!r}. Use True, False or 'autoclustering'."
        )
    _STATE["jit"] = "autoclustering" if enabled else ""


def get_experimental_options() -> dict[str, Any]:
    """The graph optimizer's options (`tf.config.optimizer.get_experimental_options`): switches that
    are on or off, and a number of nodes unless that is 0. None takes a wish back.
    """
    options = {name: value for name, value in _STATE["options"].items() if value is not None}
    told: dict[str, Any] = {**_DEFAULT_OPTIONS}
    told.update({name: bool(options[name]) for name in options if name != _COUNT})
    if options.get(_COUNT):
        told[_COUNT] = options[_COUNT]
    return {name: told[name] for name in _KNOWN_OPTIONS if name in told}


def set_experimental_options(options: dict[str, Any]) -> None:
    """Keeps options of TensorFlow's graph optimizer; unknown ones are ignored
    (`tf.config.optimizer.set_experimental_options`). `debug_stripper` has an effect: functions run
    without their assertions, checks of numbers and prints.
    """
    given, before = dict(options), strips_checks()
    _STATE["options"].update({k: given[k] for k in given if k in _KNOWN_OPTIONS})
    if strips_checks() is not before:
        forget_routes()


def strips_checks() -> bool:
    """Whether functions run without what only checks or prints."""
    options = _STATE["options"]
    return bool(options.get("debug_stripper")) and not options.get("disable_meta_optimizer")


def get_synchronous_execution() -> bool:
    """Whether ops were asked to run in order; in Emplace they do
    (`tf.config.experimental.get_synchronous_execution`).
    """
    return bool(_STATE["synchronous"])


def set_synchronous_execution(enable: bool | None) -> None:
    """Keeps the wish, None for the default; every op runs in order
    (`tf.config.experimental.set_synchronous_execution`).
    """
    _STATE["synchronous"] = True if enable is None else bool(enable)


def tensor_float_32_execution_enabled() -> bool:
    """Whether float32 products may use TF32 on GPUs that have it; on by default
    (`tf.config.experimental.tensor_float_32_execution_enabled`).
    """
    return INVENTORY.requests.tf32


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Lets float32 products and convolutions on GPUs use TF32, or not: torch's too, from the first
    use of a device on (`tf.config.experimental.enable_tensor_float_32_execution`).

    Raises:
        TypeError: `enabled` is no bool.
    """
    INVENTORY.use_tf32(as_switch("enable_tensor_float_32_execution", enabled))


def enable_op_determinism() -> None:
    """Makes every op give the same result in every run
    (`tf.config.experimental.enable_op_determinism`). Random ops then require a seed.
    """
    PROCESS.deterministic = True
    before = torch.are_deterministic_algorithms_enabled()
    _UNDO.setdefault("determinism", lambda: torch.use_deterministic_algorithms(before))
    torch.use_deterministic_algorithms(True)
    forget_routes()


def disable_op_determinism() -> None:
    """Undoes `enable_op_determinism`."""
    PROCESS.deterministic = False
    torch.use_deterministic_algorithms(False)
    forget_routes()


def is_op_determinism_enabled() -> bool:
    """Whether every op gives the same result in every run."""
    return PROCESS.deterministic
