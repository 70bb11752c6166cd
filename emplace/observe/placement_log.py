"""TensorFlow's placement log (`tf.debugging.set_log_device_placement`).

Two kinds of lines, on two streams, as in TensorFlow:
- `Executing op MatMul in device ...` for every op: on standard error with a log prefix; in a
  notebook bare on `sys.stdout`.
- `MatMul: (MatMul): ...` with the op's inputs and outputs, once per new kernel: on file
  descriptor 1, and with a prefix on standard error.
Unlike TensorFlow's, the log can be turned on and off at any time.
"""

from __future__ import annotations

import builtins
import os
import sys
from typing import Any

from ..base import dtypes, log
from ..core.context import PROCESS, at_reset
from ..core.events import Call, Observer, add_observer, remove_observer
from ..devices.inventory import INVENTORY
from ..ops.op import Arg, expand


class PlacementLog(Observer):
    """Writes a line for every op."""

    def __init__(self) -> None:
        self._known: set[Any] = set()

    def placed(self, call: Call) -> None:
        """Writes the op's lines, just before it runs."""
        kinds = tuple(x.dtype for x in call.inputs)
        key = (call.op, call.device, kinds, str(call.attrs))
        if key not in self._known:
            self._known.add(key)
            _write_kernel(call)
        line = f"Executing op {call.op.name} in device {call.device.name}"
        if _in_notebook():
            print(line)
        else:
            log.info(line)


def _in_notebook() -> bool:
    return hasattr(builtins, "get_ipython") or "get_ipython" in vars(sys.modules["__main__"])


def _write_kernel(call: Call) -> None:
    lines = _kernel_lines(call)
    sys.stdout.flush()
    os.write(1, "".join(f"{line}\n" for line in lines).encode())
    if not _in_notebook():
        for line in lines:
            log.info(line)


def _kernel_lines(call: Call) -> list[str]:
    """An op as TensorFlow wraps it: its inputs, itself, its outputs."""
    op, device = call.op, call.device.name
    host = INVENTORY.devices()[0].name
    lines = []
    tensors = iter(expand(op.tensor_inputs, len(call.inputs)))
    given = iter(call.inputs)
    for arg in op.inputs:
        if arg.is_host:
            kind = "_Arg" if device == host else "_DeviceArg"
            lines.append(f"{arg.logged_name}: ({kind}): {host}")
            continue
        for _ in range(_count(arg, call)):
            _, place = next(tensors)
            tensor = next(given)
            where = host if _is_host_value(op.name, tensor) else device
            lines.append(f"{_numbered(arg, place)}: (_Arg): {where}")
    lines.append(f"{op.name}: ({op.name}): {device}")
    lines += [f"{arg.logged_name}_RetVal: (_Retval): {device}" for arg in op.outputs]
    return lines


def _count(arg: Arg, call: Call) -> int:
    if not arg.is_list:
        return 1
    return sum(each is arg for each, _ in expand(call.op.tensor_inputs, len(call.inputs)))


def _numbered(arg: Arg, place: int | None) -> str:
    return arg.logged_name if place is None else f"{arg.logged_name}_{place}"


def _is_host_value(op_name: str, tensor: Any) -> bool:
    # TF: integers reach _EagerConst in host memory, other values on the device itself.
    return op_name == "_EagerConst" and tensor.dtype in (dtypes.int32, dtypes.string)


_STATE: dict[str, Any] = {"wanted": False, "log": None}


def set_log_device_placement(log_device_placement: bool) -> None:
    """Logs the device of every op, from now on (`tf.debugging.set_log_device_placement`).

    Args:
        log_device_placement: True to log, False to stop.
    """
    wanted = bool(log_device_placement)
    _STATE["wanted"] = wanted
    if _STATE["log"] is None:
        _STATE["log"] = PlacementLog()
    if wanted:
        add_observer(_STATE["log"])
    else:
        remove_observer(_STATE["log"])


def get_log_device_placement() -> bool:
    """Whether devices of ops are logged (`tf.debugging.get_log_device_placement`)."""
    return bool(_STATE["wanted"])


@at_reset
def _stop() -> None:
    if _STATE["log"] in PROCESS.observers:
        remove_observer(_STATE["log"])
    _STATE.update(wanted=False, log=None)
