"""Inputs of raw ops that must look alike: their kernels would stretch one to the other."""

from __future__ import annotations

import torch

from ..base import dtypes
from ..base.errors import OpError, invalid_argument
from ..base.shapes import Dims, num_elements, runtime_text
from ..core.tensor import Tensor
from . import infer
from .array.shaping import reshape
from .op import apply, op

# Gradients of activations: the same shape. Gradients told by results: as many numbers, in the shape
# of the first.
_SAME_SHAPE = frozenset(
    {
        "EluGrad", "LeakyReluGrad", "Relu6Grad", "ReluGrad", "SeluGrad", "SoftplusGrad",
        "SoftsignGrad",
    }
)  # fmt: skip
_SAME_COUNT = frozenset(
    {"InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad"}
)


def alike(name: str, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The inputs of a raw op, after a check that they look alike if they must; what a graph does
    not know yet is looked at when it runs.

    Raises:
        InvalidArgumentError: they do not.
    """
    if name not in _SAME_SHAPE and name not in _SAME_COUNT:
        return inputs
    one, other = inputs
    first, second = one.shape.sizes, other.shape.sizes
    if first is None or second is None or None in (*first, *second):
        return one, apply(_LIKE, (one, other), {"op_name": name})
    if first == second:
        return inputs
    wrong = _difference(name, first, second)
    if wrong is not None:
        raise wrong
    return one, reshape(other, first)


def _difference(name: str, first: Dims, second: Dims) -> OpError | None:
    if name in _SAME_SHAPE:
        return invalid_argument(
            f"Inputs to operation {name} of type {name} must have the same size and shape.  Input "
            f"0: {runtime_text(first)} != input 1: {runtime_text(second)} [Op:{name}]"
        )
    counts = num_elements(first), num_elements(second)
    if counts[0] == counts[1]:
        return None
    return invalid_argument(
        "The two arguments to a cwise op must have same number of elements, got "
        f"{counts[0]} and {counts[1]} [Op:{name}]"
    )


def _like_kernel(one: torch.Tensor, other: torch.Tensor, *, op_name: str) -> torch.Tensor:
    """The second one in the shape of the first, which it must be like."""
    if one.shape == other.shape:
        return other
    wrong = _difference(op_name, tuple(one.shape), tuple(other.shape))
    if wrong is not None:
        raise wrong
    return other.reshape(one.shape)


def _like_spec(one: infer.Spec, other: infer.Spec, *, op_name: str) -> infer.Spec:
    return infer.Spec(one.dims, other.dtype)


_LIKE = op(
    "_Like", "one: T, other: T -> output: T", _like_kernel, _like_spec, aliases=True,
    is_listed=False, T=dtypes.NUMBERS,
)  # fmt: skip
