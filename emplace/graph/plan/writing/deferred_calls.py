"""Deferred calls in plans: the function runs eagerly on what is there."""

from __future__ import annotations

import threading
from typing import Any

import torch

from ....core.context import LOCAL, PROCESS
from ....core.tensor import EagerTensor, make_tensor
from ....devices.device import Device
from ....devices.phantom import Unprojectable
from ....eager.target import EAGER
from ....ops.array.shaping import identity
from ...representation.graph import Operation, SymbolicTensor


class _SoftPlacement:
    """Soft placement of the process while deferred calls run, of several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before: bool | None = None

    def enter(self) -> None:
        """One more runs."""
        with self._lock:
            if not self._count:
                self._before, PROCESS.soft_placement = PROCESS.soft_placement, True
            self._count += 1

    def leave(self) -> None:
        """One less; the last one puts back what was."""
        with self._lock:
            self._count -= 1
            if not self._count:
                PROCESS.soft_placement = self._before


_SOFT = _SoftPlacement()


class PhantomCall:
    """A deferred call on phantom devices: what it returns, if that is known, in new memory.

    Args:
        operation: the operation.
        device: where its results must be.
    """

    def __init__(self, operation: Operation, device: Device) -> None:
        self.operation = operation
        self.device = device

    def __call__(self, *values: Any) -> list[Any]:
        """Tensors without elements.

        Raises:
            Unprojectable: only running it tells what it returns.
        """
        return [self._made(y) for y in self.operation.outputs]

    def _made(self, y: SymbolicTensor) -> EagerTensor:
        if y.dtype.torch is None or not y.is_fully_known:
            raise Unprojectable(f"what {self.operation.name} returns is known only when it runs")
        like = torch.empty([size or 0 for size in y.dims or ()], dtype=y.dtype.torch, device="meta")
        budget = self.device.budget
        made = like if budget is None else budget.allocate(like, lambda: like, "Deferred")
        return make_tensor(made, self.device.kind(y.dtype))


class DeferredPlan:
    """A deferred call in a plan.

    Args:
        call: the call, a `recording.deferred.Call`.
        kinds: the kinds of its arguments; None for each in an instrumented plan, whose values know.
        scope: the device scope in which its ops run.
        device: where its results must be.
        instrumented: whether values are tensors, and not raw.
    """

    def __init__(
        self, call: Any, kinds: Any, scope: Any, device: Device, instrumented: bool
    ) -> None:
        self.call = call
        self.kinds = kinds
        self.scope = scope
        self.device = device
        self.instrumented = instrumented

    def __call__(self, *values: Any) -> list[Any]:
        """The values of the results."""
        tensors = values if self.instrumented else [
            make_tensor(value, kind) for value, kind in zip(values, self.kinds, strict=True)
        ]  # fmt: skip
        state = LOCAL.state
        before = state.target, state.scope, state.tapes
        state.target, state.scope, state.tapes = EAGER, self.scope, ()
        _SOFT.enter()
        try:
            made = self.call.flat(list(tensors))
            bring = self._brought if self.instrumented else self._here
            return [bring(each) for each in made]
        finally:
            state.target, state.scope, state.tapes = before
            _SOFT.leave()

    def _here(self, made: EagerTensor) -> Any:
        value, home = made._value, made._kind.device
        if home is self.device or not isinstance(value, torch.Tensor):
            return value
        return self.device.take(value, home)

    def _brought(self, made: EagerTensor) -> EagerTensor:
        """The same as a tensor: by an op, which is charged and told."""
        if made._kind.device is self.device or not isinstance(made._value, torch.Tensor):
            return made
        return identity(made)  # type: ignore[return-value]
