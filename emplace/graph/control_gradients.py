"""Gradients of operations with bodies: again operations with bodies.

What a gradient body reads of the forward body becomes a further output of the forward operation:
of `If` one value, of `While` and `Scan` a list with one value per round.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..base import dtypes, nest
from ..core.context import LOCAL
from ..eager.backward import backward
from ..grads.rules import Recorded, gradient, is_trainable
from ..ops.array.making import zeros, zeros_like
from ..ops.convert import to_tensor
from ..ops.infer import Spec
from ..ops.math.elementwise import add
from .control import IF, SCAN, WHILE, Body, common_dims, extend
from .func_graph import FuncGraph
from .gradients import calls_of, towards
from .graph import AS_DEFAULT, Operation, SymbolicTensor


def _pulled(
    body: FuncGraph, ends: Sequence[Any], seeds: Sequence[Any], sources: Sequence[Any]
) -> list[Any]:
    """Gradients of a body's tensors `ends`, which are `seeds`, for its tensors `sources`."""
    begins = [(y, y, seed) for y, seed in zip(ends, seeds, strict=True)]
    return backward(towards(calls_of(body), begins), begins, sources)


def _zeros(x: SymbolicTensor) -> Any:
    """What a tensor gets that does not matter; the value of a variable, for its handle."""
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
        if call.needs(i)
        and (is_trainable(call.inputs[i].dtype) or call.inputs[i].dtype is dtypes.resource)
    ]  # fmt: skip


@gradient(IF)
def if_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of `If`: an `If` on the same condition, with the gradient of each branch."""
    node: Operation = call.outputs[0].op
    target: Any = LOCAL.state.target
    used = [i for i, grad in enumerate(grads) if grad is not None]
    wanted = _flowing(call, 1)
    bodies = []
    for body, reads in zip(node.attrs["bodies"], node.attrs["reads"], strict=True):
        bodies.append(_branch_grad(body, reads, used, [i - 1 for i in wanted], call))
    seeds = [target.taken(to_tensor(grads[i])) for i in used]
    outside: dict[int, Any] = {}
    takes: list[dict[int, Any]] = []
    for body, made in zip(node.attrs["bodies"], bodies, strict=True):
        takes.append(_outside_of(node, body, made, outside))
    reads = tuple(tuple(take.get(i) for i in outside) for take in takes)
    given = [target.taken(call.inputs[0]), *seeds]
    taken = [target.taken(x) for x in outside.values()]
    full = tuple((*made.inputs, *inner) for made, inner in zip(bodies, reads, strict=True))
    specs = [
        Spec(common_dims(a.dims, b.dims), a.dtype)
        for a, b in zip(bodies[0].outputs, bodies[1].outputs, strict=True)
    ]
    attrs = {"bodies": tuple(bodies), "reads": full, "count": 1}
    made_node = target.graph.add(IF, (*given, *taken), attrs, specs, "cond_grad")
    for tape in LOCAL.state.tapes:
        tape.record_node(made_node)
    results: list[Any] = [None] * len(call.inputs)
    for i, y in zip(wanted, made_node.outputs, strict=True):
        results[i] = y
    return results


def _branch_grad(
    body: FuncGraph,
    reads: Sequence[Any],
    used: Sequence[int],
    wanted: Sequence[int],
    call: Recorded,
) -> Body:
    made = Body(f"{body.name}_grad", body)
    with AS_DEFAULT[0](made):
        seeds = [made.argument(body.outputs[i].spec, "grad") for i in used]
        ends = [body.outputs[i] for i in used]
        sources = [reads[i] for i in wanted]
        found = _pulled(body, ends, seeds, [x for x in sources if x is not None])
        remaining = iter(found)
        for i, source in zip(wanted, sources, strict=True):
            grad = None if source is None else next(remaining)
            outer = call.inputs[i + 1]
            made.outputs.append(
                made.target.taken(_zeros(source if source is not None else _reach(made, outer)))
                if grad is None else made.target.taken(to_tensor(grad))
            )  # fmt: skip
    return made


def _reach(body: FuncGraph, outer: SymbolicTensor) -> SymbolicTensor:
    """A tensor of the graph around, read by a body that did not read it yet."""
    made = body.capture(outer)
    made.handle_data = outer.handle_data
    return made


def _outside_of(
    node: Operation, body: FuncGraph, made: FuncGraph, outside: dict[int, Any]
) -> dict[int, Any]:
    """What a gradient body reads, by the id of the tensor of the graph around both; values from
    inside the forward body become outputs of its operation.
    """
    place = node.attrs["bodies"].index(body)
    given = {id(x): node.inputs[1 + i] for i, x in enumerate(node.attrs["reads"][place])
             if x is not None}  # fmt: skip
    found: dict[int, Any] = {}
    for x, inner in made.captures.values():
        if x.graph is not body:
            outer = x
        elif id(x) in given:
            outer = given[id(x)]
        else:
            outer = _output_for(node, body, x)
        outside[id(outer)] = outer
        found[id(outer)] = inner
    return found


def _output_for(node: Operation, body: FuncGraph, x: SymbolicTensor) -> SymbolicTensor:
    """The output of a node that is `x` of its body; a new one if there is none."""
    for y, inner in zip(node.outputs, body.outputs, strict=True):
        if inner is x and all(b is body or b.outputs[y.value_index] is None
                              for b in node.attrs["bodies"]):  # fmt: skip
            return y
    return extend(node, body, x, x.spec)


# -- loops -----------------------------------------------------------------------------------------


@gradient(WHILE)
def while_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of `While`: a `Scan` backwards over what its rounds kept."""
    node: Operation = call.outputs[0].op
    loops = node.attrs["loops"]
    _, step = node.attrs["bodies"]
    symbols = [*step.inputs, *node.attrs["reads"][1]]
    return _loop_grad(call, node, step, symbols, 0, loops, grads)


