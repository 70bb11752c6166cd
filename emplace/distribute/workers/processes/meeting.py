"""How workers find each other: a store of `torch.distributed`, which the first of them holds.

It stands where the first worker's address says, or where `torchrun` says. Whoever comes writes its
number into it and waits for the others, up to a limit, and says for whom.
"""

from __future__ import annotations

import json
import os
import socket
import time
from datetime import timedelta
from typing import Any

import torch.distributed

from ....base.errors import DeadlineExceededError, UnavailableError
from ....classic.scopes.messages import get_logger
from .roles import Role

dist: Any = torch.distributed  # whose types leave out half of what is public

# How often it looks for the others, when it first says for whom it waits, and then how often.
_LOOK_S = 0.05
_FIRST_S, _AGAIN_S = 5.0, 30.0
_ANSWER_S = 10.0


class _Patience:
    """Waits up to a limit, and says for whom."""

    def __init__(self, role: Role, limit: float, flag: str) -> None:
        self._role, self._limit, self._flag = role, limit, flag
        self._start = time.monotonic()
        self._next_message_s = _FIRST_S

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self._limit - (time.monotonic() - self._start)

    def look_again(self, missing: str, about: str = "") -> None:
        """Sleeps for a moment.

        Raises:
            DeadlineExceededError: the time is over.
        """
        passed = time.monotonic() - self._start
        if passed > self._limit:
            raise DeadlineExceededError(
                None, None,
                f"{self._role.name} has waited {self._limit:g} seconds for {missing}, which did "
                f"not come{about}. Start every worker with the same cluster and a number of its "
                f"own, and let their machines reach each other; {self._flag} is the limit.",
            )  # fmt: skip
        if passed > self._next_message_s:
            self._next_message_s = passed + _AGAIN_S
            get_logger().warning(
                f"{self._role.name} waits for {missing}: {passed:.0f} of {self._limit:g} "
                f"seconds.{about}"
            )
        time.sleep(_LOOK_S)


def meet(role: Role, limit: float, flag: str) -> Any:
    """Connects to the store of a cluster, and waits until all of its workers are there.

    Args:
        role: which worker this is.
        limit: for how many seconds it waits.
        flag: what the limit is called.

    Returns:
        A `torch.distributed` store of this cluster's own.

    Raises:
        DeadlineExceededError: some worker did not come; the text names it.
        UnavailableError: the first worker's address cannot be used.
        ValueError: another process has the same number.
    """
    patience = _Patience(role, limit, flag)
    store = _by_environment(role, patience) if role.by_environment else _by_address(role, patience)
    if store.add(f"joined/{role.number}", 1) > 1:
        raise ValueError(
            f"{role.name} is there already: two processes have its place, or one was started "
            "again alone. Give every process a number of its own, and start all of them again "
            "when one has ended."
        )
    while missing := [i for i in range(len(role.names)) if not store.check([f"joined/{i}"])]:
        patience.look_again(" and ".join(role.names[i] for i in missing))
    return store


def _by_environment(role: Role, patience: _Patience) -> Any:
    """The store of `torchrun`'s agent, or of its first worker."""
    found = dist.rendezvous(
        "env://", role.number, len(role.names), timeout=timedelta(seconds=max(patience.left, 1))
    )
    try:
        store, _, _ = next(found)
    except (RuntimeError, ValueError) as error:
        place = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
        raise UnavailableError(
            None, None,
            f"{role.name} cannot reach {place}, which MASTER_ADDR and MASTER_PORT name: "
            f"{_first_line(error)}",
        ) from None  # fmt: skip
    # A group that is started again finds the store of the one before.
    attempt = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
    return dist.PrefixStore(f"emplace/{attempt}", store)


def _by_address(role: Role, patience: _Patience) -> Any:
    """The store that stands at the first worker's address."""
    host, port = _split(role.addresses[0])
    if role.number == 0:
        return _held(role, port)
    place = f" Nothing answers at {role.addresses[0]}."
    while not _answers(host, port):
        patience.look_again(role.names[0], place)
    while True:
        try:
            answer = timedelta(seconds=min(_ANSWER_S, max(patience.left, 1)))
            return dist.TCPStore(host, port, None, False, answer, wait_for_workers=False)
        except RuntimeError:
            patience.look_again(role.names[0], f" What answers at {host}:{port} is no worker.")


def _held(role: Role, port: int) -> Any:
    try:
        return dist.TCPStore(
            "localhost", port, None, True, timedelta(seconds=_ANSWER_S), wait_for_workers=False
        )
    except RuntimeError as error:
        raise UnavailableError(
            None, None,
            f"{role.name} cannot listen at its address: {_first_line(error)} Free port {port}, or "
            "give it another in the cluster of every worker.",
        ) from None  # fmt: skip


def _split(address: str) -> tuple[str, int]:
    """Host and port of an address.

    Raises:
        ValueError: it has no port.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(
            f"The address of the first worker is {address!r} and must be host:port, where the "
            "workers meet."
        )
    return host.strip("[]"), int(port)


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True


def _first_line(error: BaseException) -> str:
    line = (str(error).splitlines() or [""])[0].split(" Exception raised from")[0]
    return line.strip().rstrip(".") + "."


def compare(store: Any, role: Role, about: dict[str, Any]) -> list[dict[str, Any]]:
    """What all workers say of themselves, by number.

    Args:
        store: where they have met.
        role: which worker this is.
        about: what this one says: plain values.
    """
    store.set(f"about/{role.number}", json.dumps(about))
    all_about = [json.loads(store.get(f"about/{i}")) for i in range(len(role.names))]
    # Who does not like what it hears ends, the first one with the store that others still read. So
    # that one waits for them; they must not, for it may have ended when they look again.
    store.add("compared", 1)
    deadline = time.monotonic() + _ANSWER_S
    while (
        role.number == 0
        and store.add("compared", 0) < len(role.names)
        and time.monotonic() < deadline
    ):
        time.sleep(_LOOK_S)
    return all_about
