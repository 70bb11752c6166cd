"""Gradients that a program registers by a name, and gives to ops of a graph by it
(`tf.RegisterGradient`, `Graph.gradient_override_map`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .gradient_registry import GRADIENTS

Function = TypeVar("Function", bound=Callable[..., Any])


def _checked(op_type: Any) -> str:
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    return op_type


class RegisterGradient:
    """A decorator that registers the gradient of a type of op (`tf.RegisterGradient`).

    The function is called as `function(op, *gradients)`, with the operation of the graph and a
    gradient per output, and returns a gradient per input of TensorFlow's op: axes and shapes are
    inputs there, and their gradient is None. `Graph.gradient_override_map` gives it to ops.

    Args:
        op_type: the name.

    Raises:
        TypeError: the name is no text.
        KeyError: there is such a gradient.
    """

    def __init__(self, op_type: str) -> None:
        self._op_type = _checked(op_type)

    def __call__(self, f: Function) -> Function:
        """Registers a function."""
        GRADIENTS.register(f, self._op_type)
        return f


def no_gradient(op_type: str) -> None:
    """Says that ops of a type have no gradient (`tf.no_gradient`).

    Raises:
        TypeError: the name is no text.
        KeyError: there is a gradient of that name.
    """
    GRADIENTS.register(None, _checked(op_type))
