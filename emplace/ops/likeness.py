"""Inputs of raw ops that must look alike: their kernels would stretch one to the other."""

from __future__ import annotations

from ..base.errors import invalid_argument
from ..base.shapes import num_elements, runtime_text
from ..core.tensor import Tensor
from .array.shaping import reshape

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
    """The inputs of a raw op, after a check that they look alike if they must. What a graph does
    not know yet is not looked at.

    Raises:
        InvalidArgumentError: they do not.
    """
    if name not in _SAME_SHAPE and name not in _SAME_COUNT:
        return inputs
    first, second = (x.shape.sizes for x in inputs)
    if first is None or second is None or first == second or None in (*first, *second):
        return inputs
    if name in _SAME_SHAPE:
        raise invalid_argument(
            f"Inputs to operation {name} of type {name} must have the same size and shape.  Input "
            f"0: {runtime_text(first)} != input 1: {runtime_text(second)} [Op:{name}]"
        )
    counts = num_elements(first), num_elements(second)
    if counts[0] != counts[1]:
        raise invalid_argument(
            "The two arguments to a cwise op must have same number of elements, got "
            f"{counts[0]} and {counts[1]} [Op:{name}]"
        )
    return inputs[0], reshape(inputs[1], first)
