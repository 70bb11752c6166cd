"""`eager.backprop`: functions that differentiate functions, by tapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import emplace.tensorflow as tf

_NOTHING = (
    "Cannot differentiate a function that returns None; did you forget to return a value from {}?"
)


def _positions(f: Callable[..., Any], chosen: Iterable[int | str] | None, count: int) -> list[int]:
    """The positions of the arguments that are differentiated by; some are told by name."""
    if chosen is None:
        return list(range(count))
    names = list(inspect.signature(f).parameters)
    return [names.index(each) if isinstance(each, str) else each for each in chosen]


def _tensors(args: Sequence[Any]) -> list[Any]:
    """Arguments as tensors, each one of its own, since a tape tells them apart by identity."""
    tensors: list[Any] = []
    for each in args:
        is_ready = isinstance(each, tf.Variable) or tf.is_tensor(each)
        tensor = each if is_ready else tf.convert_to_tensor(each)
        is_there = any(tensor is other for other in tensors)
        tensors.append(tf.identity(tensor) if is_there else tensor)
    return tensors


def _watched(tape: Any, tensors: Iterable[Any]) -> None:
    for tensor in tensors:
        if tf.is_tensor(tensor) and not isinstance(tensor, tf.Variable):
            tape.watch(tensor)


def val_and_grad_function(
    f: Callable[..., Any], params: Iterable[int | str] | None = None
) -> Callable[..., Any]:
    """A function of f's arguments that returns its value and gradients."""

    def run(*args: Any, **kwargs: Any) -> Any:
        dy = kwargs.pop("dy", None)
        tensors = _tensors(args)
        sources = [tensors[i] for i in _positions(f, params, len(tensors))]
        with tf.GradientTape() as tape:
            _watched(tape, tensors)
            value = f(*tensors, **kwargs)
        if value is None:
            raise ValueError(_NOTHING.format(f.__name__))
        return value, tape.gradient(value, sources, output_gradients=dy)

    return run


def gradients_function(
    f: Callable[..., Any], params: Iterable[int | str] | None = None
) -> Callable[..., Any]:
    """A function of f's arguments that returns its gradients."""
    both = val_and_grad_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def implicit_val_and_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same by the variables that f reads: pairs of a gradient and a variable."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with tf.GradientTape() as tape:
            value = f(*args, **kwargs)
        if value is None:
            raise ValueError(_NOTHING.format(f.__name__))
        variables = tape.watched_variables()
        if not variables:
            raise ValueError(
                "No trainable variables were accessed while the function was being computed."
            )
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return run


def implicit_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Only the pairs."""
    both = implicit_val_and_grad(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def make_vjp(
    f: Callable[..., Any], params: Iterable[int | str] | None = None, persistent: bool = True
) -> Callable[..., Any]:
    """A function that returns f's value and a function of the gradients that come back."""

    def run(*args: Any, **kwargs: Any) -> Any:
        tensors = [tf.convert_to_tensor(each) for each in args]
        sources = [tensors[i] for i in _positions(f, params, len(tensors))]
        tape = tf.GradientTape(persistent=persistent)
        with tape:
            _watched(tape, tensors)
            value = f(*tensors, **kwargs)
        return value, lambda dy=None: tape.gradient(value, sources, output_gradients=dy)

    return run


NAMES: dict[str, dict[str, Any]] = {
    "eager.backprop": {
        each.__name__: each
        for each in (
            val_and_grad_function,
            gradients_function,
            implicit_val_and_grad,
            implicit_grad,
            make_vjp,
        )
    },
}
