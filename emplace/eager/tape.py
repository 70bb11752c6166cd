"""GradientTape: remembers the ops that ran and differentiates them backwards.

A tape is told of every op by the eager target and keeps those that depend on something watched.
`backward.py` goes back over them. Rules are written with public ops: outer tapes record them in
turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any

from ..base import dtypes, log, nest
from ..base.typing import Structure, TensorLike
from ..core.composite import CompositeTensor
from ..core.context import LOCAL
from ..core.tensor import EagerTensor, Tensor
from ..devices.charges import ACTIVATIONS
from ..grads import families
from ..grads.rules import NOT_DIFFERENTIABLE, TRAINABLE, Recorded, is_trainable
from ..holders.walkers import Held, holds
from ..ops.array.joining import concat
from ..ops.array.making import ones_like, zeros, zeros_like
from ..ops.array.shaping import IDENTITY, shape
from ..ops.convert import to_tensor
from ..ops.linalg.einsum import tensordot
from ..ops.math.reduction import add_n
from ..ops.op import Op
from .backward import backward, zeros_for
from .jacobians import batch_jacobian, jacobian

_LOADED = families.FAMILIES  # importing the families registers their rules
# TF: what this makes is watched no more. What other ops make without a gradient is, as a value that
# others may be differentiated by.
_STOPS = "StopGradient"
# TF: in graphs these are constants where the shape is known.
_LIKES = frozenset({"ZerosLike", "OnesLike"})


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

    >>> import emplace.tensorflow as tf
    >>> x = tf.constant(3.0)
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
        self._entered = False
        self._used = False

    def _forget(self) -> None:
        self._calls: list[Recorded] = []
        # Keys are ids of tensors; the values keep them alive, so that no id comes twice.
        self._tracked: dict[int, Any] = {}
        self._variables: dict[int, Any] = {}

    def __enter__(self) -> GradientTape:
        if self._used and not self._persistent:  # TF: what it had is gone; it begins anew
            self._forget()
            self._used = False
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
        self._recording = self._entered = True
        state = LOCAL.state
        state.tapes = (*state.tapes, self)

    def _stop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._recording = False
        state = LOCAL.state
        if state.tapes[-1:] == (self,):
            state.tapes = state.tapes[:-1]
        else:
            state.tapes = tuple(tape for tape in state.tapes if tape is not self)

    def watch(self, tensor: TensorLike) -> None:
        """Records what is computed from `tensor`, a tensor or a nest of them, from now on.

        Raises:
            ValueError: something in it is no tensor.
        """
        for each in nest.flatten(tensor, expand_composites=True):
            if not isinstance(each, Tensor) and not hasattr(each, "handle"):
                raise ValueError(
                    f"Passed in object {each} of type {type(each).__name__!r}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            source = self._watched_place(each)
            dtype = getattr(each, "dtype", dtypes.float32)
            if not (is_trainable(dtype) or dtype.is_floating):  # TF: float8 is watched in vain
                log.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got "
                    f"{dtype!r}"
                )
            self._tracked[id(source)] = source
            if not isinstance(each, Tensor):
                self._variables[id(source)] = each

    def watch_variable(self, variable: Any, handle: Tensor) -> None:
        """Called by variables when they are read."""
        handle = self._watched_place(handle)
        if self._watches_variables and id(handle) not in self._tracked:
            self._tracked[id(handle)] = handle
            self._variables[id(handle)] = variable

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were read or watched so far, the oldest first."""
        return tuple(sorted(self._variables.values(), key=_age))

    def record(
        self,
        op: Op,
        inputs: tuple[Any, ...],
        attrs: dict[str, Any] | None,
        outputs: Any,
        route: Any,
    ) -> None:
        """Records an op; the eager target calls it after each.

        Args:
            op: the op.
            inputs: its inputs.
            attrs: its attributes.
            outputs: what it has returned.
            route: how it was run.
        """
        tracked = self._tracked
        if tracked.keys().isdisjoint(map(id, inputs)) or op.name == _STOPS:
            return
        made = tuple(outputs) if type(outputs) is list else (outputs,)
        found = False
        for y in made:
            if y is not None and y._kind.dtype in TRAINABLE:
                tracked[id(y)] = y
                found = True
        if found and op.name not in NOT_DIFFERENTIABLE:
            self._calls.append(Recorded(op, inputs, attrs, made, route))

    def record_operation(self, operation: Any, record: Op | None = None) -> None:
        """Called by a graph's target for each new operation.

        Args:
            operation: the new one.
            record: what it is recorded as, if that is not its op.
        """
        tracked = self._tracked
        name = operation.type if record is None else record.name
        if tracked.keys().isdisjoint(map(id, operation.inputs)) or name == _STOPS:
            return
        made = [y for y in operation.outputs if y.dtype in TRAINABLE]
        if name in _LIKES and made and made[0].is_fully_known:
            return
        tracked.update((id(y), y) for y in made)
        if made and name not in NOT_DIFFERENTIABLE:
            # Loops and branches get further outputs, which the list shows.
            self._calls.append(
                Recorded(
                    record or operation.record,
                    operation.given,
                    operation.attrs,
                    operation.outputs,
                    operation,
                )
            )

    def record_output(self, operation: Any, output: Any) -> None:
        """Called for a further output of an operation that was recorded before."""
        if not self._tracked.keys().isdisjoint(map(id, operation.inputs)):
            self._tracked[id(output)] = output

    def record_capture(self, outside: Tensor, inside: Tensor) -> None:
        """Called when something comes to stand for a tensor inside of a function.

        Args:
            outside: the tensor.
            inside: what stands for it.
        """
        tracked = self._tracked
        if id(outside) in tracked and id(inside) not in tracked:
            tracked[id(inside)] = inside
            self._calls.append(Recorded(IDENTITY, (outside,), {}, (inside,), inside.op))

    def kept_values(self) -> list[EagerTensor]:
        """The values that it keeps alive, in eager mode."""
        kept = [x for call in list(self._calls) for x in (*call.inputs, *call.outputs)]
        every = {id(x): x for x in (*list(self._tracked.values()), *kept)}
        return [x for x in every.values() if isinstance(x, EagerTensor)]

    def stop_recording(self) -> _Paused:
        """A scope in which nothing is recorded.

        Raises:
            RuntimeError: the tape was never entered.
            ValueError: it does not record at the moment.
        """
        if not self._entered:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        return _Paused(self)

    def reset(self) -> None:
        """Forgets everything recorded and watched, and goes on recording.

        Raises:
            ValueError: it does not record at the moment.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._forget()

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """Returns the gradient of `target` (summed over its elements) for each source.

        Args:
            target: a tensor or a nest of tensors.
            sources: a tensor, a variable, or a nest of those.
            output_gradients: gradients of the target's own elements; ones if None.
            unconnected_gradients: what sources get that do not matter: None or zeros.

        Returns:
            Gradients in the structure of `sources`, each of its source's shape and dtype.

        Raises:
            RuntimeError: a second call on a tape that is not persistent.
            TypeError: a target or a source is neither a tensor nor a variable.
            ValueError: `unconnected_gradients` is neither "none" nor "zero".
        """
        self._check_unused()
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        wants_zeros = (
            unconnected_gradients is not UnconnectedGradients.NONE
            and unconnected_kind(unconnected_gradients) is UnconnectedGradients.ZERO
        )
        flat_targets = _checked(target, "target", in_parts=True)
        flat = _checked(sources, "sources")
        self._begin("gradient")
        gradients = self._walk(flat_targets, flat, output_gradients)
        self._end()
        if wants_zeros:
            gradients = [
                zeros_for(to_tensor(source)) if grad is None else grad
                for grad, source in zip(gradients, flat, strict=True)
            ]
        if flat and sources is flat[0]:  # one tensor or variable, the usual case
            return gradients[0]
        leaves = nest.flatten(sources)
        gradients = [_rewrapped(leaf, grad) for leaf, grad in zip(leaves, gradients, strict=True)]
        return nest.pack_sequence_as(sources, gradients)

    def _check_unused(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients "
                "(or jacobians)"
            )

    def _begin(self, method: str) -> None:
        """Stops recording, unless the tape may be used again."""
        if self._recording:
            if not self._persistent:
                self._stop()
            else:
                log.warning(
                    f"Calling GradientTape.{method} on a persistent tape inside its context is "
                    "significantly less efficient than calling it outside the context (it causes "
                    "the gradient ops to be recorded on the tape, leading to increased CPU and "
                    f"memory usage). Only call GradientTape.{method} inside the context if you "
                    "actually want to trace the gradient in order to compute higher order "
                    "derivatives."
                )

    def _end(self) -> None:
        self._used = True
        if not self._persistent:
            self._calls, self._tracked = [], {}

    def jacobian(
        self,
        target: Tensor,
        sources: TensorLike,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the derivative of each element of `target` for each element of each source.

        Args:
            target: a tensor.
            sources: a tensor, a variable, or a nest of those.
            unconnected_gradients: what sources get that do not matter: None or zeros.
            parallel_iterations: not needed.
            experimental_use_pfor: not needed: elements are gone through one by one. As in
                TensorFlow, False wants a persistent tape in eager mode.

        Returns:
            In the structure of `sources` tensors of the target's shape and then the source's.

        Raises:
            RuntimeError: a second call on a tape that is not persistent.
        """
        self._check_unused()
        self._check_persistent("jacobian", experimental_use_pfor)
        if nest.is_nested(target):
            raise TypeError(f"[GradientTape.jacobian] `target` must be one tensor, got {target!r}.")
        (y,), flat = _checked(target, "target"), _checked(sources, "sources")
        self._begin("jacobian")
        wants_zeros = unconnected_kind(unconnected_gradients) is UnconnectedGradients.ZERO
        jacobians = jacobian(self._walk_from(y, flat), to_tensor(y), flat)
        self._end()
        if wants_zeros:
            outer = [tensordot(zeros_like(y), zeros_like(to_tensor(x)), 0) for x in flat]
            jacobians = [zero if j is None else j for j, zero in zip(jacobians, outer, strict=True)]
        return nest.pack_sequence_as(sources, jacobians)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: object = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """Returns the jacobian of each part of a batch, where parts do not depend on each other.

        Args:
            target: a tensor of shape (batch, ...), of rank 2 at least.
            source: a tensor of shape (batch, ...), of rank 2 at least.
            unconnected_gradients: not needed: what does not matter has zeros.
            parallel_iterations: not needed. As in TensorFlow, a number smaller than the elements of
                a part of `target` wants a persistent tape,
            experimental_use_pfor: and so does False in eager mode.

        Returns:
            A tensor of shape (batch, *target's rest, *source's rest).

        Raises:
            RuntimeError: a second call on a tape that is not persistent.
            ValueError: the batches differ in size, or something has a rank below 2.
        """
        self._check_unused()
        self._check_persistent("batch_jacobian", experimental_use_pfor)
        ours, theirs = (x.shape.with_rank_at_least(2) for x in (target, source))
        if not ours.rank or not theirs.rank or not ours[:1].is_compatible_with(theirs[:1]):
            raise ValueError(
                f"Need first dimension of target shape ({ours}) and source shape ({theirs}) to "
                "match."
            )
        in_turns = parallel_iterations is not None and ours[1:].num_elements() is not None
        if in_turns and not self._persistent and ours[1:].num_elements() > parallel_iterations:
            raise RuntimeError(
                "GradientTape must be created with persistent=True to compute the batch_jacobian "
                "with parallel_iterations."
            )
        self._begin("batch_jacobian")
        result = batch_jacobian(self._walk_from(target, [source]), target, source)
        self._end()
        if result is None:
            result = zeros(concat([shape(target), shape(source)[1:]], 0), target.dtype)
        return result

    def _check_persistent(self, what: str, use_pfor: bool) -> None:
        if LOCAL.state.target.is_eager and not use_pfor and not self._persistent:
            raise RuntimeError(
                f"GradientTape must be created with persistent=True to compute the {what} with "
                "eager execution enabled and with experimental_use_pfor set to False."
            )

    def _walk_from(self, target: Tensor, sources: Sequence[Any]) -> Any:
        """A function: the gradients of sources for a gradient of a target."""
        place, value = self._place(target), to_tensor(target)
        places, calls = [self._place(source) for source in sources], self._calls
        is_source = not isinstance(target, Tensor) and any(place is each for each in places)
        if id(place) not in self._tracked and not is_source:
            return lambda seed: [None] * len(places)
        known = [each for each in places if id(each) in self._tracked or each is place]
        ids = set(map(id, known))

        def walked(seed: Any) -> list[Any]:
            gradients = iter(backward(calls, [(place, value, seed)], known))
            return [next(gradients) if id(each) in ids else None for each in places]

        return walked

    def _place(self, value: TensorLike) -> Any:
        """What stands for `value` on the tape: a variable's handle, or the tensor itself; in a
        graph, what stands for that there, unless the tape knew it before it came there.
        """
        place = _handle_or_itself(value)
        target: Any = LOCAL.state.target
        if id(place) in self._tracked or target.is_eager or not isinstance(place, Tensor):
            return place
        # The gradients of a branch may be those of a tape that the function around it has.
        for inside in target.stand_ins(place):
            if id(inside) in self._tracked:
                return inside
        return target.source(place)

    def _watched_place(self, value: TensorLike) -> Any:
        """What stands for `value` where the tape is now."""
        place = _handle_or_itself(value)
        target: Any = LOCAL.state.target
        if target.is_eager or not isinstance(place, Tensor):
            return place
        inside = target.source(place)
        self.record_capture(place, inside)
        return inside

    def _walk(
        self, targets: Sequence[Any], sources: Sequence[Any], output_gradients: Sequence[Any] | None
    ) -> list[Any]:
        seeds: Sequence[Any] = ()
        if output_gradients is not None:
            seeds = [x for seed in nest.flatten(output_gradients) for x in _in_parts(seed)]
        begins, places = [], [self._place(source) for source in sources]
        # TF: what was not watched has no gradient, though what was recorded may depend on it.
        known = [place for place in places if id(place) in self._tracked]
        ids = set(map(id, known))  # to go back may record more
        alone: dict[int, list[Any]] = {}
        for i, target in enumerate(targets):
            place = self._place(target)
            is_known = id(place) in self._tracked
            if is_known or any(place is source for source in places):
                value, seed = _value_of(target), seeds[i] if i < len(seeds) else None
                if value is None:
                    continue
                if is_known:
                    begins.append((place, value, seed))
                else:
                    alone.setdefault(id(place), []).append((value, seed))
        if begins and alone:  # TF: nor has it one for itself where something was computed of it
            for x in (x for call in self._calls for x in call.inputs):
                alone.pop(id(x), None)
        gradients = iter(backward(self._calls, begins, known))
        return [
            next(gradients) if id(place) in ids else _of_itself(alone.get(id(place)))
            for place in places
        ]


