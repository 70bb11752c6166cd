"""Samples of the ops that move elements: shaping, joining, repeating, moving, picking, putting."""

from __future__ import annotations

from typing import Any

import numpy as np

from emplace.base import dtypes
from emplace.base.shapes import TensorShape

from .makers import Sample, real


def places(*rows: Any) -> Any:
    return np.array(rows, np.int32)


FRAME = {"paddings": ((1, 2), (0, 1))}

SAMPLES: dict[str, list[Sample]] = {
    "EnsureShape": [Sample((real(2, 3),), {"shape": TensorShape([None, 3])})],
    "Bitcast": [Sample((real(2),), {"type": dtypes.int64})],
    "Split": [Sample((real(4, 6),), {"axis": axis, "num_split": 2}) for axis in (0, 1, -1)],
    "SplitV": [
        Sample((real(4, 3),), {"axis": 0, "size_splits": (1, -1)}),
        Sample((real(2, 5),), {"axis": -1, "size_splits": (2, 0, 3)}),
    ],
    "Tile": [
        Sample((real(2, 3),), {"multiples": (2, 3)}),
        Sample((real(3),), {"multiples": (1,)}),
        Sample((real(),), {"multiples": ()}),
    ],
    "_Repeat": [
        Sample((real(2, 3),), {"repeats": 2, "axis": 1}),
        Sample((real(3, 2),), {"repeats": (2, 0, 1), "axis": 0}),
    ],
    "Pad": [Sample((real(2, 3),), FRAME)],
    "PadV2": [Sample((real(2, 3),), {**FRAME, "constant_values": 1.5})],
    "MirrorPad": [
        Sample((real(3, 3),), {**FRAME, "mode": mode}) for mode in ("REFLECT", "SYMMETRIC")
    ],
    "MirrorPadGrad": [
        Sample((real(6, 7),), {**FRAME, "mode": mode}) for mode in ("REFLECT", "SYMMETRIC")
    ],
    "ReverseV2": [Sample((real(2, 3),), {"axis": axis}) for axis in ((0,), (0, -1), ())],
    "ReverseSequence": [
        Sample((real(2, 4, 2), places(3, 0)), {"seq_dim": 1, "batch_dim": 0}),
        Sample((real(4, 2), places(3, 4)), {"seq_dim": 0, "batch_dim": 1}),
    ],
    "Roll": [Sample((real(3, 4),), {"shift": (1, -2), "axis": (0, 1)})],
    "GatherV2": [
        Sample((real(3, 4), np.array([[0, 2], [2, 2]])), {"axis": 0}),
        Sample((real(3, 4), places(1, 3, 1)), {"axis": 1}),
        Sample((real(2, 3, 4), places([0, 1, 1], [2, 2, 0])), {"axis": 1, "batch_dims": 1}),
        Sample((real(2, 3, 4), places([0, 1], [2, 2])), {"axis": 2, "batch_dims": 1}),
    ],
    "GatherNd": [
        Sample((real(3, 4), places([0, 1], [2, 2], [0, 1]))),
        Sample((real(3, 4), places([2], [2], [0]))),
        Sample((real(3, 4), places([[1]], [[0]]))),
    ],
    "DynamicPartition": [
        Sample((real(4, 2), places(0, 2, 0, 1)), {"num_partitions": 3}),
        Sample((real(2, 2), places([0, 1], [1, 1])), {"num_partitions": 2}),
    ],
    "DynamicStitch": [Sample((places(0, 3), places([1], [2]), real(2, 3), real(2, 1, 3)))],
    "ScatterNd": [
        Sample((places([1], [1], [3]), real(3, 2)), {"shape": (5, 2)}),
        Sample((places([1, 0], [1, 1]), real(2)), {"shape": (2, 2)}),
    ],
    **{
        f"TensorScatter{kind}": [
            Sample((real(4, 2), places([1], [3]), real(2, 2))),
            Sample((real(2, 2), places([1, 0], [0, 1]), real(2))),
        ]
        for kind in ("Add", "Sub", "Max", "Min", "Update")
    },
    "Slice": [
        Sample((real(4, 5),), {"begin": (1, 0), "size": (2, -1)}),
        Sample((real(3),), {"begin": (3,), "size": (0,)}),
    ],
}
