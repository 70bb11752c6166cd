"""Arguments as the specs of an `input_signature` want them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....base import nest
from ....core.tensor import Tensor
from ....core.tensor_spec import TensorSpec, spec_of
from ....core.type_spec import TypeSpec
from ....ops.convert import to_tensor
from ....ops.sparse.tensor import SparseTensor, SparseTensorSpec


def cast_to_spec(name: str, value: Any, spec: Any) -> Any:
    """An argument as its spec wants it.

    Args:
        name: what errors call the argument.
        value: the argument, or a spec that stands for it.
        spec: a TensorSpec or another spec, or a nest of such.

    Raises:
        TypeError: it has another dtype or shape, or is nothing that a tensor can be made of.
    """
    if not isinstance(spec, TensorSpec):
        if nest.is_nested(spec):
            leaves = _parts(name, value, spec)
            specs = nest.flatten(spec)
            cast = [cast_to_spec(name, v, s) for v, s in zip(leaves, specs, strict=True)]
            return nest.pack_sequence_as(spec, cast)
        if not isinstance(value, TypeSpec) and not spec.is_compatible_with(value):
            is_sparse = isinstance(value, SparseTensor)
            raise _misfit(name, SparseTensorSpec.from_value(value) if is_sparse else value, spec)
        return value
    if isinstance(value, TensorSpec):
        if value.dtype is not spec.dtype or not spec.shape.is_compatible_with(value.shape):
            raise _misfit(name, value, spec)
        return value
    try:
        tensor = to_tensor(value, hint=spec.dtype)
    except (TypeError, ValueError) as error:
        raise _refused(name, str(error)) from error
    if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise _misfit(name, spec_of(tensor), spec)
    return tensor


def check_default(name: str, value: Any, default: Any) -> None:
    """Checks an argument for which an `input_signature` has no spec.

    Raises:
        TypeError: it is another value than its parameter's default.
    """
    if value is default or (type(value) is type(default) and _is_same(value, default)):
        return
    raise _refused(name, f"Can not cast {value!r} to Literal[{default!r}]")


def _is_same(one: Any, other: Any) -> bool:
    try:
        return not isinstance(one, Tensor) and bool(one == other)
    except (TypeError, ValueError):  # of arrays, for one
        return False


def _parts(name: str, value: Any, spec: Any) -> list[Any]:
    """The parts of a value that stand where a nest of specs has its specs.

    Raises:
        TypeError: the value has another structure.
    """
    if not nest.is_nested(spec):
        return [value]
    if isinstance(spec, Mapping):
        if not isinstance(value, Mapping):
            raise _refused(name, f"Can not cast {value!r} to a Dict type.")
        if set(value) != set(spec):
            raise _refused(name, f"{value!r} has different keys with {spec!r}")
        pairs = [(value[key], spec[key]) for key in sorted(spec)]
    elif isinstance(spec, (list, tuple)):
        kind = next((k for k in (list, tuple) if type(spec) is k), type(spec))
        if not isinstance(value, kind):
            raise _refused(name, f"Can not cast {value!r} to {kind.__name__} type.")
        if len(value) != len(spec):
            raise _refused(name, f"Expected {value!r} to have length of {len(spec)}")
        pairs = list(zip(value, spec, strict=True))
    else:
        return nest.flatten_up_to(spec, value)
    return [part for each, wanted in pairs for part in _parts(name, each, wanted)]


def _misfit(name: str, given: object, spec: object) -> TypeError:
    return _refused(name, f"Can not cast {given!r} to {spec!r}")


def _refused(name: str, reason: str) -> TypeError:
    return TypeError(f"Binding inputs to tf.function failed due to `{reason}` for argument {name}.")
