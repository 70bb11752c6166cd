"""Errors of converted code, told with the lines of the program that led to them."""

from __future__ import annotations

import linecache
from pathlib import Path
from types import TracebackType
from typing import Any

import malt

from ...base.errors import OpError
from .load import is_converted

_PACKAGE = str(Path(__file__).resolve().parents[2]) + "/"
_MALT = str(Path(malt.__file__).resolve().parent) + "/"


class _KeyError(KeyError):
    """A KeyError with a text of several lines."""

    def __str__(self) -> str:
        return str(self.args[0])


_KeyError.__name__ = "KeyError"


def in_user_code(error: Exception) -> Exception:
    """The error to raise for one of converted code: of the same type, "in user code: ...", with a
    traceback of the program's frames alone.

    An error whose type takes more than a text stays what it is, with the same as a note.
    """
    if not _has_converted(error.__traceback__):
        return error
    traceback = _of_program(error.__traceback__)
    inner: str | None = getattr(error, "ag_cause", None)  # of a function that called this one
    cause = inner or f"{type(error).__name__}: {_text(error)}"
    lines = _program_lines(traceback)
    text = "\n".join(["in user code:", "", *lines, "", *_indented(cause), ""])
    made = _again(error, text)
    if made is error and inner is None:
        error.add_note(text)
    made.ag_cause = cause  # type: ignore[attr-defined]
    if made is not error:
        for note in getattr(error, "__notes__", ()):
            made.add_note(note)
    return made.with_traceback(traceback)


def _text(error: Exception) -> str:
    return str(error.message if isinstance(error, OpError) else error)


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.split("\n")]


def _again(error: Exception, text: str) -> Exception:
    kind: Any = type(error)
    if isinstance(error, OpError):
        return kind(error.node_def, error.op, text)  # type: ignore[no-any-return]
    if isinstance(error, KeyError):
        return _KeyError(text)
    if kind.__init__ is Exception.__init__ or kind.__init__ in _PLAIN:
        return kind(text)  # type: ignore[no-any-return]
    return error


_PLAIN = {
    each.__init__
    for each in (
        AssertionError, AttributeError, NameError, NotImplementedError, RuntimeError,
        StopIteration, TypeError, UnboundLocalError, ValueError,
    )
}  # fmt: skip


def _is_inside(file: str) -> bool:
    return file.startswith((_PACKAGE, _MALT))


def _of_program(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without our own frames."""
    if traceback is None:
        return None
    behind = _of_program(traceback.tb_next)
    if _is_inside(traceback.tb_frame.f_code.co_filename):
        return behind
    return TracebackType(behind, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


def _has_converted(traceback: TracebackType | None) -> bool:
    while traceback is not None:
        if is_converted(traceback.tb_frame.f_code):
            return True
        traceback = traceback.tb_next
    return False


def _program_lines(traceback: TracebackType | None) -> list[str]:
    """The lines of the program."""
    lines = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        mark = "  *" if is_converted(code) else ""
        lines.append(
            f'    File "{code.co_filename}", line {traceback.tb_lineno}, in {code.co_name}{mark}'
        )
        source = linecache.getline(code.co_filename, traceback.tb_lineno).strip()
        lines.append(f"        {source or '<source unavailable>'}")
        traceback = traceback.tb_next
    return lines
