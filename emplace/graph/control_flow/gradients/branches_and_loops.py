"""Gradients of operations with bodies: again operations with bodies.

What a gradient body reads of the forward body becomes a further output of the forward operation:
of `If` one value, of `While` and `Scan` a list with one value per iteration.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ....base import dtypes
from ....base.shapes import common
from ....core.context import LOCAL
from ....core.tensor import EagerTensor, Tensor
from ....eager.backward import backward
from ....grads.rules import Recorded, gradient, is_trainable
from ....ops.array.making import zeros, zeros_like
from ....ops.array.tensor_list import EMPTY, FILLED
from ....ops.convert import to_tensor
from ....ops.infer import Spec
from ....ops.math.elementwise import add
from ....ops.math.reduction import add_n
from ....ops.op import apply, apply_any
from ...recording.func_graph import FuncGraph, captured, same_constant
from ...recording.gradients import calls_of, towards
from ...representation.default_graph import as_default
from ...representation.graph import Graph, Operation, SymbolicTensor
from ...representation.ops import CONST
from ..bodies import Body, add_output, extend
from ..branches import IF
from ..loops.scans import SCAN
from ..loops.while_loops import WHILE
from .body_copies import unshare_bodies
from .branch_slices import alike, put_together


def _pulled(
    body: FuncGraph, ends: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]
) -> list[Any]:
    """Gradients of a body's tensors `ends`, which are `seeds`, for its tensors `sources`."""
    begins = [(y, y, seed) for y, seed in zip(ends, seeds, strict=True)]
    return backward(towards(calls_of(body), begins), begins, sources)


def _zeros(x: SymbolicTensor) -> Any:
    """What a tensor gets that does not matter; the value of a variable, for its handle."""
    if x.dtype is dtypes.variant:
        made = apply_any(EMPTY, (), {})
        made.handle_data = x.handle_data
        return made
    if x.dtype is dtypes.resource:
        data = x.handle_data
        assert data is not None
        assert data.dims is not None
        return zeros(data.dims, data.dtype)
    return zeros_like(x)


def _flowing(call: Recorded, first: int) -> list[int]:
    """The inputs behind `first` that gradients are wanted for."""
    return [
        i for i in range(first, len(call.inputs))
        if call.needs(i) and _flows(call.inputs[i])
    ]  # fmt: skip


class GradBody(Body):
    """The gradient of a branch or of an iteration. It goes into the graph that takes the gradient,
    `target_graph`, which need not be around the forward body; constants of that one are constants
    here.
    """

    def __init__(self, name: str, forward: FuncGraph, target_graph: Graph) -> None:
        super().__init__(name, forward)
        self.target_graph = target_graph

    def capture(self, x: Any) -> SymbolicTensor:
        """What stands here for a tensor of the forward body, or for one from around it."""
        if isinstance(x, EagerTensor):
            x = self.target_graph.target.taken(x)
        if x.op.record is CONST and x.graph is self.outer:
            if id(x) not in self.constants:
                self.constants[id(x)] = x, self._unscoped(same_constant, x)
            return self.constants[id(x)][1]
        if id(x) not in self.captures:
            inner = self._unscoped(captured, x)
            inner.handle_data = x.handle_data
            self.captures[id(x)] = x, inner
        return self.captures[id(x)][1]


