"""Checks that do not wait: what a kernel finds wrong is noted on its device, and told later.

A device that computes while the host goes on must not be waited for only to learn that all is
well. There a kernel computes whether something is wrong, as a bool on the device, and `note`
writes the number of the check into a flag there, if it is the first to find something. `look`
reads the flag where the host has waited anyway: before a value goes to the program. It raises
what the check would have raised at once, with the op and the line, and the flag is clean again.
Kernels ask `is_late` of a tensor: on the host checks are made at once, and none of this is used.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

import torch

from ..base import flags, log
from ..base.errors import InternalError, OpError
from ..base.late_binding import LateBinding

#: The line of the program that runs an op now.
PROGRAM_LINE: LateBinding[[], Any] = LateBinding(
    "find the program's line", "core/events.py", default=lambda: None
)
#: The error of a check as the program gets it: which op of which line, and that it is found later.
TOLD_LATER: LateBinding[[Exception, Site], Exception] = LateBinding(
    "name the op of an error", "graph/plan/failures.py", default=lambda error, site: error
)

# More checks than this between two looks make the host look.
_MOST_SITES = 4096


class CurrentOp(threading.local):
    """What this thread runs where checks are late: the route of the op, None between ops."""

    route: Any = None
    #: Who takes down what checks find, if it is not the device's own flag.
    standing: StandingChecks | None = None


CURRENT = CurrentOp()


class Site(NamedTuple):
    """A check of an op at a line of the program. `check` raises when it is called with the host's
    copies of what was kept, whose buffers `kept` names, and with `facts`.
    """

    route: Any
    line: Any
    check: Callable[..., object]
    facts: tuple[Any, ...]
    kept: tuple[Any, ...]


class _Switch:
    """Whether checks are made at once: as the program says, or as the environment does."""

    wanted: bool | None = None

    @property
    def is_on(self) -> bool:
        return flags.IMMEDIATE_CHECKS.value() if self.wanted is None else self.wanted


SWITCH = _Switch()


class _Flag:
    """What was found in one queue of a device: the number of the check that found it, 0 if none
    did, and what that check wants to show.
    """

    def __init__(self, like: torch.Tensor, stays: bool = False) -> None:
        self.lock = threading.Lock()
        self.is_pending = False
        self._stays = stays  # whether checks keep their numbers, and what is kept its place
        self._queue = torch.cuda.current_stream(like.device) if like.is_cuda else None
        self._word = like.new_zeros((), dtype=torch.int64)
        self._kept: dict[Any, torch.Tensor] = {}
        self._numbers: dict[Site, int] = {}
        self._sites: list[Site] = []

    def note(
        self, bad: torch.Tensor, check: Callable[..., object], kept: Sequence[torch.Tensor],
        facts: tuple[Any, ...],
    ) -> None:  # fmt: skip
        """Takes down what a check found, if nothing was found before."""
        keys = tuple([(i, x.dtype, tuple(x.shape)) for i, x in enumerate(kept)])
        site = Site(CURRENT.route, _line(), check, facts, keys)
        if len(self._sites) >= _MOST_SITES and not self._stays:
            self.look()
        with self.lock:
            first = bad.gt(self._word)
            self._word.masked_fill_(first, self._number(site))
            for key, x in zip(keys, kept, strict=True):
                self._keep(key, x, first)
            self.is_pending = True

    def _number(self, site: Site) -> int:
        number = self._numbers.get(site)
        if number is None:
            self._sites.append(site)
            number = self._numbers[site] = len(self._sites)
        return number

    def _keep(self, key: Any, x: torch.Tensor, first: torch.Tensor) -> None:
        """Keeps the value of a tensor, as it is now, for the check that was the first."""
        buffer = self._kept.get(key)
        if buffer is None:
            self._kept[key] = x.clone()
        else:
            torch.where(first, x, buffer, out=buffer)

    def is_up(self) -> bool:
        """Whether something has been found by now, whatever the device still has to do."""
        if self._queue is None:
            return bool(_readable(self._word))
        with torch.cuda.stream(torch.cuda.Stream(self._word.device)):  # type: ignore[no-untyped-call]
            return bool(self._word)

    def look(self, is_late: bool = True) -> None:
        """Raises what was found. The host has waited for the device, unless `is_late` is False."""
        with self.lock:
            self.is_pending = False
            if self._queue is None:
                found = self._taken()
            else:
                with torch.cuda.stream(self._queue):
                    found = self._taken()
        if found is not None:
            _raise(*found, is_late)

    def _taken(self) -> tuple[Site, list[torch.Tensor]] | None:
        """The check that found something, and what it kept. Then there is nothing any more."""
        number = int(_readable(self._word))
        found = None
        if number:
            site = self._sites[number - 1]
            found = site, [_readable(self._kept[key]).to("cpu", copy=True) for key in site.kept]
            self._word.zero_()
        if self._stays:
            return found
        self._kept.clear()
        self._numbers.clear()
        self._sites.clear()
        return found


_FLAGS: dict[torch.device, dict[int, _Flag]] = {}


class StandingChecks:
    """The checks of work that is recorded once and then repeated without the host: they have a flag
    of their own, where their numbers stay what they were when they were recorded.
    """

    def __init__(self) -> None:
        self._flag: _Flag | None = None
        self._device: torch.device | None = None

    def flag(self, like: torch.Tensor) -> _Flag:
        """The flag, on the device of a tensor; `look` knows of it from now on."""
        if self._flag is None:
            self._flag, self._device = _Flag(like, stays=True), like.device
            _FLAGS.setdefault(like.device, {})[id(self._flag)] = self._flag
        return self._flag

    @contextmanager
    def noting(self) -> Iterator[None]:
        """A block in which this thread's checks are taken down here."""
        before, CURRENT.standing = CURRENT.standing, self
        try:
            yield
        finally:
            CURRENT.standing = before

    def repeated(self) -> None:
        """The work was repeated: something may have been found."""
        if self._flag is not None and self._device is not None:
            self._flag.is_pending = True
            _FLAGS.setdefault(self._device, {})[id(self._flag)] = self._flag

    def end(self) -> None:
        """The work is repeated no more. What was found and not told yet is told all the same."""
        flag = self._flag
        if flag is not None and self._device is not None and not flag.is_pending:
            _FLAGS.get(self._device, {}).pop(id(flag), None)


