"""What a trace takes and returns, as text for people, in the form that TensorFlow prints."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ...core.tensor_spec import TensorSpec
from ..representation.graph import SymbolicTensor
from .arguments.concrete_arguments import ConcreteArguments
from .arguments.signatures import PLAIN, described

_ONLY = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY


class _Annotation:
    """What `inspect` prints for the type of an argument."""

    def __init__(self, value: Any) -> None:
        self.text = printed_type(value)

    def __repr__(self) -> str:
        return self.text


def printed_type(value: Any) -> str:
    """The type of an argument or a result: specs, plain values, lists and dictionaries."""
    if isinstance(value, Mapping):
        parts = ", ".join(f"[{key!r}, {printed_type(each)}]" for key, each in value.items())
        return f"Dict[{parts}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(printed_type, value))}]"
    if isinstance(value, CompositeTensor):
        value = described((value,), {})[0][0]
    if isinstance(value, (Tensor, TensorSpec)):
        return repr(TensorSpec(value.shape, value.dtype))
    return f"Literal[{value!r}]" if isinstance(value, PLAIN) else repr(value)


def printed_signature(
    arguments: ConcreteArguments | None, given: Any, inputs: Sequence[SymbolicTensor]
) -> inspect.Signature:
    """The parameters of a trace, each with the type of what it was traced for.

    Args:
        arguments: those of the trace; None if it takes nothing but tensors.
        given: what it was traced for, as (args, kwargs).
        inputs: the tensors that it takes.
    """
    if arguments is None:
        found = [
            inspect.Parameter(x.op.name, _ONLY[0], annotation=_Annotation(x)) for x in inputs
        ]  # fmt: skip
    else:
        bound = arguments.signature.bind_partial(*given[0], **given[1]).arguments
        found = list(_parameters(arguments.signature, {**arguments.kept, **bound}))
    return inspect.Signature(found, __validate_parameters__=False)


def _parameters(
    signature: inspect.Signature, values: Mapping[str, Any]
) -> Iterator[inspect.Parameter]:
    kinds = [each.kind for each in signature.parameters.values()]
    for name, each in signature.parameters.items():
        if name not in values:
            continue
        if each.kind is each.VAR_POSITIONAL:
            for i, value in enumerate(values[name]):
                yield inspect.Parameter(f"{name}_{i}", _ONLY[0], annotation=_Annotation(value))
        elif each.kind is each.VAR_KEYWORD:
            for key, value in values[name].items():
                yield inspect.Parameter(key, _ONLY[1], annotation=_Annotation(value))
        else:  # TF: what stands before *args is given by its place
            is_before = each.kind is each.POSITIONAL_OR_KEYWORD and each.VAR_POSITIONAL in kinds
            kind = _ONLY[0] if is_before else each.kind
            yield inspect.Parameter(name, kind, annotation=_Annotation(values[name]))


def printed_details(signature: inspect.Signature, result: Any, captures: Sequence[Any]) -> str:
    """Parameters, result and captured tensors, each in a line of its own."""
    lines = ["Input Parameters:"]
    lines += [
        f"  {p.name} ({p.kind.name}): {p.annotation!r}" for p in signature.parameters.values()
    ]
    lines += [] if signature.parameters else ["  None"]
    lines += ["Output Type:", f"  {printed_type(result)}", "Captures:"]
    lines += [f"  {id(x)}: {TensorSpec((), x.dtype) if _is_handle(x) else printed_type(x)}"
              for x in captures] or ["  None"]  # fmt: skip
    return "\n".join(lines)


def _is_handle(x: Any) -> bool:
    return bool(x.dtype.name == "resource")
