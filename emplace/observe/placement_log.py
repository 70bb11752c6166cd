"""TensorFlow's placement log (`tf.debugging.set_log_device_placement`).

Two kinds of lines, on two streams, as in TensorFlow:
- `Executing op MatMul in device ...` for every op, and for every call of a `tf.function`: on
  standard error with a log prefix; in a notebook bare on `sys.stdout`.
- `MatMul: (MatMul): ...` with the op's inputs and outputs, once per new kernel, and for all
  operations of a function when they have got their devices: on file descriptor 1, and with a prefix
  on standard error.
Unlike TensorFlow's, the log can be turned on and off at any time.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from ..base import dtypes, log
from ..base.dtypes import DType
from ..base.errors import OpError
from ..core.context import PROCESS, at_reset
from ..core.events import Call, Observer, PlacedOperation, add_observer, remove_observer
from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..ops.infer import Spec, as_specs
from ..ops.op import Arg, expand
from ..ops.variables.resource import Storage


class PlacementLog(Observer):
    """Writes a line for every op."""

    def __init__(self) -> None:
        self._known: set[Any] = set()

    def placed(self, call: Call) -> None:
        """Writes the op's lines, just before it runs; those of a function have been written."""
        if call.route.operation is not None:
            return
        key = _kernel_key(call)
        if key not in self._known:
            self._known.add(key)
            _write_kernel(_kernel_lines(call))
        _write_executing(call.op.name, call.device)

    def planned(self, name: str, operations: Sequence[PlacedOperation]) -> None:
        """Writes where the operations of a function are."""
        lines = [
            f"{operation.name}: ({operation.type}): {operation.device.name}"
            for operation in operations
        ]
        if (name, *lines) not in self._known:
            self._known.add((name, *lines))
            _write_kernel(lines)

    def called(self, name: str, device: Device) -> None:
        """Writes that a function runs."""
        _write_executing(name, device)


def _write_executing(name: str, device: Device) -> None:
    line = f"Executing op {name} in device {device.name}"
    if log.in_notebook():
        sys.stdout.write(f"{line}\n")
    else:
        log.info(line)


def _write_kernel(lines: list[str]) -> None:
    sys.stdout.flush()
    os.write(1, "".join(f"{line}\n" for line in lines).encode())
    if not log.in_notebook():
        for line in lines:
            log.info(line)


def _kernel_key(call: Call) -> tuple[Any, ...]:
    """What tells one kernel from another: op, device, types, and attributes.

    A host argument is none: reshaping to (2, 1) and to (1, 2) is one kernel. A flag that is off
    may be left out.
    """
    kinds = tuple(
        (x.dtype, repr(x._value.value_shape) if isinstance(x._value, Storage) else "")
        for x in call.inputs
    )
    host = {arg.name for arg in call.op.inputs if arg.is_host}
    attrs = [
        (name, repr(value))
        for name, value in (call.attrs or {}).items()
        if host.isdisjoint((name, _HOST_ARGS.get(name)))
        and value is not False
        and name != "shared_name"
    ]
    key = (call.attrs or {}).get("key")
    if isinstance(key, tuple):  # of an index; random operations have keys too, which are numbers
        attrs.append(("masks", repr(_masks(key))))
    return call.op, call.device, kinds, tuple(attrs)


# Attributes that hold a host argument of another name.
_HOST_ARGS = {"axis": "reduction_indices", "key": "begin", "dims": "shape"}


def _masks(key: Any) -> Any:
    """The form of an index without its numbers, which is what TensorFlow keeps as masks."""
    return tuple((entry[0], *(part is None for part in entry[1:])) for entry in key)


def _kernel_lines(call: Call) -> list[str]:
    """An op as TensorFlow wraps it: its inputs, itself, its outputs."""
    op = call.op
    own = f"{op.name}: ({op.name}): {call.device.name}"
    results = _output_lines(call)
    # TF: what has no inputs comes last.
    return [*_input_lines(call), own, *results] if op.inputs else [*results, own]


def _input_lines(call: Call) -> list[str]:
    host = INVENTORY.devices()[0].name
    given = zip(expand(call.op.tensor_inputs, len(call.inputs)), call.inputs, strict=True)
    tensors = [(arg, place, tensor) for (arg, place), tensor in given]
    lines = []
    for each in call.op.inputs:
        if each.is_host:
            lines.append(f"{each.logged_name}: (_DeviceArg): {host}")
        for arg, place, tensor in tensors:
            if arg is each:
                where = host if _is_host_value(call, tensor) else call.device.name
                kind = "Device" if _is_own(call, tensor.dtype) else ""
                lines.append(f"{_numbered(arg, place)}: (_{kind}Arg): {where}")
    return lines


def _output_lines(call: Call) -> list[str]:
    types = _bound_types(call)
    lines = []
    for arg, place in expand(call.op.outputs, _count_outputs(call)):
        kind = "Device" if _is_own(call, types.get(arg.type)) else ""
        lines.append(f"{_numbered(arg, place)}_RetVal: (_{kind}Retval): {call.device.name}")
    return lines


def _count_outputs(call: Call) -> int:
    """How many tensors will come back; only an op with a list of them must be asked."""
    outputs = call.op.outputs
    if not any(arg.is_list for arg in outputs):
        return len(outputs)
    given = [Spec(tuple(x._value.shape), x.dtype) for x in call.inputs]
    try:
        return len(as_specs(call.op.infer(*given, **(call.attrs or {}))))
    except OpError:  # the op is about to fail, and will say so itself
        return 0


def _bound_types(call: Call) -> dict[str, Any]:
    """The dtype behind each type name of the op's signature."""
    bound: dict[str, Any] = {"int32": dtypes.int32, **(call.attrs or {})}
    args = expand(call.op.tensor_inputs, len(call.inputs))
    for (arg, _), tensor in zip(args, call.inputs, strict=True):
        bound[arg.type] = tensor.dtype
        if isinstance(tensor._value, Storage):
            bound["dtype"] = tensor._value.dtype
    return bound


def _numbered(arg: Arg, place: int | None) -> str:
    return arg.logged_name if place is None else f"{arg.logged_name}_{place}"


def _is_own(call: Call, dtype: DType | None) -> bool:
    # TF: int32 counts as the host's unless a kernel says it is the device's own; the CPU's do.
    return dtype is dtypes.int32 and call.device.type == "CPU" and call.op.name != "_EagerConst"


def _is_host_value(call: Call, tensor: Any) -> bool:
    # TF: integers reach _EagerConst in host memory, other values on the device itself.
    return call.op.name == "_EagerConst" and tensor.dtype in (dtypes.int32, dtypes.string)


_STATE: dict[str, Any] = {"log": None}


def set_log_device_placement(enabled: bool) -> None:
    """Logs the device of every op, from now on (`tf.debugging.set_log_device_placement`).

    Args:
        enabled: True to log, False to stop.
    """
    wanted = PROCESS.logs_placement = bool(enabled)
    if _STATE["log"] is None:
        _STATE["log"] = PlacementLog()
    if wanted:
        add_observer(_STATE["log"])
    else:
        remove_observer(_STATE["log"])


def get_log_device_placement() -> bool:
    """Whether devices of ops are logged (`tf.debugging.get_log_device_placement`)."""
    return PROCESS.logs_placement


@at_reset
def _stop() -> None:
    if _STATE["log"] in PROCESS.observers:
        remove_observer(_STATE["log"])
    _STATE["log"], PROCESS.logs_placement = None, False
