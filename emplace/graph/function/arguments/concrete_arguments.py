"""What a trace of a function was made for: the arguments, with specs in the place of tensors.

A trace answers for its own plain arguments only. It keeps neither tensors nor variables alive.
"""

from __future__ import annotations

import inspect
import weakref
from collections import Counter
from collections.abc import Sequence
from typing import Any

from ....base import dtypes, nest
from ....base.errors import invalid_argument
from ....base.shapes import covers
from ....base.typing import Structure, TensorLike
from ....core.composite import CompositeTensor
from ....core.context import LOCAL
from ....core.tensor import Tensor
from ....core.tensor_spec import TensorSpec
from ....core.type_spec import TypeSpec
from ....eager.variable import Variable
from ....ops.convert import is_tensor_like, to_tensor
from ....ops.infer import Spec
from ...recording.func_graph import FuncGraph
from .signatures import PLAIN


class VariableArgument:
    """A variable among the arguments: every variable like it may be given to the same trace.

    Two arguments that are the same variable are the same VariableArgument.
    """

    __slots__ = ("variable",)

    def __init__(self, variable: Variable) -> None:
        self.variable = variable

    @property
    def key(self) -> Any:
        """What a trace depends on."""
        variable = self.variable
        return variable.dtype, variable.shape.sizes, variable.trainable

    def stand_in(self, graph: FuncGraph, name: str) -> Variable:
        """The variable that the function sees while it is traced."""
        handle: Any = graph.argument(Spec((), dtypes.resource), name)
        made: Variable = object.__new__(Variable)
        made.__dict__.update(self.variable.__dict__)
        handle.handle_data = Spec(made._shape.sizes, made._dtype)
        handle.variable = weakref.ref(made)
        made._handle = handle
        made.__dict__["_stands_for"] = weakref.ref(self.variable)
        graph.variable_arguments.append(made)
        return made


class _Object:
    """A plain argument that is compared by what it is: the same object again."""

    __slots__ = ("_ref",)

    def __init__(self, value: object) -> None:
        try:
            self._ref: Any = weakref.ref(value)
        except TypeError:
            self._ref = lambda: value

    def __repr__(self) -> str:
        return repr(self._ref())

    def is_like(self, value: object) -> bool:
        """Whether a value is that object."""
        return self._ref() is value


class ConcreteArguments:
    """The arguments of a trace.

    Args:
        signature: of the function.
        names: the parameters that got something.
        structure: what they got, in this order.
    """

    def __init__(
        self, signature: inspect.Signature, names: Sequence[str], structure: Sequence[Any]
    ) -> None:
        self.kept = {name: _kept(value) for name, value in zip(names, structure, strict=True)}
        self._signature = inspect.Signature(
            [self._optional(each) for each in signature.parameters.values()],
            __validate_parameters__=False,
        )

    @property
    def signature(self) -> inspect.Signature:
        """The parameters; plain ones that were given have a default."""
        return self._signature

    def _optional(self, parameter: inspect.Parameter) -> inspect.Parameter:
        """Plain arguments need not be given again."""
        kept = self.kept.get(parameter.name)
        is_gathered = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        if is_gathered or parameter.name not in self.kept:
            return parameter
        return parameter.replace(default=parameter.empty if _has_tensors(kept) else kept)

    @property
    def flat_names(self) -> list[str]:
        """What the tensors are called one by one: as their specs say, or as the parameters."""
        names: list[str] = []
        for name, kept in self.kept.items():
            is_many = self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD
            parts = kept.items() if is_many else [(name, kept)]
            for own, part in parts:
                names += [getattr(each, "name", None) or own for each in tensors_below(part)]
        seen = Counter[str]()
        for i, name in enumerate(names):
            names[i] = f"{name}_{seen[name]}" if seen[name] else name
            seen[name] += 1
        return names

    @property
    def has_names(self) -> bool:
        """Whether a spec among the arguments has a name."""
        return any(getattr(each, "name", None) for each in tensors_below(self.kept))

    def tensors(self, args: Any, kwargs: dict[str, Any]) -> list[Any]:
        """The tensors among the arguments of a call, as the trace takes them.

        Raises:
            TypeError: they do not fit; the text is TensorFlow's.
        """
        try:
            return self._bound(args, kwargs)
        except TypeError as error:
            raise TypeError(
                f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and "
                f"kwargs: {kwargs} for signature: ({self})."
            ) from None

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        found: list[Any] = []
        seen: list[int] = []
        for name, kept in self.kept.items():
            kind = self._signature.parameters[name].kind
            value = bound.arguments[name]
            if kind is inspect.Parameter.VAR_KEYWORD:
                value = {**{k: v for k, v in kept.items() if not _has_tensors(v)}, **value}
                _check_keywords(kept, value)
            elif kind is inspect.Parameter.VAR_POSITIONAL:
                _check_count(name, kept, value)
            for part, given in _pairs(kept, value):
                _take(part, given, found, seen)
        return found

    def __str__(self) -> str:
        return ", ".join(f"{name}: {_shown(kept)}" for name, kept in self.kept.items())


class _Composite:
    """What is kept of a composite, or of the spec of one: its class and its parts."""

    __slots__ = ("kind", "parts")

    def __init__(self, value: object) -> None:
        self.kind = value.value_type if isinstance(value, TypeSpec) else type(value)
        self.parts = [_kept_leaf(each) for each in nest.flatten(value, expand_composites=True)]

    def __repr__(self) -> str:
        return f"{self.kind.__name__}({', '.join(map(repr, self.parts))})"


def _kept(structure: Structure) -> Any:
    """Arguments without the tensors."""
    return nest.map_structure(_kept_leaf, structure)