@gradient(IF)
def if_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of `If`: an `If` on the same condition, with the gradient of each branch; slices where a
    branch finds slices, nothing for what matters in no branch."""
    operation: Operation = call.outputs[0].op
    unshare_bodies(operation)
    target: Any = LOCAL.state.target
    used = [i for i, grad in enumerate(grads) if grad is not None]
    differentiated = _flowing(call, 1)
    branches = list(zip(operation.attrs["bodies"], operation.attrs["reads"], strict=True))
    pulled = [_branch_grad(body, reads, used, differentiated, call) for body, reads in branches]
    elsewhere = [_behind_others(body, used) for body, _ in branches]
    differentiated = [
        i
        for i in differentiated
        if any(grads[i] is not None for _, grads in pulled)
        or any(id(reads[i - 1]) in ids for ids, (_, reads) in zip(elsewhere, branches, strict=True))
    ]
    if not differentiated:
        return [None] * len(call.inputs)
    bodies = [grad_body for grad_body, _ in pulled]
    sliced = alike(
        bodies,
        [
            _with_zeros(grad_body, reads, grads, differentiated, call)
            for (grad_body, grads), (_, reads) in zip(pulled, branches, strict=True)
        ],
    )
    seeds = [target.taken(to_tensor(grads[i])) for i in used]
    outside: dict[Any, Any] = {}
    takes: list[dict[Any, Any]] = []
    for body, grad_body in zip(operation.attrs["bodies"], bodies, strict=True):
        takes.append(_outside_of(operation, body, grad_body, outside))
    reads = tuple(tuple(take.get(i) for i in outside) for take in takes)
    inputs = [target.taken(call.inputs[0]), *seeds]
    taken = [target.taken(x) for x in outside.values()]
    full = tuple(
        (*grad_body.inputs, *inner) for grad_body, inner in zip(bodies, reads, strict=True)
    )
    specs = [
        Spec(common(a.dims, b.dims), a.dtype)
        for a, b in zip(bodies[0].outputs, bodies[1].outputs, strict=True)
    ]
    attrs = {"bodies": tuple(bodies), "reads": full, "count": 1}
    grad_operation = target.graph.add(IF, (*inputs, *taken), attrs, specs, "cond_grad")
    for tape in LOCAL.state.tapes:
        tape.record_operation(grad_operation)
    results: list[Any] = [None] * len(call.inputs)
    ys = iter(grad_operation.outputs)
    for i, is_sliced in zip(differentiated, sliced, strict=True):
        results[i] = put_together(is_sliced, ys, call.inputs[i])
    return results


def _branch_grad(
    body: FuncGraph,
    reads: Sequence[Any],
    used: Sequence[int],
    wanted: Sequence[int],
    call: Recorded,
) -> tuple[Body, dict[int, Any]]:
    """The body that finds a branch's gradients, and these by the places of the inputs: tensors or
    slices of it, None where there is none.
    """
    made = GradBody(f"{body.name}_grad", body, LOCAL.state.target.graph)  # type: ignore[attr-defined]
    with as_default(made):
        operation = call.outputs[0].op
        seeds = [_argument(made, operation.outputs[i], "grad") for i in used]
        ends = [(body.outputs[i], seed) for i, seed in zip(used, seeds, strict=True)
                if body.outputs[i] is not None]  # fmt: skip
        sources = [reads[i - 1] for i in wanted]
        found = _pulled(
            body, [y for y, _ in ends], [seed for _, seed in ends],
            [x for x in sources if x is not None],
        )  # fmt: skip
        remaining = iter(found)
        grads = {
            i: None if source is None else next(remaining)
            for i, source in zip(wanted, sources, strict=True)
        }
    return made, grads


def _behind_others(body: FuncGraph, used: Sequence[int]) -> set[int]:
    """The ids of what the results of a branch depend on for which no gradient came. TF: those get
    zeros, and so does what only they depend on.
    """
    others = [y for i, y in enumerate(body.outputs) if y is not None and i not in used]
    found = {id(y) for y in others if _flows(y)}
    if found:
        for call in reversed(calls_of(body)):
            if any(id(y) in found for y in call.outputs):
                found.update(id(x) for x in call.inputs if _flows(x))
    return found


def _with_zeros(
    made: Body,
    reads: Sequence[Any],
    grads: dict[int, Any],
    wanted: Sequence[int],
    call: Recorded,
) -> list[Any]:
    """A branch's gradients for the inputs that matter in some branch: zeros where it has none."""
    filled: list[Any] = []
    with as_default(made):
        for i in wanted:
            grad, source = grads[i], reads[i - 1]
            if grad is None:
                grad = _zeros(_reach(made, call.inputs[i]) if source is None else source)
            filled.append(grad)
    return filled


def _reach(body: FuncGraph, outer: SymbolicTensor) -> SymbolicTensor:
    """A tensor of the graph around, read by a body that did not read it yet."""
    made = body.capture(outer)
    made.handle_data = outer.handle_data
    return made


