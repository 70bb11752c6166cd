"""The rows as written for torch, in torch's own layout of images and dtype of indices."""

import torch

from .cases import SIZES, statements
from .inputs import inputs

for size in SIZES:
    arrays = {name: torch.from_numpy(array) for name, array in inputs(size).items()}
    kept = arrays.pop("kept")
    arrays["k"] = arrays["k"].long()
    arrays["nchw"] = arrays["image"].permute(0, 3, 1, 2).contiguous()
    arrays["rgb_nchw"] = arrays["rgb"].permute(0, 3, 1, 2).contiguous()
    arrays["oihw"] = arrays["filter"].permute(3, 2, 0, 1).contiguous()
    arrays["taps_oihw"] = arrays["taps"].permute(2, 3, 0, 1).contiguous()
    arrays["sparse"] = kept.to_sparse()
    globals().update({f"{name}_{size}": value for name, value in arrays.items()})
    globals()[f"n_{size}"] = len(kept)

ROWS = statements("torch")
