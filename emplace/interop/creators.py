"""Functions of the program through which variables are made (`tf.variable_creator_scope`)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..eager.variable import CREATORS


@contextmanager
def variable_creator_scope(variable_creator: Callable[..., Any]) -> Iterator[None]:
    """Lets a function make the variables of a scope (`tf.variable_creator_scope`).

    Args:
        variable_creator: called as `variable_creator(next_creator, **kwargs)` for each variable;
            what `next_creator(**kwargs)` returns is made by the scopes around and at last by
            TensorFlow's way. What it returns is the variable.

    >>> import emplace.tensorflow as tf
    >>> def frozen(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "trainable": False})
    >>> with tf.variable_creator_scope(frozen):
    ...     tf.Variable(1.0).trainable
    False
    """
    around = CREATORS.stack
    CREATORS.stack = (*around, variable_creator)
    try:
        yield
    finally:
        CREATORS.stack = around


@functools.wraps(variable_creator_scope)
def variable_creator_scope_v1(variable_creator: Callable[..., Any]) -> Any:
    """The same for TF 1 (`tf.compat.v1.variable_creator_scope`)."""
    return variable_creator_scope(variable_creator)
