"""Imports every family, so that all rules are registered."""

from . import (
    elementwise,
    fourier,
    gathering,
    joining,
    linalg,
    making,
    moving,
    nn,
    random,
    reduction,
    repeating,
    resource,
    scattering,
    select,
    shaping,
    slicing,
)

__all__ = [
    "elementwise",
    "fourier",
    "gathering",
    "joining",
    "linalg",
    "making",
    "nn",
    "random",
    "reduction",
    "resource",
    "moving",
    "repeating",
    "scattering",
    "select",
    "shaping",
    "slicing",
]
