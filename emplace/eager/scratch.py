"""Scratch memory: what a kernel takes while it runs, beyond its results.

A kernel is rehearsed on tensors without memory before it first runs for some shapes, and what it
would take is reserved with its results from then on. Where values decide what a kernel takes, or
it cannot be rehearsed, its calls of torch are counted while they allocate. Of small inputs and
results kernels take little, and nobody asks.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from ..base import dtypes
from ..base.shapes import TensorShape
from ..devices.late import CURRENT, StandingChecks
from ..devices.memory import Budget
from ..devices.meter import Meter, tensors_in
from ..ops.infer import Spec
from ..ops.op import CPU_ONLY, Op, expand, kernel_of
from ..ops.variables.resource import Storage
from ..ops.widen import widening

#: With fewer bytes of inputs and results nobody asks what a kernel takes besides.
LEAST_BYTES = 64 << 10

# These only bind, read or replace a variable's value, or pay for their copies themselves.
_OF_VARIABLES = frozenset((
    "VarHandleOp", "ReadVariableOp", "VarIsInitializedOp", "AssignVariableOp",
    "AssignAddVariableOp", "AssignSubVariableOp", "ResourceStridedSliceAssign",
    "ResourceCountUpTo", "DisableCopyOnRead",
))  # fmt: skip
# One function of torch each, which computes with matrices.
_OF_MATRICES = frozenset(("MatrixExponential", "MatrixDeterminant"))
_BUILTINS = (types.BuiltinFunctionType, types.MethodDescriptorType)


def may_take_scratch(op: Op) -> bool:
    """Whether a kernel of this op may take more memory than its results.

    A kernel that is one elementwise function of torch, or returns a view, does not.
    """
    if op.aliases is True or op.is_transfer or op.name in _OF_VARIABLES:
        return False
    if op.device_types == CPU_ONLY:
        return False
    return op.name in _OF_MATRICES or not isinstance(op.kernel, _BUILTINS)


def is_rehearsed(op: Op) -> bool:
    """Whether shapes alone may tell what a kernel takes, and to ask it changes nothing."""
    if op.wait_reason is not None or op.is_factory:
        return False
    changes_variables = op.tensor_inputs and op.tensor_inputs[0].type == "resource"
    return not op.stateful or bool(changes_variables)


def is_small(values: Sequence[Any], nbytes: int) -> bool:
    """Whether inputs, and results of so many bytes, are too small to ask what a kernel takes."""
    for value in values:
        if isinstance(value, Storage):
            value = value.value
        if isinstance(value, torch.Tensor):
            nbytes += value.numel() * value.element_size()
    return nbytes < LEAST_BYTES


class Unrehearsable(Exception):  # noqa: N818  # never leaves this file and who asks it
    """Only running the kernel tells what it takes."""


def rehearsed(kernel: Callable[..., Any], values: Sequence[Any], attrs: dict[str, Any]) -> int:
    """The most bytes that a kernel takes at once beyond inputs like these and its results.

    Raises:
        Unrehearsable: it looks at values, or does what only real memory can.
    """
    doubles = [_without_memory(value) for value in values]
    before, CURRENT.standing = CURRENT.standing, _NO_CHECKS
    try:
        with Meter(_memories(doubles)) as meter:
            made = kernel(*doubles, **attrs)
        return int(max(0, meter.peak - meter.bytes_of(tensors_in(made))))
    except Exception as error:
        raise Unrehearsable from error
    finally:
        CURRENT.standing = before


def run_metered(
    budget: Budget,
    reserved: int,
    kernel: Callable[..., Any],
    values: Sequence[Any],
    attrs: dict[str, Any],
) -> Any:
    """Runs a kernel whose calls of torch ask a budget while they allocate.

    Its results go by what was `reserved` for them, which the caller settles.

    Raises:
        OutOfBudget: one of them does not fit.
    """
    meter = Meter(_memories(values), reserved, budget.reserve)
    try:
        with meter:
            return kernel(*values, **attrs)
    finally:
        budget.cancel(meter.asked)


def scratch_bytes(op: Op, inputs: Sequence[Spec], attrs: dict[str, Any] | None) -> int:
    """The scratch of an op as its shapes tell, for projections.

    Args:
        op: the op's record.
        inputs: what it is given; a variable's handle as its value.
        attrs: its attributes and host arguments by name.

    Returns:
        Bytes beyond inputs and results; 0 where shapes do not tell, or are not known.
    """
    if not may_take_scratch(op) or not is_rehearsed(op):
        return 0
    values: list[Any] = []
    for (arg, _), spec in zip(expand(op.tensor_inputs, len(inputs)), inputs, strict=True):
        if spec.dims is None or None in spec.dims or not isinstance(spec.dtype.torch, torch.dtype):
            return 0
        value = torch.empty(spec.dims, dtype=spec.dtype.torch, device="meta")  # type: ignore[arg-type]
        values.append(_variable(value) if arg.type == "resource" else value)
    if is_small(values, 0):
        return 0
    given = [spec.dtype for spec in inputs]
    try:
        return rehearsed(widening(op, kernel_of(op, given), given), values, attrs or {})
    except Unrehearsable:
        return 0


def _memories(values: Sequence[Any]) -> Iterator[torch.Tensor]:
    """The tensors that values stand for. Nobody keeps them: who holds a variable's value makes
    others copy it.
    """
    for value in values:
        yield from tensors_in(value.value if isinstance(value, Storage) else value)


def _without_memory(value: Any) -> Any:
    if isinstance(value, Storage):
        if not isinstance(value.value, torch.Tensor):
            raise Unrehearsable
        return _variable(_without_memory(value.value))
    if not isinstance(value, torch.Tensor):
        return value
    return torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="meta")


def _variable(value: torch.Tensor) -> Storage:
    """A variable that nobody sees."""
    made = Storage("", dtypes.as_dtype(value.dtype), TensorShape(value.shape), None, "meta")
    made.value = value
    return made


class _NoChecks(StandingChecks):
    """Checks of values that are not there."""

    def flag(self, like: torch.Tensor) -> Any:
        """Itself: it takes what is noted, and finds nothing."""
        return self

    def note(self, *args: object) -> None:
        """Nothing is noted."""

    def look(self, is_late: bool = True) -> None:
        """Nothing is found."""


_NO_CHECKS = _NoChecks()
