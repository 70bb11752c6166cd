"""Public functions that ask a library before they refuse its objects: Keras 2's symbolic tensors.

They do so from the moment when somebody registers a dispatcher for all functions; until then they
are the bare functions.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

from .dispatch import OpDispatcher, add_dispatch_support, handled, on_first_registration

_FACADE = "emplace.tensorflow"
# The namespaces of functions, those first whose names TensorFlow calls canonical.
_SPACES = (
    "__operators__", "math", "linalg", "nn", "strings", "sparse", "image", "signal", "random",
    "sets", "bitwise", "ragged", "",
)  # fmt: skip
# Functions that look at who calls them, or take no tensors.
_BARE = frozenset((
    "function", "custom_gradient", "recompute_grad", "py_function", "numpy_function", "device",
    "name_scope", "init_scope", "executing_eagerly", "is_tensor", "print",
    "control_dependencies", "grad_pass_through",
))  # fmt: skip

# From operators of tensors to the functions that they are.
_OPERATORS = {
    "add": "__operators__.add", "sub": "math.subtract", "mul": "math.multiply",
    "div": "math.divide", "truediv": "math.truediv", "floordiv": "math.floordiv",
    "mod": "math.floormod", "pow": "math.pow", "matmul": "linalg.matmul",
    "and": "math.logical_and", "or": "math.logical_or", "xor": "math.logical_xor",
    "lt": "math.less", "le": "math.less_equal", "gt": "math.greater",
    "ge": "math.greater_equal", "eq": "__operators__.eq", "ne": "__operators__.ne",
    "getitem": "__operators__.getitem", "neg": "math.negative", "abs": "math.abs",
    "invert": "math.logical_not",
}  # fmt: skip


def open_functions() -> None:
    """Makes the public functions ask dispatchers where they refuse arguments."""
    asking: dict[int, Callable[..., Any]] = {}
    for space in _SPACES:
        module = importlib.import_module(f"{_FACADE}.{space}".removesuffix("."))
        for name, thing in list(vars(module).items()):
            if type(thing) is FunctionType and name not in _BARE and name[0] != "_":
                public = f"{space}.{name}".removeprefix(".")
                setattr(module, name, asking.setdefault(id(thing), _asking(thing, public)))


def _asking(function: Callable[..., Any], public: str) -> Callable[..., Any]:
    call: Any = add_dispatch_support(function)
    call._api_name = public
    return call  # type: ignore[no-any-return]


def symbol_named(public: str) -> Any:
    """What a public name without "tf." stands for, None if there is no such."""
    try:
        return functools.reduce(getattr, public.split("."), importlib.import_module(_FACADE))
    except (AttributeError, NotImplementedError):
        return None


def _give_operators(module: ModuleType) -> None:
    """Operators of Keras 2's symbolic tensors, which make layers of functions."""
    for short, public in _OPERATORS.items():
        setattr(module.KerasTensor, f"__{short}__", _operator(public, is_swapped=False))
        if hasattr(module.KerasTensor, f"__r{short}__"):
            setattr(module.KerasTensor, f"__r{short}__", _operator(public, is_swapped=True))


def _operator(public: str, is_swapped: bool) -> Callable[..., Any]:
    def operator(*args: Any) -> Any:
        found = handled(symbol_named(public), args[::-1] if is_swapped else args, {})
        return NotImplemented if found is OpDispatcher.NOT_SUPPORTED else found

    return operator


on_first_registration(open_functions)
ADJUSTMENTS = {"tf_keras.src.engine.keras_tensor": _give_operators}
