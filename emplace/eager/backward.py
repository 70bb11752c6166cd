"""Going back: from the calls a tape recorded to the gradients of its targets.

Every step runs where its op ran, so that the gradients of a tower stay on the tower's device. A
value that was used several times has several gradients; their sum is made where they all are, or
else where the value is. A device scope around all of it wins, as for any op.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..base import dtypes
from ..core.context import LOCAL, Scope, intern_scope
from ..core.tensor import Tensor
from ..devices.device import Device
from ..devices.name import DeviceSpec
from ..grads.rules import TAKES_SLICES, Recorded, apply_rule
from ..ops.array.making import ones, zeros_like
from ..ops.convert import to_tensor
from ..ops.math.reduction import add_n
from ..ops.variables.indexed_slices import IndexedSlices, add_slices


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
    walk = walk_class()(sources)
    try:
        for place, value, given in targets:
            walk.seed(place, value, given)
        for call in reversed(_leading_from(walk.useful, calls)):
            walk.step(call)
        return [walk.total(source) for source in sources]
    finally:
        walk.end()


def _leading_from(useful: set[int], calls: Iterable[Recorded]) -> list[Recorded]:
    """The calls that depend on a source; `useful`, the ids of the sources, gets their outputs."""
    found = []
    for call in calls:
        if not useful.isdisjoint(map(id, call.inputs)):
            call.useful = useful
            found.append(call)
            useful.update(map(id, call.outputs))
    return found


class Walk:
    """The gradients found so far, by the id of the value they are for.

    They are let go as soon as they are used, except those of sources. `useful` are the ids of
    all values that depend on a source: gradients of others are not kept.
    """

    __slots__ = ("_around", "_found", "_sources", "_state", "_was_going_back", "useful")

    # How the gradients of a call's inputs are found; a graph's walk has a way of its own.
    ask: Callable[[Recorded, Sequence[Any]], Sequence[Any]] = staticmethod(apply_rule)

    def __init__(self, sources: Sequence[Any]) -> None:
        self._found: dict[int, list[Any]] = {}
        self._sources = frozenset(map(id, sources))
        self.useful = set(self._sources)
        self._state = LOCAL.state
        self._around = self._state.scope
        self._was_going_back = self._state.is_going_back
        self._state.is_going_back = True

    def end(self) -> None:
        """Back to the scope that was there before."""
        self._state.scope = self._around
        self._state.is_going_back = self._was_going_back

    def seed(self, place: Any, value: Any, given: Any) -> None:
        """Begins at a target."""
        self.go_to(self.device_of(value))
        if given is not None:
            seed = to_tensor(given, hint=value.dtype)
        elif (
            value.ndim == 0 and value.dtype is not dtypes.bool_
        ):  # TF: a constant for a scalar (and here a kept one), else a Fill
            seed = to_tensor(1, value.dtype)
        else:
            seed = ones(value.shape, value.dtype)
        self._found.setdefault(id(place), []).append(seed)

    def step(self, call: Recorded) -> None:
        """One op backwards: from the gradients of its outputs to those of its inputs."""
        outputs = call.outputs
        if len(outputs) == 1:
            grad = self.total(outputs[0])
            if grad is None:
                return
            self.go_to(call.route.device)
            if type(grad) is IndexedSlices and call.op.name not in TAKES_SLICES:
                grad = to_tensor(grad)
            results = self.ask(call, (grad,))
        else:
            grads = [self.total(y) for y in outputs]
            if all(grad is None for grad in grads):
                return
            self.go_to(call.route.device)
            if call.op.name not in TAKES_SLICES:
                grads = [_dense(grad) for grad in grads]
            results = self.ask(call, grads)
        found, useful = self._found, self.useful
        for x, result in zip(call.inputs, results, strict=True):
            if result is not None and id(x) in useful:
                found.setdefault(id(x), []).append(result)

    def total(self, value: object) -> Any:
        """The gradient of a value, all its uses together; None if there is none."""
        grads = self._found.pop(id(value), None)
        if grads is None:
            return None
        if len(grads) > 1:
            devices = {self.device_of(grad) for grad in grads}
            self.go_to(devices.pop() if len(devices) == 1 else self.device_of(value))
            sparse = all(type(grad) is IndexedSlices for grad in grads)
            grads = [add_slices(grads) if sparse else add_n(grads)]
        if id(value) in self._sources:
            self._found[id(value)] = grads
        return grads[0]

    def device_of(self, value: Any) -> Any:
        """Where a value is."""
        values = value.values if type(value) is IndexedSlices else value
        return values._kind.device

    def go_to(self, device: Any) -> None:
        """From here on ops run on `device`, unless the program asked for another one."""
        if self._around is None:
            self._state.scope = _SCOPES.get(device) or _gradient_scope(device)


def _dense(grad: Any) -> Tensor:
    return to_tensor(grad) if type(grad) is IndexedSlices else grad


def zeros_for(source: Tensor) -> Tensor:
    """What a source gets on which no target depends: zeros where it is."""
    walk = walk_class()(())
    try:
        walk.go_to(walk.device_of(source))
        return zeros_like(source)
    finally:
        walk.end()


_WALKS: dict[type, type[Walk]] = {}


def register_walk(target: type, walk: type[Walk]) -> None:
    """Lets gradients in a graph, whose ops a `target` takes, be found by `walk`."""
    _WALKS[target] = walk


def walk_class() -> type[Walk]:
    """How gradients are found for the current target."""
    return _WALKS.get(type(LOCAL.state.target), Walk)


_SCOPES: dict[Device, Scope] = {}


def _gradient_scope(device: Device) -> Scope:
    """The scope that keeps gradients on the device of their op."""
    spec = DeviceSpec.from_string(device.name)
    return _SCOPES.setdefault(device, intern_scope(spec, is_gradient=True))
