"""Imports every family, so that all rules are registered."""

from . import (
    activation,
    array,
    conv,
    elementwise,
    linalg,
    loss,
    normalization,
    pool,
    random,
    reduction,
    resource,
    space,
)

__all__ = [
    "activation",
    "array",
    "conv",
    "elementwise",
    "linalg",
    "loss",
    "normalization",
    "pool",
    "random",
    "reduction",
    "resource",
    "space",
]
