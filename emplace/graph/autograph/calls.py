"""Calls in converted code: what is called is converted too, unless it must run as it is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from malt.impl import conversion
from malt.operators import py_builtins
from malt.pyct import inspect_utils
from malt.pyct.errors import InaccessibleSourceCodeError, UnsupportedLanguageElementError

from ...base import log
from ...base.flags import AUTOGRAPH_STRICT
from .builtins import overload_of
from .convert import CONVERTER, Options, provide
from .settings import Status, control_status_ctx, is_artifact

#: Packages whose functions run as they are, besides those that the library knows.
LEFT_ALONE = ("emplace", "keras", "torch", "numpy", "tensorflow", "optree", "functools")

_IN_CONTEXT = {
    eval: lambda args, scope: py_builtins.eval_in_original_context(eval, args, scope),
    super: lambda args, scope: py_builtins.super_in_original_context(super, args, scope),
    globals: lambda args, scope: py_builtins.globals_in_original_context(scope),
    locals: lambda args, scope: py_builtins.locals_in_original_context(scope),
}


def converted_call(
    f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None,
    caller_fn_scope: Any = None, options: Options | None = None,
) -> Any:  # fmt: skip
    """What a call returns, converted where it can be.

    Args:
        f: what is called.
        args: its arguments.
        kwargs: its arguments by name, or None.
        caller_fn_scope: the scope of the function that calls.
        options: how to convert, where there is no such scope.
    """
    kwargs = kwargs or {}
    if options is None:
        options = caller_fn_scope.callopts
    if isinstance(f, functools.partial):
        return converted_call(f.func, f.args + args, {**f.keywords, **kwargs}, caller_fn_scope,
                              options)  # fmt: skip
    if inspect_utils.isbuiltin(f):
        in_context = _IN_CONTEXT.get(f) if caller_fn_scope is not None else None
        if in_context is not None:
            return in_context(args, caller_fn_scope)
        return overload_of(f)(*args, **kwargs)
    target = _to_convert(f, options)
    if target is None:
        return f(*args, **kwargs)
    if target is not f and not inspect.ismethod(f):
        args = (f, *args)  # an object with a method __call__
    elif inspect.ismethod(f):
        args = (f.__self__, *args)
    try:
        converted = CONVERTER.factory(target, options).function(target)
    except Exception as error:
        if AUTOGRAPH_STRICT.value():
            raise
        _tell(f, error)
        conversion.cache_allowlisted(f, options)
        return f(*_own(f, target, args), **kwargs)
    return converted(*args, **kwargs)


def _own(
    f: Callable[..., Any], target: Callable[..., Any], args: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The arguments without the object whose method was to be converted."""
    return args if target is f else args[1:]


def _to_convert(f: Callable[..., Any], options: Options) -> Any:
    """The function to convert for a call of `f`; None to call `f` as it is."""
    if conversion.is_in_allowlist_cache(f, options):
        return None
    if control_status_ctx().status is Status.DISABLED:
        return None
    if is_artifact(f) or not options.internal_convert_user_code or _is_left_alone(f, options):
        conversion.cache_allowlisted(f, options)
        return None
    if inspect.ismethod(f):
        target: Any = f.__func__
    elif inspect.isfunction(f):
        target = f
    else:
        target = type(f).__call__
    code = getattr(target, "__code__", None)
    if code is None or code.co_filename == "<string>":
        return None
    return target


def _is_left_alone(f: Callable[..., Any], options: Options) -> bool:
    if _is_of(type(f).__module__) and not inspect.isroutine(f):
        return True  # for one, a tf.function, which converts for itself
    if conversion.is_unsupported(f):
        return True
    if options.user_requested:
        return False
    return _is_of(getattr(f, "__module__", None)) or bool(conversion.is_allowlisted(f))


def _is_of(module: object) -> bool:
    return isinstance(module, str) and module.split(".", 1)[0] in LEFT_ALONE


def _tell(f: Callable[..., Any], error: Exception) -> None:
    """Says that a function runs as it is."""
    report = ""
    if not isinstance(error, (InaccessibleSourceCodeError, UnsupportedLanguageElementError)):
        report = "This is a bug: please report it with the source of the function.\n"
    log.warning(
        f"AutoGraph could not transform {f} and will run it as-is.\n{report}Cause: {error}\n"
        "To silence this warning, decorate the function with "
        "@tf.autograph.experimental.do_not_convert"
    )


provide(converted_call=converted_call)
