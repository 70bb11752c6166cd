"""Gradients that a program registers by a name, and gives to ops of a graph by it
(`tf.RegisterGradient`, `Graph.gradient_override_map`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..grads.rules import NOT_DIFFERENTIABLE, RULES, Recorded
from ..ops.op import REGISTRY

Function = TypeVar("Function", bound=Callable[..., Any])


def _check(op_type: Any) -> None:
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    if op_type in RULES or op_type in REGISTRY or op_type in NOT_DIFFERENTIABLE:
        raise KeyError(
            f"Registering two gradient with name '{op_type}'! (The op has one, or it was "
            "registered before: choose another name.)"
        )


class RegisterGradient:
    """A decorator that registers the gradient of a type of op (`tf.RegisterGradient`).

    The function is called as `function(op, *gradients)`, with the operation of the graph and a
    gradient per output, and returns a gradient per input. `Graph.gradient_override_map` gives it
    to ops.

    Args:
        op_type: the name.

    Raises:
        TypeError: the name is no text.
        KeyError: there is such a gradient.
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Function) -> Function:
        """Registers a function."""
        _check(self._op_type)

        def rule(call: Recorded, *grads: Any) -> Any:
            return f(call.route, *grads)

        RULES[self._op_type] = rule
        return f


def no_gradient(op_type: str) -> None:
    """Says that ops of a type have no gradient (`tf.no_gradient`).

    Raises:
        TypeError: the name is no text.
        KeyError: there is a gradient of that name.
    """
    _check(op_type)
    NOT_DIFFERENTIABLE.add(op_type)
