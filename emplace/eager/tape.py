"""GradientTape: remembers the ops that ran and differentiates them backwards.

A tape is told of every op by the eager target and keeps those that depend on something watched.
Going back it applies each op's rule on the device where the op ran, so a tower's gradients stay
on the tower's GPU. Rules are written with public ops: outer tapes record them in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

from ..base import dtypes, log, nest
from ..core.context import LOCAL, Scope, intern_scope
from ..core.tensor import EagerTensor, Tensor
from ..devices.device import Device
from ..devices.name import DeviceSpec
from ..grads import families
from ..grads.rules import NOT_DIFFERENTIABLE, Recorded, apply_rule, is_trainable
from ..ops.array import ones_like, zeros_like
from ..ops.convert import to_tensor
from ..ops.op import Op
from ..ops.reduction import add_n

_LOADED = families.__all__  # importing the families registers their rules


class UnconnectedGradients(Enum):
    """What a source that the target does not depend on gets (`tf.UnconnectedGradients`)."""

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records ops for differentiation (`tf.GradientTape`).

    Args:
        persistent: allow several calls of `gradient`; the tape then holds its memory until it
            is deleted.
        watch_accessed_variables: watch every trainable variable that is read.

    >>> x = to_tensor(3.0)
    >>> with GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> float(tape.gradient(y, x))
    6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._forget()
        self._recording = False
        self._used = False

    def _forget(self) -> None:
        self._calls: list[Recorded] = []
        # Keys are ids of tensors; the values keep them alive, so that no id comes twice.
        self._tracked: dict[int, Any] = {}
        self._variables: dict[int, Any] = {}

    def __enter__(self) -> GradientTape:
        self._start()
        return self

    def __exit__(self, *exc: object) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape."
            )
        self._recording = True
        LOCAL.state.tapes = (*LOCAL.state.tapes, self)

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        LOCAL.state.tapes = tuple(tape for tape in LOCAL.state.tapes if tape is not self)

    def watch(self, tensor: Any) -> None:
        """Records what is computed from `tensor`, a tensor or a nest of them, from now on.

        Raises:
            ValueError: something in it is no tensor.
        """
        for each in nest.flatten(tensor):
            if not isinstance(each, Tensor) and not hasattr(each, "handle"):
                raise ValueError(
                    f"Passed in object {each} of type {type(each).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            source = _source_of(each)
            dtype = getattr(each, "dtype", dtypes.float32)
            if not is_trainable(dtype):
                log.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got "
                    f"{dtype!r}"
                )
            self._tracked[id(source)] = source
            if source is not each:
                self._variables[id(source)] = each

    def watch_variable(self, variable: Any, handle: Any) -> None:
        """Called by variables when they are read."""
        if self._watches_variables and id(handle) not in self._tracked:
            self._tracked[id(handle)] = handle
            self._variables[id(handle)] = variable

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables read so far, in order."""
        return tuple(self._variables.values())

    def record(self, op: Op, inputs: tuple[Any, ...], attrs: Any, outputs: Any, route: Any) -> None:
        """Called by the eager target after each op."""
        tracked = self._tracked
        for x in inputs:
            if id(x) in tracked:
                break
        else:
            return
        if op.name in NOT_DIFFERENTIABLE:
            return
        made = outputs if isinstance(outputs, list) else (outputs,)
        found = False
        for y in made:
            if y is not None and is_trainable(y._kind.dtype):
                tracked[id(y)] = y
                found = True
        if found:
            self._calls.append(Recorded(op, inputs, attrs, tuple(made), route))

    def stop_recording(self) -> _Paused:
        """A scope in which nothing is recorded."""
        if not self._recording:
            raise ValueError("Tape is not recording.")
        return _Paused(self)

    def reset(self) -> None:
        """Forgets everything recorded and watched."""
        self._forget()

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of `target` (summed over its elements) for each source.

        Args:
            target: a tensor or a nest of tensors.
            sources: a tensor, a variable, or a nest of those.
            output_gradients: gradients of the target's own elements; ones if None.
            unconnected_gradients: what sources get that do not matter: None or zeros.

        Returns:
            Gradients in the structure of `sources`, each of its source's shape and dtype.

        Raises:
            RuntimeError: a second call on a tape that is not persistent.
        """
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )
        self._used = True
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                log.warning(
                    "Calling GradientTape.gradient on a persistent tape inside its context is "
                    "significantly less efficient than calling it outside the context (it causes "
                    "the gradient ops to be recorded on the tape, leading to increased CPU and "
                    "memory usage). Only call GradientTape.gradient inside the context if you "
                    "actually want to trace the gradient in order to compute higher order "
                    "derivatives."
                )
        flat = nest.flatten(sources)
        found = self._walk(nest.flatten(target), flat, output_gradients)
        if not self._persistent:
            self._forget()
        wants_zeros = UnconnectedGradients(unconnected_gradients) is UnconnectedGradients.ZERO
        filled = [
            zeros_like(to_tensor(source)) if grad is None and wants_zeros else grad
            for grad, source in zip(found, flat, strict=True)
        ]
        return nest.pack_sequence_as(sources, filled)

    def _walk(
        self, targets: Sequence[Any], sources: Sequence[Any], output_gradients: Any
    ) -> list[Any]:
        wanted = [_source_of(source) for source in sources]
        pending: dict[int, list[Any]] = {}
        seeds = nest.flatten(output_gradients) if output_gradients is not None else []
        for i, target in enumerate(targets):
            place = _source_of(target)
            if id(place) not in self._tracked:
                continue
            given = seeds[i] if i < len(seeds) else None
            value = to_tensor(target)
            if given is None:
                seed = _on(value._kind.device, ones_like, value)
            else:
                seed = to_tensor(given, hint=value.dtype)
            pending.setdefault(id(place), []).append(seed)
        useful = self._leading_to(wanted)
        for call in reversed(self._calls):
            self._step(call, pending, useful)
        return [
            _on(source._kind.device, _total, pending[id(source)]) if id(source) in pending else None
            for source in wanted
        ]

    def _leading_to(self, sources: Iterable[Any]) -> set[int]:
        """Ids of everything recorded that depends on a source, and of the sources."""
        useful = {id(source) for source in sources}
        for call in self._calls:
            if any(id(x) in useful for x in call.inputs):
                useful.update(id(y) for y in call.outputs)
        return useful

    def _step(self, call: Recorded, pending: dict[int, list[Any]], useful: set[int]) -> None:
        """One op backwards: from the gradients of its outputs to those of its inputs."""
        parts = [pending.pop(id(y), None) for y in call.outputs]
        needed = [id(x) in useful for x in call.inputs]
        if not any(needed) or all(part is None for part in parts):
            return
        call.prepare(needed)
        results = _on(call.route.device, _backwards, call, parts)
        for x, needs, result in zip(call.inputs, needed, results, strict=True):
            if needs and result is not None:
                pending.setdefault(id(x), []).append(result)


class _Paused:
    """The scope of `stop_recording`."""

    def __init__(self, tape: GradientTape) -> None:
        self._tape = tape

    def __enter__(self) -> None:
        self._tape._stop()

    def __exit__(self, *exc: object) -> None:
        self._tape._start()


_SCOPES: dict[Device, Scope] = {}


def _gradient_scope(device: Device) -> Scope:
    """The scope that keeps gradients on the device of their op."""
    scope = _SCOPES.get(device)
    if scope is None:
        scope = intern_scope(DeviceSpec.from_string(device.name), is_gradient=True)
        _SCOPES[device] = scope
    return scope


def _source_of(value: Any) -> Any:
    """What stands for `value` on a tape: a variable's handle, or the tensor itself."""
    return value if isinstance(value, EagerTensor) else getattr(value, "handle", value)


def _on(device: Device, make: Callable[..., Any], *args: Any) -> Any:
    """Calls `make` where the gradient belongs, unless the program asks for a device itself."""
    state = LOCAL.state
    around = state.scope
    if around is not None:
        return make(*args)
    state.scope = _gradient_scope(device)
    try:
        return make(*args)
    finally:
        state.scope = None


def _backwards(call: Recorded, parts: Sequence[list[Any] | None]) -> Any:
    """The gradients of the inputs, from what is known of those of the outputs."""
    grads = [_total(part) for part in parts]
    if len(grads) > 1:
        grads = [
            zeros_like(y) if grad is None and is_trainable(y.dtype) else grad
            for grad, y in zip(grads, call.outputs, strict=True)
        ]
    return apply_rule(call, grads)


def _total(grads: list[Any] | None) -> Any:
    if grads is None:
        return None
    return grads[0] if len(grads) == 1 else add_n(grads)
