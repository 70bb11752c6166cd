"""Gradients in graphs: the same walk and the same rules as on a tape, recorded as operations.

A rule may look at shapes. Where they are not known, the rule itself is deferred.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from ...base import dtypes, nest
from ...core.composite import CompositeTensor
from ...core.context import LOCAL, Scope, intern_scope
from ...core.symbolic_value import SymbolicValueError, filled_in, symbolic_values
from ...core.tensor import EagerTensor, Tensor
from ...devices.name import DeviceSpec
from ...eager.backward import Walk, backward, register_walk
from ...eager.tape import GradientTape, UnconnectedGradients, unconnected_kind
from ...grads.replacing import REPLACED, as_replaced
from ...grads.rules import (
    NOT_DIFFERENTIABLE,
    RULES,
    ProgramRule,
    Recorded,
    Rule,
    apply_this,
    gradient,
    is_trainable,
)
from ...ops.array.making import ones_like, range_, zeros_like
from ...ops.array.shaping import IDENTITY, identity, shape
from ...ops.array.tensor_list import LISTS
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.op import Op
from ...ops.variables.indexed_slices import IndexedSlices
from ...ops.variables.parts import InParts
from ..representation.copies import standing_for
from ..representation.graph import Graph, SymbolicTensor
from ..representation.ops import BODIED, PLACEHOLDER_WITH_DEFAULT
from .deferred import DEFERRED, Scratch, defer
from .func_graph import is_around
from .target import GraphTarget

# Rules that hand a gradient on and look at nothing.
_ALWAYS_NOW = frozenset(
    {"Identity", "ReadVariableOp", "StopGradient", "IdentityN", "CustomGradient", "Cast"}
)
# Rules that ask for the shape with an op where it is not known.
_ALWAYS_NOW |= {"Reshape", "Squeeze", "ExpandDims", "Pack"}
# Rules that make graphs of their own and see to unknown shapes themselves.
_ALWAYS_NOW |= BODIED | {"FunctionCall"}
_ALWAYS_NOW |= {each.name for each in LISTS}


def _looks_at_nothing(call: Recorded) -> bool:
    """Whether a rule makes do with what is known. Gathering's does along the first axis, and
    refuses batches that are counted from the end of an unknown rank.
    """
    if call.op.name == "GatherV2":
        axis, batch_dims = call.attrs["axis"], call.attrs.get("batch_dims", 0)
        is_refused = batch_dims < 0 and call.inputs[1].shape.rank is None
        return is_refused or (isinstance(axis, int) and axis == 0 and not batch_dims)
    if call.op.name == "ResourceGather":
        dims = call.inputs[0].handle_data.dims
        return dims is not None and None not in dims
    return call.op.name in _ALWAYS_NOW


class _Stopped(Recorded):
    """A call some of whose outputs count as constants: those whose ids are in `stops`."""

    __slots__ = ("stops",)

    def __init__(self, call: Recorded, stops: Container[int]) -> None:
        super().__init__(call.op, call.inputs, call.attrs, call.outputs, call.route)
        self.stops = stops


class Meeting(Recorded):
    """What several threads, each with a section of a graph, made out of a value of each. Asked
    within one of them, the gradient is what that section says: the operations are made for all.

    Args:
        given: the values of a section.
        made: what it got for them.
        gradient: takes the gradients of what it got, returns those of its values.
        is_here: whether its thread is the one that asks.
    """

    __slots__ = ("gradient", "is_here")

    def __init__(
        self, given: Sequence[Any], made: Sequence[Any],
        gradient: Callable[[Sequence[Any]], Sequence[Any]], is_here: Callable[[], bool],
    ) -> None:  # fmt: skip
        operation = made[0].op
        super().__init__(operation.record, tuple(given), None, made, operation)
        self.gradient = gradient
        self.is_here = is_here


def with_meetings(calls: list[Recorded], graph: Graph) -> list[Recorded]:
    """Calls with the meetings of the section that asks, each after all that made it: going back, it
    comes first, and leaves them nothing.
    """
    here = [meeting for meeting in graph.meetings if meeting.is_here()]
    if not here:
        return calls
    places = {id(call.route): i for i, call in enumerate(calls)}
    behind: dict[int, list[Recorded]] = {}
    for meeting in here:
        last = max(places.get(id(y.op), -1) for y in meeting.outputs)
        behind.setdefault(last, []).append(meeting)
    found = behind.get(-1, [])
    for i, call in enumerate(calls):
        found += [call, *behind.get(i, ())]
    return found


class GraphWalk(Walk):
    """The walk through operations of a graph; `where` is the device that was asked for."""

    def seed(self, place: Any, value: Any, given: Any) -> None:
        """Begins at a target."""
        self.go_to(self.device_of(value))
        seed = ones_like(value) if given is None else to_tensor(given, hint=value.dtype)
        self._found.setdefault(id(place), []).append(seed)

    def device_of(self, value: Any) -> Any:
        """The device that the program asked for."""
        values = value.values if type(value) is IndexedSlices else value
        return values.device

    def go_to(self, device: Any) -> None:
        """From here on operations ask for `device`, unless the program asked for another one."""
        if self._around is None:
            text = device if isinstance(device, str) else device.name
            self._state.scope = _scope(text)

    def ask(self, call: Recorded, grads: Sequence[Any]) -> Sequence[Any]:
        """The gradients of a call's inputs: by the rule now, or by the rule deferred."""
        if type(call) is _Stopped:
            pairs = zip(call.outputs, grads, strict=True)
            grads = [None if id(y) in call.stops else grad for y, grad in pairs]
            if all(grad is None for grad in grads):
                return [None] * len(call.inputs)
        for y, grad in zip(call.outputs, grads, strict=True):
            if isinstance(y, SymbolicTensor) and isinstance(grad, SymbolicTensor):
                grad.narrow(y.dims)  # a gradient has the shape of its value
        if type(call) is Meeting:
            found: Sequence[Any] = call.gradient(grads)
            return found
        graph: Any = LOCAL.state.target.graph  # type: ignore[attr-defined]
        around = f"{graph.names.scope}/" if graph.names.scope else ""
        # Of what has run before there was this graph there is no operation.
        is_past = any(isinstance(y, EagerTensor) for y in call.outputs)
        name, copies = (call.op.name, ()) if is_past else (call.route.name, call.route.copies)
        with graph.plain_names(f"{around}{name}_grad/"), standing_for(copies):
            return ask_now_or_later(RULES.get(call.op.name), call, grads)


