"""Samples of products, diagonals, decompositions and systems of equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from emplace.base import dtypes
from emplace.ops.linalg.decomposition import eigh_kernel

from .makers import Sample, positive, real


def regular(*shape: int) -> Any:
    """Matrices far from singular, their eigenvalues apart from each other."""
    return real(*shape) + np.diag(3.0 + 2.0 * np.arange(shape[-1]))


def definite(*shape: int) -> Any:
    """Positive definite matrices."""
    half = real(*shape)
    return half @ np.swapaxes(half, -1, -2) + np.diag(1.0 + np.arange(shape[-1]))


_BANDS = [
    {"k": (0, 0)}, {"k": (1, 1)}, {"k": (-1, 1)}, {"k": (-1, 1), "align": "LEFT_LEFT"},
]  # fmt: skip

SAMPLES: dict[str, list[Sample]] = {
    "BatchMatMulV3": [
        Sample((real(2, 2, 3), real(3, 2)), {"Tout": dtypes.float64, "adj_x": a, "adj_y": b})
        for a, b in ((False, False),)
    ],
    "Einsum": [
        Sample(inputs, {"equation": equation})
        for equation, inputs in (
            ("ij,jk->ik", (real(2, 3), real(3, 4))),
            ("bij,bkj->bik", (real(2, 2, 3), real(2, 4, 3))),
            ("ij,kl->", (real(2, 3), real(3, 4))),
            ("ii->i", (real(3, 3),)),
            ("...ij,...jk->...ik", (real(5, 1, 2, 3), real(4, 3, 2))),
            ("i,j,k->ijk", (real(2), real(3), real(2))),
            ("ij,jk,kl->il", (real(2, 3), real(3, 2), real(2, 2))),
            ("ij,ij->ij", (real(2, 3), real(2, 3))),
        )
    ],
    "MatrixDiagV3": [
        Sample((real(2, 3),), {"k": (0, 0)}),
        Sample((real(2, 3),), {"k": (-1, -1), "num_rows": 4, "num_cols": 5, "padding_value": 2}),
        Sample((real(2, 3, 3),), {"k": (-1, 1)}),
        Sample((real(2, 3),), {"k": (1, 2), "align": "LEFT_RIGHT"}),
    ],
    "MatrixDiagPartV3": [Sample((real(2, 3, 4),), attrs) for attrs in _BANDS],
    "MatrixSetDiagV3": [
        Sample((real(2, 3, 4), real(2, 3)), {"k": (0, 0)}),
        Sample((real(3, 4), real(3, 3)), {"k": (-1, 1)}),
    ],
    "MatrixBandPart": [
        Sample((real(3, 4),), {"num_lower": low, "num_upper": up})
        for low, up in ((0, 0), (1, -1), (-1, 1))
    ],
    "DiagPart": [Sample((real(3, 3),)), Sample((real(2, 3, 2, 3),))],
    "Diag": [Sample((real(3),)), Sample((real(2, 2),))],
    "Cross": [Sample((real(3), real(3))), Sample((real(2, 3), real(2, 3)))],
    "_SingularValues": [Sample((real(3, 2, 4),), {"axis": (0, -1)})],
    "Cholesky": [Sample((definite(3, 3),)), Sample((definite(2, 2, 2),))],
    "Qr": [Sample((regular(3, 3),)), Sample((real(4, 2),), {"full_matrices": False})],
    "Svd": [
        Sample((real(3, 4),), {"compute_uv": False}),
        Sample((regular(3, 3),), {"compute_uv": True}),
    ],
    "SelfAdjointEigV2": [
        Sample((definite(3, 3),), {"compute_v": compute_v}) for compute_v in (False, True)
    ],
    "Lu": [Sample((regular(3, 3),), {"output_idx_type": dtypes.int32})],
    "MatrixExponential": [Sample((real(3, 3),))],
    "MatrixSquareRoot": [Sample((definite(3, 3),)), Sample((definite(2, 2, 2),))],
    "MatrixInverse": [
        Sample((regular(2, 3, 3),), {"adjoint": adjoint}) for adjoint in (False, True)
    ],
    "MatrixDeterminant": [Sample((regular(3, 3),)), Sample((regular(2, 2, 2),))],
    "LogMatrixDeterminant": [Sample((regular(3, 3),)), Sample((regular(2, 2, 2),))],
    "MatrixSolve": [
        Sample((regular(2, 3, 3), real(2, 3, 2)), {"adjoint": adjoint}) for adjoint in (False, True)
    ],
    "MatrixTriangularSolve": [
        Sample((regular(*left, 3, 3), real(*right, 3, 2)), {"lower": lower, "adjoint": adjoint})
        for left, right in (((), ()), ((2,), ()), ((), (2,)))
        for lower in (False, True)
        for adjoint in (False, True)
    ],
    "MatrixSolveLs": [Sample((real(4, 2), real(4, 1)), {"fast": False})],
    "_ReorderRows": [
        Sample((real(3, 2), np.array([2, 0, 1])), {"invert": invert}) for invert in (False, True)
    ],
    "TridiagonalMatMul": [Sample((real(1, 3), real(1, 3), real(1, 3), real(3, 2)))],
    "TridiagonalSolve": [
        Sample((real(3, 4) + np.array([[0.0], [5.0], [0.0]]), real(4, 2))),
    ],
    "_Frame": [
        Sample(
            (real(2, 7),),
            {"frame_length": 3, "frame_step": 2, "pad_end": pad, "pad_value": 0, "axis": -1},
        )
        for pad in (False, True)
    ],
    "_OverlapAndAdd": [Sample((real(2, 3, 4),), {"frame_step": 3})],
    "_Resize": [Sample((real(2, 4),), {"length": length}) for length in (3, 6)],
    "_MdctFold": [Sample((real(2, 8),))],
    "_MdctUnfold": [Sample((real(2, 4),))],
    "_Dct": [
        Sample((real(2, 4),), {"type": kind, "n": n, "norm": norm})
        for kind in (1, 2, 3, 4)
        for n in (None, 3, 5)
        for norm in ((None,) if kind == 1 else (None, "ortho"))
    ],
    "_FftShift": [Sample((real(3, 4),), {"axes": (0, 1), "inverse": i}) for i in (False, True)],
    "_PadOne": [Sample((real(3),), {"behind": behind}) for behind in (False, True)],
    "BandedTriangularSolve": [
        Sample((positive(2, 3), real(3, 1)), {"lower": lower, "adjoint": adjoint})
        for lower in (False, True)
        for adjoint in (False, True)
    ],
}


def _eigh_of_lower_half(input: Any, **attrs: Any) -> Any:
    """Torch gives each half a share of the gradient, TensorFlow all of it to the lower one."""
    return eigh_kernel(input.tril() + input.tril(-1).mH, **attrs)


FOR_AUTOGRAD: dict[str, Any] = {"SelfAdjointEigV2": _eigh_of_lower_half}
