"""The one door to torch: `run_kernel` runs an op's kernel as its route says.

A plain route is a call of the kernel and a wrapper around its result. Any other goes through
`_run_carefully`, in this order: tell observers, copy inputs over, reserve memory, run, charge
what came back, tell observers again. Torch's exceptions are translated here and nowhere else.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes, log
from ..base.dtypes import runtime_name
from ..base.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    invalid_argument,
)
from ..base.shapes import num_elements
from ..core.context import LOCAL, PROCESS
from ..core.events import Call, Copy, tell, user_line
from ..core.tensor import EagerTensor, make_tensor, raw_bytes
from ..devices.device import Device
from ..devices.memory import OutOfBudget, format_bytes, round_up
from ..ops.infer import Spec, as_specs
from .route import Origin, Route

TorchTensor = torch.Tensor
_NO_STREAM = contextlib.nullcontext()


def run_kernel(route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None) -> Any:
    """Runs an op: the last of the hot path's four functions.

    Args:
        route: the decision for this op and these kinds of inputs.
        inputs: the tensors.
        attrs: the attributes by name, or None.

    Returns:
        A tensor, a list of tensors, or None.

    Raises:
        OpError: every failure of a kernel, as the class TensorFlow raises.
    """
    if not route.is_plain:
        return _run_carefully(route, inputs, attrs)
    try:
        if attrs is not None:
            value = route.kernel(*[x._value for x in inputs], **attrs)
        elif len(inputs) == 2:
            x, y = inputs
            value = route.kernel(x._value, y._value)
        else:
            value = route.kernel(*[x._value for x in inputs])
    except Exception as error:
        raise _translate(error, route, inputs, attrs) from error
    if type(value) is TorchTensor:
        tensor = EagerTensor()
        tensor._value = value
        tensor._kind = route.kinds[value.dtype]
        tensor._origin = route
        return tensor
    return _wrap(value, route, route)


def _wrap(value: Any, route: Route, origin: Any) -> Any:
    if isinstance(value, (TorchTensor, np.ndarray)):
        return make_tensor(value, route.kinds[value.dtype], origin)
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        return [make_tensor(each, route.kinds[each.dtype], origin) for each in value]
    return make_tensor(value, route.device.kind(dtypes.resource), origin)


def _run_carefully(
    route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None
) -> Any:
    device = route.device
    call = Call(route, inputs, attrs)
    watched = PROCESS.observers
    if watched:
        call.line = user_line()
        tell("placed", call)
    options = attrs or {}
    if route.op.makes:
        options = {**options, "device": device}
    with device.running() if device.stream is not None else _NO_STREAM:
        values = [x._value for x in inputs]
        for i in route.moves:
            values[i] = _bring(inputs[i], i, call)
        reserved = 0
        if device.budget is not None:
            reserved = _reserve(route, values, attrs)
        try:
            start = time.perf_counter()
            value = route.kernel(*values, **options)
            if watched and device.type != "CPU":
                device.backend.synchronize(device.ordinal)
            call.seconds = time.perf_counter() - start
        except Exception as error:
            if device.budget is not None:
                device.budget.cancel(reserved)
            raise _translate(error, route, inputs, attrs) from error
        if device.budget is not None:
            _settle(route, reserved, value, values)
    origin: Any = route
    if call.line is not None or call.copies:
        origin = Origin(route, tuple(call.copies), call.line)
    outputs = _wrap(value, route, origin)
    if watched:
        call.outputs = tuple(outputs) if isinstance(outputs, list) else (outputs,)
        tell("executed", call)
    return outputs


def _bring(tensor: EagerTensor, position: int, call: Call) -> Any:
    """The value of an input, copied to the device of the op."""
    op, target, source = call.op, call.device, tensor._kind.device
    if not op.moves:
        _check_policy(op.name, position, tensor, target)
    value = tensor._value
    if not isinstance(value, TorchTensor):
        return value
    nbytes = raw_bytes(value)
    reserved = 0
    if target.budget is not None:
        reserved = round_up(nbytes)
        _take(target, reserved, op.name, Spec(tuple(value.shape), tensor.dtype))
    try:
        copied = target.take(value, source)
    except Exception as error:
        if target.budget is not None:
            target.budget.cancel(reserved)
        raise _translate(error, call.route, (tensor,), None) from error
    if target.budget is not None:
        target.budget.settle(reserved, [copied], op.name if op.moves else f"copy for {op.name}")
    copy = Copy(position, source, target, nbytes, is_hidden=not op.moves)
    call.copies.append(copy)
    if PROCESS.observers:
        tell("copied", call, copy)
    return copied


def _check_policy(op_name: str, position: int, tensor: EagerTensor, target: Device) -> None:
    policy = LOCAL.state.policy
    if policy == "silent" or (policy == "silent_for_int32" and tensor.dtype is dtypes.int32):
        return
    where = (
        f"{op_name} {{}}input #{position} was expected to be on {target.name} but is actually on "
        f"{tensor.device} (operation running on {target.name})"
    )
    if policy == "warn":
        log.warning(
            f"before computing {where.format('')}. This triggers a copy which can be a "
            "performance bottleneck."
        )
        return
    raise invalid_argument(
        f"Tensors on conflicting devices: cannot compute {where.format('as ')} Tensors can be "
        "copied explicitly using: `with tf.device(device_name): x = tf.identity(x)` or "
        "transparently copied by using tf.config.experimental.set_device_policy('silent'). "
        f"Copying tensors between devices may slow down your model [Op:{op_name}] name: "
    )


# What outputs will take, by (op, shapes and dtypes, attributes): rules cost more than kernels.
_PROJECTED: dict[Any, tuple[int, Spec]] = {}
_MOST_PROJECTED = 4096
_NOTHING = 0, Spec((), dtypes.float32)


def _reserve(route: Route, values: list[Any], attrs: dict[str, Any] | None) -> int:
    """Sets the memory of the outputs aside; returns its bytes."""
    op = route.op
    if op.infer is None or (op.aliases and all(v.is_contiguous() for v in values)):
        return 0
    shapes = tuple([getattr(v, "shape", None) for v in values])
    key: Any = op, route.in_kinds, shapes, tuple(attrs.items()) if attrs else None
    try:
        found = _PROJECTED.get(key)
    except TypeError:  # an attribute that is no key, such as an array
        key = found = None
    if found is None:
        found = _project(route, values, attrs)
        if key is not None:
            if len(_PROJECTED) >= _MOST_PROJECTED:
                _PROJECTED.clear()
            _PROJECTED[key] = found
    nbytes, largest = found
    _take(route.device, nbytes, op.name, largest)
    return nbytes


def _project(route: Route, values: Sequence[Any], attrs: dict[str, Any] | None) -> tuple[int, Spec]:
    """(bytes of all outputs, the largest output)."""
    assert route.op.infer is not None
    try:
        outputs = as_specs(route.op.infer(*_specs(route, values), **(attrs or {})))
    except OpError as error:
        raise _with_op(error, route) from None
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return _NOTHING  # the kernel will say what is wrong
    sizes = [round_up(num_elements(spec.dims) * spec.dtype.size) for spec in outputs]
    if not sizes:
        return _NOTHING
    return sum(sizes), outputs[sizes.index(max(sizes))]


def _specs(route: Route, values: Sequence[Any]) -> list[Spec]:
    return [
        Spec(tuple(getattr(value, "shape", ())), kind.dtype)
        for value, kind in zip(values, route.in_kinds, strict=True)
    ]


def _take(device: Device, nbytes: int, op_name: str, largest: Spec) -> None:
    assert device.budget is not None
    try:
        device.budget.reserve(nbytes)
    except OutOfBudget as refusal:
        raise _exhausted(device, op_name, largest, refusal) from None


def _settle(route: Route, reserved: int, value: Any, values: Sequence[Any]) -> None:
    """Charges the storages that came back: outputs, and what variables hold now."""
    made = value if isinstance(value, (tuple, list)) else (value,)
    held = [each for each in made if isinstance(each, TorchTensor)]
    if route.op.stateful:
        held += [v.value for v in values if isinstance(getattr(v, "value", None), TorchTensor)]
    budget = route.device.budget
    assert budget is not None
    try:
        budget.settle(reserved, held, route.op.name)
    except OutOfBudget as refusal:
        largest = max(held, key=raw_bytes)
        spec = Spec(tuple(largest.shape), dtypes.as_dtype(largest.dtype))
        raise _exhausted(route.device, route.op.name, spec, refusal) from None


def _exhausted(
    device: Device, op_name: str, largest: Spec, refusal: OutOfBudget
) -> ResourceExhaustedError:
    usage = refusal.budget.usage()
    assert largest.dims is not None
    assert usage.limit is not None
    shape = ",".join(str(size) for size in largest.dims)
    holders = "; ".join(
        f"{format_bytes(charge.nbytes)} from {charge.op_name} {list(charge.shape)}"
        for charge in refusal.budget.biggest()
    )
    message = (
        f"OOM when allocating tensor with shape[{shape}] and type {runtime_name(largest.dtype)} "
        f"on {device.name} by allocator {device.type}_{device.index}_budget [Op:{op_name}]\n"
        f"{op_name} needs {format_bytes(refusal.nbytes)} on {device.short_name}; "
        f"{format_bytes(usage.in_use)} of {format_bytes(usage.limit)} are in use "
        f"(peak {format_bytes(usage.peak)}). "
        f"Largest: {holders or 'nothing'}. Free tensors, or raise the memory limit of the device."
    )
    tell("exhausted", device, message)
    return ResourceExhaustedError(None, None, message)


def _with_op(error: OpError, route: Route) -> OpError:
    """The same error, naming the op."""
    if "[Op:" in error.message:
        return error
    return type(error)(None, None, f"{error.message} [Op:{route.op.name}] name: ")


def _translate(
    error: Exception,
    route: Route,
    inputs: tuple[EagerTensor, ...],
    attrs: dict[str, Any] | None,
) -> Exception:
    """What TensorFlow would raise for a kernel's failure."""
    op = route.op
    text = str(error)
    if isinstance(error, OpError):
        return _with_op(error, route)
    if isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in text:
        return ResourceExhaustedError(
            None, None, f"OOM on {route.device.name} [Op:{op.name}]: {text}"
        )
    if op.infer is not None:
        try:
            op.infer(*_specs(route, [x._value for x in inputs]), **(attrs or {}))
        except InvalidArgumentError as better:
            return _with_op(better, route)
        except Exception:  # the rule has nothing better to say than the kernel
            pass
    if isinstance(error, NotImplementedError) or "not implemented for" in text:
        given = ", ".join(runtime_name(kind.dtype) for kind in route.in_kinds)
        return UnimplementedError(
            None,
            None,
            f"There is no {route.device.type} kernel of {op.name} for {given}: {text} "
            f"[Op:{op.name}]",
        )
    if isinstance(error, (RuntimeError, ValueError, TypeError, IndexError)):
        return invalid_argument(f"{text} [Op:{op.name}] name: ")
    return InternalError(None, None, f"{error!r} [Op:{op.name}]")
