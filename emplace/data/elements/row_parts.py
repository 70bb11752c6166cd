"""Parts of batches: some rows of each leaf of an element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base.errors import invalid_argument
from ...ops.extension.batching import BatchableExtensionTypeSpec
from ...ops.ragged.spec import RaggedTensorSpec
from ...ops.sparse.tensor import SparseTensorSpec
from .batchable import encoded
from .structure import Element, Nothing


def row_count(leaves: Sequence[Any], parts: Sequence[Element]) -> int:
    """How many rows the leaves of an element have.

    Raises:
        InvalidArgumentError: leaves have different numbers of them.
    """
    sizes = {
        _rows(spec, part)
        for (kind, spec), part in zip(leaves, parts, strict=True)
        if not isinstance(kind, Nothing)
    }
    if len(sizes) > 1:
        raise invalid_argument(
            "Input components must have the same number of rows, got components with "
            f"{' and '.join(map(str, sorted(sizes)))} rows."
        )
    return sizes.pop() if sizes else 0


def _rows(spec: object, part: Element) -> int:
    if isinstance(spec, BatchableExtensionTypeSpec):
        below = encoded(spec)
        return row_count(below.leaves, below.split(part))
    if isinstance(spec, SparseTensorSpec):
        return int(part[2][0])
    if isinstance(spec, RaggedTensorSpec) and len(part) > 1:
        return len(part[1]) - 1
    return int(part[0].shape[0])


def part_of(spec: object, part: Element, start: int, end: int) -> Element:
    """The rows from `start` to `end` of a leaf, all raw."""
    if not part:
        return part
    if isinstance(spec, BatchableExtensionTypeSpec):
        below = encoded(spec)
        pairs = zip(below.leaves, below.split(part), strict=True)
        return [raw for (_, each), some in pairs for raw in part_of(each, some, start, end)]
    if isinstance(spec, SparseTensorSpec):
        return _of_sparse(part, start, end)
    if isinstance(spec, RaggedTensorSpec) and len(part) > 1:
        return _of_ragged(part, start, end)
    return (part[0][start:end],)


def no_rows(spec: object, part: Element) -> Element:
    """A leaf without rows; what is a scalar is zero, or the empty text."""
    if len(part) == 1 and not part[0].shape:
        (raw,) = part
        if isinstance(raw, torch.Tensor):
            return (torch.zeros_like(raw),)
        return (np.full_like(raw, b""),)
    return part_of(spec, part, 0, 0)


def _of_sparse(part: Element, start: int, end: int) -> Element:
    indices, values, shape = part
    inside = (indices[:, 0] >= start) & (indices[:, 0] < end)
    places = inside.nonzero()[:, 0]
    moved = indices[places].clone()
    moved[:, 0] -= start
    shape = shape.clone()
    shape[0] = end - start
    kept = values[places] if isinstance(values, torch.Tensor) else values[places.numpy()]
    return moved, kept, shape


def _of_ragged(part: Element, start: int, end: int) -> Element:
    flat, *splits = part
    kept = []
    for each in splits:
        some = each[start : end + 1]
        start, end = int(some[0]), int(some[-1])
        kept.append(some - start)
    return (flat[start:end], *kept)
