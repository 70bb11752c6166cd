"""Kernels on phantom devices: they return tensors without elements, as the kernel would share them.

A kernel is run on tensors without elements where torch can do that: then its results are views
where they would be, and as large. Small values that are known are computed. Where neither works
the shape rule tells what comes back, in memory of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.shapes import Dims, num_elements
from ..core.tensor import EagerTensor
from ..core.tensor_list import TensorList
from ..devices.phantom import MOST_REAL_BYTES, PhantomDevice, Unprojectable, is_phantom
from ..ops.infer import Spec, as_specs
from ..ops.variables.resource import VAR_HANDLE, Storage

Kernel = Callable[..., Any]

# What changes nothing but variables, whose memory is without elements, too.
_ON_VARIABLES = ("ReadVariable", "Assign", "Resource", "FusedAdam", "VarIsInit", "CheckNumerics")
# What runs the program's Python, or reads files, though no record says that it has effects.
_NEVER_RUN = frozenset({"EagerPyFunc", "PyFunc", "PyFuncStateless", "ReadFile", "MatchingFiles"})
# Torch's convolutions return NHWC in the order of the memory; on tensors without elements they
# do not know on which hardware they are.
_CHANNELS_LAST = ("Conv", "Depthwise", "FusedConv", "_FusedConv")


def phantom_kernel(there: Kernel, kernel: Kernel, route: Any) -> Kernel:
    """What stands in for a kernel on a phantom device.

    Args:
        there: the kernel as it runs on that device.
        kernel: the kernel for any device.
        route: the route that it is for.
    """
    return _PhantomKernel(there, kernel, route)


class _PhantomKernel:
    """Runs one op without memory; see `phantom_kernel`."""

    def __init__(self, there: Kernel, kernel: Kernel, route: Any) -> None:
        self._there = there
        self._kernel = kernel
        self._route = route
        op = route.op
        is_on_variables = op.name.startswith(_ON_VARIABLES)
        self._has_effects = op.name in _NEVER_RUN or (op.stateful and not is_on_variables)
        self._works_on_memory = op.stateful

    def __call__(self, *values: Any, **attrs: Any) -> Any:
        route = self._route
        device: PhantomDevice = route.device
        device.moment.count()
        if route.op is VAR_HANDLE:
            return self._there(**attrs)
        if self._has_effects:
            return self._as_told(values, attrs)
        has_phantoms = any(map(_has_phantoms, values))
        if not has_phantoms and not self._works_on_memory:
            specs = self._specs(values, attrs)
            if specs is None or _bytes(specs) <= MOST_REAL_BYTES:
                return self._computed(values, attrs)
        if self._works_on_memory and not any(isinstance(each, Storage) for each in values):
            # What checks its input and hands it on.
            return values[0] if route.op.aliases is True else self._as_told(values, attrs)
        given = [_lifted(each) for each in values]
        try:
            made = self._there(*given, **attrs)
        except Exception:
            return self._as_told(values, attrs)
        return _channels_last(made, values) if route.op.name.startswith(_CHANNELS_LAST) else made

    def _computed(self, values: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """What the kernel makes of small values that are known."""
        route = self._route
        if route.op.is_factory:
            return self._kernel(*values, **attrs, device=route.device.twin)
        return self._there(*values, **attrs)

    def _as_told(self, values: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """What the shape rule says that comes back."""
        op, specs = self._route.op, self._specs(values, attrs)
        if specs is None:
            raise Unprojectable(f"what {op.name} returns is known only when it runs")
        made = [_empty(spec) for spec in specs]
        if op.aliases and values and len(made) == 1 and is_phantom(values[0]):
            aliases = op.aliases is True or _holds(op.aliases, values, attrs)
            if aliases and _bytes(specs) <= _bytes_of(values[0]):
                made = [values[0].as_strided(made[0].shape, made[0].stride())]
        elif not op.stateful:
            self._route.device.moment.guesses.add(op.name)
        is_list = len(op.outputs) != 1 or op.outputs[0].is_list
        if not op.outputs:
            return None
        return made if is_list else made[0]

    def _specs(self, values: Sequence[Any], attrs: dict[str, Any]) -> list[Spec] | None:
        """The shapes and dtypes of what comes back; None where nobody knows."""
        route = self._route
        operation = route.operation
        if operation is not None and operation.type == route.op.name:
            known = [Spec(y.dims, y.dtype) for y in operation.outputs]
            if all(_is_known(spec) for spec in known):
                return known
        if route.op.infer is None:
            return None if route.op.outputs else []
        given = [
            Spec(tuple(getattr(value, "shape", ())), kind.dtype)
            for value, kind in zip(values, route.in_kinds, strict=True)
        ]
        try:
            known = list(as_specs(route.op.infer(*given, **attrs)))
        except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
            return None
        return known if all(_is_known(spec) for spec in known) else None


def _is_known(spec: Spec) -> bool:
    return spec.dims is not None and None not in spec.dims and spec.dtype is not dtypes.variant


def _bytes(specs: Sequence[Spec]) -> int:
    return sum(int(num_elements(_dims(spec))) * spec.dtype.size for spec in specs)


def _dims(spec: Spec) -> Dims:
    assert spec.dims is not None
    return spec.dims


def _bytes_of(value: torch.Tensor) -> int:
    return value.untyped_storage().nbytes()


def _empty(spec: Spec) -> Any:
    if spec.dtype is dtypes.resource:
        return Storage("", spec.dtype, None)  # type: ignore[arg-type]
    if spec.dtype.torch is None:
        return np.full(_dims(spec), b"", dtype=object)
    return torch.empty([size or 0 for size in _dims(spec)], dtype=spec.dtype.torch, device="meta")


def _has_phantoms(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.is_meta or value.numel() * value.element_size() > MOST_REAL_BYTES
    if isinstance(value, Storage):
        return True
    return isinstance(value, TensorList) and any(map(_has_phantoms, value.items))


def _lifted(value: Any) -> Any:
    """A value without elements; what torch mixes with such as it is stays."""
    if isinstance(value, torch.Tensor):
        return value if value.is_meta else value.to("meta")
    if isinstance(value, TensorList) and not all(map(is_phantom, value.items)):
        return type(value)([_lifted(each) for each in value.items], value.only)
    return value


def _holds(aliases: Any, values: Sequence[Any], attrs: dict[str, Any]) -> bool:
    try:
        return bool(aliases(*values, **attrs))
    except Exception:
        return False


def _channels_last(made: Any, values: Sequence[Any]) -> Any:
    """What a convolution makes, in the order of its memory."""
    if not isinstance(made, torch.Tensor):
        return made
    fresh = made.untyped_storage().nbytes() == made.numel() * made.element_size()
    if fresh and values and values[0].is_contiguous() and not made.is_contiguous():
        return torch.empty_like(made, memory_format=torch.contiguous_format)
    return made


def is_unknown(value: Any) -> bool:
    """Whether a value of a plan has no elements that anybody could look at."""
    raw = value._value if isinstance(value, EagerTensor) else value
    return is_phantom(raw)