class ToTapes:
    """How the tapes of a thread are told of a new operation of a graph; there is one, `TO_TAPES`.
    Programs may put a function of theirs in between.
    """

    __slots__ = ("tell",)

    def __init__(self) -> None:
        self.tell: Callable[[Any], None] = tell_tapes


def _handle_or_itself(value: TensorLike) -> Any:
    """The handle of a variable; anything else as it is."""
    return value if isinstance(value, Tensor) else getattr(value, "handle", value)


def tell_tapes(operation: Any, record: Op | None = None) -> None:
    """Tells every tape of a new operation, see `GradientTape.record_operation`."""
    for tape in LOCAL.state.tapes:
        tape.record_operation(operation, record)


TO_TAPES = ToTapes()


@holds(GradientTape)
def held_by_tape(tape: GradientTape) -> Iterator[Held]:
    """The values that a tape keeps for gradients."""
    for each in tape.kept_values():
        yield Held(ACTIVATIONS, "", each, tape)


class _Paused:
    """The scope of `stop_recording`."""

    def __init__(self, tape: GradientTape) -> None:
        self._tape = tape

    def __enter__(self) -> None:
        self._tape._stop()

    def __exit__(self, *exc: object) -> None:
        self._tape._start()


def _of_itself(targets: Sequence[tuple[Any, Any]] | None) -> Any:
    """The gradient of something for itself: for each time that it is a target, its value and the
    gradient that it has already, or None for ones.
    """
    if targets is None:
        return None
    value, _ = targets[0]
    grads = [
        ones_like(value) if seed is None else to_tensor(seed, hint=value.dtype)
        for _, seed in targets
    ]
    return grads[0] if len(grads) == 1 else add_n(grads)


