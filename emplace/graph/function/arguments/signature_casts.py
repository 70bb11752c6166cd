"""Arguments as the specs of an `input_signature` want them."""

from __future__ import annotations

from typing import Any

from ....base import nest
from ....core.tensor_spec import TensorSpec, spec_of
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
            leaves = nest.flatten_up_to(spec, value)
            specs = nest.flatten(spec)
            cast = [cast_to_spec(name, v, s) for v, s in zip(leaves, specs, strict=True)]
            return nest.pack_sequence_as(spec, cast)
        if isinstance(spec, SparseTensorSpec) and not spec.is_compatible_with(value):
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


def _misfit(name: str, given: object, spec: object) -> TypeError:
    return _refused(name, f"Can not cast {given!r} to {spec!r}")


def _refused(name: str, reason: str) -> TypeError:
    return TypeError(f"Binding inputs to tf.function failed due to `{reason}` for argument {name}.")
