"""Lines of the program: the innermost frames of the stack that are neither Emplace's nor those of
a library, Python's own among them.

A file is looked at once. A library is what lies in `site-packages`, `dist-packages` or with Python;
where nothing but libraries is on the stack, the innermost of their lines is taken.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from types import CodeType, FrameType

from ..base.lines import Line, Place, seen_line
from ..devices.charges import MADE, Made, Maker
from .context import LOCAL
from .events import is_our_file

_OURS, _LIBRARY, _PROGRAM = range(3)
_WHOSE: dict[str, int] = {}
_PYTHON = tuple(
    os.path.join(folder, "")
    for folder in {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
)
_INSTALLED = tuple(f"{os.sep}{name}{os.sep}" for name in ("site-packages", "dist-packages"))


def _whose(file: str) -> int:
    if is_our_file(file):
        found = _OURS
    elif file.startswith((*_PYTHON, "<frozen ")) or any(each in file for each in _INSTALLED):
        found = _LIBRARY
    else:
        found = _PROGRAM
    _WHOSE[file] = found
    return found


def is_program_file(file: str) -> bool:
    """Whether a source file is the program's own."""
    found = _WHOSE.get(file)
    return (_whose(file) if found is None else found) == _PROGRAM


def made_here(maker: Maker | str, depth: int) -> Made:
    """What a charge keeps of who made it: with the program's line, unless the maker knows it."""
    if type(maker) is Maker and maker.line is not None:
        return maker.made
    state = LOCAL.state
    try:
        frame = sys._getframe(depth)
    except ValueError:  # C calls a kernel
        frame = sys._getframe()
    here = frame.f_code
    code: CodeType | None = here
    instruction = frame.f_lasti
    if _WHOSE.get(here.co_filename) != _PROGRAM:
        code, instruction = _beyond(frame)
    is_recorded = True if state.tapes else False  # noqa: SIM210  # a call takes longer
    return maker, code, instruction, state.names, state.is_going_back, is_recorded


def _beyond(frame: FrameType) -> tuple[CodeType | None, int]:
    """The innermost place of the program from a frame on; of a library where there is no other."""
    code: CodeType | None = None
    instruction = 0
    above: FrameType | None = frame
    while above is not None:
        here = above.f_code
        whose = _WHOSE.get(here.co_filename)
        if whose is None:
            whose = _whose(here.co_filename)
        if whose:
            if whose == _PROGRAM:
                return here, above.f_lasti
            if code is None:
                code, instruction = here, above.f_lasti
        above = above.f_back
    return code, instruction


MADE.bind(made_here)


def program_line() -> Line | None:
    """The innermost line of the program; of a library where there is nothing else."""
    return place_here().program_line


def place_here(scope: str = "") -> Place:
    """Where an operation is made that is made now; `scope` is the name scope."""
    innermost: tuple[CodeType, int] | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        whose = _WHOSE.get(code.co_filename)
        if whose is None:
            whose = _whose(code.co_filename)
        if whose:
            if innermost is None:
                innermost = code, frame.f_lasti
            if whose == _PROGRAM:
                break
        frame = frame.f_back
    if innermost is None:
        return Place(None, None, LOCAL.state.is_going_back, scope)
    line = seen_line(*innermost)
    of_program = line if frame is None else seen_line(frame.f_code, frame.f_lasti)
    return Place(line, of_program, LOCAL.state.is_going_back, scope)
