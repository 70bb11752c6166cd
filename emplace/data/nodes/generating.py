"""What Python generators yield, as elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ...base.dtypes import DType
from ...base.errors import InvalidArgumentError
from ...base.shapes import TensorShape
from ...core.context import HOST_SCOPE, LOCAL
from ...core.tensor import EagerTensor
from ...core.tensor_spec import TensorSpec
from ...devices.late import fetched
from ...eager.target import EAGER
from ...ops.convert import to_tensor
from ...ops.host_values import raw_of, to_array
from ..elements import nesting
from ..elements.nesting import flatten
from ..elements.structure import Element, Raw, Structure


def converter(structure: Structure, types: Any) -> Callable[[Any], Element]:
    """A function that makes raw elements of what a generator yields.

    Args:
        structure: of the elements.
        types: what the program said by `output_types`; None if it gave a signature.
    """
    expected = structure.spec if types is None else types
    specs = flatten(structure.spec)
    if all(isinstance(spec, TensorSpec) for spec in specs):
        return lambda value: [
            _raw(leaf, spec) for leaf, spec in zip(_leaves(expected, value), specs, strict=True)
        ]
    return lambda value: _composite(structure, expected, value)


def _leaves(expected: object, value: object) -> list[Any]:
    if not nesting.is_nested(expected):
        return [value]
    given = tuple(value) if isinstance(value, list) else value
    try:
        return nesting.leaves_up_to(expected, given)
    except (TypeError, ValueError):
        raise refused(
            "`generator` yielded an element that did not match the expected structure. The "
            f"expected structure was {expected}, but the yielded element was {value}."
        ) from None


def _raw(leaf: object, spec: TensorSpec) -> Raw:
    raw = _converted(leaf, spec.dtype)
    dims = spec.shape.sizes
    if dims is not None and not _fits(dims, raw.shape):
        raise refused(
            f"`generator` yielded an element of shape {tuple(raw.shape)} where an element of shape "
            f"{spec.shape} was expected."
        )
    return raw


def _fits(dims: tuple[int | None, ...], shape: TensorShape) -> bool:
    return len(dims) == len(shape) and all(
        d is None or d == size for d, size in zip(dims, shape, strict=True)
    )


def _converted(leaf: object, dtype: DType) -> Raw:
    if isinstance(leaf, EagerTensor):
        raw = leaf._value
        if leaf.dtype is not dtype:
            leaf = leaf.numpy()
        elif isinstance(raw, torch.Tensor):
            return fetched(raw)
        else:
            return raw
    try:
        array, is_shared = to_array(_plain(leaf), dtype)
    except (TypeError, ValueError):
        raise refused(
            "`generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {dtype.name}, but the yielded element was {leaf}."
        ) from None
    return raw_of(array.copy() if is_shared else array)


def _plain(leaf: object) -> Any:
    """A leaf as something NumPy knows."""
    if isinstance(leaf, (int, float, bool, complex, str, bytes)):
        return np.asarray(leaf, object) if isinstance(leaf, (str, bytes)) else np.asarray(leaf)
    return leaf


def _composite(structure: Structure, expected: object, value: object) -> Element:
    state = LOCAL.state
    before, state.target = (state.target, state.scope), EAGER
    state.scope = HOST_SCOPE
    try:
        leaves = []
        for leaf, spec in zip(_leaves(expected, value), flatten(structure.spec), strict=True):
            if isinstance(spec, TensorSpec):
                leaf = to_tensor(leaf, spec.dtype)
            if not spec.is_compatible_with(leaf):
                raise refused(
                    "`generator` yielded an element that did not match the expected structure. "
                    f"The expected structure was {expected}, but the yielded element was {value}."
                )
            leaves.append(leaf)
        return [x._value for x in structure.tensors(nesting.pack_as(structure.spec, leaves))]
    finally:
        state.target, state.scope = before


def refused(text: str) -> InvalidArgumentError:
    """The error for what a generator should not have yielded."""
    return InvalidArgumentError(None, None, f"TypeError: {text}")
