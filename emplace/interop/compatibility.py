"""Questions about versions, which Emplace answers as TensorFlow 2.21 does, and switches that have
nothing to switch here.
"""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

Class = TypeVar("Class")

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)

# The day of the release whose behaviour the facade follows, and what a scope says instead.
_HORIZON = [datetime.date(2025, 12, 1)]


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Tells whether a change that old programs need not know may be used
    (`tf.compat.forward_compatible`): whether the release is younger than a date.

    Args:
        year: of the date.
        month: of the date.
        day: of the date.
    """
    return _HORIZON[-1] > datetime.date(year, month, day)


@contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Lets `forward_compatible` answer as on another day
    (`tf.compat.forward_compatibility_horizon`).

    Args:
        year: of that day.
        month: of that day.
        day: of that day.
    """
    _HORIZON.append(datetime.date(year, month, day))
    try:
        yield
    finally:
        _HORIZON.pop()


_FILTERS = [True]


def enable_traceback_filtering() -> None:
    """Says that tracebacks leave the runtime's frames out (`tf.debugging`). Ours show them."""
    _FILTERS[0] = True


def disable_traceback_filtering() -> None:
    """Says that tracebacks show the runtime's frames (`tf.debugging`)."""
    _FILTERS[0] = False


def is_traceback_filtering_enabled() -> bool:
    """Returns what was said last (`tf.debugging.is_traceback_filtering_enabled`)."""
    return _FILTERS[0]


def enable_strict_mode() -> None:
    """Does nothing (`tf.experimental.enable_strict_mode`): deprecated names do not warn here."""


def is_built_with_xla() -> bool:
    """Returns False (`tf.test.is_built_with_xla`): `jit_compile` is done by our own plans."""
    return False


def is_cpu_target_available(target: str) -> bool:
    """Returns True (`tf.test.is_cpu_target_available`): torch compiles for the host it runs on."""
    return True


def with_eager_op_as_function(
    cls: Class | None = None, only_as_function: bool = False
) -> Class | Callable[[Class], Class]:
    """Returns a test class as it is (`tf.test.with_eager_op_as_function`): eager ops have one way.

    Args:
        cls: the class; None where it is a decorator with arguments.
        only_as_function: not used.
    """
    return cls if cls is not None else lambda decorated: decorated


def disable_with_predicate(pred: Callable[[], bool], skip_message: str) -> Any:
    """Returns a decorator that skips a test where something holds
    (`tf.test.disable_with_predicate`).
    """

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self.skipTest(skip_message) if pred() else test(self, *args, **kwargs)

        return run

    return decorate
