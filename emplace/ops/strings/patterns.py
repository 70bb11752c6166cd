"""RE2's patterns in the words of Python's `re`.

Both write most things alike. This file translates what RE2 writes otherwise, and refuses what it
refuses: looking ahead or behind, and references to groups.
"""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections.abc import Callable

from ...base.errors import invalid_argument

_POSIX = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~",
    "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ", "upper": "A-Z", "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!", "(?>", "(?(", "(?#")


@functools.lru_cache(256)
def compiled(pattern: bytes) -> re.Pattern[str]:
    """RE2's pattern as one of Python's, for text decoded with `surrogateescape`.

    Raises:
        InvalidArgumentError: it is no pattern.
    """
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        return re.compile(_Translator(text).translate(), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        raise invalid_argument(f"Invalid pattern: {text}, error: {error}") from None


class _Translator:
    """Reads a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._place = 0
        self._multiline = False

    def translate(self) -> str:
        """The whole pattern."""
        made: list[str] = []
        while self._place < len(self._text):
            made.append(self._next())
        return "".join(made)

    def _take(self, count: int) -> str:
        part = self._text[self._place : self._place + count]
        self._place += count
        return part

    def _rest(self) -> str:
        return self._text[self._place :]

    def _next(self) -> str:
        sign = self._take(1)
        if sign == "\\":
            return self._escape(in_set=False)
        if sign == "[":
            return self._set()
        if sign == "$":
            return "$" if self._multiline else r"\Z"
        if sign == ".":
            return "." if self._dot_takes_newlines() else r"[^\n\udc80-\udcff]"
        if sign == "(":
            return self._group()
        if sign in "*+?}" and self._rest().startswith("+"):
            raise re.error(f"bad repetition operator: {sign}+")
        return sign

    def _dot_takes_newlines(self) -> bool:
        return re.search(r"\(\?[imU]*s", self._text[: self._place]) is not None

    def _group(self) -> str:
        ahead = "(" + self._rest()
        for look in _LOOKS:
            if ahead.startswith(look):
                raise re.error(f"invalid perl operator: {look}")
        named = re.match(r"\(\?P?<(\w+)>", ahead)
        if named:
            self._take(len(named[0]) - 1)
            return f"(?P<{named[1]}>"
        flags = re.match(r"\(\?([imsU]*)(-[imsU]+)?([:)])", ahead)
        if not flags:
            return "("
        self._take(len(flags[0]) - 1)
        self._multiline |= "m" in flags[1]
        on, off = (part.replace("U", "") for part in (flags[1], (flags[2] or "").lstrip("-")))
        if flags[3] == ":":
            return f"(?{on}{'-' + off if off else ''}:"
        if not on:
            return ""
        # For the rest of the pattern: Python wants such flags at its start.
        rest = _Translator(self._rest())
        rest._multiline = self._multiline
        if "s" in on:
            rest._text = rest._text.replace(".", "(?s:.)") if "[" not in rest._text else rest._text
        made = rest.translate()
        self._place = len(self._text)
        return f"(?{on}:{made})" if made.count("(") == made.count(")") else f"(?{on}){made}"

    def _escape(self, in_set: bool) -> str:
        sign = self._take(1)
        if sign == "Q":
            quoted, _, _ = self._rest().partition(r"\E")
            self._take(len(quoted) + 2)
            return re.escape(quoted)
        if sign in "pP":
            return self._category(sign == "P", in_set)
        if sign == "z":
            return r"\Z"
        if sign == "C":
            return r"(?s:.)"
        if sign == "x" and self._rest().startswith("{"):
            number, _, _ = self._rest()[1:].partition("}")
            self._take(len(number) + 2)
            return re.escape(chr(int(number, 16)))
        if (sign.isdigit() and sign != "0") or sign in "ZGXRKk":
            raise re.error(f"invalid escape sequence: \\{sign}")
        if not sign:
            raise re.error("trailing \\")
        return "\\" + sign

    def _set(self) -> str:
        made = ["["]
        if self._rest().startswith("^"):
            made.append(self._take(1))
        if self._rest().startswith("]"):
            made.append("\\" + self._take(1))
        while True:
            posix = re.match(r"\[:(\^?)(\w+):\]", self._rest())
            if posix:
                made.append(self._posix(posix[1], posix[2]))
                self._take(len(posix[0]))
                continue
            sign = self._take(1)
            if not sign:
                raise re.error("missing ]")
            if sign == "]":
                return "".join(made) + "]"
            if sign == "\\":
                made.append(self._escape(in_set=True))
            else:
                made.append("\\" + sign if sign in "[&~|" else sign)

    def _posix(self, inverse: str, name: str) -> str:
        if name not in _POSIX:
            raise re.error(f"invalid character class range: [:{inverse}{name}:]")
        if not inverse:
            return _POSIX[name]
        members = re.compile(f"[{_POSIX[name]}]")
        return _ranges(lambda code: not members.match(chr(code)))

    def _category(self, inverse: bool, in_set: bool) -> str:
        if self._rest().startswith("{"):
            name, _, _ = self._rest()[1:].partition("}")
            self._take(len(name) + 2)
        else:
            name = self._take(1)
        if name.startswith("^"):
            name, inverse = name[1:], not inverse
        members = _members(name, inverse)
        return members if in_set else f"[{members}]"


@functools.lru_cache(64)
def _members(name: str, inverse: bool) -> str:
    """The characters of a general category, or of its inverse, as the inside of a set."""
    if not re.fullmatch(r"[CLMNPSZ][a-z]?", name):
        raise re.error(f"invalid character class range: \\p{{{name}}}")
    return _ranges(lambda code: unicodedata.category(chr(code)).startswith(name) is not inverse)


def _ranges(belongs: Callable[[int], bool]) -> str:
    parts, start = [], None
    for code in range(sys.maxunicode + 2):
        inside = code <= sys.maxunicode and belongs(code)
        if inside and start is None:
            start = code
        elif not inside and start is not None:
            parts.append(f"\\U{start:08x}-\\U{code - 1:08x}")
            start = None
    return "".join(parts)
