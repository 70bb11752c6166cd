"""Samples of `ops/image_*.py`."""

from __future__ import annotations

import numpy as np

from .makers import RNG, Sample, positive, real

_HALF = {"size": (7, 3), "half_pixel_centers": True}
_BOXES = np.array([[0.13, 0.21, 0.77, 0.93], [0.81, 0.11, 0.07, 0.66]], np.float32)

SAMPLES = {
    "ResizeNearestNeighbor": [Sample((real(1, 4, 5, 2),), _HALF)],
    "ExtractVolumePatches": [
        Sample(
            (real(1, 3, 4, 3, 2),),
            {"ksizes": (1, 2, 2, 2, 1), "strides": (1, 1, 2, 1, 1), "padding": padding},
        )
        for padding in ("SAME", "VALID")
    ],
    "ExtractImagePatches": [
        Sample(
            (real(1, 5, 4, 2),),
            {
                "ksizes": (1, 3, 2, 1),
                "strides": (1, 2, 1, 1),
                "rates": (1, 1, 2, 1),
                "padding": padding,
            },
        )
        for padding in ("SAME", "VALID")
    ],
    "ImageProjectiveTransformV3": [
        Sample(
            (real(1, 4, 5, 2), np.array([[0.8, 0.3, -0.7, -0.2, 1.1, 0.6, 0, 0]], np.float32)),
            {
                "output_shape": (4, 5),
                "fill_value": 0.0,
                "interpolation": how,
                "fill_mode": mode,
            },
        )
        for how in ("BILINEAR", "NEAREST")
        for mode in ("CONSTANT", "REFLECT")
    ],
    "RGBToHSV": [Sample((np.array(RNG.permutation(24).reshape(4, 2, 3) / 24 + 0.1),))],
    "HSVToRGB": [Sample((positive(4, 3) / 2.3,))],
}
