"""Numbers that a branch or a loop takes from a constant around it, such as a shape."""

from __future__ import annotations

from typing import Any

from ...core.symbolic_value import specialise_on
from ..passes.constant_folding import raw_value, sources_of, tell
from ..recording.func_graph import FuncGraph
from ..representation.graph import SymbolicTensor


def known_around(body: FuncGraph, tensor: SymbolicTensor) -> Any:
    """The value of a tensor of a body that follows from known tensors around the body, or None.

    The shapes of the body follow from it, so a session cannot feed those tensors any more.
    """
    sources = sources_of(tensor)
    outside = {id(inner): x for x, inner in body.captures.values()}
    if not sources or any(id(x) not in outside for x in sources):
        return None
    pairs = [(inner, outside[id(inner)]) for inner in sources]
    if any(x.graph.number_behind(x) is None for _, x in pairs):
        return None
    for inner, x in pairs:
        specialise_on(x)
        tell(inner, raw_value(x))
    return tensor.static_value()