def ask_now_or_later(rule: Rule | None, call: Recorded, grads: Sequence[Any]) -> Sequence[Any]:
    """The gradients of a call's inputs by a rule: recorded now if all is known that it looks at,
    or the rule itself recorded, to be asked when shapes are known.
    """
    tensors = [*call.inputs, *call.outputs, *nest.flatten(list(grads), expand_composites=True)]
    is_symbolic = any(True for value in call.attrs.values() for _ in symbolic_values(value))
    known = all(x.is_fully_known for x in tensors if isinstance(x, SymbolicTensor))
    is_asked_now = type(rule) is ProgramRule or (known and not is_symbolic)
    if is_asked_now or _looks_at_nothing(call):
        with contextlib.suppress(SymbolicValueError):
            return apply_this(rule, call, grads)
    return _later(rule, call, grads)


def _later(rule: Rule | None, call: Recorded, grads: Sequence[Any]) -> Sequence[Any]:
    wanted = [i for i in range(len(call.inputs)) if call.needs(i)]
    waited = {
        id(each.tensor): each.tensor for v in call.attrs.values() for each in symbolic_values(v)
    }
    attrs = {
        name: filled_in(
            value, lambda symbolic: _Place(list(waited).index(id(symbolic.tensor)), symbolic)
        )
        for name, value in call.attrs.items()
    }
    deferred = _Rule(call.op, rule, attrs, wanted)
    args = list(call.inputs), list(call.outputs), list(grads), list(waited.values())
    results: Sequence[Any] = defer(LOCAL.state.target, deferred, args, {})
    return results


