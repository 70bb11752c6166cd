"""Decorators that mark functions for TensorFlow's documentation, API and warnings: they return
what they are given (`tensorflow.python.util.deprecation`, `tf_export`, `dispatch`,
`tensorflow.tools.docs.doc_controls`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ..interop.asking import symbol_named

Thing = TypeVar("Thing")


def _marks_with_arguments(*args: object, **kwargs: object) -> Callable[[Thing], Thing]:
    """Returns a decorator that does nothing."""
    return lambda thing: thing


deprecated = deprecated_args = deprecated_arg_values = _marks_with_arguments
deprecated_endpoints = api_export = _marks_with_arguments
inheritable_header = header = _marks_with_arguments


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: Thing, warn_once: bool = True
) -> Thing:
    """Returns what has the old name: the new thing itself."""
    return func_or_class


def deprecated_argument_lookup(
    new_name: str, new_value: object, old_name: str, old_value: object
) -> Any:
    """Returns the value of an argument that has two names.

    Raises:
        ValueError: both were given.
    """
    if old_value is None:
        return new_value
    if new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old_value


def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """Returns a docstring where an argument has another name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(
        f"{old_argument}:", f"{new_argument}:"
    )


@contextmanager
def silence() -> Iterator[None]:
    """A scope without warnings of deprecation; there are none."""
    yield


def hide_attribute_from_api(*args: object) -> Any:
    """Returns a descriptor of a name that is not there."""
    return property(_hidden)


def _hidden(self: object) -> Any:
    raise AttributeError("This attribute is hidden.")


class tf_export:  # noqa: N801  # TensorFlow's name
    """A decorator that exports what it is given; here it returns it."""

    def __init__(self, *args: str, **kwargs: object) -> None:
        self._names = args

    def __call__(self, func: Thing) -> Thing:
        """The function or class itself."""
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Nothing."""


keras_export = tf_export


def kwarg_only(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that takes its arguments by name alone."""

    @functools.wraps(f)
    def wrapper(*args: object, **kwargs: object) -> Any:
        if args:
            raise TypeError(
                f"{f.__name__} only takes keyword args (possible keys: ...). Please pass these "
                "args as kwargs instead."
            )
        return f(**kwargs)

    return wrapper


def get_canonical_name_for_symbol(
    symbol: object, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """The public name of a function without "tf.", None if it does not know it: functions do once
    dispatchers are registered, see `interop/asking.py`.
    """
    return getattr(symbol, "_api_name", None) if api_name == "tensorflow" else None


def get_symbol_from_name(name: str) -> Any:
    """What a public name without "tf." stands for, None if there is no such."""
    return symbol_named(name)


def _as_it_is(thing: Thing) -> Thing:
    """Returns what it is given."""
    return thing


add_fallback_dispatch_list = register_unary_elementwise_api = _as_it_is
register_binary_elementwise_api = _as_it_is
do_not_generate_docs = do_not_doc_inheritable = for_subclass_implementers = _as_it_is
do_not_doc_in_subclasses = doc_private = doc_in_current_and_subclasses = _as_it_is
set_deprecated = _as_it_is
