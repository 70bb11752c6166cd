"""Imports every family, so that all rules are registered."""

from . import (
    array,
    barrier,
    complex,
    elementwise,
    guarded,
    linalg,
    nn,
    random,
    reduction,
    resource,
    special,
    trigonometry,
)

__all__ = [
    "array",
    "barrier",
    "complex",
    "elementwise",
    "guarded",
    "linalg",
    "nn",
    "random",
    "reduction",
    "resource",
    "special",
    "trigonometry",
]