class _Place:
    """Stands for a number that the rule finds among its arguments."""

    __slots__ = ("index", "symbolic")

    def __init__(self, index: int, symbolic: Any) -> None:
        self.index = index
        self.symbolic = symbolic


class _Rule:
    """A gradient rule as a function of tensors: the one there was when it was asked for."""

    __name__ = "gradient"

    def __init__(self, op: Op, rule: Rule | None, attrs: dict[str, Any], wanted: list[int]) -> None:
        self.op = op
        self.rule = rule
        self.replaced = dict(REPLACED)
        self.attrs = attrs
        self.wanted = wanted
        self.is_dense = False
        self.are_slices: list[bool] | None = None  # the gradients, as the first trial made them

    def expected(self, inputs: list[Any], *others: Any) -> list[Any]:
        """What stands for the gradients where sizes that do not fit each other refuse every trial:
        tensors like the inputs. From then on the rule makes all of them, and dense ones.
        """
        self.is_dense = True
        return [
            x if i in self.wanted and is_trainable(x.dtype) else None for i, x in enumerate(inputs)
        ]

    def corrected(self, inputs: list[Any], result: list[Any], specs: list[Spec]) -> list[Spec]:
        """What is known of the results: a gradient has the shape of its input, whatever the trial
        made of sizes that may differ from each other.
        """
        remaining, corrected = iter(specs), []
        for x, grad in zip(inputs, result, strict=True):
            for leaf in nest.flatten(grad, expand_composites=True):
                if isinstance(leaf, Tensor):
                    spec = next(remaining)
                    is_like = grad is leaf and x.dtype not in (dtypes.resource, dtypes.variant)
                    corrected.append(Spec(x.shape.sizes, spec.dtype) if is_like else spec)
        return corrected

    def __call__(
        self, inputs: list[Any], outputs: list[Any], grads: list[Any], waited: list[Any]
    ) -> list[Any]:
        attrs = {name: _resolved(value, waited) for name, value in self.attrs.items()}
        call = Recorded(self.op, tuple(inputs), attrs, tuple(outputs), None)
        call.useful = {id(inputs[i]) for i in self.wanted}
        with as_replaced(self.replaced):
            results = apply_this(self.rule, call, grads)
        if self.is_dense:
            return [
                None if x is None else zeros_like(x) if made is None else to_tensor(made)
                for x, made in zip(self.expected(inputs), results, strict=True)
            ]
        made = [each if i in self.wanted else None for i, each in enumerate(results)]
        if self.are_slices is None:
            self.are_slices = [isinstance(each, IndexedSlices) for each in made]
        return [
            each if each is None else _of_kind(each, is_slices)
            for each, is_slices in zip(made, self.are_slices, strict=True)
        ]


def _of_kind(gradient: Any, is_slices: bool) -> Any:
    """A gradient as slices or dense, which a rule may choose by sizes: there is one kind for all
    sizes.
    """
    if isinstance(gradient, IndexedSlices) is is_slices:
        return gradient
    if not is_slices:
        return to_tensor(gradient)
    sizes = shape(gradient)
    return IndexedSlices(gradient, range_(sizes[0]), sizes)


def _resolved(value: Any, waited: list[Any]) -> Any:
    if type(value) is _Place:
        waiting = waited[value.index]
        known = waiting.static_value()
        if known is None and isinstance(waiting.graph, Scratch):  # shapes do not depend on it
            known = np.zeros(waiting.dims or (), np.int32)
        if known is None:
            raise SymbolicValueError(
                "A number that a gradient needs is known only when the graph runs."
            )
        return value.symbolic.value(known.tolist())
    if type(value) in (tuple, list):
        return type(value)(_resolved(each, waited) for each in value)
    return value


register_walk(GraphTarget, GraphWalk)


def _scope(text: str) -> Scope | None:
    return intern_scope(DeviceSpec.from_string(text)) if text else None


