"""What plans write at the end of a loop's iteration and behind the loop, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...core.tensor import EagerTensor, make_tensor
from ...core.tensor_list import TensorList
from ...devices.device import Device
from ..plan.writing.writer import Writer
from ..recording.func_graph import FuncGraph
from ..representation.graph import SymbolicTensor


def forget(writer: Writer, body: FuncGraph, outputs: Sequence[SymbolicTensor | None]) -> None:
    """Lets go of a body's outputs, which now have other names."""
    given = set(map(id, body.inputs)) | {id(inner) for _, inner in body.captures.values()}
    names = [
        writer.values.name(y) for y in outputs
        if y is not None and id(y) not in given and not writer.values.name(y).startswith("c")
    ]  # fmt: skip
    if names:
        writer.text.write(f"del {', '.join(dict.fromkeys(names))}")


def write_iteration(
    writer: Writer, body: FuncGraph, outputs: Sequence[SymbolicTensor],
    variables: Sequence[str], kept: Sequence[str], devices: Sequence[Device],
) -> list[Device]:  # fmt: skip
    """The end of an iteration: what is kept of it, and the variables of the next one. Returns where
    the kept values are.
    """
    loops = len(variables)
    places = []
    for name, y in zip(kept, outputs[loops:], strict=True):
        value = writer.values.name(y)
        writer.text.write(f"{name}.append({f'raw({value})' if writer.instrumented else value})")
        places.append(writer.values.device(y))
    turned = [
        writer.transfers.at(y, device) for y, device in zip(outputs[:loops], devices, strict=True)
    ]
    if turned:
        writer.text.write(f"{', '.join(variables)}, = {', '.join(turned)},")
    forget(writer, body, outputs)
    return places


def write_kept(
    writer: Writer, kept: Sequence[str], places: Sequence[Device], is_reversed: bool = False
) -> None:
    """Makes values of lists, in the order of the iterations of the loop itself; `places` is where
    their elements are.
    """
    for name, device in zip(kept, places, strict=True):
        if is_reversed:
            writer.text.write(f"{name}.reverse()")
        make: Any = _list_tensors(device) if writer.instrumented else TensorList
        writer.text.write(f"{name} = {writer.text.bind(make, 'l')}({name})")


def _list_tensors(device: Device) -> Callable[[list[Any]], EagerTensor]:
    """Makes tensors of lists of raw values that are on a device, for instrumented plans."""
    kind = device.kind(dtypes.variant)

    def made(values: list[Any]) -> EagerTensor:
        return make_tensor(TensorList(values), kind)

    return made
