"""Places in programs: a line, and what is known of where an operation was made."""

from __future__ import annotations

import os
from types import CodeType
from typing import NamedTuple


class Line(NamedTuple):
    """A place in the user's program."""

    file: str
    number: int
    function: str

    def __str__(self) -> str:
        return f"{os.path.basename(self.file)}:{self.number}"


class Place(NamedTuple):
    """Where an operation of a graph was made.

    `line` is the innermost line that is not Emplace's own, `program_line` the innermost one that is
    of no library either: where `model.fit` was called, say. `is_gradient` tells that a tape, or
    `tf.gradients`, made the operation on its way back. `scope` is the name scope around it, such as
    a layer's path, which a call of the function leaves out of its name.
    """

    line: Line | None = None
    program_line: Line | None = None
    is_gradient: bool = False
    scope: str = ""


NOWHERE = Place()


def _line_at(code: CodeType, instruction: int) -> Line:
    number = code.co_firstlineno
    for start, end, found in code.co_lines():
        if start <= instruction < end and found is not None:
            number = found
    return Line(code.co_filename, number, code.co_name)


# The lines that have been seen, by (code object, position in it): making one anew costs more than
# the rest of an event. The code object is kept, so that its number is not given to another.
_LINES: dict[tuple[int, int], tuple[CodeType, Line]] = {}
_MOST_LINES = 4096


def seen_line(code: CodeType, instruction: int) -> Line:
    """The line of an instruction, `frame.f_lasti`, of a code object: the same object each time."""
    key = id(code), instruction
    found = _LINES.get(key)
    if found is None:
        if len(_LINES) >= _MOST_LINES:
            _LINES.clear()
        found = _LINES[key] = code, _line_at(code, instruction)
    return found[1]
