"""Rows of raw ops on matrices."""

from __future__ import annotations

import torch

from .rows import Row, kernel, version


def cholesky_grad_kernel(l: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:  # noqa: E741
    """The gradient of a Cholesky factor, for the symmetric matrix that it is of."""
    wide = l.double() if l.dtype is torch.float16 else l
    lower, given = torch.tril(wide), torch.tril(grad.to(wide.dtype))
    middle = torch.tril(lower.mT @ given)
    middle.diagonal(dim1=-2, dim2=-1).mul_(0.5)
    left = torch.linalg.solve_triangular(lower.mT, middle, upper=True)
    made = torch.linalg.solve_triangular(lower, left, upper=False, left=False)
    whole: torch.Tensor = 0.5 * (made + made.mT)
    return whole.to(l.dtype)


ROWS: dict[str, Row] = {
    "CholeskyGrad": kernel(cholesky_grad_kernel, lambda l, grad: l),  # noqa: E741
    "MatrixDiag": version("MatrixDiagV3", k=0, num_rows=-1, num_cols=-1, padding_value=0),
    "MatrixDiagPart": version("MatrixDiagPartV3", k=0, padding_value=0),
    "MatrixDiagPartV2": version("MatrixDiagPartV3", align="LEFT_LEFT"),
    "MatrixDiagV2": version("MatrixDiagV3", align="LEFT_LEFT"),
    "MatrixSetDiag": version("MatrixSetDiagV3", k=0),
    "MatrixSetDiagV2": version("MatrixSetDiagV3", align="LEFT_LEFT"),
}
