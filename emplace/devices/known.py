"""What the host knows of values that are on a GPU, so that it need not wait to read them.

Shapes, axes, lengths and seeds are a few integers that come from the host, are computed with a
little, and are read by the host again. A GPU's tensor of that kind keeps its elements on the host
beside it, as long as nobody writes into it.
"""

from __future__ import annotations

from typing import Any

import torch

#: The most elements that are kept.
MOST = 16
#: The dtypes whose elements are kept.
TYPES = frozenset((torch.int32, torch.int64, torch.bool))


def is_worth_it(value: torch.Tensor) -> bool:
    """Whether elements of such a value are kept."""
    return value.dtype in TYPES and value.numel() <= MOST


def remember(value: torch.Tensor, elements: torch.Tensor) -> None:
    """Keeps the elements of a GPU's tensor; nobody may write into `elements`."""
    value._known_elements = value._version, elements  # type: ignore[attr-defined]


def known(value: Any) -> torch.Tensor | None:
    """The elements of a GPU's tensor in host memory, None if the host does not know them. Nobody
    may write into them.
    """
    kept = getattr(value, "_known_elements", None)
    if kept is None or kept[0] != value._version:
        return None
    elements: torch.Tensor = kept[1]
    return elements


def forget(value: torch.Tensor) -> None:
    """The host knows the elements no more: they are going to change unseen."""
    if getattr(value, "_known_elements", None) is not None:
        value._known_elements = None  # type: ignore[attr-defined]