def _outside_of(
    operation: Operation, body: FuncGraph, made: FuncGraph, outside: dict[Any, Any]
) -> dict[Any, Any]:
    """What a gradient body reads, by the id of the tensor of the graph around both, and a number,
    for it may read one as what it is there and as what stands for it in the forward body. Values
    from inside the forward body become outputs of its operation.
    """
    place = operation.attrs["bodies"].index(body)
    given = {id(x): operation.inputs[1 + i] for i, x in enumerate(operation.attrs["reads"][place])
             if x is not None}  # fmt: skip
    found: dict[Any, Any] = {}
    for x, inner in made.captures.values():
        if x.graph is not body:
            outer = x
        elif id(x) in given:
            outer = given[id(x)]
        else:
            outer = _output_for(operation, body, x)
        key = next(key for i in itertools.count() if (key := (id(outer), i)) not in found)
        outside[key] = outer
        found[key] = inner
    return found


def _output_for(operation: Operation, body: FuncGraph, x: SymbolicTensor) -> SymbolicTensor:
    """The output of a node that is `x` of its body; a new one if there is none."""
    for y, inner in zip(operation.outputs, body.outputs, strict=True):
        if inner is x and all(b is body or b.outputs[y.value_index] is None
                              for b in operation.attrs["bodies"]):  # fmt: skip
            return y
    return extend(operation, body, x, x.spec)


# -- loops -----------------------------------------------------------------------------------------


@gradient(WHILE)
def while_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of `While`: a `Scan` backwards over what its iterations kept."""
    operation: Operation = call.outputs[0].op
    unshare_bodies(operation)
    _, step = operation.attrs["bodies"]
    symbols = [*step.inputs, *operation.attrs["reads"][1]]
    return _loop_grad(
        call, _Loop(operation, step, symbols, 0, operation.attrs["loops"], True), grads
    )


@gradient(SCAN)
def scan_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of `Scan`: a `Scan` the other way round."""
    operation: Operation = call.outputs[0].op
    unshare_bodies(operation)
    attrs = operation.attrs
    (body,) = attrs["bodies"]
    symbols = [*body.inputs, *attrs["reads"][0]]
    loop = _Loop(operation, body, symbols, attrs["lists"], attrs["loops"], not attrs["reverse"])
    return _loop_grad(call, loop, grads)


class _Loop:
    """A loop to differentiate: `symbols` stand in the iteration `step` for the inputs of the node:
    first `lists` elements of lists, then `loops` variables, then what the iteration reads.
    """

    def __init__(
        self, operation: Operation, step: FuncGraph, symbols: Sequence[Any], lists: int, loops: int,
        reverse: bool,
    ) -> None:  # fmt: skip
        self.operation = operation
        self.step = step
        self.symbols = symbols
        self.lists = lists
        self.loops = loops
        self.reverse = reverse

    def list_of(self, x: SymbolicTensor) -> SymbolicTensor:
        """The output that is the list of `x` in the iterations; a new one if there is none."""
        for y, inner in zip(self.operation.outputs[self.loops :], self.step.outputs[self.loops :],
                            strict=True):  # fmt: skip
            if inner is x:
                return y
        self.step.outputs.append(x)
        made = SymbolicTensor(self.operation, len(self.operation.outputs), Spec((), dtypes.variant))
        made.handle_data = x.spec
        return add_output(self.operation, made)


def _flows(x: SymbolicTensor) -> bool:
    """Whether a gradient can come for a tensor, the elements of a list or a variable's value."""
    return is_trainable((x.handle_data or x).dtype)


