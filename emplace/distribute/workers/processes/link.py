"""This process's connection to the other workers of its cluster, and what is sent over it.

There is one per process, made by the first strategy that needs it. Sums and copies of tensors go
through process groups of `torch.distributed`: Gloo's, and NCCL's where every worker has GPUs that
no other one has. A worker waits in slices, to look in between whether the others are still there.
"""

from __future__ import annotations

import atexit
import ctypes
import socket
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import torch
import torch.distributed

from ....base.errors import DeadlineExceededError, UnavailableError
from ....base.flags import WORKERS_START, WORKERS_STEP
from ....devices.late import fetched
from .meeting import compare, meet
from .ring import Ring
from .roles import Role
from .shared import Box, SharedMemory
from .sums import Laid, Sums
from .watch import LivenessMonitor

dist: Any = torch.distributed  # whose types leave out half of what is public

_SLICE = timedelta(seconds=1)
# Gloo's own limit is behind ours, which knows better what to say.
_BEHIND_S = 120.0


class Link:
    """The connection to the other workers.

    Args:
        role: which worker this is.
        about: what all workers must have in common, by name.
        gpus: the identities of the real GPUs that this worker uses.

    Raises:
        DeadlineExceededError: a worker did not come.
        UnavailableError: a worker went away meanwhile.
        ValueError: the workers differ in what they must have in common.
    """

    def __init__(self, role: Role, about: dict[str, Any], gpus: list[str]) -> None:
        self.role = role
        self.size, self.number = len(role.names), role.number
        self.limit = WORKERS_STEP.value()
        start = WORKERS_START.value()
        store = meet(role, start, WORKERS_START.name)
        self._store = store
        self.watch = LivenessMonitor(store, role, self.limit)
        try:
            all_about = compare(
                store, role, {"about": about, "gpus": gpus, "host": socket.gethostname()}
            )
            self.hosts = [each["host"] for each in all_about]
            _check_alike(role, [each["about"] for each in all_about])
            self._groups = {
                name: _gloo(dist.PrefixStore(name, store), role, start + self.limit)
                for name in ("values", "inputs")
            }
        except RuntimeError as error:
            raise self.watch.lost(error) from None
        self._sums: Sums | None = None
        self.has_nccl = bool(gpus) and _is_nccl_possible([each["gpus"] for each in all_about])
        if self.has_nccl:
            self._nccl = _nccl(dist.PrefixStore("nccl", store), role, self.limit)
        atexit.register(self.end)

    def end(self) -> None:
        """Tells the others that this worker ends, and ends the threads of its connections.

        They let go of tensors, for which they need Python: one that comes late to that, when Python
        has ended, aborts the process.
        """
        self.watch.end()
        self._groups.clear()

    def sum(self, value: torch.Tensor, group: str = "values") -> torch.Tensor:
        """The sum of a tensor over all workers, in its place."""
        options = dist.AllreduceOptions()
        options.reduceOp = dist.ReduceOp.SUM
        return self._in_place(value, lambda by, x: by.allreduce([x], options), group)

    def sum_laid(self, vectors: Sequence[Laid]) -> None:
        """The sums over all workers of large vectors on the host."""
        sums = self._sums = self._sums or self._best_sums()
        work = self._begin(lambda: sums.start(self._groups["values"], vectors))
        try:
            self._end(work)
        except BaseException:
            work.give_up()
            raise

    def _best_sums(self) -> Sums:
        """How large vectors on the host are added up: by memory, if all workers see the same."""
        box = Box()
        try:
            boxes = box.among([bytes(name.tolist()) for name in self.all_of(box.name)])
            seen = self.all_of(torch.tensor(len(boxes)))
        finally:
            box.hide()
        if all(count == self.size for count in seen):
            return SharedMemory(self.number, boxes)
        return Ring(self.number, self.size)

    def from_first(self, value: torch.Tensor) -> torch.Tensor:
        """The first worker's tensor, in the place of this one's."""
        options = dist.BroadcastOptions()
        options.rootRank = 0
        return self._in_place(value, lambda by, x: by.broadcast([x], options), "values")

    def all_of(self, value: torch.Tensor) -> list[torch.Tensor]:
        """The tensors of all workers, which have one shape, in their order."""
        by, sent = self._carrier(value, "values")
        parts = [torch.empty_like(sent) for _ in range(self.size)]
        self._finish(lambda: by.allgather([parts], [sent]))
        return [part.to(value.device) for part in parts]

    def note(self, key: str) -> None:
        """Writes down something that all workers can see."""
        self._store.set(key, "1")

    def has_note(self, key: str) -> bool:
        """Whether some worker has written that down.

        Raises:
            UnavailableError: the first worker is gone.
        """
        try:
            return bool(self._store.check([key]))
        except RuntimeError as error:
            raise self.watch.lost(error) from None

    def _in_place(
        self, value: torch.Tensor, start: Callable[[Any, torch.Tensor], Any], group: str
    ) -> torch.Tensor:
        by, sent = self._carrier(value, group)
        self._finish(lambda: start(by, sent))
        if sent is not value:
            value.copy_(sent)
        return value

    def _carrier(self, value: torch.Tensor, group: str) -> tuple[Any, torch.Tensor]:
        """What carries a tensor, and the tensor where that finds it."""
        if value.device.type == "cpu":
            return self._groups[group], value
        if self.has_nccl and group == "values":
            return self._nccl, value
        return self._groups[group], fetched(value)

    def _finish(self, start: Callable[[], Any]) -> None:
        """Starts something that all workers do, and waits until it is done."""
        self._end(self._begin(start))

    def _begin(self, start: Callable[[], Any]) -> Any:
        """Starts something that all workers do.

        Raises:
            UnavailableError: a worker is gone.
        """
        try:
            return start()
        except RuntimeError as error:
            raise self.watch.lost(error) from None

    def _end(self, work: object) -> None:
        """Waits until it is done.

        Raises:
            UnavailableError: a worker is gone.
            DeadlineExceededError: one did not come for too long.
        """
        began = time.monotonic()
        try:
            while not is_done(work):
                self.watch.check()
                if time.monotonic() - began > self.limit:
                    raise self._too_late()
        except (UnavailableError, DeadlineExceededError, KeyboardInterrupt, SystemExit):
            _never_free([work, *self._groups.values()])
            raise
        except RuntimeError as error:
            raise self.watch.lost(error) from None

    def _too_late(self) -> DeadlineExceededError:
        return DeadlineExceededError(
            None, None,
            f"{self.role.name} has waited {self.limit:g} seconds in a step for the other workers, "
            "which are there but do something else. All workers must take the same steps: reduce, "
            "gather, read variables that are synchronised on reading, and make variables in the "
            f"same order. {WORKERS_STEP.name} is the limit.",
        )  # fmt: skip


