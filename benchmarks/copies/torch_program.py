"""Copies as written for torch: from pageable memory, as a program does that has an array."""

import torch

from ..device import TORCH
from .inputs import ARRAYS, SIZES

here = {size: torch.from_numpy(array) for size, array in ARRAYS.items()}
there = {size: x.to(TORCH, copy=True) for size, x in here.items()}


def to_gpu(size):
    return here[size].to(TORCH, copy=True)


def to_host(size):
    return there[size].to("cpu", copy=True).numpy()


def between(size):
    return there[size].clone()


_WAYS = {"to the GPU": "to_gpu", "to the host": "to_host", "between GPUs": "between"}
ROWS = {f"{way} {size}": f"{name}({size!r})" for way, name in _WAYS.items() for size in SIZES}
