"""Tensors made of tensors: sparse, ragged, slices by index.

A composite is a plain Python object that knows its parts. Ops on it are functions that apply ops
to the parts; the runtime never sees it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from ..base import nest


class CompositeTensor(ABC):
    """Base of sparse and ragged tensors and of IndexedSlices."""

    @abstractmethod
    def components(self) -> tuple[Any, ...]:
        """The tensors it is made of, in a fixed order."""

    @abstractmethod
    def with_components(self, components: Sequence[Any]) -> Self:
        """The same kind of composite, made of other tensors."""


nest.expand(CompositeTensor)
