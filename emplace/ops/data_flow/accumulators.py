"""Accumulators of gradients, safe for threads: what the ops on them work on.

Gradients of an earlier time step are dropped. Whoever takes the sum or the mean waits until enough
gradients are in it, empties it, and begins the next time step.
"""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import torch

from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import TensorShape, runtime_text
from .turns import in_turn

Dims = tuple[int, ...]


def _mismatch(text: str) -> Exception:
    return invalid_argument(f"Shape mismatch: {text}")


class Accumulator:
    """Adds gradients up (`tf.compat.v1.ConditionalAccumulator`).

    Args:
        dtype: the type of gradients.
        expected: what is known of their shape.
        is_mean: whether what is taken is the mean, not the sum.
    """

    shape = ()

    def __init__(self, dtype: DType, expected: TensorShape, is_mean: bool) -> None:
        self.dtype, self.expected, self.is_mean = dtype, expected, is_mean
        self._changed = threading.Condition(threading.RLock())
        self._takers: deque[object] = deque()
        self._step = 0
        self._count = 0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.count} gradients>"

    @property
    def waiting(self) -> int:
        """How many threads wait for gradients."""
        return len(self._takers)

    @property
    def count(self) -> int:
        """How many gradients are in it."""
        with self._changed:
            return self._count

    def set_step(self, step: int) -> None:
        """Drops gradients of earlier time steps from now on."""
        with self._changed:
            self._step = step

    def _is_late(self, step: int) -> bool:
        return step < self._step

    def _note(self) -> None:
        self._count += 1
        self._changed.notify_all()

    def take(self, least: int) -> Any:
        """What has come together, once there are enough gradients; it is empty afterwards.

        Args:
            least: how many gradients there must be.

        Raises:
            InvalidArgumentError: `least` is not above 0.
            CancelledError: the wait was cancelled.
        """
        if least <= 0:
            raise invalid_argument(f"Argument num_required must be positive, but was {least}")
        taken: list[Any] = []

        def step() -> bool:
            if self._count < least:
                return False
            taken.append(self._emptied(self._count))
            self._count = 0
            self._step += 1
            return True

        with self._changed:
            in_turn(self._changed, self._takers, step, None, "TakeGrad operation was cancelled")
        return taken[0]

    def _emptied(self, count: int) -> Any:
        """The sum or the mean of `count` gradients, which is forgotten; called with the lock."""
        raise NotImplementedError


class DenseAccumulator(Accumulator):
    """An accumulator of tensors."""

    def __init__(self, dtype: DType, expected: TensorShape, is_mean: bool) -> None:
        super().__init__(dtype, expected, is_mean)
        self._total: torch.Tensor | None = None

    def add(self, step: int, gradient: torch.Tensor) -> None:
        """Adds a gradient, unless it is of an earlier time step.

        Raises:
            InvalidArgumentError: it has another type or shape than the others.
        """
        _check_type(self.dtype, gradient)
        with self._changed:
            expected = self.expected if self._total is None else TensorShape(self._total.shape)
            if not expected.is_compatible_with(tuple(gradient.shape)):
                raise _mismatch(
                    f"expected {runtime_text(expected.sizes or ())}, got "
                    f"{runtime_text(gradient.shape)}"
                )
            if self._is_late(step):
                return
            self._total = gradient.clone() if self._total is None else self._total.add_(gradient)
            self._note()

    def _emptied(self, count: int) -> torch.Tensor:
        total, self._total = self._total, None
        assert total is not None
        return total.div_(count) if self.is_mean else total


def _check_type(dtype: DType, gradient: torch.Tensor) -> None:
    if gradient.dtype is not dtype.torch:
        raise invalid_argument(
            f"An accumulator of {runtime_name(dtype)} was given a gradient of {gradient.dtype}."
        )


