"""Puts the functions that promote types into the places of public ones, and takes them out."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from ...core.tensor import Tensor
from ...eager.variable import Variable
from ...graph.function.arguments.traced_values import RETURNED
from . import functions
from .values import as_kind, common_dtype, of_kind, result_kind

# Imported by name: the facades stand below this module.
_TF2, _TF1 = "emplace.tensorflow", "emplace.tensorflow.compat.v1"
_NUMPY = "experimental.numpy"
_ASSIGNMENTS = ("assign", "assign_add", "assign_sub")
_BEFORE: list[tuple[Any, str, Any]] = []


def table() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """(facade, name, what makes the promoting function of the public one)."""
    comparing = functools.partial(functions.binary, is_comparing=True)
    for facade in (_TF2, _TF1):
        for names, make in (
            (functions.UNARY, functions.unary), (functions.BINARY, functions.binary),
            (functions.COMPARING, comparing), ("clip_by_value", functions.clipping),
            ("math.erfcinv", functions.wide), ("stack", functions.stacking),
        ):  # fmt: skip
            yield from ((facade, name, make) for name in names.split())
        yield facade, "get_static_value", functions.of_held
    yield _TF2, "constant", functions.constant
    for name in functions.UNARY_OF_TF2.split():
        yield _TF2, name, functions.unary
    for name in functions.UNARY_OF_TF1.split():
        yield _TF1, name, functions.unary
    for name in functions.BINARY_OF_TF1.split():
        yield _TF1, name, functions.binary
    for name in ("scalar_mul", "math.scalar_mul"):
        yield _TF1, name, functools.partial(functions.unary, parameter="x")
    for name in functions.UNARY_OF_NUMPY.split():
        yield _TF2, f"{_NUMPY}.{name}", functions.unary
    for name in functions.BINARY_OF_NUMPY.split():
        yield _TF2, f"{_NUMPY}.{name}", functions.of_sequences
    for name in functions.COMPOSED_OF_NUMPY.split():
        yield _TF2, f"{_NUMPY}.{name}", functions.unary
    yield _TF2, f"{_NUMPY}.logaddexp", functions.of_logarithms
    for name in functions.PARTS_OF_NUMPY.split():
        yield _TF2, f"{_NUMPY}.{name}", functions.in_parts
    yield _TF2, f"{_NUMPY}.hypot", functions.apart
    yield _TF2, f"{_NUMPY}.matmul", functions.binary
    yield _TF2, f"{_NUMPY}.result_type", lambda function: common_dtype


def put() -> None:
    """Into the facade, into modules of the program that imported a function by name, and into the
    class of variables.
    """
    made: dict[int, tuple[Any, Callable[..., Any]]] = {}
    for facade, name, make in table():
        path, _, leaf = name.rpartition(".")
        module = functools.reduce(getattr, filter(None, path.split(".")), _module(facade))
        function = getattr(module, leaf)
        if hasattr(function, "_promotes"):  # a namespace that both facades share
            continue
        wrapper = make(function)
        wrapper._promotes = True
        made.setdefault(id(function), (function, wrapper))
        _replace(module, leaf, wrapper)
    for module in _modules_of_programs():
        for each, value in list(vars(module).items()):
            found = made.get(id(value))
            if found is not None and found[0] is value:
                _replace(module, each, found[1])
    _replace(Variable, "__eq__", Tensor.__eq__)
    RETURNED.append(_returned)
    for name in _ASSIGNMENTS:
        _replace(Variable, name, functions.assigning(getattr(Variable, name)))


def take_out() -> None:
    """Leaves everything as it was before `put`."""
    RETURNED.clear()
    while _BEFORE:
        holder, name, value = _BEFORE.pop()
        setattr(holder, name, value)


def _returned(value: Any) -> Any:
    """What a function returns, which may be a number of Python's."""
    if type(value) not in (int, float, complex):
        return value
    dtype, is_weak = result_kind(value)
    return of_kind(as_kind(value, dtype), is_weak)


def _replace(holder: Any, name: str, value: Any) -> None:
    _BEFORE.append((holder, name, vars(holder).get(name, getattr(holder, name))))
    setattr(holder, name, value)


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _modules_of_programs() -> Iterator[types.ModuleType]:
    for name, module in list(sys.modules.items()):
        root = name.split(".")[0]
        if root not in ("emplace", "tensorflow") and isinstance(module, types.ModuleType):
            yield module
