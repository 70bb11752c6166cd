"""`tensorflow.python.util.tf_inspect` and `tf_contextlib`: Python's own `inspect`, which looks
through decorators.
"""

from __future__ import annotations

import contextlib
import functools
import inspect as _inspect
from collections import namedtuple
from typing import Any

from ..interop.decorators import unwrap

Parameter = _inspect.Parameter
Signature = _inspect.Signature
FullArgSpec = _inspect.FullArgSpec
ArgSpec = namedtuple("ArgSpec", "args varargs keywords defaults")

currentframe = _inspect.currentframe
getfile = _inspect.getfile
getframeinfo = _inspect.getframeinfo
getdoc = _inspect.getdoc
getmembers = _inspect.getmembers
getmodule = _inspect.getmodule
getmro = _inspect.getmro
getsource = _inspect.getsource
getsourcefile = _inspect.getsourcefile
getsourcelines = _inspect.getsourcelines
isbuiltin = _inspect.isbuiltin
isclass = _inspect.isclass
isframe = _inspect.isframe
isfunction = _inspect.isfunction
isgenerator = _inspect.isgenerator
isgeneratorfunction = _inspect.isgeneratorfunction
ismethod = _inspect.ismethod
ismodule = _inspect.ismodule
isroutine = _inspect.isroutine
stack = _inspect.stack


def _inner(obj: Any) -> Any:
    decorations, inner = unwrap(obj)
    told: list[Any] = [
        each.decorator_argspec for each in decorations if each.decorator_argspec is not None
    ]
    return told[0] if told else inner


def signature(obj: object, *, follow_wrapped: bool = True) -> Signature:
    """Returns the signature of what a function decorates."""
    inner = _inner(obj)
    if isinstance(inner, Signature):
        return inner
    return _inspect.signature(inner, follow_wrapped=follow_wrapped)


def getfullargspec(obj: object) -> FullArgSpec:
    """Returns the parameters of a function, of a class those of its `__init__`.

    Functions of Emplace have no annotations in it: libraries compare it with that of functions of
    their own, and TensorFlow's have none.
    """
    inner = _inner(obj)
    if isinstance(inner, tuple):  # one already
        return FullArgSpec(*inner)
    if isinstance(inner, functools.partial):
        return _inspect.getfullargspec(inner)
    inner = getattr(inner, "python_function", inner)  # of a tf.function
    if _inspect.isclass(inner):
        inner = inner.__init__
    elif not _inspect.isroutine(inner) and callable(inner):
        inner = type(inner).__call__
    while _is_ours(inner) and hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    found = _inspect.getfullargspec(inner)
    return found._replace(annotations={}) if _is_ours(inner) else found


def _is_ours(function: object) -> bool:
    """Whether a function was written here: what wraps one of ours elsewhere was not."""
    around = getattr(function, "__globals__", {})
    return str(around.get("__name__", "")).startswith("emplace.")


def getargspec(obj: object) -> ArgSpec:
    """Returns the parameters of a function as Python 2 told them."""
    found = getfullargspec(obj)
    return ArgSpec(found.args, found.varargs, found.varkw, found.defaults)


def getcallargs(*func_and_positional: Any, **named: Any) -> dict[str, Any]:
    """Returns the arguments of a call by name."""
    function, *args = func_and_positional
    bound = signature(function).bind(*args, **named)
    bound.apply_defaults()
    return dict(bound.arguments)


def isanytargetmethod(obj: object) -> bool:
    """Tells whether a function, or something that it decorates, is a method."""
    decorations, inner = unwrap(obj)
    return _inspect.ismethod(inner) or any(
        _inspect.ismethod(each.decorated_target) for each in decorations
    )


contextmanager = contextlib.contextmanager