def _kept_leaf(leaf: object) -> Any:
    if isinstance(leaf, Tensor):
        return TensorSpec(leaf.shape, leaf.dtype)
    if isinstance(leaf, VariableArgument):
        return KeptVariable(leaf)
    if isinstance(leaf, CompositeTensor) or _is_spec_of_composite(leaf):
        return _Composite(leaf)
    return leaf if isinstance(leaf, (*PLAIN, TensorSpec)) else _Object(leaf)


def _is_spec_of_composite(leaf: object) -> bool:
    kind = leaf.value_type if isinstance(leaf, TypeSpec) else None
    return isinstance(kind, type) and issubclass(kind, CompositeTensor)


def tensors_below(kept: object) -> list[Any]:
    """The specs among what was kept of some arguments."""
    found: list[Any] = []
    for leaf in nest.flatten(kept):
        parts = leaf.parts if isinstance(leaf, _Composite) else [leaf]
        found += [each for each in parts if isinstance(each, (TensorSpec, KeptVariable))]
    return found


class KeptVariable:
    """What is kept of a VariableArgument; `number` tells which are the same variable."""

    __slots__ = ("key", "number")

    def __init__(self, argument: VariableArgument) -> None:
        self.key = argument.key
        self.number = id(argument)


def variable_key(kept: object) -> Any:
    """The dtype, the sizes and whether it is trained of a variable among what was kept, or None."""
    if isinstance(kept, KeptVariable):
        return kept.key
    value = kept._ref() if isinstance(kept, _Object) else None
    return VariableArgument(value).key if isinstance(value, Variable) else None


def _check_keywords(kept: dict[str, Any], given: dict[str, Any]) -> None:
    for name in given:
        if name not in kept:
            raise TypeError(f"got an unexpected keyword argument '{name}'")
    for name in kept:
        if name not in given:
            raise TypeError(f"missing a required argument: '{name}'")


def _check_count(name: str, kept: Sequence[Any], given: Sequence[Any]) -> None:
    if len(given) > len(kept):
        raise TypeError("too many positional arguments")
    if len(given) < len(kept):
        raise TypeError(f"missing a required argument: '{name}_{len(given)}'")


def _has_tensors(kept: object) -> bool:
    return bool(tensors_below(kept))


def _pairs(kept: object, value: TensorLike) -> list[tuple[Any, Any]]:
    if not nest.is_nested(kept):
        return [(kept, value)]
    try:  # a list below may be meant as a tensor
        given = nest.flatten_up_to(kept, value, check_types=False)
    except (TypeError, ValueError) as error:
        if nest.is_nested(value):
            raise TypeError(f"Can not cast {value!r} to {_shown(kept)}: {error}") from None
        wanted = "a Dict" if isinstance(kept, dict) else type(kept).__name__
        raise TypeError(f"Can not cast {value!r} to {wanted} type.") from None
    return list(zip(nest.flatten(kept), given, strict=True))


def _take(part: Any, given: Any, found: list[Any], seen: list[int]) -> None:
    if isinstance(part, TensorSpec):
        try:
            x = given if isinstance(given, Tensor) else to_tensor(given, hint=part.dtype)
        except ValueError as error:
            raise TypeError(str(error)) from None
        if x.dtype is not part.dtype or not covers(part.shape._dims, x.shape._dims):
            given = TensorSpec(x.shape, x.dtype)
            raise TypeError(f"Can not cast {given!r} to {TensorSpec(part.shape, part.dtype)!r}")
        found.append(x)
    elif isinstance(part, KeptVariable):
        if not isinstance(given, Variable) or VariableArgument(given).key != part.key:
            raise TypeError(f"Can not cast {given!r} to {_shown(part)}")
        if part.number not in seen:
            seen.append(part.number)
            found.append(given.handle)
    elif isinstance(part, _Composite):
        parts = nest.flatten(given, expand_composites=True)
        if not isinstance(given, part.kind) or len(parts) != len(part.parts):
            raise TypeError(
                f"Can not cast {given!r} to {_shown(part)}: they don't have the same nested "
                "structure"
            )
        for each, below in zip(part.parts, parts, strict=True):
            _take(each, below, found, seen)
    elif not _is_like(part, given):
        raise TypeError(f"Can not cast {given!r} to {_shown(part)}")


def _is_like(part: object, given: object) -> bool:
    if isinstance(part, _Object):
        return given is part or part.is_like(given)
    if given is part:
        return True
    if is_tensor_like(given):
        if not LOCAL.state.target.is_eager:
            return False
        given = given.numpy()
    try:
        return bool(given == part)
    except (TypeError, ValueError) as error:
        raise TypeError(str(error)) from None


def _shown(kept: object) -> str:
    if isinstance(kept, (TensorSpec, _Composite)):
        return repr(kept)
    if isinstance(kept, KeptVariable):
        dtype, dims, _ = kept.key
        return f"VariableSpec(shape={dims}, dtype={dtype!r})"
    return f"Literal[{kept!r}]"


def shares(graph: FuncGraph, tensors: Sequence[Any]) -> bool:
    """Whether a trace reads a variable by itself that is also given to it: two handles for one
    memory would hide changes from each other.
    """
    return any(id(x) in graph.constants for x in tensors)


def wrong_dtype(name: str, place: int, wanted: Any, given: Any) -> Exception:
    """TensorFlow's error for a tensor of another dtype."""
    return invalid_argument(
        f"cannot compute {name} as input #{place}(zero-based) was expected to be a "
        f"{dtypes.runtime_name(wanted)} tensor but is a {dtypes.runtime_name(given)} tensor "
        f"[Op:{name}]"
    )