def is_late(x: torch.Tensor) -> bool:
    """Whether checks of what is in a tensor must not wait for it."""
    return not x.is_cpu


def note(
    bad: torch.Tensor, check: Callable[..., object], kept: Sequence[torch.Tensor], *facts: Any
) -> None:
    """Notes on the device of `bad` that a check found something wrong, if it did.

    Args:
        bad: whether it did: a bool, shape (), on the device.
        check: a function of a module that raises OpError where something is wrong, at once.
        kept: tensors that it looks at; it gets copies on the host.
        facts: what else it wants to know. They are hashable.

    Raises:
        OpError: the program wants checks at once, and something is wrong.
    """
    if bad.is_meta:  # there are no values to look at: see `phantom.py`
        return
    flags_here = _FLAGS.setdefault(bad.device, {})
    queue = torch.cuda.current_stream(bad.device).cuda_stream if bad.is_cuda else 0
    with torch.no_grad():
        standing = CURRENT.standing
        flag = flags_here.get(queue) if standing is None else standing.flag(bad)
        if flag is None:
            flag = flags_here[queue] = _Flag(bad)
        flag.note(bad, check, kept, facts)
    if SWITCH.is_on:
        flag.look(is_late=False)


def refuse(check: Callable[..., object], kept: Sequence[torch.Tensor], *facts: Any) -> NoReturn:
    """Raises what a check will say of which it is known, by shapes, that it finds something."""
    check(*[_readable(x).to("cpu") for x in kept], *facts)
    raise InternalError(None, None, "A check found what is not wrong.")


def look(device: torch.device) -> None:
    """Raises what checks have found on a device since the last look, the first if there are
    several. For who has waited for the device already. What that has computed may be made of
    values of other devices: their flags are read as they are by now, without a wait.

    Raises:
        OpError: something was wrong.
    """
    for there, flags_there in list(_FLAGS.items()):
        for flag in list(flags_there.values()):
            if flag.is_pending and (there == device or flag.is_up()):
                flag.look()


def fetched(value: torch.Tensor) -> torch.Tensor:
    """A raw value in the host's memory.

    Raises:
        OpError: checks on its device have found something.
    """
    copied = value.cpu()
    if not value.is_cpu:
        look(value.device)
    return copied


def forget() -> None:
    """Drops what was found, and the switch."""
    _FLAGS.clear()
    SWITCH.wanted = None


def naming_kernel(kernel: Callable[..., Any], route: Any) -> Callable[..., Any]:
    """`kernel`, whose late checks name the op of a route."""

    def run(*values: Any, **attrs: Any) -> Any:
        before, CURRENT.route = CURRENT.route, route
        try:
            return kernel(*values, **attrs)
        finally:
            CURRENT.route = before

    setattr(run, TELLS_LATER, True)
    return run


#: What kernels have that torch must not look into when it compiles.
TELLS_LATER = "tells_later"


def _readable(x: torch.Tensor) -> torch.Tensor:
    """A tensor that may be read; of a strict virtual GPU without telling of a wait: it is read
    along with what the host waits for.
    """
    return getattr(x, "elements", x)


def _line() -> Any:
    """The line of the program that made the operation that runs, or that runs the op."""
    operation = getattr(CURRENT.route, "operation", None)
    return PROGRAM_LINE.call() if operation is None else operation.line


def _raise(site: Site, kept: Sequence[torch.Tensor], is_late: bool) -> NoReturn:
    try:
        site.check(*kept, *site.facts)
    except Exception as error:
        raise (TOLD_LATER.call(error, site) if is_late else error) from None
    raise InternalError(None, None, f"A late check of {site.route!r} found what is not wrong.")


@atexit.register
def _tell_at_end() -> None:
    """Tells what nobody has looked at when the program ends."""
    for device in list(_FLAGS):
        try:
            look(device)
        except OpError as error:
            log.error(error.message)
