"""Where AutoGraph is entered: from `tf.function`, and by name in `tf.autograph`.

The converter is loaded when the first function needs it, which keeps `import` fast.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

from ...base.typing import TensorLike
from ..function.function import AUTOGRAPH
from .settings import (
    ControlStatusCtx,
    Status,
    as_artifact,
    control_status_ctx,
    do_not_convert,
    is_artifact as _is_artifact,
)


def part_on_converter(name: str) -> Any:
    """A module of this folder that stands on the converter, which is loaded late."""
    return importlib.import_module(f"{__package__}.{name}")


def converted(
    function: Callable[..., Any], features: TensorLike | None = None, requested: bool = True
) -> Callable[..., Any]:
    """The function that `tf.function` traces in the place of one that the program wrote, and that
    ops of a graph call which take functions (`requested` is False: they leave libraries alone)."""
    if _is_artifact(function) or control_status_ctx().status is Status.DISABLED:
        return function
    run: Callable[..., Any] = _wrapped(function, features, requested)
    return run


def _wrapped(
    function: Callable[..., Any],
    features: TensorLike | None,
    requested: bool,
    recursive: bool = True,
) -> Any:
    def run(*args: Any, **kwargs: Any) -> Any:
        calls, convert, failures = (
            part_on_converter("calls"),
            part_on_converter("convert"),
            part_on_converter("failures"),
        )
        options = convert.options_for(features, recursive, requested)
        try:
            return calls.converted_call(function, args, kwargs, options=options)
        except Exception as error:
            if hasattr(error, "ag_pass_through"):
                raise
            shown = failures.in_user_code(error)
            if shown is error:
                raise
            raise shown from None

    return run


def tf_convert(
    f: Callable[..., Any], ctx: Any, convert_by_default: bool = True, user_requested: bool = False
) -> Any:
    """Makes a function that a library calls run as the program's code around the library's call
    does: converted or not (`tf.__internal__.autograph.tf_convert`).

    Args:
        f: the function.
        ctx: the scope of the program's call, from `control_status_ctx()`.
        convert_by_default: what to do if that says nothing.
        user_requested: convert it whatever module it is from.
    """
    if _is_artifact(f):
        return f
    if ctx.status is Status.DISABLED:
        return do_not_convert(f)
    if ctx.status is Status.UNSPECIFIED and not convert_by_default:
        return f
    inner = _wrapped(f, None, user_requested)

    def run(*args: Any, **kwargs: Any) -> Any:
        with ControlStatusCtx(ctx.status, ctx.options):
            return inner(*args, **kwargs)

    if inspect.isfunction(f) or inspect.ismethod(f):
        functools.update_wrapper(run, f)
    return as_artifact(run)


def to_graph(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> Any:
    """Returns a converted function (`tf.autograph.to_graph`), to call where a graph takes ops.

    Args:
        entity: a Python function or method.
        recursive: also convert what it calls.
        experimental_optional_features: a `Feature`, or several.

    Raises:
        ValueError: it has no source that could be converted.

    >>> def double(x):
    ...     if x > 0:
    ...         x = x * 2
    ...     return x
    >>> to_graph(double)(2)
    4
    """
    _, factory, function = _factory(entity, recursive, experimental_optional_features)
    return as_artifact(factory.function(function))


def to_code(
    entity: Callable[..., Any], recursive: bool = True, experimental_optional_features: Any = None
) -> str:
    """Returns the source of a converted function (`tf.autograph.to_code`).

    Args:
        entity: a Python function or method.
        recursive: as for `to_graph`.
        experimental_optional_features: as for `to_graph`.

    Raises:
        ValueError: it has no source that could be converted.

    >>> def double(x):
    ...     return x + x
    >>> "def tf__double(x):" in to_code(double)
    True
    """
    _, factory, _ = _factory(entity, recursive, experimental_optional_features)
    return str(factory.text)


def _factory(entity: object, recursive: bool, features: TensorLike) -> Any:
    if not hasattr(entity, "__code__"):
        raise ValueError(
            "Cannot apply autograph to a function that doesn't expose a __code__ object. If this "
            "is a @tf.function, try passing f.python_function instead."
        )
    convert = part_on_converter("convert")
    part_on_converter("calls")
    function = entity.__func__ if inspect.ismethod(entity) else entity
    options = convert.options_for(features, recursive)
    return convert, convert.CONVERTER.factory(function, options), function


AUTOGRAPH.bind(converted)
