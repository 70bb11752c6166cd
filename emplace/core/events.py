"""What happened, for whoever listens: one observer per interest, none by default.

An observer is told three things, in this order, for one op: `placed` when its device is known,
`copied` for each input that was on another device, `executed` after the kernel. Besides: `planned`
when the operations of a function have got their devices, `called` when that function runs,
`exhausted` when memory is refused, and `waited` when the host waits for a strict virtual GPU. It is
told only what it overrides. Nothing of this costs anything while nobody listens: routes are then
plain, and nobody comes here.
An observer must not run ops. One that raises is removed and named on standard error, because
a program must not fail for being watched.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import torch

from ..base import log
from ..base.lines import Line as Line, seen_line
from ..devices.device import Device
from ..devices.late import PROGRAM_LINE
from ..devices.strict import WAITS, Wait
from .context import PROCESS

PACKAGE_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

_TORCH_FOLDER = os.path.dirname(torch.__file__) + os.sep


class Copy(NamedTuple):
    """One input that was copied to the device of its op.

    `is_hidden` is False for ops that exist to move data: constants and `tf.identity`.
    """

    position: int
    source: Device
    target: Device
    nbytes: int
    is_hidden: bool


class PlacedOperation(NamedTuple):
    """One operation of a function, or one of its arguments or results, and where it is."""

    name: str
    type: str
    device: Device


class Call:
    """One op while it runs: what, where, why, on what, and from which line.

    `route` is the cached decision, `inputs` the tensors, `attrs` the attributes or None,
    `copies` the inputs that had to be copied, `seconds` the time of the kernel once it is known.
    """

    __slots__ = ("attrs", "copies", "inputs", "line", "outputs", "route", "seconds")

    def __init__(self, route: Any, inputs: tuple[Any, ...], attrs: dict[str, Any] | None) -> None:
        self.route = route
        self.inputs = inputs
        self.attrs = attrs
        self.copies: list[Copy] = []
        self.line: Line | None = None
        self.outputs: tuple[Any, ...] = ()
        self.seconds = 0.0

    @property
    def op(self) -> Any:
        """The op."""
        return self.route.op

    @property
    def device(self) -> Device:
        """Where it ran."""
        return self.route.device  # type: ignore[no-any-return]

    @property
    def reason(self) -> Any:
        """Why there."""
        return self.route.reason


class Observer:
    """Base of all observers: override what interests you.

    `wants_lines` asks for the user's source line with every call, which costs a microsecond.
    """

    wants_lines = False

    def placed(self, call: Call) -> None:
        """`call` is about to run."""

    def copied(self, call: Call, copy: Copy) -> None:
        """An input of `call` was copied to its device."""

    def executed(self, call: Call) -> None:
        """`call` has run; its `outputs` and `seconds` are known."""

    def planned(self, name: str, operations: Sequence[PlacedOperation]) -> None:
        """The operations of the function `name` have got their devices."""

    def called(self, name: str, device: Device) -> None:
        """The function `name` is about to run."""

    def exhausted(self, device: Device, message: str) -> None:
        """An allocation on `device` was refused."""

    def waited(self, wait: Wait, line: Line | None) -> None:
        """The host waited for a strict virtual GPU, at this line of the program."""


EVENTS = ("placed", "copied", "executed", "planned", "called", "exhausted", "waited")

Hearer = tuple[Observer, Callable[..., None]]


class _Hearers:
    """Who hears which event, and whether any of them wants lines; made anew when they change."""

    __slots__ = ("by_event", "want_lines")

    def __init__(self) -> None:
        self.want_lines = any(observer.wants_lines for observer in PROCESS.observers)
        self.by_event: dict[str, tuple[Hearer, ...]] = {
            event: tuple(
                (observer, getattr(observer, event))
                for observer in PROCESS.observers
                if getattr(type(observer), event) is not getattr(Observer, event)
            )
            for event in EVENTS
        }


_HEARERS = _Hearers()
_CHANGES = threading.Lock()


def add_observer(observer: Observer) -> None:
    """Tells `observer` of everything from now on, in all threads."""
    with _CHANGES:
        if observer not in PROCESS.observers:
            _set_observers((*PROCESS.observers, observer))


def remove_observer(observer: Observer) -> None:
    """Tells `observer` no more. Does nothing if it was not listening."""
    with _CHANGES:
        if observer in PROCESS.observers:
            _set_observers(tuple(each for each in PROCESS.observers if each is not observer))


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """A block of which `observer` is told everything."""
    add_observer(observer)
    try:
        yield
    finally:
        remove_observer(observer)


def _set_observers(observers: tuple[Any, ...]) -> None:
    global _HEARERS
    PROCESS.observers = observers
    _HEARERS = _Hearers()
    WAITS.listener = _hear_wait if _HEARERS.by_event["waited"] else None
    # Only routes know whether somebody listens; what was made stays what it is.
    PROCESS.routes = {}
    PROCESS.epoch = object()


def tell(event: str, *facts: Any) -> None:
    """Tells `event` to the observers that hear it; removes one that raises."""
    for observer, hear in _HEARERS.by_event[event]:
        try:
            hear(*facts)
        except Exception as error:
            remove_observer(observer)
            log.error(f"Observer {observer!r} raised {error!r} and was removed.")


def _hear_wait(wait: Wait) -> None:
    operation = None if wait.route is None else wait.route.operation
    tell("waited", wait, _line_behind_torch() if operation is None else operation.line)


def _line_behind_torch() -> Line | None:
    """The innermost line of the program, from inside of a function of torch's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not (is_our_file(file) or file.startswith(_TORCH_FOLDER)):
            return seen_line(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None


# Whether a source file is Emplace's own.
_IS_OURS: dict[str, bool] = {}


def is_our_file(file: str) -> bool:
    """Whether a source file is Emplace's own; found once per file."""
    found = _IS_OURS.get(file)
    if found is None:
        found = _IS_OURS[file] = file.startswith((PACKAGE_FOLDER, "<plan "))
    return found


def user_line() -> Line | None:
    """The innermost line of the program that is not Emplace's own."""
    if not _HEARERS.want_lines:
        return None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        is_ours = _IS_OURS.get(code.co_filename)
        if is_ours is None:
            is_ours = is_our_file(code.co_filename)
        if not is_ours:
            return seen_line(code, frame.f_lasti)
        frame = frame.f_back
    return None


PROGRAM_LINE.bind(_line_behind_torch)
