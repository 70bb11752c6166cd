"""`tf.experimental.dispatch_for_api`: functions of the program that stand in for public ones where
arguments are values of its own types.

Public functions do not ask: while nobody registers, calls cost what they did. The first function
registered for one puts an asking function into its place in all of our modules.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.composite import CompositeTensor
from ..graph.recording.scopes import name_scope

_UNIONS = (typing.Union, types.UnionType)
_DISPATCHER = "_type_based_dispatcher"

Checker = Callable[[Mapping[str, Any]], bool]


class Dispatcher:
    """What stands in for one public function, and when."""

    def __init__(self, api: Callable[..., Any]) -> None:
        self.api = api
        self.signature = inspect.signature(api)
        self.targets: list[tuple[Checker, Callable[..., Any]]] = []

    def target(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[..., Any]:
        """The function that takes some arguments.

        Raises:
            ValueError: two functions of the program do.
        """
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return self.api
        bound.apply_defaults()
        found: list[Callable[..., Any]] = []
        for checker, target in self.targets:
            if target not in found and checker(bound.arguments):
                found.append(target)
        if len(found) > 1:
            names = " and ".join(map(str, found))
            raise ValueError(
                f"Multiple dispatch targets that were registered with tf.dispatch_for ({names}) "
                f"match the arguments to {self.api.__name__}"
            )
        return found[0] if found else self.api

    def wrapper(self) -> Callable[..., Any]:
        """The function that asks."""

        @functools.wraps(self.api)
        def call(*args: Any, **kwargs: Any) -> Any:
            return self.target(args, kwargs)(*args, **kwargs)

        setattr(call, _DISPATCHER, self)
        return call


REGISTERED: dict[Callable[..., Any], list[Dispatcher]] = {}
#: What handles all functions of a kind, by the kind and the types of the arguments.
HANDLERS: dict[Any, Callable[..., Any]] = {}


def dispatcher_of(api: Any) -> Dispatcher:
    """That of a function, which is put into its place if it has none yet.

    Raises:
        ValueError: this is no public function.
    """
    found: Dispatcher | None = getattr(api, _DISPATCHER, None)
    if found is not None:
        return found
    made = Dispatcher(api) if isinstance(api, types.FunctionType) else None
    if made is None or not put_in_place(api, made.wrapper()):
        raise ValueError(f"{api} does not support dispatch.")
    return made


def put_in_place(api: Callable[..., Any], wrapper: Callable[..., Any]) -> bool:
    """Puts another function into the place of one in all of our modules; whether there was any."""
    root = __name__.split(".")[0]
    is_public = False
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] in (root, "tensorflow") and isinstance(module, types.ModuleType):
            for each, value in list(vars(module).items()):
                if value is api:
                    vars(module)[each] = wrapper
                    is_public = True
    return is_public


def checker_of(signature: inspect.Signature, annotations: Mapping[Any, Any]) -> Checker:
    """Tells whether arguments are as annotated, and one is of a type that is made of tensors.

    Raises:
        ValueError: a parameter does not exist, or an annotation is not understood.
    """
    names = list(signature.parameters)
    checks: dict[str, Any] = {}
    for key, annotation in annotations.items():
        if isinstance(key, int) and not -len(names) <= key < len(names):
            raise ValueError(f"signature includes annotation for unknown positional {key}.")
        name = names[key] if isinstance(key, int) else key
        if name not in names:
            raise ValueError(f"signature includes annotation for unknown parameter {key!r}.")
        checks[name] = _matcher(annotation)

    def fits(arguments: Mapping[str, Any]) -> bool:
        found = [matches(arguments[name]) for name, matches in checks.items()]
        return all(fit for fit, _ in found) and any(is_ours for _, is_ours in found)

    return fits


def _matcher(annotation: object) -> Callable[[Any], tuple[bool, bool]]:
    """Whether a value is as annotated, and whether types like its are dispatched on."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if isinstance(annotation, type) and origin is None:
        return lambda value: (isinstance(value, annotation), isinstance(value, CompositeTensor))
    if origin in _UNIONS:
        options = [_matcher(each) for each in parts]
        return lambda value: next((m for m in (o(value) for o in options) if m[0]), (False, False))
    if parts in ((Any,), (Any, ...)) and isinstance(origin, type):  # those of TensorLike
        return lambda value: (isinstance(value, origin), False)
    if origin is list and len(parts) == 1:
        matches = _matcher(parts[0])
        return lambda value: _all_match(matches, value)
    raise ValueError(
        f"Type annotation {annotation} is not currently supported by dispatch.  Supported "
        "annotations: type objects,  List[...], and Union[...]"
    )


