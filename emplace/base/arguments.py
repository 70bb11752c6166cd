"""Checks of plain arguments, said at once and in one voice: switches and numbers of threads."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np


def as_switch(who: str, value: Any) -> bool:
    """`value` as True or False; whole numbers and None count too.

    Raises:
        TypeError: `value` is something else, such as a text, whose truth is no answer.
    """
    if value is None or isinstance(value, np.bool_):
        return bool(value)
    try:
        return bool(operator.index(value))
    except TypeError:
        raise TypeError(f"[{who}] expected True or False, got {value!r}.") from None


def as_count(who: str, value: Any, most: int) -> int:
    """`value` as a whole number from 0 to `most`.

    Raises:
        TypeError: `value` is no integer.
        ValueError: it is negative or larger.
    """
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"[{who}] expected a whole number, got {value!r}.") from None
    if not 0 <= number <= most:
        raise ValueError(f"[{who}] expected a number from 0 to {most}, got {number}.")
    return number
