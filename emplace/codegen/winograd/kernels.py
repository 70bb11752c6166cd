"""The kernels as functions. Each is made when it is first called for, once in a process."""

from __future__ import annotations

import functools
from typing import NamedTuple

from .. import code
from ..code import Loop, compiled_text
from .convolution import convolution_text
from .filter_gradient import filter_gradient_text
from .filters import filter_text, points_text, turned_points_text
from .schemes import SCHEMES, Key


class Convolution(NamedTuple):
    """What makes the points of a filter, and what makes the result with them."""

    points: Loop
    result: Loop


class FilterGradient(NamedTuple):
    """What makes the points of the filter's gradient, and what makes the gradient of them."""

    points: Loop
    result: Loop


@functools.cache
def convolution(key: Key, is_turned: bool) -> Convolution | None:
    """The kernels of a convolution, or of the gradient of its image; None if none can be made.

    Args:
        key: that of its scheme.
        is_turned: whether it is the gradient.
    """
    write = turned_points_text if is_turned else points_text
    filter, result = compiled_text(write(SCHEMES[key], code.lanes())), _result(key)
    return None if filter is None or result is None else Convolution(filter, result)


@functools.cache
def filter_gradient(key: Key) -> FilterGradient | None:
    """The kernels of the gradient of a filter; None if they cannot be made."""
    points = compiled_text(filter_gradient_text(SCHEMES[key], code.lanes()))
    result = compiled_text(filter_text(SCHEMES[key], code.lanes()))
    return None if points is None or result is None else FilterGradient(points, result)


@functools.cache
def _result(key: Key) -> Loop | None:
    return compiled_text(convolution_text(SCHEMES[key], code.lanes()))
