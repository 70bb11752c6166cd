"""Samples of the first families: arrays, arithmetic, reductions, matrices, networks."""

from __future__ import annotations

import numpy as np

from emplace.base import dtypes

from .makers import RNG, Sample, pairs, positive, real, reductions, sliced

ROWS = np.array([2, 0, 1])

SAMPLES: dict[str, list[Sample]] = {
    "Fill": [Sample((real(),), {"dims": (2, 3)})],
    "Reshape": [Sample((real(2, 6),), {"shape": (3, -1)})],
    "Transpose": [Sample((real(2, 3, 4),), {"perm": (2, 0, 1)})],
    "BroadcastTo": [
        Sample((real(3, 1),), {"shape": (2, 3, 4)}),
        Sample((real(),), {"shape": (2,)}),
    ],
    "ExpandDims": [Sample((real(2, 3),), {"dim": 1}), Sample((real(2, 3),), {"dim": -1})],
    "Squeeze": [
        Sample((real(2, 1, 3, 1),), {"squeeze_dims": ()}),
        Sample((real(2, 1, 3, 1),), {"squeeze_dims": (-1,)}),
    ],
    "ConcatV2": [
        Sample((real(2, 3), real(2, 1), real(2, 2)), {"axis": 1}),
        Sample((real(2, 3), real(1, 3)), {"axis": -2}),
    ],
    "Pack": [Sample((real(2, 3), real(2, 3)), {"axis": axis}) for axis in (0, 1, -1)],
    "Unpack": [Sample((real(2, 3),), {"axis": axis}) for axis in (0, 1, -1)],
    "Sum": reductions(2, 3, 4),
    "Mean": reductions(2, 3, 4),
    "Prod": reductions(2, 3, 4),
    "Max": reductions(2, 3, 4),
    "Min": reductions(2, 3, 4),
    "AddN": [Sample((real(2, 3), real(2, 3), real(2, 3)))],
    "StridedSlice": [
        Sample((real(4, 5),), sliced(("at", 1))),
        Sample((real(4, 5),), sliced(("slice", 1, 3, None), ("slice", None, None, 2))),
        Sample((real(4, 5),), sliced(("slice", None, None, -1), ("at", -1))),
        Sample((real(4, 5, 2),), sliced(("new",), ("rest",), ("at", 0))),
    ],
    "StridedSliceGrad": [
        Sample((real(2, 5),), {"dims": (4, 5), **sliced(("slice", 1, 3, None))}),
        Sample((real(4),), {"dims": (4, 5), **sliced(("slice", None, None, -1), ("at", 2))}),
    ],
    "SelectV2": [
        Sample((RNG.random((3, 4)) > 0.5, real(3, 4), real(3, 4))),
        Sample((RNG.random((3, 1)) > 0.5, real(4), real())),
    ],
    "Select": [
        Sample((RNG.random(3) > 0.5, real(3, 4), real(3, 4))),
        Sample((RNG.random((3, 4)) > 0.5, real(3, 4), real(3, 4))),
    ],
    "Pow": pairs(positive),
    "Log": [Sample((positive(3, 4),))],
    "Sqrt": [Sample((positive(3, 4),))],
    "Cast": [Sample((real(3, 4),), {"DstT": dtypes.float32})],
    "ClipByValue": [
        Sample((real(3, 4), np.float64(-0.7), np.float64(0.9))),
        Sample((real(3, 4), -positive(4), positive(3, 1))),
    ],
    "MatMul": [
        Sample((real(*left), real(*right)), {"transpose_a": a, "transpose_b": b})
        for a, left in ((False, (2, 3)), (True, (3, 2)))
        for b, right in ((False, (3, 4)), (True, (4, 3)))
    ]
    + [Sample((real(2, 3), real(3, 4)))],
    "BatchMatMulV2": [
        Sample((real(5, *left), real(5, *right)), {"adj_x": a, "adj_y": b})
        for a, left in ((False, (2, 3)), (True, (3, 2)))
        for b, right in ((False, (3, 4)), (True, (4, 3)))
    ]
    + [
        Sample((real(2, 3), real(5, 3, 4)), {"adj_x": False, "adj_y": False}),
        Sample((real(2, 1, 3, 2), real(4, 4, 3)), {"adj_x": True, "adj_y": True}),
    ],
}
