"""Tensors made of tensors: sparse, ragged, slices by index.

A composite is a plain Python object that knows its parts. No kernel sees it: ops are applied to
the parts, by functions of its own or by the rules of `ops/composite.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self


class CompositeTensor:
    """Base of sparse and ragged tensors and of IndexedSlices.

    `base/nest.py` knows composites by these two methods. What is no tensor itself, but travels as
    some, such as a dataset, says so by `is_tensor`.
    """

    is_tensor: ClassVar[bool] = True
    #: What to say where an op is given one that has no rule for it; "" for the usual sentence.
    refusal: ClassVar[str] = ""

    def components(self) -> tuple[Any, ...]:
        """The tensors it is made of, in a fixed order."""
        raise NotImplementedError

    def with_components(self, components: Sequence[Any]) -> Self:
        """The same kind of composite, made of other tensors."""
        raise NotImplementedError

    def gradient_parts(self) -> tuple[Any, ...]:
        """The tensor that stands for it as a target or source of `GradientTape.gradient`.

        Raises:
            ValueError: it cannot be one.
        """
        raise ValueError(
            f"Type {type(self).__name__} is not supported as a gradient source or gradient target."
        )

    def with_gradient(self, gradient: Any) -> Any:
        """The gradient of its gradient part as a gradient of the whole."""
        raise NotImplementedError


def consumers_of(components: Sequence[Any]) -> list[Any]:
    """The operations of a graph that take one of some tensors, each once."""
    found: dict[int, Any] = {}
    for each in components:
        if getattr(each, "graph", None) is not None:
            found.update((id(operation), operation) for operation in each.consumers())
    return list(found.values())