def _loop_grad(call: Recorded, loop: _Loop, grads: Sequence[Any]) -> Sequence[Any]:
    target: Any = LOCAL.state.target
    operation, step, symbols = loop.operation, loop.step, loop.symbols
    first, behind = loop.lists, loop.lists + loop.loops
    flowing = [i for i in range(loop.loops) if _flows(step.outputs[i])]
    kept_used = [i for i in range(loop.loops, len(grads)) if grads[i] is not None]
    picked = [i for i in range(first) if call.needs(i) and _flows(symbols[i])]
    summed = [i for i in _flowing(call, behind) if symbols[i] is not None and _flows(symbols[i])]
    body = GradBody(f"{step.name}_grad", step, target.graph)
    with as_default(body):
        list_grads = [_argument(body, step.outputs[i], "each") for i in kept_used]
        seeds = [_argument(body, step.outputs[i], "grad") for i in flowing]
        totals = [_argument(body, symbols[i], "total") for i in summed]
        carried = [symbols[first + i] for i in flowing]
        sources = [*carried, *[symbols[i] for i in (*summed, *picked)]]
        ends = [step.outputs[i] for i in (*flowing, *kept_used)]
        grads_in_body = _pulled(step, ends, [*seeds, *list_grads], sources)
        count, after = len(flowing), len(flowing) + len(summed)
        results = _or_zeros(carried, grads_in_body[:count])
        pairs = zip(totals, grads_in_body[count:after], strict=True)
        results += [x if grad is None else _sum(x, to_tensor(grad)) for x, grad in pairs]
        results += _or_zeros([symbols[i] for i in picked], grads_in_body[after:])
        body.outputs = [body.target.taken(y) for y in results]
    elements, element_lists, outside, inner = _what_it_reads(loop, body)
    carries: list[Any] = [
        to_tensor(grads[i]) if i < len(grads) and grads[i] is not None else _zeros(call.outputs[i])
        for i in flowing
    ] + [_zeros(operation.inputs[i]) for i in summed]
    filled = [apply(FILLED, (grads[i], target.taken(operation.outputs[i])), {}) for i in kept_used]
    body.inputs = [*list_grads, *elements, *seeds, *totals]
    lists = [*filled, *element_lists]
    outer = [target.taken(x) for x in (*lists, *carries, *outside)]
    attrs = {
        "bodies": (body,), "reads": (tuple(inner),), "lists": len(lists), "loops": len(carries),
        "count": len(lists) + len(carries), "reverse": loop.reverse,
    }  # fmt: skip
    specs = [Spec(common(x.dims, y.dims), y.dtype)
             for x, y in zip(carries, body.outputs, strict=False)]  # fmt: skip
    specs += [Spec((), dtypes.variant)] * len(picked)
    again = target.graph.add(SCAN, outer, attrs, specs, "while_grad")
    for y, z in zip(again.outputs, body.outputs, strict=True):
        y.handle_data = z.handle_data if y.value_index < len(carries) else z.spec
    for tape in LOCAL.state.tapes:
        tape.record_operation(again)
    input_grads: list[Any] = [None] * len(call.inputs)
    for i, y in zip((*[first + i for i in flowing], *summed, *picked), again.outputs, strict=True):
        input_grads[i] = y
    return input_grads


def _or_zeros(symbols: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
    pairs = zip(symbols, grads, strict=True)
    return [_zeros(x) if grad is None else to_tensor(grad) for x, grad in pairs]


def _sum(total: Tensor, grad: Tensor) -> Tensor:
    return add_n([total, grad]) if total.dtype is dtypes.variant else add(total, grad)


def _argument(body: FuncGraph, symbol: SymbolicTensor, name: str) -> SymbolicTensor:
    """An argument for a gradient of a symbol; of a variable's value, for its handle."""
    if symbol.dtype is dtypes.resource:
        assert symbol.handle_data is not None
        return body.argument(symbol.handle_data, name)
    made = body.argument(symbol.spec, name)
    made.handle_data = symbol.handle_data
    return made


def _what_it_reads(
    loop: _Loop, made: FuncGraph
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """What a gradient reads of the iterations: symbols and the lists for them; and of what is
    around the loop: tensors and symbols. There is at least one list, for their length counts.
    """
    operation, step = loop.operation, loop.step
    behind = loop.lists + loop.loops
    given = {id(x): operation.inputs[i] for i, x in enumerate(loop.symbols)
             if x is not None and not loop.lists <= i < behind}  # fmt: skip
    listed = {id(x) for x in loop.symbols[: loop.lists]}
    elements, kept, outside, inner = [], [], [], []
    for x, symbol in made.captures.values():
        if x.graph is step and id(x) not in given:
            kept.append(loop.list_of(x))
            elements.append(symbol)
        elif id(x) in listed:
            kept.append(given[id(x)])
            elements.append(symbol)
        else:
            outside.append(given.get(id(x), x))
            inner.append(symbol)
    if not kept:
        x = loop.symbols[0]
        kept.append(given[id(x)] if id(x) in listed else loop.list_of(x))
        elements.append(made.argument(x.spec, "iteration"))
    return elements, kept, outside, inner
