"""Jacobians by rules and by differences, side by side (`tf.test.compute_gradient`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.dtypes import DType
from ..core.tensor import Tensor
from ..eager.tape import GradientTape
from ..ops.convert import is_tensor_like, to_tensor
from ..ops.variables.indexed_slices import IndexedSlices

_STEPS = {"float16": 1.0 / 1024, "bfloat16": 1.0 / 128}
_USUAL_STEP = 1.0 / 1024
Jacobians = tuple[tuple[Any, ...], tuple[Any, ...]]


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> Jacobians:
    """Computes the Jacobian of a function for each of its arguments, by its gradients and by
    differences (`tf.test.compute_gradient`).

    Args:
        f: takes tensors, returns one.
        x: a list or tuple of its arguments.
        delta: the step of the differences.

    Returns:
        (theoretical, numerical): per argument an array of shape (size of y, size of x); complex
        numbers count as two.

    Raises:
        ValueError: `x` is no list or tuple.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), not "
            f"a {type(x)}"
        )
    values = [to_tensor(each) for each in x]
    step = delta if delta is not None else _STEPS.get(values[0].dtype.name, _USUAL_STEP)
    theirs = tuple(_by_rules(f, values, i) for i in range(len(values)))
    return theirs, tuple(_by_differences(f, values, i, step) for i in range(len(values)))


def _real(array: np.ndarray[Any, Any]) -> Any:
    """A flat array of real numbers."""
    flat = np.ascontiguousarray(array).ravel()
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _plain(dtype: DType) -> Any:
    """The dtype of Jacobians: of complex values that of their parts."""
    return np.zeros((), dtype.as_numpy_dtype).real.dtype


def _dense(grad: Any) -> Any:
    return to_tensor(grad) if isinstance(grad, IndexedSlices) else grad


def _by_rules(f: Callable[..., Any], values: list[Tensor], i: int) -> Any:
    x = values[i]
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = to_tensor(f(*values))
    shape, dtype = y.shape.as_list(), y.dtype.as_numpy_dtype
    size = _real(np.zeros(shape, dtype)).size
    jacobian = np.zeros((size, _real(x.numpy()).size), _plain(x.dtype))
    for row in range(size):
        seed = np.zeros(size, _plain(y.dtype))
        seed[row] = 1
        grad = tape.gradient(y, x, output_gradients=to_tensor(seed.view(dtype).reshape(shape)))
        if grad is not None and is_tensor_like(_dense(grad)):
            jacobian[row] = _real(_dense(grad).numpy())
    return jacobian


def _by_differences(f: Callable[..., Any], values: list[Tensor], i: int, step: float) -> Any:
    start = values[i].numpy()
    columns = []
    for place in range(_real(start).size):
        sides = []
        for sign in (1, -1):
            moved = _real(start).copy()
            moved[place] += moved.dtype.type(sign * step)
            shifted = moved.view(start.dtype).reshape(start.shape)
            given = [*values[:i], to_tensor(shifted), *values[i + 1 :]]
            sides.append(_real(to_tensor(f(*given)).numpy()))
        columns.append((sides[0] - sides[1]) / (2 * step))
    rows = _real(to_tensor(f(*values)).numpy()).size
    made = np.stack(columns, 1) if columns else np.zeros((rows, 0))
    return made.astype(_plain(values[i].dtype))
