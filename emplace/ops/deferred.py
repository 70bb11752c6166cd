"""Functions that look at shapes or values of their arguments, in Python.

In eager mode everything is known, and such a function simply runs. In a graph whose shapes are
not known yet it cannot: the target then records the call itself, and the function runs when the
shapes are there. Functions that only hand their arguments to ops need none of this.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.context import LOCAL
from ..core.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])
E = TypeVar("E", bound=Exception)

#: What graphs may try where a function refuses the samples that stand for tensors.
SMALLER_INTEGERS, EVEN_ROWS = "smaller integers", "rows of one length"


def asking_for(error: E, samples: str) -> E:
    """An error that says which samples the function would take, as its rule looks at values."""
    error.samples = samples  # type: ignore[attr-defined]
    return error


def value_dependent(function: F) -> F:
    """Marks a function that looks at values of ragged tensors, such as where their rows end. In a
    graph it may have to wait until the graph runs.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        target = LOCAL.state.target
        if target.is_eager:
            return function(*args, **kwargs)
        return target.call_value_dependent(function, args, kwargs)

    return call  # type: ignore[return-value]


def needs_rank(function: F) -> F:
    """Marks a function that needs to know how many axes its tensors have, not how long they are.
    The tensors stand among its arguments, not inside of them.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        target = LOCAL.state.target
        if target.is_eager or not any(map(_is_unranked, (*args, *kwargs.values()))):
            return function(*args, **kwargs)
        return target.call(function, args, kwargs)

    return call  # type: ignore[return-value]


def _is_unranked(value: object) -> bool:
    return isinstance(value, Tensor) and value.shape.rank is None


def deferrable(function: F) -> F:
    """Marks a function that needs known shapes: see the head of this file."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        target = LOCAL.state.target
        if target.is_eager:
            return function(*args, **kwargs)
        return target.call(function, args, kwargs)

    return call  # type: ignore[return-value]