def _never_free(objects: list[Any]) -> None:
    """Keeps objects for good: a group that is freed would wait for what cannot end any more, and
    with it the end of the process.
    """
    for each in objects:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(each))


def is_done(work: Any) -> bool:
    """Waits for a moment; whether a piece of work is done.

    Raises:
        RuntimeError: it failed.
    """
    try:
        work.wait(_SLICE)
    except RuntimeError:
        if not work.is_completed():
            return False
        # The slice was over, or the work has failed; it may also have ended just after the slice.
        work.wait(_SLICE)
    return True


def _gloo(store: object, role: Role, limit: float) -> Any:
    options = dist.ProcessGroupGloo._Options()
    options._timeout = timedelta(seconds=limit + _BEHIND_S)
    options._devices = [_device(role)]
    return dist.ProcessGroupGloo(store, role.number, len(role.names), options)


def _nccl(store: object, role: Role, limit: float) -> Any:
    options = dist.ProcessGroupNCCL.Options()
    options._timeout = timedelta(seconds=limit + _BEHIND_S)
    return dist.ProcessGroupNCCL(store, role.number, len(role.names), options)


def _device(role: Role) -> Any:
    """Where the others reach this worker: at its address, if that is one of its machine."""
    kind = dist.ProcessGroupGloo
    if role.addresses:
        host = role.addresses[role.number].rpartition(":")[0].strip("[]")
        try:
            return kind.create_device(hostname=host)
        except RuntimeError:
            pass
    return kind.create_default_device()


def _is_nccl_possible(gpus: list[list[str]]) -> bool:
    """Whether all workers have GPUs, and each its own: NCCL wants that."""
    all_of_them = [each for some in gpus for each in some]
    return dist.is_nccl_available() and all(gpus) and len(set(all_of_them)) == len(all_of_them)


def _check_alike(role: Role, about: list[dict[str, Any]]) -> None:
    for name, value in about[0].items():
        for i, other in enumerate(about):
            if other[name] != value:
                raise ValueError(
                    f"Workers must have the same {name}. {role.names[0]} has {value!r}, "
                    f"{role.names[i]} has {other[name]!r}."
                )


_LINKS: list[Link] = []


def linked(role: Role, about: dict[str, Any], gpus: list[str]) -> Link:
    """The connection of this process, made if there is none.

    Raises:
        RuntimeError: it has one to another cluster.
    """
    if not _LINKS:
        _LINKS.append(Link(role, about, gpus))
    elif _LINKS[0].role != role:
        raise RuntimeError(
            f"This process is {_LINKS[0].role.name} of {len(_LINKS[0].role.names)} and cannot "
            f"become {role.name} of {len(role.names)}. Start another process for another cluster."
        )
    return _LINKS[0]


def link() -> Link:
    """The connection that there is."""
    return _LINKS[0]


def existing() -> Link | None:
    """The connection, if there is one."""
    return _LINKS[0] if _LINKS else None
