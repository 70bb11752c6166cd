"""Jacobians of graphs by rules and by differences, in the default session
(`tf.compat.v1.test.compute_gradient`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.tensor import Tensor
from ..graph.recording.gradients import gradients
from ..graph.session.session import BaseSession, get_default_session
from ..ops.convert import to_tensor
from ..ops.variables.indexed_slices import IndexedSlices

_SEED = 1234  # of the point where nobody gives one


def compute_gradient(
    x: Any,
    x_shape: Sequence[Any],
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Sequence[Any] | None = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """Computes the Jacobian of a tensor of a graph by its gradients and by differences
    (`tf.compat.v1.test.compute_gradient`).

    Args:
        x: a tensor that `y` is computed of, or a list of them.
        x_shape: its shape, or a list of shapes.
        y: the result.
        y_shape: its shape.
        x_init_value: where to compute, an array, or a list of them; random numbers for None.
        delta: the step of the differences.
        init_targets: operations that run first.
        extra_feed_dict: what else is fed.

    Returns:
        (theoretical, numerical), arrays of shape (size of x, size of y), complex numbers counting
        as two; for a list of `x` a list of such pairs.

    Raises:
        ValueError: no session is the default one.
    """
    session = get_default_session()
    if session is None:
        raise ValueError("compute_gradient needs a default session: `with tf.Session():`.")
    for target in init_targets or ():
        session.run(target)
    several = isinstance(x, list)
    xs, shapes = (x, x_shape) if several else ([x], [x_shape])
    starts = x_init_value if several else [x_init_value]
    if x_init_value is None:
        starts = [None] * len(xs)
    random = np.random.RandomState(_SEED)
    points = [_point(*parts, random) for parts in zip(xs, shapes, starts, strict=True)]
    feeds = {**(extra_feed_dict or {}), **dict(zip(xs, points, strict=True))}
    pairs = [
        (
            _by_rules(session, source, y, y_shape, feeds),
            _by_differences(session, source, (y, y_shape), feeds, delta),
        )
        for source in xs
    ]
    return pairs if several else pairs[0]


def compute_gradient_error(
    x: Any,
    x_shape: Sequence[Any],
    y: Tensor,
    y_shape: Sequence[int],
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Sequence[Any] | None = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """Computes the largest difference between the two Jacobians of `compute_gradient`
    (`tf.compat.v1.test.compute_gradient_error`).

    Args:
        x: as of `compute_gradient`, and so are the others.
        x_shape: likewise.
        y: likewise.
        y_shape: likewise.
        x_init_value: likewise.
        delta: likewise.
        init_targets: likewise.
        extra_feed_dict: likewise.
    """
    found = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = found if isinstance(found, list) else [found]
    errors = [np.abs(a - b).max() for a, b in pairs if a.size]
    return np.max(errors) if errors else 0.0  # Python's `max` may lose what is no number


def _point(x: Any, shape: Any, given: object, random: np.random.RandomState) -> Any:
    """Where the Jacobian is computed."""
    dtype = x.dtype.as_numpy_dtype
    if given is not None:
        return np.array(given, dtype)
    made = random.random_sample(shape)
    if x.dtype.is_complex:
        made = made + 1j * random.random_sample(shape)
    return np.asarray(made, dtype)


def _parts(values: ArrayLike) -> Any:
    """A flat array of real numbers."""
    flat = np.ascontiguousarray(values).ravel()
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat


def _by_rules(
    session: BaseSession, x: Any, y: Tensor, shape: Sequence[int], feeds: Mapping[Any, Any]
) -> Any:
    """A row per number of x: how all of y change with it."""
    seed = np.zeros(shape, y.dtype.as_numpy_dtype)
    numbers = _parts(seed)  # a view: the seed changes with them
    (grad,) = gradients(y, [x], [place := to_tensor(seed)])
    dense = to_tensor(grad) if isinstance(grad, IndexedSlices) else grad
    columns = []
    for i in range(numbers.size):
        numbers[i] = 1
        if dense is None:
            columns.append(np.zeros_like(_parts(feeds[x])))
        else:
            columns.append(_parts(session.run(dense, {**feeds, place: seed})))
        numbers[i] = 0
    rows = _parts(feeds[x]).size
    return np.stack(columns, 1) if columns else np.zeros((rows, 0), _parts(feeds[x]).dtype)


def _by_differences(
    session: BaseSession,
    x: Tensor,
    target: tuple[Any, Sequence[int]],
    feeds: Mapping[Any, Any],
    delta: float,
) -> Any:
    """The same by moving each number of x a little to both sides. The target is y and its shape."""
    y, y_shape = target
    rows = []
    for i in range(_parts(feeds[x]).size):
        sides = []
        for sign in (1, -1):
            moved = np.array(feeds[x])
            _parts(moved)[i] += sign * delta
            sides.append(_parts(session.run(y, {**feeds, x: moved})))
        rows.append((sides[0] - sides[1]) / (2 * delta))
    size = int(np.prod(y_shape)) * (2 if y.dtype.is_complex else 1)
    return np.stack(rows) if rows else np.zeros((0, size), y.dtype.real_dtype.as_numpy_dtype)