class SparseAccumulator(Accumulator):
    """An accumulator of rows of tensors, each with its index. A mean is that of each row over the
    gradients that have it.
    """

    def __init__(self, dtype: DType, expected: TensorShape, is_mean: bool) -> None:
        super().__init__(dtype, expected, is_mean)
        self._indices: list[int] = []
        self._counts: list[int] = []
        self._rows: torch.Tensor | None = None

    def add(
        self, step: int, indices: torch.Tensor, values: torch.Tensor, dims: Dims | None
    ) -> None:
        """Adds rows, unless they are of an earlier time step.

        Args:
            step: their time step.
            indices: which rows of the whole gradient they are.
            values: the rows.
            dims: the shape of the whole; None if it is not known.

        Raises:
            InvalidArgumentError: they have another type or shape than the others.
        """
        _check_type(self.dtype, values)
        with self._changed:
            self._check(indices, tuple(values.shape), dims)
            if self._is_late(step):
                return
            self._merge(indices.tolist(), values)
            self._note()

    def _check(self, indices: torch.Tensor, rows: Dims, dims: Dims | None) -> None:
        if indices.ndim != 1:
            raise invalid_argument(
                f"Input indices should be vector but received shape: {runtime_text(indices.shape)}"
            )
        if not rows or rows[0] != len(indices):
            raise invalid_argument(
                f"Expected {len(indices)} non-empty input values, got {rows[0] if rows else 0}"
            )
        expected: list[int | None] = list(self.expected.sizes or ())
        if self._rows is not None:
            expected = [expected[0] if expected else None, *self._rows.shape[1:]]
        for what, given in (("shape", dims), ("values", rows)):
            if given is None:
                continue
            if len(given) < len(expected):
                raise _mismatch(f"expected {what} rank at least {len(expected)}, got {len(given)}")
            for axis in range(1, len(expected)):
                if expected[axis] not in (None, given[axis]):
                    raise _mismatch(
                        f"expected {what} dim {axis} to be {expected[axis]}, got {given[axis]}"
                    )
        most = expected[0] if expected else None
        for place, index in enumerate(indices.tolist() if most is not None else ()):
            if index >= most:
                raise _mismatch(
                    f"index of slice {place} exceeded limits of shape; index is {index} exceeded "
                    f"{most}"
                )

    def _merge(self, indices: list[int], values: torch.Tensor) -> None:
        """Adds rows to those that are there. TF: both lists are gone through once, as if they were
        sorted; indices that are not may stand in the result several times.
        """
        if self._rows is None:
            self._indices, self._counts, self._rows = indices, [1] * len(indices), values.clone()
            return
        places: list[tuple[int, int]] = []  # in what is there and in what comes; -1 where not
        merged, counts, i, j = [], [], 0, 0
        while i < len(self._indices) or j < len(indices):
            here = self._indices[i] if i < len(self._indices) else None
            new = indices[j] if j < len(indices) else None
            takes_old = new is None or (here is not None and here <= new)
            takes_new = here is None or (new is not None and new <= here)
            places.append((i if takes_old else -1, j if takes_new else -1))
            merged.append(here if takes_old else new)
            counts.append((self._counts[i] if takes_old else 0) + takes_new)
            i, j = i + takes_old, j + takes_new
        rows = values.new_zeros((len(merged), *values.shape[1:]))
        for source, which in ((self._rows, 0), (values, 1)):
            pairs = [(k, place[which]) for k, place in enumerate(places) if place[which] >= 0]
            to, of = (torch.tensor(each, dtype=torch.int64) for each in zip(*pairs, strict=True)) \
                if pairs else (torch.zeros(0, dtype=torch.int64),) * 2  # fmt: skip
            rows.index_add_(0, to, source[of])
        self._indices, self._counts, self._rows = merged, counts, rows  # type: ignore[assignment]

    def _emptied(self, count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        indices, counts, rows = self._indices, self._counts, self._rows
        assert rows is not None
        self._indices, self._counts, self._rows = [], [], None
        if self.is_mean:
            shape = (-1, *[1] * (rows.ndim - 1))
            rows = rows / torch.tensor(counts, dtype=rows.dtype).reshape(shape)
        count_of_rows = (self.expected.sizes or (None,))[0]
        dims = [-1 if count_of_rows is None else count_of_rows, *rows.shape[1:]]
        return torch.tensor(indices, dtype=torch.int64), rows, torch.tensor(dims)
