"""Kernels that only move elements, for strings and quantized numbers as well: see `moves`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import torch


def moves(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Lets a kernel that only moves elements take what NumPy holds too: it moves places instead."""

    @functools.wraps(kernel)
    def run(values: Any, *others: Any, **attrs: Any) -> Any:
        if isinstance(values, torch.Tensor):
            return kernel(values, *others, **attrs)
        places = torch.arange(values.size).reshape(values.shape)
        moved = kernel(places, *others, **attrs)
        if isinstance(moved, torch.Tensor):
            return _taken(values, moved)
        return [_taken(values, each) for each in moved]

    return run


def _taken(values: np.ndarray[Any, Any], places: torch.Tensor) -> np.ndarray[Any, Any]:
    result = np.empty(tuple(places.shape), values.dtype)
    result[...] = values.reshape(-1)[places.numpy()]
    return result
