"""What a trace takes and returns: `function_type`, and its text for people, in the form that
TensorFlow prints.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...base import nest
from ...base.shapes import TensorShape
from ...core.composite import CompositeTensor
from ...core.tensor import Tensor
from ...core.tensor_spec import TensorSpec
from ..representation.graph import SymbolicTensor
from .arguments.concrete_arguments import ConcreteArguments, variable_key
from .arguments.signatures import PLAIN, described

_ONLY = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY


class _Constraint:
    """The type of what is no tensor: a plain value, or a structure."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return printed_type(self._value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Constraint) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


class _Default:
    """Stands for the default of a parameter, which a type does not know."""

    def __repr__(self) -> str:
        return "<captured_default_value>"


_DEFAULT = _Default()


class Parameter(inspect.Parameter):
    """A parameter of a function, with the type of what it takes, `type_constraint`, which is None
    where anything goes.
    """

    __slots__ = ("type_constraint",)

    def __init__(self, name: str, kind: Any, constraint: Any, is_optional: bool = False) -> None:
        annotation = inspect.Parameter.empty if constraint is None else constraint
        default = _DEFAULT if is_optional else inspect.Parameter.empty
        super().__init__(name, kind, default=default, annotation=annotation)
        self.type_constraint = constraint

    @property
    def optional(self) -> bool:
        """Whether it has a default."""
        return self.default is not self.empty

    def __repr__(self) -> str:
        return (
            f"Parameter(name={self.name}, kind={self.kind.name}, optional={self.optional}, "
            f"type_constraint={self.type_constraint!r})"
        )


class FunctionType(inspect.Signature):
    """What functions take and return (`tf.types.experimental.FunctionType`)."""


class TypedSignature(FunctionType):
    """What a function takes, uses from outside and returns: `function_type` of functions.

    Args:
        parameters: what it takes.
        captures: the types of the values from outside, by the ids of these.
        output: the type of what it returns, None before a function is traced.
    """

    __slots__ = ("captures", "output")

    def __init__(
        self,
        parameters: Iterable[inspect.Parameter],
        captures: Mapping[Any, Any] | None = None,
        output: Any = None,
    ) -> None:
        returns = inspect.Signature.empty if output is None else output
        super().__init__(list(parameters), return_annotation=returns, __validate_parameters__=False)
        self.captures = dict(captures or {})
        self.output = output

    @property
    def flat_inputs(self) -> list[TensorSpec]:
        """The specs of the tensors that it takes."""
        return [
            spec for each in self.parameters.values() for spec in _specs_of(_typed_part(each))
        ]  # fmt: skip

    @property
    def flat_outputs(self) -> list[TensorSpec]:
        """The specs of the tensors that it returns."""
        return _specs_of(self.output)

    @property
    def flat_captures(self) -> list[Any]:
        """The types of the values from outside."""
        return list(self.captures.values())

    def __repr__(self) -> str:
        lines = ["Input Parameters:"]
        lines += [
            f"  {p.name} ({p.kind.name}): {_typed_part(p)!r}" for p in self.parameters.values()
        ]
        lines += ["Output Type:", f"  {self.output!r}", "Captures:"]
        lines += [f"  {key}: {each!r}" for key, each in self.captures.items()] or ["  None"]
        return "\n".join(lines)


def _typed_part(parameter: inspect.Parameter) -> Any:
    return getattr(parameter, "type_constraint", None)


def _specs_of(constraint: Any) -> list[TensorSpec]:
    value = constraint._value if isinstance(constraint, _Constraint) else constraint
    leaves = nest.flatten(nest.map_structure(_spec, value), expand_composites=True)
    return [each for each in leaves if isinstance(each, TensorSpec)]


def _spec(value: Any) -> Any:
    if isinstance(value, CompositeTensor):
        return described((value,), {})[0][0]
    return TensorSpec(value.shape, value.dtype) if isinstance(value, Tensor) else value


def type_of(value: Any) -> Any:
    """The type of an argument or a result: a spec, or what prints as TensorFlow's types do."""
    value = _spec(value)
    return value if isinstance(value, TensorSpec) else _Constraint(value)


