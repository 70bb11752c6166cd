"""What plans write at the end of a loop's iteration and behind the loop, of whatever kind it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...core.tensor import EagerTensor, make_tensor
from ...core.tensor_list import TensorList
from ...devices.device import Device
from ...devices.inventory import INVENTORY
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


def write_kept(writer: Writer, kept: Sequence[str], is_reversed: bool = False) -> None:
    """Makes values of lists, in the order of the iterations of the loop itself."""
    make = _list_tensor if writer.instrumented else TensorList
    for name in kept:
        if is_reversed:
            writer.text.write(f"{name}.reverse()")
        writer.text.write(f"{name} = {writer.text.bind(make, 'l')}({name})")


def _list_tensor(values: list[Any]) -> EagerTensor:
    """A list of raw values as a tensor, for instrumented plans."""
    return make_tensor(TensorList(values), INVENTORY.devices()[0].kind(dtypes.variant))
