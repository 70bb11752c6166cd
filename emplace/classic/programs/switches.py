"""Switches between TF 1's and TF 2's ways that programs set at their start.

Variables are always resources, and control flow is always TF 2's: those switches change what the
program is told and nothing else.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from ...core.context import LOCAL, at_reset, device
from ...graph.recording.default import get_default_graph
from ...ops.convert import to_tensor

_STATE = {"resource": True, "control_flow": True}


@at_reset
def enable_resource_variables() -> None:
    """Variables are resources (`tf.compat.v1.enable_resource_variables`); they always are."""
    _STATE["resource"] = True


def disable_resource_variables() -> None:
    """Changes only what `resource_variables_enabled` says."""
    _STATE["resource"] = False


def resource_variables_enabled() -> bool:
    """What was asked for last (`tf.compat.v1.resource_variables_enabled`)."""
    return _STATE["resource"]


@at_reset
def enable_control_flow_v2() -> None:
    """Branches and loops are operations with bodies; they always are."""
    _STATE["control_flow"] = True


def disable_control_flow_v2() -> None:
    """Changes only what `control_flow_v2_enabled` says."""
    _STATE["control_flow"] = False


def control_flow_v2_enabled() -> bool:
    """What was asked for last (`tf.compat.v1.control_flow_v2_enabled`)."""
    return _STATE["control_flow"]


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """A scope in which operations run where `op` runs, whatever the device scopes say
    (`tf.compat.v1.colocate_with`); in eager mode the scope of its device.

    Args:
        op: an operation, a tensor or a variable; None ends colocation, with `ignore_existing`.
        ignore_existing: whether the scopes around do not count.
    """
    if LOCAL.state.target.is_eager:
        where = op if op is None or hasattr(op, "device") else to_tensor(op)
        return nullcontext() if where is None else device(where.device)
    return get_default_graph().colocate_with(op, ignore_existing)
