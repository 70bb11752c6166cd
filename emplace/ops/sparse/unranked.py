"""Functions that need to know how many axes their sparse tensors have: where a graph does not know
it, they wait until it runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from ...base import nest
from ...core.context import LOCAL
from .tensor import SparseTensor

F = TypeVar("F", bound=Callable[..., Any])


def needs_sparse_rank(function: F) -> F:
    """Marks a function that looks at the ranks of sparse tensors among its arguments."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        target = LOCAL.state.target
        if target.is_eager or not any(map(_is_unranked, nest.flatten((args, kwargs)))):
            return function(*args, **kwargs)
        return target.call_value_dependent(function, args, kwargs)

    return call  # type: ignore[return-value]


def _is_unranked(value: object) -> bool:
    return isinstance(value, SparseTensor) and value.shape.rank is None
