"""What a user is told when an op fails: TensorFlow's class and words for torch's exceptions, and
for a refused allocation who asked, how much is there, and what holds it.
"""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType, runtime_name
from ..base.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    UnimplementedError,
    invalid_argument,
)
from ..base.shapes import num_elements, runtime_text
from ..core.events import tell
from ..core.places import program_line
from ..core.tensor import EagerTensor
from ..devices.charges import Maker
from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..devices.memory import OutOfBudget
from ..holders.refusals import refusal_text
from ..ops.infer import Spec, as_specs
from ..ops.variables.resource import Storage
from .route import Route


def fail(
    error: Exception,
    route: Route,
    inputs: tuple[EagerTensor, ...],
    attrs: dict[str, Any] | None,
) -> NoReturn:
    """Raises what TensorFlow would raise for a kernel's failure."""
    if isinstance(error, OutOfBudget):
        spec = _refused_spec(error)
        raise exhausted(route.device, route.op.name, spec, error, route.maker) from None
    if isinstance(error, ImportError):  # a library that only this op needs; it says which
        raise error
    raise _translate(error, route, inputs, attrs) from error


def _translate(
    error: Exception,
    route: Route,
    inputs: tuple[EagerTensor, ...],
    attrs: dict[str, Any] | None,
) -> Exception:
    op, text = route.op, str(error)
    if isinstance(error, OpError):
        return with_op(error, route)
    if isinstance(error, _FULL) or "can't allocate memory" in text:
        return _out_of_memory(route, inputs, attrs, text)
    if op.infer is not None:
        try:
            op.infer(*specs(route, [x._value for x in inputs]), **(attrs or {}))
        except InvalidArgumentError as better:
            return with_op(better, route)
        except Exception:  # the rule has nothing better to say than the kernel
            pass
    ours = _is_ours(error)
    if isinstance(error, NotImplementedError) or "not implemented for" in text:
        types = ", ".join(runtime_name(kind.dtype) for kind in route.in_kinds)
        why = f": {text}" if ours else ""
        return UnimplementedError(
            None,
            None,
            f"There is no {route.device.type} kernel of {op.name} for {types}{why} [Op:{op.name}]",
        )
    if not ours:
        text = _foreign(text, op.name, inputs, attrs)
    if isinstance(error, _WRONG_INPUTS):
        return invalid_argument(f"{text} [Op:{op.name}] name: ")
    return InternalError(None, None, f"{text} ({type(error).__name__}) [Op:{op.name}]")


# What Python and torch raise where memory is full, and for inputs that they refuse.
_FULL = (MemoryError, torch.OutOfMemoryError)
_WRONG_INPUTS = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
_LIBRARIES = tuple(each.__path__[0] for each in (torch, np))


def _is_ours(error: Exception) -> bool:
    """True for what a `raise` of ours, or of whoever wrote the kernel, says. Torch's and Python's
    own sentences speak of functions that no program called; they stay in the traceback, as the
    cause.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    path = trace.tb_frame.f_code.co_filename
    line = linecache.getline(path, trace.tb_lineno)
    return not path.startswith(_LIBRARIES) and line.lstrip().startswith("raise ")


def _foreign(
    text: str, name: str, inputs: Sequence[EagerTensor], attrs: dict[str, Any] | None
) -> str:
    """What went wrong, in words of ours: what the op was given, and what is known of the reason."""
    given = [f"{runtime_name(x.dtype)}{runtime_text(_dims(x))}" for x in inputs]
    given += [f"{key}={_brief(value)}" for key, value in (attrs or {}).items()]
    why = next((words for sign, words in _REASONS if sign in text), "they do not fit each other")
    return f"{name} cannot compute with {', '.join(given) or 'its inputs'}: {why}"


_TOO_LARGE = (
    "that would take more than 2**63 - 1 elements or bytes (Encountered overflow when multiplying "
    "sizes)"
)
_REASONS = (
    ("calculation overflowed", _TOO_LARGE),
    ("verflow when unpacking", _TOO_LARGE),
    ("too large to convert", "a number does not fit into 64 bits"),
    ("infs or NaNs", "an input holds infinite numbers or NaN"),
    ("is not differentiable", "this gradient has no gradient of its own"),
)


def _dims(x: Any) -> tuple[Any, ...]:
    value = x._value
    return tuple(value.value_shape if isinstance(value, Storage) else getattr(value, "shape", ()))


def _brief(value: DType | Sequence[int] | bool | None) -> str:
    text = str(getattr(value, "name", value))
    return text if len(text) <= 60 else f"{text[:57]}..."


def with_op(error: OpError, route: Route) -> OpError:
    """The same error, naming the op."""
    if "[Op:" in error.message or error.is_found_later:
        return error
    return type(error)(None, None, f"{error.message} [Op:{route.op.name}] name: ")


def specs(route: Route, values: Sequence[Any]) -> list[Spec]:
    """The shapes and dtypes of raw values, as shape rules take them."""
    return [
        Spec(tuple(getattr(value, "shape", ())), kind.dtype)
        for value, kind in zip(values, route.in_kinds, strict=True)
    ]


def exhausted(
    device: Device, op_name: str, spec: Spec, refusal: OutOfBudget, maker: Maker | str = ""
) -> ResourceExhaustedError:
    """The error for a refused allocation of a tensor like `spec`; tells observers. `maker` is what
    asked, where it knows its line.
    """
    line = program_line() if isinstance(maker, str) or maker.line is None else maker.line
    message = f"{first_line(device, op_name, spec)}\n{refusal_text(device, refusal, op_name, line)}"
    tell("exhausted", device, message)
    return ResourceExhaustedError(None, None, message)


def refused_copy(
    refusal: OutOfBudget, op_name: str, maker: Maker | str = ""
) -> ResourceExhaustedError:
    """The error for a value that a device has no room for, outside of any kernel."""
    devices = INVENTORY.devices()
    device = next((each for each in devices if each.budget is refusal.budget), devices[0])
    return exhausted(device, op_name, _refused_spec(refusal), refusal, maker)


def first_line(device: Device, op_name: str, spec: Spec, allocator: str = "budget") -> str:
    """What TensorFlow says first of an allocation that failed, of a tensor like `spec`."""
    shape = ",".join(str(size) for size in spec.dims or ())
    return (
        f"OOM when allocating tensor with shape[{shape}] and type {runtime_name(spec.dtype)} on "
        f"{device.name} by allocator {device.type}_{device.index}_{allocator} [Op:{op_name}]"
    )


def _refused_spec(refusal: OutOfBudget) -> Spec:
    assert refusal.dtype is not None
    return Spec(refusal.shape, dtypes.as_dtype(refusal.dtype))


def _is_about_memory(sentence: str) -> bool:
    """True for what a user of ours can use of the allocator's words."""
    return "GPU" in sentence and "orch" not in sentence and "ORCH" not in sentence


def _out_of_memory(
    route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None, text: str
) -> ResourceExhaustedError:
    """The error for hardware that is full."""
    device, op = route.device, route.op
    try:
        assert op.infer is not None
        made = as_specs(op.infer(*specs(route, [x._value for x in inputs]), **(attrs or {})))
        largest = max(made, key=lambda spec: num_elements(spec.dims) * spec.dtype.size)
        first = first_line(device, op.name, largest, "torch")
    except Exception:  # only running it could tell what it makes
        first = f"OOM when allocating a tensor on {device.name} [Op:{op.name}]"
    sentences = [each for each in text.split(". ") if _is_about_memory(each)]
    message = "\n".join([first, *sentences])
    tell("exhausted", device, message)
    return ResourceExhaustedError(None, None, message)
