"""`tf.experimental.dispatch_for_api` and its kin: functions of ours for types of the program's.

A function that nobody overrides is left as it is. One that is overridden stands in the namespaces
of the facades behind a wrapper, which looks at the arguments first; who took the function from
there before has it without.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from .elementwise_names import BINARY, BINARY_ASSERTS, UNARY

Function = Callable[..., Any]
_FACADES = ("emplace.tensorflow", "emplace.v1")


class _Overridden:
    """A function of ours, and what is called instead of it for some types of arguments."""

    def __init__(self, function: Function) -> None:
        self.function = self.wrapper = function
        self.targets: list[tuple[Callable[..., bool], Function, Function]] = []
        self._signature = inspect.signature(function)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        for fits, target, _ in self.targets:
            if fits(self._bound(args, kwargs)):
                result = target(*args, **kwargs)
                if result is not NotImplemented:
                    return result
        return self.function(*args, **kwargs)

    def _bound(self, args: Any, kwargs: Any) -> dict[str, Any]:
        try:
            return dict(self._signature.bind_partial(*args, **kwargs).arguments)
        except TypeError:
            return {}


_OVERRIDDEN: dict[Function, _Overridden] = {}


def _overridden(api: Function) -> _Overridden:
    """The record of a function, which from now on stands behind a wrapper."""
    known = getattr(api, "_overridden", None)
    if known is not None:
        return known  # type: ignore[no-any-return]
    if api in _OVERRIDDEN:
        return _OVERRIDDEN[api]
    record = _OVERRIDDEN[api] = _Overridden(api)

    @functools.wraps(api)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return record.call(*args, **kwargs)

    wrapper._overridden = record  # type: ignore[attr-defined]
    record.wrapper = wrapper
    _put(api, wrapper)
    return record


def _put(old: Function, new: Function) -> None:
    """Exchanges a function in all namespaces of the facades."""
    for name, module in list(sys.modules.items()):
        if name.startswith(_FACADES) and isinstance(module, types.ModuleType):
            for key, value in list(vars(module).items()):
                if value is old:
                    setattr(module, key, new)


def _is_of(value: Any, annotation: Any) -> bool:
    """Whether a value fits an annotation: a class, a union, a list or a tuple of such."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return True
    if origin in (typing.Union, types.UnionType):
        return any(_is_of(value, each) for each in inner)
    if origin is list:
        return isinstance(value, (list, tuple)) and all(_is_of(x, inner[0]) for x in value)
    if origin is tuple:
        is_tuple = isinstance(value, (list, tuple)) and len(value) == len(inner)
        return is_tuple and all(map(_is_of, value, inner))
    if annotation is None:
        return value is None
    return isinstance(value, annotation)


def _checker(signature: Mapping[str, Any]) -> Callable[[dict[str, Any]], bool]:
    def fits(given: dict[str, Any]) -> bool:
        return all(
            name in given and _is_of(given[name], annotation)
            for name, annotation in signature.items()
        )

    return fits


def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Function], Function]:
    """Calls a function of the program's in place of one of TensorFlow's for some types
    (`tf.experimental.dispatch_for_api`).

    Args:
        api: the function of TensorFlow's, such as `tf.concat`.
        *signatures: dictionaries from parameters to types, each enough; without them what the
            parameters of the program's function are annotated with.

    Returns:
        A decorator, which leaves the function as it is.

    Raises:
        ValueError: there is no such parameter, or nothing says which types are meant.
    """

    def decorate(dispatch_target: Function) -> Function:
        record = _overridden(api)
        known = record._signature.parameters
        described = list(signatures) or [_annotated(dispatch_target)]
        for signature in described:
            if not signature:
                raise ValueError(
                    "The dispatch decorator must be called with at least one signature (if "
                    "applied to a function that has no type annotations on its parameters)."
                )
            named = {
                (list(known)[name] if isinstance(name, int) else name): annotation
                for name, annotation in signature.items()
            }
            missing = [name for name in named if name not in known]
            if missing:
                raise ValueError(
                    f"Dispatch signature does not match the signature of {api.__name__}: it has "
                    f"no parameter {missing[0]!r}, but {', '.join(known)}."
                )
            record.targets.append((_checker(named), dispatch_target, dispatch_target))
        return dispatch_target

    return decorate


def _annotated(function: Function) -> dict[str, Any]:
    hints = typing.get_type_hints(function)
    return {name: hint for name, hint in hints.items() if name != "return"}


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Function], Function]:
    """Calls a function in place of all of one argument's elements, such as `tf.exp`, for a type
    (`tf.experimental.dispatch_for_unary_elementwise_apis`).

    Args:
        x_type: the type of the first argument.

    Returns:
        A decorator of a function (api_func, x), to which `api_func` takes only x.
    """
    return _for_all(UNARY, (x_type,))


def dispatch_for_binary_elementwise_apis(
    x_type: Any, y_type: Any
) -> Callable[[Function], Function]:
    """Calls a function in place of all of two arguments' elements, such as `tf.add`, for two types
    (`tf.experimental.dispatch_for_binary_elementwise_apis`).

    Args:
        x_type: the type of the first argument.
        y_type: the type of the second one.

    Returns:
        A decorator of a function (api_func, x, y).
    """
    return _for_all(BINARY, (x_type, y_type))


def dispatch_for_binary_elementwise_assert_apis(
    x_type: Any, y_type: Any
) -> Callable[[Function], Function]:
    """Calls a function in place of the assertions of two arguments' elements, for two types
    (`tf.experimental.dispatch_for_binary_elementwise_assert_apis`).

    Args:
        x_type: the type of the first argument.
        y_type: the type of the second one.

    Returns:
        A decorator of a function (assert_func, x, y).
    """
    return _for_all(BINARY_ASSERTS, (x_type, y_type))


def _for_all(names: list[str], kinds: tuple[Any, ...]) -> Callable[[Function], Function]:
    def decorate(handler: Function) -> Function:
        for name in names:
            record = _overridden(_found(name))
            parameters = list(record._signature.parameters)[: len(kinds)]
            fits = _checker(dict(zip(parameters, kinds, strict=True)))
            target = _handled(handler, record, parameters)
            record.targets.append((fits, target, handler))
        return handler

    return decorate


def _found(name: str) -> Function:
    return functools.reduce(getattr, name.split("."), sys.modules["emplace.tensorflow"])  # type: ignore[return-value]


def _handled(handler: Function, record: _Overridden, parameters: list[str]) -> Function:
    """Calls a handler with the function, the rest of whose arguments are those of the call."""

    def target(*args: Any, **kwargs: Any) -> Any:
        given = record._bound(args, kwargs)
        mine = [given.pop(name) for name in parameters]
        given.pop("name", None)
        rest = {name: value for name, value in given.items() if name not in ("args", "kwargs")}
        api = functools.partial(record.wrapper, **rest) if rest else record.wrapper
        return handler(api, *mine)

    return target


def unregister_dispatch_for(dispatch_target: Function) -> None:
    """Undoes what a decorator of this module did
    (`tf.experimental.unregister_dispatch_for`).

    Raises:
        ValueError: the function was not decorated.
    """
    found = False
    for record in _OVERRIDDEN.values():
        kept = [each for each in record.targets if each[2] is not dispatch_target]
        found = found or len(kept) != len(record.targets)
        record.targets = kept
    if not found:
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for*`"
                         " decorator.")  # fmt: skip
