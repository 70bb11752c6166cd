"""Which worker runs a function (`experimental_get_current_worker_index`)."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from ....base import dtypes
from ....core.context import LOCAL
from ....ops.infer import Spec
from ....ops.op import CPU_ONLY, apply, op


class _Here(threading.local):
    worker: int | None = None


_HERE = _Here()


@contextmanager
def on_worker(number: int) -> Iterator[None]:
    """A scope in which this thread is a worker."""
    before, _HERE.worker = _HERE.worker, number
    try:
        yield
    finally:
        _HERE.worker = before


def _kernel() -> Any:
    if _HERE.worker is None:
        raise _nowhere()
    return torch.tensor(_HERE.worker)


CURRENT_WORKER = op(
    "CurrentWorkerIndex", "-> index: int64", _kernel, lambda: Spec((), dtypes.int64),
    device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


def experimental_get_current_worker_index() -> Any:
    """The number of the worker that runs this function, an int64 scalar
    (`tf.distribute.coordinator.experimental_get_current_worker_index`).

    Raises:
        RuntimeError: it is called outside of a function, or the function runs on no worker.
    """
    if LOCAL.state.target.is_eager:
        raise _nowhere()
    return apply(CURRENT_WORKER, ())


def _nowhere() -> RuntimeError:
    return RuntimeError(
        "experimental_get_current_worker_index() can only be called in a function that "
        "ClusterCoordinator.schedule gives to a worker."
    )