@gradient(PLACEHOLDER_WITH_DEFAULT, takes_slices=True)
def default_grad(call: Recorded, dy: Any) -> Any:
    """The value itself."""
    return dy


@gradient(DEFERRED)
def deferred_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of a deferred call: the call's own operations, differentiated."""
    deferred = call.attrs["call"]
    used = [i for i, grad in enumerate(grads) if grad is not None]
    wanted = [i for i, x in enumerate(call.inputs) if is_trainable(x.dtype) and call.needs(i)]
    results: list[Any] = [None] * len(call.inputs)
    found = _differentiated(deferred, list(call.inputs), [grads[i] for i in used], used, wanted)
    for i, grad in zip(wanted, found, strict=True):
        results[i] = grad
    return results


def _differentiated(
    deferred: Any, inputs: list[Any], grads: list[Any], used: list[int], wanted: list[int]
) -> list[Any]:
    inputs = _apart(inputs)
    with GradientTape() as tape:
        sources = [inputs[i] for i in wanted]
        for source in sources:
            tape.watch(source)
        made = deferred.flat(inputs)
    found = tape.gradient(
        [made[i] for i in used], sources, output_gradients=grads,
        unconnected_gradients=UnconnectedGradients.ZERO,
    )  # fmt: skip
    return [to_tensor(each) for each in found]


def _apart(inputs: list[Any]) -> list[Any]:
    """The inputs, where one that comes twice is two tensors: each place has a gradient of its own,
    and who adds them up would count what belongs to both twice.
    """
    apart: dict[int, Any] = {}
    return [x if apart.setdefault(id(x), i) == i else identity(x) for i, x in enumerate(inputs)]


def gradients(
    ys: Tensor,
    xs: Sequence[Any],
    grad_ys: Any = None,
    name: str | None = "gradients",
    gate_gradients: bool = False,
    aggregation_method: object = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
    colocate_gradients_with_ops: bool = False,
) -> list[Any]:
    """Records the gradients of the sum of `ys` for each of `xs`, as operations of the graph
    (`tf.gradients`).

    Args:
        ys: a tensor or a list of tensors of a graph; ragged ones count as their values.
        xs: a tensor, a variable, or a list of those. The gradient for a ragged tensor has its rows.
        grad_ys: gradients of `ys` themselves; ones where None.
        name: the name scope of the operations.
        gate_gradients: not needed: gradients run in the order of the program.
        aggregation_method: not used: sums are made at once.
        stop_gradients: tensors that count as constants; no gradient goes through the operations
            that make them.
        unconnected_gradients: "none" or "zero": what `xs` get that do not matter.
        colocate_gradients_with_ops: run each gradient where its operation runs; gradients also
            ask for the device their operation asked for. TensorFlow's has this in TF 1 alone.

    Returns:
        A list with a gradient per `xs`: a tensor, an IndexedSlices, or None.

    Raises:
        RuntimeError: in eager mode.
        NotImplementedError: one of `xs` is a variable in parts.
        ValueError: `unconnected_gradients` is something else.
    """
    state = LOCAL.state
    if state.target.is_eager:
        raise RuntimeError(
            "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape "
            "instead."
        )
    target: GraphTarget = state.target  # type: ignore[assignment]
    wants_zeros = unconnected_kind(unconnected_gradients) is UnconnectedGradients.ZERO
    targets, sources = _listed(ys), _listed(xs)
    if any(isinstance(source, InParts) for source in sources):
        raise NotImplementedError(  # TF: the first sentence
            "PartitionedVariable doesn't support being used as a reference. Ask for the gradients "
            "of its parts, list(variable)."
        )
    made_of_parts = sources
    targets, sources = list(map(_values_of, targets)), list(map(_values_of, sources))
    places = [_source(target, _place(variable)) for variable in sources]
    stops = {id(target.source(_place(_values_of(_one(stop))))) for stop in _listed(stop_gradients)}
    seeds = [None] * len(targets) if grad_ys is None else list(map(_values_of, _listed(grad_ys)))
    with target.graph.name_scope(name) as scope, target.graph.plain_names(scope):
        # Before the calls: what is read of a graph around this one here is a call too.
        begins = [
            (target.taken(to_tensor(y)), target.taken(to_tensor(y)), seed)
            for y, seed in zip(targets, seeds, strict=True)
        ]
        calls = _without(stops, _calls_from(places, target.graph))
        results = backward(towards(calls, begins), begins, places)
        if wants_zeros:
            results = [
                zeros_like(to_tensor(source)) if grad is None else grad
                for source, grad in zip(sources, results, strict=True)
            ]
    return [
        x.with_gradient(to_tensor(grad)) if _has_values(x) and grad is not None else grad
        for x, grad in zip(made_of_parts, results, strict=True)
    ]


