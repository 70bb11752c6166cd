"""Choosing between values: `where`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import Dims, runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..convert import strict_pair, to_tensor
from ..infer import Spec
from ..large import is_large_on_host, select
from ..op import apply, op
from .gathering import WHERE


def select_kernel(condition: torch.Tensor, t: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
    """t where the condition is True, e elsewhere."""
    if is_large_on_host(condition):
        return select(condition, t, e)
    return torch.where(condition, t, e)


def select_texts_kernel(
    condition: torch.Tensor, t: np.ndarray[Any, Any], e: np.ndarray[Any, Any]
) -> Any:
    """The same for strings, which are NumPy arrays."""
    return np.asarray(np.where(condition.numpy(), t, e), dtype=object)


def select_spec(condition: Spec, t: Spec, e: Spec) -> Spec:
    """The shape that all three stretch to, also where sizes are unknown."""
    try:
        return infer.broadcast(Spec(condition.dims, t.dtype), infer.broadcast(t, e))._replace(
            dtype=t.dtype
        )
    except Exception:
        shapes = [str(list(s.dims or ())).replace(" ", "") for s in (condition, t, e)]
        raise invalid_argument(
            f"condition {shapes[0]}, then {shapes[1]}, and else {shapes[2]} must be broadcastable"
        ) from None


SELECT = op(
    "SelectV2", "condition: bool, t: T, e: T -> output: T", select_kernel, select_spec,
    T=(*dtypes.ANY_FIXED, dtypes.string), gpu_types=dtypes.ANY_FIXED,
    unsupported_types=dtypes.FLOATS8,
    kernel_for={dtypes.string: select_texts_kernel},
)  # fmt: skip


def whole_kernel(condition: torch.Tensor, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """x or y by a condition that is one for all, one for each row, or one for each element."""
    _check_whole(tuple(condition.shape), tuple(x.shape), tuple(y.shape))
    return select_kernel(_by_row(condition, x), x, y)


def whole_texts_kernel(
    condition: torch.Tensor, x: np.ndarray[Any, Any], y: np.ndarray[Any, Any]
) -> Any:
    """The same for strings."""
    _check_whole(tuple(condition.shape), x.shape, y.shape)
    return select_texts_kernel(_by_row(condition, x), x, y)


def _by_row(condition: torch.Tensor, x: Any) -> torch.Tensor:
    if condition.ndim == 1 and x.ndim > 1:
        return condition.view(-1, *(1,) * (x.ndim - 1))
    return condition


def _check_whole(condition: Dims, x: Dims, y: Dims) -> None:
    """Nothing stretches but a condition over rows."""
    is_of_rows = len(condition) == 1 != len(x)
    if is_of_rows and not x:
        raise invalid_argument("'then' must be at least a vector, but saw shape: []")
    if is_of_rows and condition[0] != x[0]:
        raise invalid_argument(
            "Number of batches of 'then' must match size of 'cond', but saw: "
            f"{x[0]} vs. {condition[0]}"
        )
    if not condition or is_of_rows:
        if x != y:
            raise invalid_argument(
                "'then' and 'else' must have the same size.  but received: "
                f"{runtime_text(x)} vs. {runtime_text(y)}"
            )
        return
    for i, dims in ((1, x), (2, y)):
        if condition != dims:
            raise invalid_argument(
                "Inputs to operation Select of type Select must have the same size and shape.  "
                f"Input 0: {runtime_text(condition)} != input {i}: {runtime_text(dims)}"
            )


def whole_spec(condition: Spec, x: Spec, y: Spec) -> Spec:
    """The shape of x and y."""
    if condition.dims is not None and x.dims is not None and y.dims is not None:
        _check_whole(condition.dims, x.dims, y.dims)
    return x


SELECT_WHOLE = op(
    "Select", "condition: bool, x: T, y: T -> output: T", whole_kernel, whole_spec,
    T=(*dtypes.ANY_FIXED, dtypes.string), gpu_types=dtypes.ANY_FIXED,
    unsupported_types=dtypes.FLOATS8,
    kernel_for={dtypes.string: whole_texts_kernel},
)  # fmt: skip


def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns x where the condition is True, y elsewhere; or the places that are True (`tf.where`).

    Args:
        condition: a tensor, of bools where x and y are given.
        x: values for True; shapes broadcast.
        y: values for False, of x's dtype.
        name: a name in graphs.

    Raises:
        ValueError: only one of x and y is given.

    >>> where([True, False], 1, 2).numpy().tolist()
    [1, 2]
    """
    if x is None and y is None:
        return apply(WHERE, (to_tensor(condition),))
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    x, y = strict_pair(x, y)
    if isinstance(condition, np.ndarray):  # TF: arrays are cast, lists are not
        condition = condition.astype(bool)
    elif isinstance(condition, list):
        condition = to_tensor(condition, dtypes.bool_)
    return apply(SELECT, (to_tensor(condition), x, y))
