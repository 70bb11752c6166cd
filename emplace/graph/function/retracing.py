"""Warnings about functions that are traced again and again."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from ...base.logger import get_logger

# TF: a warning if 5 of the last 10 calls were traced, at most 2 for a function's code.
_WINDOW, _TRACES, _WARNINGS = 10, 5, 2
_LOCK = threading.Lock()


class _Calls:
    """The recent calls of one piece of code, which several functions may be made of."""

    __slots__ = ("count", "traced", "warnings")

    def __init__(self) -> None:
        self.count = self.warnings = 0
        self.traced: list[int] = []

    def note(self, is_traced: bool) -> bool:
        """Adds a call; whether to warn."""
        self.count += 1
        if not is_traced:
            return False
        self.traced = [each for each in self.traced if self.count - each < _WINDOW]
        self.traced.append(self.count)
        is_much = len(self.traced) >= _TRACES and self.warnings < _WARNINGS
        self.warnings += is_much
        return is_much


_CALLS: weakref.WeakKeyDictionary[Any, _Calls] = weakref.WeakKeyDictionary()


def note_call(
    python_function: Callable[..., Any], is_traced: bool, what_changed: Callable[[], str]
) -> None:
    """Notes a call from eager code, and warns where most recent ones were traced."""
    with _LOCK:
        calls = _CALLS.setdefault(_code_of(python_function), _Calls())
        is_much = calls.note(is_traced)
        traced = len(calls.traced)
    if is_much:
        get_logger().warning(
            f"{traced} out of the last {min(calls.count, _WINDOW)} calls to {python_function!r} "
            f"triggered tf.function retracing. {what_changed()} Tracing is expensive: pass tensors "
            "instead of Python values, fix shapes with `input_signature`, use "
            "`reduce_retracing=True`, and make a tf.function once, outside of loops. See "
            "https://www.tensorflow.org/guide/function#controlling_retracing for more details."
        )


def _code_of(function: Callable[..., Any]) -> Any:
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    function = getattr(function, "__func__", function)
    return getattr(function, "__code__", function)
