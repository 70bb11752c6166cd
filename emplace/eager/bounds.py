"""Kernels on bounded devices: what an op will take is told from shapes, asked for, and charged.
With the results goes what the kernel takes while it runs (`scratch.py`).

Where no rule tells what an op will take (`infer` is None), what came back is charged all the
same, and dropped if it does not fit. Ops on variables pay for themselves: see
`ops/variables/resource.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ..base import dtypes
from ..base.errors import OpError, invalid_argument
from ..base.shapes import num_elements, runtime_text
from ..base.typing import TensorLike
from ..core.tensor import EagerTensor, raw_bytes
from ..devices.memory import OutOfBudget, round_up
from ..ops.infer import Spec, as_specs
from .failure import exhausted, fail, specs, with_op
from .route import Route
from .scratch import Unrehearsable, is_small, rehearsed, run_metered

TorchTensor = torch.Tensor

# How many shapes a route remembers: rules cost more than kernels.
_MOST_SIZES = 256
_NOTHING = 0, Spec((), dtypes.float32), 0


def run_bounded(
    route: Route,
    inputs: tuple[EagerTensor, ...],
    values: list[Any],
    attrs: dict[str, Any] | None,
) -> Any:
    """What the kernel makes of raw values on its device, within the device's budget.

    Raises:
        ResourceExhaustedError: it does not fit. Where a rule tells the size, nothing was run.
        OpError: every other failure; nothing stays charged.
    """
    budget = route.budget
    assert budget is not None
    reserved = _reserve(route, values, attrs) if route.is_sized else 0
    try:
        if route.is_metered and not is_small(values, reserved):
            value = run_metered(budget, reserved, route.kernel, values, attrs or {})
        else:
            value = route.kernel(*values) if attrs is None else route.kernel(*values, **attrs)
    except BaseException as error:  # also when the user interrupts a long kernel
        budget.cancel(reserved)
        if isinstance(error, Exception):
            fail(error, route, inputs, attrs)
        raise
    try:
        if type(value) is TorchTensor:
            budget.settle_one(reserved, value, route.op.name)
        else:
            budget.settle(reserved, _tensors_in(value), route.op.name)
    except OutOfBudget as refusal:
        largest = max(_tensors_in(value), key=raw_bytes)
        spec = Spec(tuple(largest.shape), dtypes.as_dtype(largest.dtype))
        raise exhausted(route.device, route.op.name, spec, refusal) from None
    return value


def _tensors_in(value: TensorLike | None) -> Sequence[TorchTensor]:
    made = value if isinstance(value, (tuple, list)) else (value,)
    return [each for each in made if isinstance(each, TorchTensor)]


def _reserve(route: Route, values: list[Any], attrs: dict[str, Any] | None) -> int:
    """Sets the memory of an op's outputs and scratch aside; returns its bytes."""
    if route.op.aliases and route.op.aliases(*values, **(attrs or {})):  # type: ignore[operator]
        return 0
    key: Any
    if len(values) == 2:
        x, y = values
        key = x.shape, y.shape
    else:
        key = tuple([value.shape for value in values])
    if attrs:
        key = key, *attrs.items()
    try:
        found = route.sizes.get(key)
    except TypeError:  # an attribute that is no key, such as an array
        key = found = None
    nbytes, largest, scratch = found or _project(route, values, attrs, key)
    try:
        route.budget.reserve(nbytes)  # type: ignore[union-attr]
    except OutOfBudget as refusal:
        refusal.scratch = scratch
        raise exhausted(route.device, route.op.name, largest, refusal) from None
    return nbytes


def _project(
    route: Route, values: Sequence[Any], attrs: dict[str, Any] | None, key: Sequence[Any]
) -> tuple[int, Spec, int]:
    """(bytes of all outputs and the scratch, the largest output, the scratch's bytes), remembered
    under `key`.
    """
    found = _results(route, values, attrs) if route.op.infer is not None else _NOTHING
    if found is None:
        return _NOTHING
    nbytes, largest, _ = found
    if route.takes_more and not route.is_metered and not is_small(values, nbytes):
        _check_room(route, nbytes, largest)  # a kernel whose results do not fit is not called
        try:
            scratch = rehearsed(route.bare_kernel, values, attrs or {})
        except Unrehearsable:
            route.is_metered = True
        else:
            found = nbytes + scratch, largest, scratch
    if key is not None:
        if len(route.sizes) >= _MOST_SIZES:
            route.sizes.clear()
        route.sizes[key] = found
    return found


def _check_room(route: Route, nbytes: int, largest: Spec) -> None:
    """Refuses results that do not fit."""
    assert route.budget is not None
    try:
        route.budget.reserve(nbytes)
    except OutOfBudget as refusal:
        raise exhausted(route.device, route.op.name, largest, refusal) from None
    route.budget.cancel(nbytes)


def _results(
    route: Route, values: Sequence[Any], attrs: dict[str, Any] | None
) -> tuple[int, Spec, int] | None:
    """(bytes of all outputs, the largest output, 0); None where the rule cannot tell."""
    assert route.op.infer is not None
    try:
        outputs = as_specs(route.op.infer(*specs(route, values), **(attrs or {})))
        for spec in outputs:
            _check_countable(spec)
    except OpError as error:
        raise with_op(error, route) from None
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return None  # the kernel will say what is wrong
    # A NumPy scalar among the sizes would make NumPy's numbers, of 32 bits, of all sums.
    sizes = [round_up(int(num_elements(spec.dims)) * spec.dtype.size) for spec in outputs]
    return (sum(sizes), outputs[sizes.index(max(sizes))], 0) if sizes else _NOTHING


def _check_countable(spec: Spec) -> None:
    """Refuses shapes that no number of elements stands for: no device is too small for them."""
    if num_elements(spec.dims) >= 2**63:
        raise invalid_argument(
            f"Shape {runtime_text(spec.dims or ())} would have more than 2**63 - 1 elements"
        )
