"""Decorators that remember what they decorate (`tf.__internal__.decorator`)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any


class TFDecorator:
    """What is known of one decoration: its name, its documentation, and what is below it."""

    def __init__(
        self,
        decorator_name: str,
        target: Callable[..., Any],
        decorator_doc: str = "",
        decorator_argspec: object = None,
    ) -> None:
        self.decorator_name, self.decorator_doc = decorator_name, decorator_doc
        self.decorated_target, self.decorator_argspec = target, decorator_argspec


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: object = None,
) -> Callable[..., Any]:
    """Makes a function stand for the one that it decorates: with its name, signature and docstring.

    Args:
        target: the function that is decorated.
        decorator_func: what is called in its place.
        decorator_name: the name of the decorator; that of `decorator_func` if None.
        decorator_doc: its documentation.
        decorator_argspec: parameters that differ from those of `target`; an inspect.FullArgSpec or
            Signature.

    Returns:
        `decorator_func`.
    """
    name = decorator_name or str(getattr(decorator_func, "__name__", "decorator"))
    about = TFDecorator(name, target, decorator_doc, decorator_argspec)
    functools.update_wrapper(decorator_func, target)
    decorator_func._tf_decorator = about  # type: ignore[attr-defined]
    return decorator_func


def unwrap(maybe_tf_decorator: object) -> tuple[list[TFDecorator], Any]:
    """Returns the decorations of a function, the outermost first, and what they decorate."""
    here: Any = maybe_tf_decorator
    found = []
    while isinstance(about := getattr(here, "_tf_decorator", None), TFDecorator):
        found.append(about)
        here = about.decorated_target
    return found, here


def rewrap(
    decorator_func: Callable[..., Any],
    previous_target: Callable[..., Any],
    new_target: Callable[..., Any],
) -> None:
    """Puts another function in the place of one that a chain of decorators decorates.

    Args:
        decorator_func: the outermost function of the chain.
        previous_target: the function that goes.
        new_target: the function that comes.
    """
    here: Any = decorator_func
    while isinstance(about := getattr(here, "_tf_decorator", None), TFDecorator):
        if about.decorated_target is previous_target:
            about.decorated_target = new_target
            here.__wrapped__ = new_target
            return
        here = about.decorated_target
