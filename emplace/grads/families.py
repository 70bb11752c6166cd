"""Imports every family, so that all rules are registered."""

from . import array, elementwise, linalg, nn, random, reduction, resource

__all__ = ["array", "elementwise", "linalg", "nn", "random", "reduction", "resource"]