def _without(stops: Container[int], calls: list[Recorded]) -> list[Recorded]:
    """The calls through which gradients go. As in TensorFlow none goes through an operation one of
    whose outputs is to be a constant. Of branches, and of loops outside of functions, other outputs
    keep theirs: there TensorFlow hands each out through an operation of its own.
    """
    kept = []
    for call in calls:
        count = sum(id(y) in stops for y in call.outputs)
        if not count:
            kept.append(call)
        elif count < len(call.outputs) and call.op.name in BODIED:
            is_in_function = call.outputs[0].graph.is_function
            if call.op.name == "If" or not is_in_function:
                kept.append(_Stopped(call, stops))
    return kept


def calls_of(graph: Graph) -> list[Recorded]:
    """The operations of a graph as a tape would have recorded them."""
    named = graph.gradient_types
    return [
        Recorded(record, operation.given, operation.attrs, operation.outputs, operation)
        for operation in list(graph.operations)
        if operation.given
        and has_gradient((record := named.get(operation, operation.record)).name)
        and any(is_trainable(y.dtype) for y in operation.outputs)
    ]


def has_gradient(op_type: str) -> bool:
    """Whether a type of op has one in graphs: a program may give one to what tapes leave out."""
    return op_type not in NOT_DIFFERENTIABLE or op_type in RULES


def _source(target: GraphTarget, place: Tensor) -> Tensor:
    """What a gradient is wanted for: a tensor of a graph around a branch stays itself."""
    here = target.graph
    if not isinstance(place, SymbolicTensor) or place.graph is here:
        return target.source(place)
    return place if is_around(place.graph, here) else target.source(place)


def _calls_from(sources: Sequence[Any], graph: Any) -> list[Recorded]:
    """The operations of a graph, and of those around it out to the farthest source. What a graph
    reads of the one around it counts as made of it here.
    """
    calls = with_meetings(calls_of(graph), graph)
    far = {id(x.graph) for x in sources if isinstance(x, SymbolicTensor)} - {id(graph)}
    while far and graph.is_function and graph.outer is not None:
        reads = [
            Recorded(IDENTITY, (outside,), {}, (inside,), inside.op)
            for outside, inside in graph.captures.values()
        ]
        graph = graph.outer
        calls = [*calls_of(graph), *reads, *calls]
        far.discard(id(graph))
    return calls


def towards(calls: list[Recorded], begins: Sequence[Any]) -> list[Recorded]:
    """The calls that lead to a target."""
    wanted = {id(place) for place, _, _ in begins}
    kept = []
    for call in reversed(calls):
        if any(id(y) in wanted for y in call.outputs):
            kept.append(call)
            wanted.update(map(id, call.inputs))
    return kept[::-1]


def _listed(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _one(value: object) -> Any:
    """The component that graphs of all replicas read, of a variable that has several."""
    return getattr(value, "_primary", value)


def _has_values(value: object) -> bool:
    """Whether it is a composite whose values are differentiated, such as a ragged tensor."""
    return isinstance(value, CompositeTensor) and not isinstance(value, IndexedSlices)


def _values_of(value: Any) -> Any:
    """The tensor that is differentiated: of a ragged one its values."""
    return value.gradient_parts()[0] if _has_values(value) else value


def _place(value: object) -> Any:
    return getattr(value, "handle", value)
