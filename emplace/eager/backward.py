"""Going backwards: from the gradients of targets to those of sources, op by op.

Each op's rule runs on the device where the op ran, unless the program asked for another one. The
parts of one gradient are added where they are, or where it belongs if they are on several devices.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..base import nest
from ..core.context import LOCAL, Scope, intern_scope
from ..core.tensor import EagerTensor
from ..devices.device import Device
from ..devices.name import DeviceSpec
from ..grads.rules import Recorded, apply_rule
from ..ops.array import ones_like, zeros_like
from ..ops.convert import to_tensor
from ..ops.reduction import add_n


def walk(
    calls: Sequence[Recorded],
    tracked: Mapping[int, Any],
    targets: Sequence[Any],
    sources: Sequence[Any],
    output_gradients: Any,
) -> list[Any]:
    """The gradient of each source, None where it does not matter.

    Args:
        calls: the ops that were recorded, in order; more may be added while this runs.
        tracked: what depends on something watched, by its id.
        targets: tensors and variables to differentiate.
        sources: tensors and variables to differentiate by.
        output_gradients: gradients of the targets' own elements in a nest; None for ones.
    """
    wanted = [source_of(source) for source in sources]
    kept = {id(source) for source in wanted}
    pending: dict[int, list[Any]] = {}
    seeds = nest.flatten(output_gradients) if output_gradients is not None else []
    for i, target in enumerate(targets):
        place = source_of(target)
        if id(place) in tracked:
            given = seeds[i] if i < len(seeds) else None
            pending.setdefault(id(place), []).append(_seed(target, given))
    useful = _leading_to(calls, wanted)
    for call in reversed(calls):
        _step(call, pending, useful, kept)
    return [_total(pending.get(id(source)), source._kind.device) for source in wanted]


def _leading_to(calls: Iterable[Recorded], sources: Iterable[Any]) -> set[int]:
    """Ids of everything recorded that depends on a source, and of the sources."""
    useful = {id(source) for source in sources}
    for call in calls:
        for x in call.inputs:
            if id(x) in useful:
                useful.update(map(id, call.outputs))
                break
    return useful


def _step(call: Recorded, pending: dict[int, list[Any]], useful: set[int], kept: set[int]) -> None:
    """One op backwards: from the gradients of its outputs to those of its inputs.

    Args:
        call: the op.
        pending: parts of the gradients found so far, by the id of what they belong to.
        useful: ids of what leads to a source.
        kept: ids of the sources, whose gradients must not be used up.
    """
    grads: list[Any] = []
    found = False
    for y in call.outputs:
        parts = pending.pop(id(y), None)
        if parts is None:
            grads.append(None)
            continue
        grad = parts[0] if len(parts) == 1 else _total(parts, call.route.device)
        if id(y) in kept:
            pending[id(y)] = [grad]
        grads.append(grad)
        found = True
    needed = [id(x) in useful for x in call.inputs] if found else ()
    if True not in needed:
        return
    call.prepare(needed)
    with _Near(call.route.device):
        results = apply_rule(call, grads)
    for x, needs, result in zip(call.inputs, needed, results, strict=True):
        if needs and result is not None:
            pending.setdefault(id(x), []).append(result)


class _Near:
    """A scope in which ops run on a device, unless the program asked for another one."""

    __slots__ = ("_around", "_device")

    def __init__(self, device: Device) -> None:
        self._device = device

    def __enter__(self) -> None:
        state = LOCAL.state
        self._around = state.scope
        if state.scope is None:
            state.scope = _gradient_scope(self._device.name)

    def __exit__(self, *exc: object) -> None:
        LOCAL.state.scope = self._around


@functools.cache
def _gradient_scope(device_name: str) -> Scope:
    """The scope that keeps gradients on the device of their op."""
    return intern_scope(DeviceSpec.from_string(device_name), is_gradient=True)


def source_of(value: Any) -> Any:
    """What stands for `value` on a tape: a variable's handle, or the tensor itself."""
    return value if isinstance(value, EagerTensor) else getattr(value, "handle", value)


def _seed(target: Any, given: Any) -> Any:
    """The gradient of a target's own elements."""
    value = to_tensor(target)
    with _Near(value._kind.device):
        return ones_like(value) if given is None else to_tensor(given, hint=value.dtype)


def zeros_for(source: Any) -> Any:
    """Zeros like a source, where it is."""
    value = to_tensor(source)
    with _Near(value._kind.device):
        return zeros_like(value)


def _total(parts: list[Any] | None, home: Device) -> Any:
    """The sum of a gradient's parts, where they all are, or else at its home."""
    if parts is None or len(parts) == 1:
        return parts and parts[0]
    places = {part._kind.device for part in parts}
    with _Near(places.pop() if len(places) == 1 else home):
        return add_n(parts)
