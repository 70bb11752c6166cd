"""Tasks in other processes, by `torch.distributed.rpc`: who is there, and calls between them.

All tasks of a cluster and the coordinator meet at the address of the first parameter server, whose
process keeps the list of who has come (a `TCPStore`). Then each can call functions of this package
in each other. A call that finds no process at its other end raises `LostError`.
"""

from __future__ import annotations

import atexit
import datetime
import os
import pickle
import socket
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from torch import distributed
from torch.distributed import rpc

from ....base.errors import DeadlineExceededError, InternalError, UnavailableError
from ....base.flags import WORKERS_START
from ...cluster.spec import ClusterSpec

CHIEF = "chief"
_THREADS = 32
#: A call asks this often whether its other end is alive, and waits so long for that answer.
_ASK_EVERY_S, _ANSWER_WITHIN_S = 20.0, 60.0
_PORT_STEP_S = 0.2


class LostError(Exception):
    """A process does not answer any more."""


class _ProcessState:
    """What this process is in the cluster."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.is_over = threading.Event()
        self.store: Any = None


_HERE = _ProcessState()


def task_name(job: str, number: int) -> str:
    """What a task is called in the cluster."""
    return f"{job}:{number}"


def label(name: str) -> str:
    """The same as TensorFlow writes it."""
    job, _, number = name.partition(":")
    return f"/job:{job}/task:{number or 0}"


def task_names(cluster: ClusterSpec) -> list[str]:
    """All tasks that a coordinator works with, the first parameter server before all."""
    return [task_name(job, i) for job in ("ps", "worker") for i in cluster.task_indices(job)]


def connect(cluster: ClusterSpec, name: str) -> None:
    """Joins the cluster; waits for all others.

    Raises:
        DeadlineExceededError: somebody has not come in time.
        RuntimeError: this process is in a cluster already, or torch cannot do it here.
    """
    if not rpc.is_available():
        raise RuntimeError(
            "This build of torch has no torch.distributed.rpc, which parameter servers in other "
            "processes need. Start all servers in one process."
        )
    if _HERE.name is not None:
        raise RuntimeError(
            f"This process is {_HERE.name} of a cluster already; it can be in one only."
        )
    names = [*task_names(cluster), CHIEF]
    host, _, port = cluster.task_address("ps", cluster.task_indices("ps")[0]).rpartition(":")
    limit_s = WORKERS_START.value()
    rpc_port = _met(names, name, host, int(port), limit_s)
    # Processes of one machine need no name that others can look up.
    if host in ("localhost", "127.0.0.1"):
        os.environ.setdefault("TP_SOCKET_IFNAME", "lo")
    options = rpc.TensorPipeRpcBackendOptions(
        num_worker_threads=_THREADS, rpc_timeout=limit_s, init_method=f"tcp://{host}:{rpc_port}"
    )
    number = names.index(name)
    try:
        _init(name, rank=number, world_size=len(names), rpc_backend_options=options)
    except (RuntimeError, distributed.DistError) as error:
        raise _late([other for other in names if other != name], limit_s) from error
    _HERE.name = name
    atexit.register(_leave)


def _init(name: str, **options: Any) -> None:
    with warnings.catch_warnings():  # of torch about itself
        warnings.simplefilter("ignore")
        rpc.init_rpc(name, **options)  # type: ignore[no-untyped-call]


def _met(names: list[str], name: str, host: str, port: int, limit_s: float) -> int:
    """Waits until all have come. Returns the port at which calls are arranged."""
    first = names[0]
    end = time.monotonic() + limit_s
    try:
        store = distributed.TCPStore(  # type: ignore[attr-defined]
            host, port, is_master=name == first, wait_for_workers=False,
            timeout=datetime.timedelta(seconds=limit_s),
        )  # fmt: skip
    except (RuntimeError, distributed.DistError) as error:
        raise _late([first], limit_s) from error
    if name == first:
        store.set("port", str(free_port()))
    store.set(name, "here")
    while missing := [each for each in names if not store.check([each])]:
        if time.monotonic() > end:
            raise _late(missing, limit_s)
        time.sleep(_PORT_STEP_S)
    _HERE.store = store  # the first one keeps it for those that come a little later
    return int(store.get("port"))


def free_port() -> int:
    """A port of this machine that nobody has."""
    with socket.socket() as s:
        s.bind(("", 0))
        return int(s.getsockname()[1])


def _late(missing: list[str], limit_s: float) -> DeadlineExceededError:
    return DeadlineExceededError(
        None, None,
        f"The cluster did not meet within {limit_s:.0f} s: {', '.join(map(label, missing))} did "
        "not come. "
        f"Start these processes, look at their addresses, or set {WORKERS_START.name} to more "
        "seconds.",
    )  # fmt: skip


# -- calls -----------------------------------------------------------------------------------------


def call(name: str, function: Callable[..., Any], *args: Any) -> Any:
    """Calls a function of this package in another process of the cluster.

    Raises:
        LostError: nobody answers.
        Exception: what the function raised there.
    """
    try:
        future = rpc.rpc_async(name, _answer, (function, args), timeout=0)
        came = threading.Event()
        future.add_done_callback(lambda _: came.set())
        while not came.wait(_ASK_EVERY_S):
            rpc.rpc_sync(name, _nothing, timeout=_ANSWER_WITHIN_S)
        is_value, value = future.wait()
    except RuntimeError as error:  # what torch says of a connection that has ended
        raise LostError(f"{label(name)} does not answer: {str(error).splitlines()[0]}") from None
    if is_value:
        return value
    raise value


def _answer(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[bool, Any]:
    """What a function returns, or the error that it raised."""
    try:
        return True, function(*args)
    except LostError as error:
        return False, UnavailableError(None, None, f"{error}. Start the job again from its last "
                                       "checkpoint.")  # fmt: skip
    except BaseException as error:
        return False, _sendable(error)


def _sendable(error: BaseException) -> BaseException:
    try:
        again = pickle.loads(pickle.dumps(error))
    except Exception:
        return InternalError(None, None, f"{type(error).__name__}: {error}")
    return again if type(again) is type(error) else error


def _nothing() -> None:
    """Is called to see whether somebody is there."""


# -- the end ---------------------------------------------------------------------------------------


def wait_for_end() -> None:
    """Waits until the coordinator has ended, while its calls are answered.

    Raises:
        UnavailableError: it has not ended properly.
    """
    while not _HERE.is_over.wait(_ASK_EVERY_S / 10):
        try:
            call(CHIEF, _nothing)
        except LostError as error:
            if _HERE.is_over.is_set():
                break
            raise UnavailableError(
                None, None, f"The coordinator has been lost: {error}. Start the job again from its "
                "last checkpoint.",
            ) from None  # fmt: skip
    rpc.shutdown(graceful=False)
    _HERE.name = None


def _over() -> None:
    _HERE.is_over.set()


def tell_all(names: list[str]) -> None:
    """Lets tasks end, as far as they are there."""
    for name in names:
        try:
            rpc.rpc_sync(name, _over, timeout=_ANSWER_WITHIN_S)
        except RuntimeError:  # it is gone
            continue


def _leave() -> None:
    if _HERE.name is not None:
        _HERE.name = None
        rpc.shutdown(graceful=False)
