"""Functions that ask others before they fail (`tf.__internal__.dispatch`).

Functions that `add_dispatch_support` decorates ask: those of libraries; ours do once a dispatcher
is registered for all functions, see `asking.py`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from .decorators import make_decorator

_GLOBAL: list[GlobalOpDispatcher] = []


class OpDispatcher:
    """What may handle a call of one function with arguments that it does not take."""

    NOT_SUPPORTED = object()

    def handle(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The result, or NOT_SUPPORTED."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Lets it handle calls of a function.

        Raises:
            AssertionError: the function asks no dispatchers.
        """
        if hasattr(op, "_tf_fallback_dispatchers"):
            op._tf_fallback_dispatchers.append(self)
        elif str(getattr(_bare(op), "__module__", "")).split(".")[0] == __name__.split(".")[0]:
            _OfOneFunction(op, self).register()  # one of ours, which asks those for all functions
        else:
            raise AssertionError(
                f"Dispatching not enabled for {op!r}. Decorate it with add_dispatch_support."
            )


class GlobalOpDispatcher:
    """What may handle a call of any function with arguments that it does not take."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Returns the result, or NOT_SUPPORTED.

        Args:
            op: the function that was called.
            args: its arguments.
            kwargs: its arguments by name.
        """
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Lets it handle calls."""
        while _WAITING:
            _WAITING.pop()()
        _GLOBAL.append(self)


class _OfOneFunction(GlobalOpDispatcher):
    """One for all functions that handles the calls of a single one."""

    def __init__(self, op: Callable[..., Any], dispatcher: OpDispatcher) -> None:
        self._op, self._dispatcher = _bare(op), dispatcher

    def handle(self, op: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """What the other one makes of a call of its function."""
        if _bare(op) is not self._op:
            return self.NOT_SUPPORTED
        return self._dispatcher.handle(args, kwargs)


def _bare(op: Any) -> Any:
    """A function without what makes it ask."""
    return getattr(op, "_tf_bare", op)


class _OfTypes(OpDispatcher):
    """Handles calls with an argument, or a part of a list, of some types."""

    def __init__(self, function: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._function, self._types = function, types

    def handle(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """The result of its function, or NOT_SUPPORTED."""
        for value in (*args, *kwargs.values()):
            parts = value if isinstance(value, (list, tuple)) else (value,)
            if any(isinstance(part, self._types) for part in parts):
                return self._function(*args, **kwargs)
        return self.NOT_SUPPORTED


def dispatch_for_types(op: Callable[..., Any], *types: type) -> Callable[..., Any]:
    """Returns a decorator of a function that handles calls which another one refuses
    (`tensorflow.python.util.dispatch.dispatch_for_types`).

    Args:
        op: the function that refuses them.
        *types: one of the arguments, or a part of a list among them, must be of these.

    Raises:
        AssertionError: the two do not have the same parameters, or `op` takes no dispatchers.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if _parameters(function) != _parameters(op):
            raise AssertionError(
                "The decorated function's signature must exactly match the signature of the "
                "overridden op."
            )
        _OfTypes(function, types).register(op)
        return function

    return decorate


def _parameters(function: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(function).parameters)


_WAITING: list[Callable[[], None]] = []


def on_first_registration(do: Callable[[], None]) -> None:
    """Calls a function before the first dispatcher for all functions is registered."""
    _WAITING.append(do)


def handled(op: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a dispatcher makes of a call, NOT_SUPPORTED if none takes it."""
    for dispatcher in op._tf_fallback_dispatchers:
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    for anyone in _GLOBAL:
        result = anyone.handle(op, args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def add_dispatch_support(
    target: Callable[..., Any] | None = None, iterable_parameters: Sequence[str] | None = None
) -> Any:
    """Lets dispatchers handle calls that a function refuses by TypeError or ValueError.

    Args:
        target: the function; None where this is a decorator with arguments.
        iterable_parameters: not used.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def asking(*args: object, **kwargs: object) -> Any:
            try:
                return function(*args, **kwargs)
            except (TypeError, ValueError):
                result = handled(call, args, kwargs)
                if result is OpDispatcher.NOT_SUPPORTED:
                    raise
                return result

        # Keras 2 reads the names of parameters off the function inside, as TensorFlow marks it.
        call: Any = make_decorator(function, functools.wraps(function)(asking))
        call._tf_fallback_dispatchers = []
        call._tf_bare = function
        return call  # type: ignore[no-any-return]

    return decorate if target is None else decorate(target)
