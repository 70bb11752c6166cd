"""What programs say to AutoGraph: what not to convert, options of loops, how much to tell."""

from __future__ import annotations

import enum
import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from ...base.flags import AUTOGRAPH_VERBOSITY
from ...base.late_binding import LateBinding

UNSPECIFIED = object()


class Feature(enum.Enum):
    """What is converted only on request (`tf.autograph.experimental.Feature`)."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"

    @classmethod
    def all(cls) -> tuple[Feature, ...]:
        """All of them."""
        return tuple(cls)

    @classmethod
    def all_but(cls, exclude: Any) -> tuple[Feature, ...]:
        """All but some."""
        left_out = exclude if isinstance(exclude, (list, tuple, set)) else (exclude,)
        return tuple(each for each in cls if each not in left_out and each is not cls.ALL)


class Status(enum.Enum):
    """Whether the function that runs was converted, left alone on request, or neither."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """A scope with a status; `tf.__internal__.autograph.control_status_ctx` returns the inner one.

    Args:
        status: the status.
        options: the options of the conversion.
    """

    def __init__(self, status: Status, options: Any = None) -> None:
        self.status = status
        self.options = options

    def __enter__(self) -> ControlStatusCtx:
        _THREAD.stack.append(self)
        return self

    def __exit__(self, *exc: object) -> None:
        _THREAD.stack.pop()


class _Thread(threading.local):
    def __init__(self) -> None:
        self.stack: list[ControlStatusCtx] = [ControlStatusCtx(Status.UNSPECIFIED)]


_THREAD = _Thread()


def control_status_ctx() -> ControlStatusCtx:
    """The scope that holds now."""
    return _THREAD.stack[-1]


def is_artifact(function: Callable[..., Any]) -> bool:
    """Whether a function must run as it is: it was converted already, or must not be."""
    return hasattr(function, "autograph_info__")


def as_artifact(function: Callable[..., Any]) -> Any:
    """Marks a function to run as it is."""
    target: Any = function.__func__ if inspect.ismethod(function) else function
    target.autograph_info__ = {}
    return function


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """Makes a function run as it is (`tf.autograph.experimental.do_not_convert`), and all that it
    calls.

    Args:
        func: the function; None makes this a decorator with arguments.

    >>> @do_not_convert
    ... def double(x):
    ...     return x + x
    >>> double(2)
    4
    """
    if func is None:
        return do_not_convert

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with ControlStatusCtx(Status.DISABLED):
            return func(*args, **kwargs)

    if inspect.isfunction(func) or inspect.ismethod(func):
        functools.update_wrapper(wrapper, func)
    return as_artifact(wrapper)


def set_loop_options(
    parallel_iterations: object = UNSPECIFIED,
    swap_memory: object = UNSPECIFIED,
    maximum_iterations: object = UNSPECIFIED,
    shape_invariants: object = UNSPECIFIED,
) -> None:
    """Sets options of the loop in which this is the first statement
    (`tf.autograph.experimental.set_loop_options`). Outside of converted code it does nothing.

    Args:
        parallel_iterations: not needed.
        swap_memory: not needed.
        maximum_iterations: a limit of the number of iterations.
        shape_invariants: pairs of a loop variable and the shape that it has in every iteration.

    >>> set_loop_options(maximum_iterations=3)
    """


def trace(*args: Any) -> None:
    """Prints values while a function is traced (`tf.autograph.trace`).

    >>> trace("here")
    here
    """
    print(*args)


_VERBOSITY: list[int | None] = [None]


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much AutoGraph tells of what it does (`tf.autograph.set_verbosity`).

    Args:
        level: 0 for nothing, 10 for everything.
        alsologtostdout: also print to standard output.
    """
    _VERBOSITY[0] = int(level)
    VERBOSITY_SET.call(int(level), bool(alsologtostdout))


def verbosity() -> int:
    """The level of `set_verbosity`, or of the environment variable AUTOGRAPH_VERBOSITY."""
    level = _VERBOSITY[0]
    return int(AUTOGRAPH_VERBOSITY.get()) if level is None else level


#: Tells the converter the verbosity, once it is loaded: level, and whether to print.
VERBOSITY_SET: LateBinding[[int, bool], None] = LateBinding(
    "tell AutoGraph's converter the verbosity", "graph/autograph/convert.py",
    default=lambda level, to_stdout: None,
)  # fmt: skip

#: Loops over other things than tensors: type -> function with the arguments of `for_stmt`, which
#: is asked while a graph takes ops. Datasets and iterators enter themselves here.
FOR_LOOPS: dict[type, Callable[..., None]] = {}

#: Other types with answers of their own to functions of Python: function -> type -> answer. For
#: abs, enumerate, zip, map, filter, any, all, len and next.
BUILTINS: dict[Callable[..., Any], dict[type, Callable[..., Any]]] = {}