@gradient(SCAN)
def scan_grad(call: Recorded, *grads: Any) -> Sequence[Any]:
    """Of `Scan`: gradients of gradients of loops."""
    raise LookupError(
        "gradient registry has no entry for: Scan (the second derivative of a while loop)"
    )


def _loop_grad(
    call: Recorded,
    node: Operation,
    step: FuncGraph,
    symbols: Sequence[Any],
    lists: int,
    loops: int,
    grads: Sequence[Any],
) -> Sequence[Any]:
    target: Any = LOCAL.state.target
    flowing = [i for i in range(loops) if is_trainable(step.outputs[i].dtype)]
    wanted = [i for i in _flowing(call, loops) if symbols[i] is not None]
    made = Body(f"{step.name}_grad", step)
    with AS_DEFAULT[0](made):
        seeds = [made.argument(step.outputs[i].spec, "grad") for i in flowing]
        totals = [made.argument(_value_spec(symbols[i]), "total") for i in wanted]
        sources = [symbols[i] for i in (*flowing, *wanted)]
        found = _pulled(step, [step.outputs[i] for i in flowing], seeds, sources)
        for i, grad in zip(flowing, found, strict=False):
            y = zeros_like(symbols[i]) if grad is None else to_tensor(grad)
            made.outputs.append(made.target.taken(y))
        for total, grad in zip(totals, found[len(flowing) :], strict=True):
            y = total if grad is None else add(total, to_tensor(grad))
            made.outputs.append(made.target.taken(y))
    # The lists: what the body reads of a round. There is at least one, for their length counts.
    given = {id(x): node.inputs[i] for i, x in enumerate(symbols) if i >= loops and x is not None}
    elements, kept, outside, inner = [], [], [], []
    for x, symbol in made.captures.values():
        if x.graph is not step:
            outside.append(x)
            inner.append(symbol)
        elif id(x) in given:
            outside.append(given[id(x)])
            inner.append(symbol)
        else:
            kept.append(_list_for(node, step, x, loops))
            elements.append(symbol)
    if not kept:
        kept.append(_list_for(node, step, step.inputs[0], loops))
        elements.append(made.argument(step.inputs[0].spec, "round"))
    carries = [
        to_tensor(grads[i]) if grads[i] is not None else zeros_like(call.outputs[i])
        for i in flowing
    ] + [_zeros(node.inputs[i]) for i in wanted]
    carries = [target.taken(x) for x in carries]
    arguments = [*elements, *seeds, *totals]
    made.inputs = arguments
    outer = [target.taken(x) for x in (*kept, *carries, *outside)]
    attrs = {
        "bodies": (made,), "reads": (tuple(inner),), "lists": len(kept), "loops": len(carries),
        "count": len(kept) + len(carries),
    }  # fmt: skip
    specs = [Spec(common_dims(x.dims, y.dims), x.dtype)
             for x, y in zip(carries, made.outputs, strict=True)]  # fmt: skip
    again = target.graph.add(SCAN, outer, attrs, specs, "while_grad")
    for tape in LOCAL.state.tapes:
        tape.record_node(again)
    results: list[Any] = [None] * len(call.inputs)
    for i, y in zip((*flowing, *wanted), again.outputs, strict=True):
        results[i] = y
    return results


def _value_spec(symbol: SymbolicTensor) -> Spec:
    """The spec of a gradient for a symbol; a variable's value, for its handle."""
    if symbol.dtype is dtypes.resource:
        assert symbol.handle_data is not None
        return symbol.handle_data
    return symbol.spec


def _list_for(node: Operation, step: FuncGraph, x: SymbolicTensor, loops: int) -> SymbolicTensor:
    """The output of a loop that is the list of `x` in its rounds; a new one if there is none."""
    for y, inner in zip(node.outputs[loops:], step.outputs[loops:], strict=True):
        if inner is x:
            return y
    step.outputs.append(x)
    made = SymbolicTensor(node, len(node.outputs), Spec((), dtypes.variant))
    node.outputs.append(made)
    return made


__all__ = ["if_grad", "nest", "scan_grad", "while_grad"]
