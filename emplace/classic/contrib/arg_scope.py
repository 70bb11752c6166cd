"""Arguments said once for many calls (`tf.contrib.framework.arg_scope`, `slim.arg_scope`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

#: The arguments that each function gets, by function.
Scope = dict[Any, dict[str, Any]]

_current: ContextVar[Scope] = ContextVar("arg_scope", default={})  # noqa: B039  # never changed
_MARK = "takes_arg_scope"


def add_arg_scope(function: Callable[..., Any]) -> Callable[..., Any]:
    """Lets `arg_scope` give a function arguments (`tf.contrib.framework.add_arg_scope`).

    >>> @add_arg_scope
    ... def scaled(x, by=1):
    ...     return x * by
    >>> with arg_scope([scaled], by=10):
    ...     scaled(2), scaled(2, by=3)
    (20, 6)
    """

    @functools.wraps(function)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **{**_current.get().get(scoped, {}), **kwargs})

    setattr(scoped, _MARK, True)
    return scoped


def has_arg_scope(function: Callable[..., Any]) -> bool:
    """Whether `arg_scope` can give a function arguments
    (`tf.contrib.framework.has_arg_scope`).
    """
    return hasattr(function, _MARK)


def _joined(functions: object, arguments: dict[str, Any]) -> Scope:
    if not isinstance(functions, (list, tuple)):
        raise TypeError("list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)")
    scope = dict(_current.get())
    for function in functions:
        if not has_arg_scope(function):
            module, name = getattr(function, "__module__", None), getattr(function, "__name__", "?")
            raise ValueError(f"{(module, name)} is not decorated with @add_arg_scope")
        scope[function] = {**scope.get(function, {}), **arguments}
    return scope


@contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """Gives functions arguments for their calls inside of the block; what a call itself says
    counts more (`tf.contrib.framework.arg_scope`).

    Args:
        list_ops_or_scope: functions decorated with `add_arg_scope`, or what an earlier
            `arg_scope` gave, to have its arguments again.
        **kwargs: the arguments.

    Raises:
        TypeError: neither of them was given.
        ValueError: a function without the decorator, or arguments beside an earlier scope.
    """
    if not isinstance(list_ops_or_scope, dict):
        scope = _joined(list_ops_or_scope, kwargs)
    elif kwargs:
        raise ValueError(
            "When attempting to re-use a scope by suppling a dictionary, kwargs must be empty."
        )
    else:
        scope = dict(list_ops_or_scope)
    token = _current.set(scope)
    try:
        yield scope
    finally:
        _current.reset(token)
