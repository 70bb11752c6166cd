"""What stands for the arguments of a function while it is traced, and what it returned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....base import nest
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....core.tensor_spec import TensorSpec
from ....eager.variable import Variable
from ....ops.convert import to_tensor
from ....ops.infer import Spec
from ...recording.func_graph import FuncGraph
from ...recording.sparse_arguments import (
    keep_shapes,
    shapes_of,
    sparse_among,
)
from ...representation.elsewhere import InaccessibleTensorError
from ...representation.graph import Operation, SymbolicTensor
from .concrete_arguments import VariableArgument
from .trace_keys import leaf_names, outline_of


def placeholders_for(
    graph: FuncGraph, parameters: Sequence[str], structure: Sequence[Any], specs: Sequence[Any]
) -> Any:
    """The arguments with symbolic tensors in the places of tensors."""
    remaining = iter(specs)
    structure = nest.as_plain(structure)
    variables: dict[int, Variable] = {}
    leaves = nest.flatten(structure, expand_composites=True)
    names = leaf_names(parameters, outline_of(structure))
    sparse, shapes = sparse_among(structure), []
    for i, leaf in enumerate(leaves):
        if i in sparse:
            shapes.append(next(remaining)[1])
        if isinstance(leaf, (Tensor, TensorSpec)):
            dtype, dims = next(remaining)
            name = getattr(leaf, "name", None) if isinstance(leaf, TensorSpec) else None
            name = name or (names[i] if i < len(names) else "arg")
            leaves[i] = graph.argument(Spec(dims, dtype), _identifier(name))
        elif isinstance(leaf, VariableArgument):
            if id(leaf) not in variables:
                name = _identifier(names[i] if i < len(names) else "arg")
                variables[id(leaf)] = leaf.stand_in(graph, name)
            leaves[i] = variables[id(leaf)]
    made = nest.pack_sequence_as(structure, leaves, expand_composites=True)
    keep_shapes(made, shapes)
    return made


def _identifier(name: str) -> str:
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in name).strip("_")
    return text or "arg"


#: What else than a plain tensor becomes of what functions return, while types are promoted.
RETURNED: list[Callable[[Any], Any]] = []


def results_of(result: Any) -> tuple[Any, list[SymbolicTensor]]:
    """What a function returned, and the tensors of it, in the graph."""
    for change in RETURNED:
        result = nest.map_structure(change, result)
    leaves = nest.flatten(result, expand_composites=True)
    outputs = []
    target: Any = LOCAL.state.target
    for i, leaf in enumerate(leaves):
        if leaf is None:
            continue
        try:
            if isinstance(leaf, Operation):
                raise TypeError("Return a tensor, or nothing: the operation runs in any case.")
            leaves[i] = target.taken(to_tensor(leaf))
        except InaccessibleTensorError:
            raise
        except (TypeError, ValueError) as error:
            raise TypeError(
                "To be compatible with tf.function, Python functions must return zero or more "
                f"Tensors or ExtensionTypes or None values; in compilation of a function, found "
                f"return value of type {type(leaf)}, which is not a Tensor or ExtensionType. "
                f"({error})"
            ) from None
        outputs.append(leaves[i])
    made = nest.pack_sequence_as(result, leaves, expand_composites=True)
    keep_shapes(made, shapes_of(result))
    return made, outputs
