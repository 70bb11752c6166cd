"""`run_kernel` runs an op's kernel as its route says.

A plain route is a call of the kernel and a wrapper around its result, which eager mode does itself
(`EagerTarget.apply`). A bounded one reserves memory before and charges it after. Any other goes
through `_run_instrumented`, in this order: tell observers, copy inputs over, run, tell observers
again.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from ..base import dtypes, log
from ..base.errors import invalid_argument
from ..core.context import LOCAL, PROCESS
from ..core.events import Call, Copy, tell, user_line
from ..core.tensor import EagerTensor, make_tensor, raw_bytes
from ..core.tensor_list import TensorList, taken_list
from ..devices.device import Device
from .bounds import run_bounded, run_steady, run_stored, same_dims
from .failure import fail
from .route import Origin, Route

TorchTensor = torch.Tensor


def run_kernel(route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None) -> Any:
    """Runs an op.

    Args:
        route: the decision for this op and these kinds of inputs.
        inputs: the tensors.
        attrs: the attributes by name, or None.

    Returns:
        A tensor, a list of tensors, or None.

    Raises:
        OpError: every failure of a kernel, as the class TensorFlow raises.
    """
    if route.is_plain:
        try:
            if len(inputs) == 2 and not attrs:
                x, y = inputs
                value = route.kernel(x._value, y._value)
            else:
                value = route.kernel(*[x._value for x in inputs], **(attrs or {}))
        except Exception as error:
            fail(error, route, inputs, attrs)
        return wrapped(value, route)
    if route.is_bounded:
        tensor = run_steady(route, inputs, attrs) if route.steady else None
        return _run_bounded(route, inputs, attrs) if tensor is None else tensor
    return _run_instrumented(route, inputs, attrs)


def wrapped(value: object, route: Route) -> Any:
    """What a kernel made, as a tensor, a list of tensors, or None."""
    if type(value) is TorchTensor:
        tensor = EagerTensor()
        tensor._value = value
        tensor._kind = route.kinds[value.dtype]
        tensor._origin = route
        return tensor
    return _wrap(value, route, route)


def _run_bounded(
    route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None
) -> Any:
    """The same on a device with a budget."""
    if route.is_stored and not route.is_metered:
        value = run_stored(route, inputs, attrs)
    else:
        value = run_bounded(route, inputs, attrs)
    if type(value) is not TorchTensor:
        return _wrap(value, route, route)
    tensor = EagerTensor()
    tensor._value = value
    tensor._kind = route.kinds[value.dtype]
    tensor._origin = route
    if route.is_stored:
        tensor._dims = same_dims(value.shape)  # what takes it will ask
    return tensor


def _wrap(value: object, route: Route, origin: object) -> Any:
    if isinstance(value, (TorchTensor, np.ndarray)):
        return make_tensor(value, route.kinds[value.dtype], origin)
    if value is None:
        return None
    if isinstance(value, (tuple, list)):
        return [
            make_tensor(each, route.kinds[each.dtype], origin)
            if type(each) is TorchTensor or isinstance(each, (TorchTensor, np.ndarray))
            else _wrap(each, route, origin)
            for each in value
        ]
    is_variant = getattr(value, "dtype", None) == "variant"
    dtype = dtypes.variant if is_variant else dtypes.resource
    return make_tensor(value, route.device.kind(dtype), origin)


def _compute(
    route: Route,
    inputs: tuple[EagerTensor, ...],
    values: list[Any],
    attrs: dict[str, Any] | None,
) -> Any:
    """What the kernel makes of raw values that are on its device."""
    if route.budget is not None:
        return run_bounded(route, inputs, attrs, values)
    try:
        return route.kernel(*values, **(attrs or {}))
    except Exception as error:
        fail(error, route, inputs, attrs)


def _run_instrumented(
    route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None
) -> Any:
    device = route.device
    call = Call(route, inputs, attrs)
    watched = PROCESS.observers and not device.backend.is_phantom
    if watched:
        call.line = user_line() if route.operation is None else route.operation.line
        tell("placed", call)
    with device.running():
        values = [x._value for x in inputs]
        for i in route.transfers:
            first = _first_place(inputs, i)
            values[i] = values[first] if first < i else _bring(inputs[i], i, call)
        start = time.perf_counter()
        value = _compute(route, inputs, values, attrs)
        if watched and device.type != "CPU":
            device.backend.synchronize(device.ordinal)
        call.seconds = time.perf_counter() - start
    origin: Any = route
    if call.line is not None or call.copies:
        origin = Origin(route, tuple(call.copies), call.line)
    outputs = _wrap(value, route, origin)
    if watched:
        call.outputs = tuple(outputs) if isinstance(outputs, list) else (outputs,)
        tell("executed", call)
    return outputs


def _first_place(inputs: tuple[EagerTensor, ...], i: int) -> int:
    """Where an input stands first: one that is taken twice is copied once."""
    return next(j for j in range(i + 1) if inputs[j] is inputs[i])


def _bring(tensor: EagerTensor, position: int, call: Call) -> Any:
    """The value of an input, copied to the device of the op."""
    op, target, source = call.op, call.device, tensor._kind.device
    if not op.is_transfer:
        _check_policy(op.name, position, tensor, target)
    value = tensor._value
    if not isinstance(value, (TorchTensor, TensorList)):
        return value
    try:
        if isinstance(value, TensorList):
            copied: Any = taken_list(value, target, source)
        elif target.budget is None:
            copied = target.take(value, source)
        else:
            maker = call.route.maker if op.is_transfer else call.route.copy_maker()
            copied = target.budget.allocate(value, lambda: target.take(value, source), maker)
    except Exception as error:
        fail(error, call.route, (tensor,), None)
    copy = Copy(position, source, target, raw_bytes(value), is_hidden=not op.is_transfer)
    call.copies.append(copy)
    if PROCESS.observers and not target.backend.is_phantom:
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