def _all_match(matches: Callable[[Any], tuple[bool, bool]], value: object) -> tuple[bool, bool]:
    if not isinstance(value, (list, tuple)):
        return False, False
    found = [matches(each) for each in value]
    return all(fit for fit, _ in found), any(is_ours for _, is_ours in found)


def _taking_name(target: Callable[..., Any], signature: inspect.Signature) -> Callable[..., Any]:
    """A function that takes the name of its operations, too, where the public function does."""
    own = inspect.signature(target)
    takes_all = any(p.kind is p.VAR_KEYWORD for p in own.parameters.values())
    if "name" not in signature.parameters or "name" in own.parameters or takes_all:
        return target
    place = list(signature.parameters).index("name")

    @functools.wraps(target)
    def named(*args: Any, **kwargs: Any) -> Any:
        args, kwargs, name = without_name(args, kwargs, place)
        if name is None:
            return target(*args, **kwargs)
        with name_scope(name):
            return target(*args, **kwargs)

    parameters = list(own.parameters.values())
    parameters.insert(place, signature.parameters["name"])
    named.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    return named


def without_name(args: Any, kwargs: Mapping[str, Any], place: int) -> tuple[Any, Any, Any]:
    """Arguments without `name`, whose place is told, and the name."""
    kwargs = dict(kwargs)
    if len(args) > place:
        return (*args[:place], *args[place + 1 :]), kwargs, args[place]
    return args, kwargs, kwargs.pop("name", None)


def _check_parameters(signature: inspect.Signature, target: Callable[..., Any]) -> None:
    own = inspect.signature(target)
    kinds = [each.kind for each in own.parameters.values()]
    if inspect.Parameter.VAR_POSITIONAL in kinds and inspect.Parameter.VAR_KEYWORD in kinds:
        return
    if list(own.parameters) != list(signature.parameters):
        raise ValueError(
            f"Dispatch function's signature {own} does not match API's signature {signature}."
        )


def dispatch_for_api(api: Callable[..., Any], *signatures: Mapping[Any, Any]) -> Any:
    """Lets a function stand in for a public one where arguments are of the program's own types
    (`tf.experimental.dispatch_for_api`).

    Args:
        api: a public function, such as `tf.stack`.
        signatures: types by the names of parameters; one must fit. Without one, the annotations of
            the function say them.

    Returns:
        A decorator of the function, which takes what `api` takes; it need not take `name`.

    Raises:
        ValueError: `api` is no public function, the parameters are others, or an annotation is none
            of a class, a List and a Union.

    >>> import typing
    >>> import emplace.tensorflow as tf
    >>> class Money(tf.experimental.ExtensionType):
    ...     cents: tf.Tensor
    >>> @dispatch_for_api(tf.concat)
    ... def together(values: typing.List[Money], axis):
    ...     return Money(tf.concat([each.cents for each in values], axis))
    >>> tf.concat([Money([1]), Money([2])], 0).cents.numpy().tolist()
    [1, 2]
    """
    dispatcher = dispatcher_of(api)
    checkers = [checker_of(dispatcher.signature, types_by_name) for types_by_name in signatures]

    def decorate(target: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        named = _taking_name(target, dispatcher.signature)
        _check_parameters(dispatcher.signature, named)
        for checker in checkers or [_of_annotations(target, dispatcher.signature)]:
            dispatcher.targets.append((checker, named))
        REGISTERED.setdefault(named, []).append(dispatcher)
        return named

    return decorate


def _of_annotations(target: Callable[..., Any], signature: inspect.Signature) -> Checker:
    hints = typing.get_type_hints(target)
    hints.pop("return", None)
    if not hints:
        raise ValueError(
            "The dispatch_for_api decorator must be called with at least one signature, or "
            "applied to a function that has type annotations on its parameters."
        )
    return checker_of(signature, hints)


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Lets a function stand in for nothing any more (`tf.experimental.unregister_dispatch_for`).

    Raises:
        ValueError: it is registered for nothing.
    """
    if dispatch_target not in REGISTERED:
        raise ValueError(
            f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator."
        )
    for each in REGISTERED.pop(dispatch_target):
        each.targets = [
            pair for pair in each.targets
            if pair[1] is not dispatch_target
            and getattr(pair[1], "handler", None) is not dispatch_target
        ]  # fmt: skip
    for kinds, handler in list(HANDLERS.items()):
        if handler is dispatch_target:
            del HANDLERS[kinds]
