"""How a `Scan` is written into a plan: a body for each element of some lists.

It is how loops are differentiated: `While` keeps what the gradient needs in lists, one entry per
iteration, and the gradient goes over them backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....core.tensor import EagerTensor, make_tensor
from ....devices.device import Device
from ...codegen.plans import REQUESTS, LoopRequest, is_fit, trying_machine_code
from ...plan.steps import Step
from ...plan.writing.writer import EMITTERS, Writer
from ...representation.graph import Operation, SymbolicTensor
from ..bodies import op_with_bodies
from ..iterations import write_iteration, write_kept
from .sums import Sum, joined, sums, with_products, with_rows

SCAN = op_with_bodies("Scan")


def _tensors_of(kind: Any) -> Callable[[Any], list[Any]]:
    """Makes tensors of the elements of a list, for instrumented plans."""

    def made(values: EagerTensor) -> list[Any]:
        return [each if each is None else make_tensor(each, kind) for each in values._value.items]

    return made


def _write_scan(writer: Writer, operation: Operation) -> None:
    """`for each in zip(lists): carries = body(each, carries)`; inputs are lists, then carries.

    Gradients of loops go from the last element to the first (`reverse`), gradients of those the
    other way round.
    """
    lists, loops = operation.attrs["lists"], operation.attrs["loops"]
    devices = [writer.values.device(x) for x in operation.inputs]
    variables = [writer.text.fresh() for _ in range(loops)]
    kept = [writer.text.fresh("s") for _ in operation.outputs[loops:]]
    summed = _summed(writer, operation, devices)
    parts = {id(x): (x, writer.text.fresh("s")) for each in summed.values() for x in each.parts}
    for i in summed:
        writer.text.write(f"{variables[i]} = {writer.values.name(operation.inputs[lists + i])}")
    turning = [i for i in range(loops) if i not in summed]
    names = [name for _, name in parts.values()]
    with trying_machine_code(writer, operation, [*[variables[i] for i in turning], *kept, *names]):
        places = _write_elements(writer, operation, turning, variables, kept, list(parts.values()))
        write_kept(writer, kept, places, operation.attrs["reverse"])
        for name in names:
            writer.text.write(f"{name} = {writer.text.bind(joined, 'f')}({name})")
    _write_sums(writer, summed, variables, {i: name for i, (_, name) in parts.items()})
    places = [*devices[lists : lists + loops], *places]
    for y, name, device in zip(operation.outputs, [*variables, *kept], places, strict=True):
        writer.values.enter(y, name, device)


def _scanned_iterations(writer: Writer, operation: Operation) -> LoopRequest | None:
    """The iterations of a Scan that may become machine code; None if they may not."""
    (body,) = operation.attrs["bodies"]
    lists, loops = operation.attrs["lists"], operation.attrs["loops"]
    summed = _summed(writer, operation, [writer.values.device(x) for x in operation.inputs])
    parts = {id(x): x for each in summed.values() for x in each.parts}.values()
    turning = [i for i in range(loops) if i not in summed]
    changing = [lists + i for i in turning]
    given = [*range(lists), *changing, *range(lists + loops, len(operation.inputs))]
    symbols = [*body.inputs, *operation.attrs["reads"][0]]
    request = LoopRequest(
        body, [symbols[i] for i in given], [writer.values.name(operation.inputs[i]) for i in given],
        [*[body.outputs[i] for i in turning], *body.outputs[loops:], *parts],
        lists=lists, variables=len(turning), parts=len(parts),
        is_reversed=operation.attrs["reverse"],
    )  # fmt: skip
    return request if is_fit(writer, operation, request) else None


def _write_elements(
    writer: Writer, operation: Operation, turning: Sequence[int], variables: Sequence[str],
    list_names: Sequence[str], parts: Sequence[tuple[SymbolicTensor, str]],
) -> list[Device]:  # fmt: skip
    """A `for` over the elements of lists. Returns where the kept values are."""
    (body,) = operation.attrs["bodies"]
    lists, loops, is_reversed = (
        operation.attrs["lists"],
        operation.attrs["loops"],
        operation.attrs["reverse"],
    )
    from_outside = operation.inputs[lists + loops :]
    devices = [writer.values.device(x) for x in operation.inputs]
    elements = [writer.text.fresh("e") for _ in range(lists)]
    turned = [variables[i] for i in turning]
    for name, i in zip(turned, turning, strict=True):
        writer.text.write(f"{name} = {writer.values.name(operation.inputs[lists + i])}")
    all_kept = [*list_names, *[name for _, name in parts]]
    for name in all_kept:
        writer.text.write(f"{name} = []")
    sources = []
    for x, symbol, device in zip(operation.inputs[:lists], body.inputs, devices, strict=False):
        items = f"{writer.values.name(x)}.items"
        if writer.instrumented:
            items = f"{writer.text.bind(_tensors_of(device.kind(symbol.dtype)), 't')}({items[:-6]})"
        sources.append(f"reversed({items})" if is_reversed else items)
    writer.text.write(f"for {', '.join(elements)}, in zip({', '.join(sources)}):")
    names = [*elements, *variables, *[writer.values.name(x) for x in from_outside]]
    with writer.varying(), writer.inner():
        symbols = [*body.inputs, *operation.attrs["reads"][0]]
        outputs = [body.outputs[i] for i in turning] + body.outputs[loops:]
        outputs += [x for x, _ in parts]
        changing = [body.inputs[lists + i] for i in turning]
        writer.body(body, symbols, names, devices, f"{operation.name}/body", outputs, changing)
        there = [devices[lists + i] for i in turning]
        return write_iteration(writer, body, outputs, turned, all_kept, there)[: len(list_names)]


def _summed(writer: Writer, operation: Operation, devices: Sequence[Device]) -> dict[int, Sum]:
    """The variables of a Scan that are sums of products; none where devices may differ, or where
    somebody listens.
    """
    (body,) = operation.attrs["bodies"]
    named = {each.device for each in body.operations if each.device}
    is_spread = len(set(devices)) != 1 or any(not devices[0].name.endswith(each) for each in named)
    if writer.instrumented or is_spread:
        return {}
    lists, loops = operation.attrs["lists"], operation.attrs["loops"]
    return sums(body, body.inputs[lists : lists + loops])


def _write_sums(
    writer: Writer, summed: dict[int, Sum], variables: Sequence[str], parts: dict[int, str]
) -> None:
    """The sums after the loop, from what was kept of its iterations."""
    for i, each in summed.items():
        total, right = variables[i], parts[id(each.right)]
        if each.left is None:
            writer.text.write(f"{total} = {writer.text.bind(with_rows, 'f')}({total}, {right})")
        else:
            given = f"{total}, {parts[id(each.left)]}, {right}"
            writer.text.write(f"{total} = {writer.text.bind(with_products, 'f')}({given})")
        placement = writer.places.placed.get(each.right.op)
        if placement is not None:
            writer.text.steps.append(Step(each.operation, placement, None, writer.text.indent - 1))
    if parts:
        writer.text.write(f"del {', '.join(parts.values())}")


EMITTERS["Scan"] = _write_scan
REQUESTS["Scan"] = _scanned_iterations