def printed_type(value: Any) -> str:
    """The type of an argument or a result: specs, plain values, lists and dictionaries."""
    if isinstance(value, Mapping):
        parts = ", ".join(f"[{key!r}, {printed_type(each)}]" for key, each in value.items())
        return f"Dict[{parts}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(printed_type, value))}]"
    value = _spec(value)
    return f"Literal[{value!r}]" if isinstance(value, PLAIN) else repr(value)


def untyped(signature: inspect.Signature, specs: Sequence[Any] | None) -> TypedSignature:
    """The type of a function of which nothing is known but its signature, and what an
    `input_signature` says of its arguments.
    """
    every = list(signature.parameters.values())
    own = [each for each in every if each.name == "self"]
    rest = [each for each in every if each.name != "self"]
    count = len(rest) if specs is None else len(specs)  # TF: what has no spec keeps its default
    known: list[Any] = [None] * len(rest) if specs is None else [type_of(each) for each in specs]
    return TypedSignature(
        Parameter(each.name, each.kind, constraint, each.default is not each.empty)
        for each, constraint in zip([*own, *rest[:count]], [*[None] * len(own), *known],
                                    strict=True)
    )  # fmt: skip


def type_of_trace(
    arguments: ConcreteArguments | None,
    call: Any,
    inputs: Sequence[SymbolicTensor],
    captures: Sequence[Any],
    result: Any,
) -> TypedSignature:
    """The type of a trace.

    Args:
        arguments: those of the trace; None if it takes nothing but tensors.
        call: what it was traced for, as (args, kwargs).
        inputs: the tensors that it takes.
        captures: the values from outside.
        result: what it returns.
    """
    if arguments is None:
        parameters = [Parameter(x.op.name, _ONLY[0], type_of(x)) for x in inputs]
    else:
        bound = arguments.signature.bind_partial(*call[0], **call[1]).arguments
        values = {**arguments.kept, **bound}
        aliases: dict[int, int] = {}
        typed = {
            name: _merged(value, arguments.kept.get(name), aliases)
            for name, value in values.items()
        }
        parameters = list(_parameters(arguments.signature, typed))
    of_captures = {
        id(x): TensorSpec((), x.dtype) if _is_handle(x) else type_of(x) for x in captures
    }
    return TypedSignature(parameters, of_captures, type_of(result))


def _merged(value: Any, kept: Any, aliases: dict[int, int]) -> Any:
    """What an argument was traced for, with the names of the specs that were given and with its
    variables.
    """
    leaves, names = nest.flatten(value), nest.flatten(kept)
    if len(leaves) != len(names):
        return value
    for i, (leaf, known) in enumerate(zip(leaves, names, strict=True)):
        key = variable_key(known)
        if key is not None:
            alias = aliases.setdefault(getattr(known, "number", id(known)), len(aliases))
            leaves[i] = _Variable(key, alias)
        elif isinstance(leaf, TensorSpec):
            leaves[i] = TensorSpec(leaf.shape, leaf.dtype, getattr(known, "name", None))
    return nest.pack_sequence_as(value, leaves)


class _Variable:
    """The type of a variable among the arguments; two that are the same have one alias."""

    def __init__(self, key: Any, alias: int) -> None:
        self._key, self._alias = key, alias

    def __repr__(self) -> str:
        dtype, sizes, trainable = self._key
        return (
            f"VariableSpec(shape={TensorShape(sizes)}, dtype={dtype!r}, trainable={trainable}, "
            f"alias_id={self._alias})"
        )


def _parameters(signature: inspect.Signature, values: Mapping[str, Any]) -> Iterator[Parameter]:
    kinds = [each.kind for each in signature.parameters.values()]
    for name, each in signature.parameters.items():
        if name not in values:
            continue
        if each.kind is each.VAR_POSITIONAL:
            for i, value in enumerate(values[name]):
                yield Parameter(f"{name}_{i}", _ONLY[0], type_of(value))
        elif each.kind is each.VAR_KEYWORD:
            for key, value in values[name].items():
                yield Parameter(key, _ONLY[1], type_of(value))
        else:  # TF: what stands before *args is given by its place
            is_before = each.kind is each.POSITIONAL_OR_KEYWORD and each.VAR_POSITIONAL in kinds
            yield Parameter(name, _ONLY[0] if is_before else each.kind, type_of(values[name]))


def _is_handle(x: Any) -> bool:
    return bool(x.dtype.name == "resource")