def _value_of(target: Tensor) -> Any:
    """What a gradient begins at; None if it cannot begin there. Nobody is told of the read."""
    state = LOCAL.state
    tapes, state.tapes = state.tapes, ()
    try:
        variable = target.__dict__.get("variable") if type(target) is EagerTensor else None
        value = to_tensor(target if variable is None else variable())
    finally:
        state.tapes = tapes
    return None if value.dtype in (dtypes.string, dtypes.resource) else value


def _age(variable: object) -> int:
    """How many variables are older than this one."""
    return getattr(variable, "_created", 0)


def _differentiated(leaf: object) -> Any:
    """What stands for a leaf in gradients: the values of a composite, or itself."""
    return leaf.gradient_parts()[0] if isinstance(leaf, CompositeTensor) else leaf


def _rewrapped(leaf: Tensor, grad: Tensor) -> Any:
    """The gradient of a leaf, as a composite where the leaf is one."""
    if grad is None or not isinstance(leaf, CompositeTensor):
        return grad
    return leaf.with_gradient(to_tensor(grad))


def _in_parts(leaf: Any) -> Sequence[Any]:
    """What stands for a leaf in gradients where that may be several tensors, as those that a linear
    operator is made of.
    """
    if isinstance(leaf, CompositeTensor):
        return (_differentiated(leaf),)
    return leaf.gradient_parts() if hasattr(leaf, "gradient_parts") else (leaf,)


def _checked(nested: Structure, what: str, in_parts: bool = False) -> list[Any]:
    flat = nest.flatten(nested)
    for i, each in enumerate(flat):
        if isinstance(each, CompositeTensor):
            each = flat[i] = _differentiated(each)
        if not isinstance(getattr(each, "handle", each), Tensor):
            if in_parts and hasattr(each, "gradient_parts"):
                whole = [part for leaf in nest.flatten(nested) for part in _in_parts(leaf)]
                return _checked(whole, what)
            raise TypeError(
                f"[GradientTape.gradient] `{what}` must hold tensors or variables, "
                f"got {each!r} of type {type(each).__name__!r}."
            )
    return flat


def unconnected_kind(wanted: Any) -> UnconnectedGradients:
    """What sources get that do not matter, by its name.

    Raises:
        ValueError: nothing has that name.
    """
    try:
        return UnconnectedGradients(wanted)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {wanted!r}") from None
