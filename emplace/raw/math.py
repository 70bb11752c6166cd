"""Rows of raw ops that work element by element, and of their gradients."""

from __future__ import annotations

from typing import Any

import torch

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..core.tensor import Tensor
from ..ops import infer
from ..ops.arguments import host_value
from ..ops.array.moving import reverse
from ..ops.deferred import deferrable
from ..ops.linalg.products import sparse_matmul
from ..ops.math.elementwise import sigmoid_grad_kernel, tanh_grad_kernel
from ..ops.raw import raw_op
from .rows import Row, composed, kernel, version


def _divided(x: Tensor, y: Tensor) -> Any:
    """Integers are cut off, as C does it."""
    name = "TruncateDiv" if x.dtype.is_integer else "RealDiv"
    return raw_op(name)(x=x, y=y)


def plain_sigmoid_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """dy y (1 - y). Of complex numbers too: who calls it conjugates them."""
    return dy * y * (1 - y) if y.is_complex() else sigmoid_grad_kernel(y, dy)


def plain_tanh_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """dy (1 - y^2). Of complex numbers too: who calls it conjugates them."""
    return dy * (1 - y * y) if y.is_complex() else tanh_grad_kernel(y, dy)


def sqrt_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """The gradient of a root by what it gave."""
    return torch.where(dy == 0, 0, 0.5 * dy / y.conj())


def rsqrt_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """The gradient of 1 / sqrt(x) by what it gave."""
    return torch.where(dy == 0, 0, -0.5 * dy * y.conj() * y.conj() * y.conj())


def reciprocal_grad_kernel(y: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    """The gradient of 1 / x by what it gave."""
    return torch.where(dy == 0, 0, -dy * y.conj() * y.conj())


@deferrable
def _same_batches(x: Tensor, y: Tensor, adj_x: bool, adj_y: bool) -> Any:
    """The product of stacks of matrices, which are not stretched to each other."""
    batches = [each.shape.as_list()[:-2] for each in (x, y)]
    if batches[0] != batches[1]:
        raise invalid_argument(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{runtime_text(tuple(x.shape))} vs. {runtime_text(tuple(y.shape))} [Op:BatchMatMul]"
        )
    return raw_op("BatchMatMulV2")(x=x, y=y, adj_x=adj_x, adj_y=adj_y)


def _reversed(tensor: Tensor, dims: Any) -> Any:
    """Turned around along the axes that `dims` says."""
    turned = host_value(dims).tolist()
    return reverse(tensor, [i for i, each in enumerate(turned) if each])


ROWS: dict[str, Row] = {
    "BatchMatMul": composed(_same_batches, ignored="grad_x grad_y"),
    "BiasAddV1": version("BiasAdd", data_format="NHWC"),
    "Div": composed(_divided),
    "Inv": version("Reciprocal"),
    "InvGrad": kernel(reciprocal_grad_kernel, infer.same),
    "Mod": version("TruncateMod"),
    "ReciprocalGrad": kernel(reciprocal_grad_kernel, infer.same),
    "RsqrtGrad": kernel(rsqrt_grad_kernel, infer.same),
    "SigmoidGrad": kernel(plain_sigmoid_grad_kernel, infer.same),
    "SparseMatMul": composed(sparse_matmul),
    "SqrtGrad": kernel(sqrt_grad_kernel, infer.same),
    "TanhGrad": kernel(plain_tanh_grad_kernel, infer.same),
    "Reverse": composed(_reversed),
}
