"""Going back: from the calls a tape recorded to the gradients of its targets.

Every step runs where its op ran, so that the gradients of a tower stay on the tower's device. A
value that was used several times has several gradients; their sum is made where they all are, or
else where the value is. A device scope around all of it wins, as for any op.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..core.context import LOCAL, Scope, intern_scope
from ..devices.device import Device
from ..devices.name import DeviceSpec
from ..grads.rules import Recorded, apply_rule, is_trainable
from ..ops.array import ones_like, zeros_like
from ..ops.convert import to_tensor
from ..ops.reduction import add_n


def backward(
    calls: Sequence[Recorded], targets: Sequence[tuple[Any, Any, Any]], sources: Sequence[Any]
) -> list[Any]:
    """The gradients of targets for sources.

    Args:
        calls: what was recorded, in order.
        targets: for each target what stands for it on the tape, its value, and the gradient it
            has already, or None for ones.
        sources: what stands for each source on the tape.

    Returns:
        A gradient per source, None where no target depends on it.
    """
    walk = _Walk(sources)
    try:
        for place, value, given in targets:
            walk.seed(place, value, given)
        for call in reversed(_leading_from(sources, calls)):
            walk.step(call)
        return [walk.total(source) for source in sources]
    finally:
        walk.end()


def _leading_from(sources: Iterable[Any], calls: Sequence[Recorded]) -> list[Recorded]:
    """The calls that depend on a source, each told which of its inputs do."""
    useful = {id(source) for source in sources}
    found = []
    for call in calls:
        needed = [id(x) in useful for x in call.inputs]
        if True in needed:
            call.needed = needed
            found.append(call)
            for y in call.outputs:
                useful.add(id(y))
    return found


class _Walk:
    """The gradients found so far, by the id of the value they are for.

    They are let go as soon as they are used, except those of sources.
    """

    __slots__ = ("_around", "_found", "_sources", "_state")

    def __init__(self, sources: Sequence[Any]) -> None:
        self._found: dict[int, list[Any]] = {}
        self._sources = {id(source) for source in sources}
        self._state = LOCAL.state
        self._around = self._state.scope

    def end(self) -> None:
        """Back to the scope that was there before."""
        self._state.scope = self._around

    def seed(self, place: Any, value: Any, given: Any) -> None:
        """Begins at a target."""
        self._go_to(value._kind.device)
        if given is not None:
            seed = to_tensor(given, hint=value.dtype)
        elif value.ndim == 0:
            seed = to_tensor(1, value.dtype)  # a constant, which is kept from time to time
        else:
            seed = ones_like(value)
        self._found.setdefault(id(place), []).append(seed)

    def step(self, call: Recorded) -> None:
        """One op backwards: from the gradients of its outputs to those of its inputs."""
        grads = [self.total(y) for y in call.outputs]
        if len(grads) == 1:
            if grads[0] is None:
                return
            self._go_to(call.route.device)
        else:
            if all(grad is None for grad in grads):
                return
            self._go_to(call.route.device)
            grads = [
                zeros_like(y) if grad is None and is_trainable(y.dtype) else grad
                for grad, y in zip(grads, call.outputs, strict=True)
            ]
        found = self._found
        results = apply_rule(call, grads)
        for x, needed, result in zip(call.inputs, call.needed, results, strict=True):
            if needed and result is not None:
                found.setdefault(id(x), []).append(result)

    def total(self, value: Any) -> Any:
        """The gradient of a value, all its uses together; None if there is none."""
        grads = self._found.pop(id(value), None)
        if grads is None:
            return None
        if len(grads) > 1:
            devices = {grad._kind.device for grad in grads}
            self._go_to(devices.pop() if len(devices) == 1 else value._kind.device)
            grads = [add_n(grads)]
        if id(value) in self._sources:
            self._found[id(value)] = grads
        return grads[0]

    def _go_to(self, device: Device) -> None:
        if self._around is None:
            self._state.scope = _gradient_scope(device)


_SCOPES: dict[Device, Scope] = {}


def _gradient_scope(device: Device) -> Scope:
    """The scope that keeps gradients on the device of their op."""
    scope = _SCOPES.get(device)
    if scope is None:
        scope = intern_scope(DeviceSpec.from_string(device.name), is_gradient=True)
        _SCOPES[device] = scope
    return scope
