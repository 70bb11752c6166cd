"""`jit_compile=True`: the function of a plan, compiled by torch.

Torch compiles what it can, in pieces where a plan touches variables, and runs the rest as it is.
`EMPLACE_JIT_BACKEND` says what it hands the pieces to.
"""

from __future__ import annotations

import functools
import itertools
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import torch

from ...base import flags, log
from ...base.errors import InvalidArgumentError, OpError
from ...devices.late import TELLS_LATER
from ...ops.variables.resource import Storage, read_kernel
from .text import GIVES_BACK

Run = Callable[..., Any]


# Compiling takes torch many seconds; a plan that runs less often than this is not worth them.
CALLS_BEFORE = 20
_disable: Callable[[Run], Run] = torch.compiler.disable
_VARIABLES = Storage.__module__.rpartition(".")[0]
# Torch compiles in the first calls, and then tells of each place where it must stop for a variable.
_FIRST_CALLS = 3


def compiled(run: Run) -> Run:
    """`run`, compiled by torch after some calls; itself, with one warning, where torch cannot."""
    calls = itertools.count()
    fast: list[Run] = []

    def call(*values: Any) -> Any:
        number = next(calls)
        if number < CALLS_BEFORE:
            return run(*values)
        if not fast:
            fast.append(_compiled(run))
        # What torch fails to compile runs as it is; nothing runs twice. Kernels that compute by
        # NumPy do so here, too: what torch would write instead knows no 64 bits without a sign.
        with torch._dynamo.config.patch(suppress_errors=True, trace_numpy=False):
            try:
                if number < CALLS_BEFORE + _FIRST_CALLS:
                    with _quiet():
                        return fast[0](*values)
                return fast[0](*values)
            except (IndexError, RuntimeError) as error:
                raise _failed(error) from error

    return call


def _failed(error: Exception) -> Exception:
    """What TensorFlow would raise for the failure of a kernel: torch does not say which it was."""
    if isinstance(error, OpError):
        return error
    return InvalidArgumentError(
        None, None,
        "An operation of a function with jit_compile=True failed, and torch does not say which. "
        "Call the function without jit_compile to see.",
    )  # fmt: skip


def _compiled(run: Run) -> Run:
    run = _for_torch(run)
    with _quiet():
        backend = flags.JIT_BACKEND.get()
        why = why_not(backend)
        if why is None:
            return torch.compile(run, dynamic=False, backend=backend)
    _warn(why)
    return run


def _for_torch(run: Run) -> Run:
    """The same function as torch follows it best: variables are read without their locks, and each
    change of one is a single stop.
    """
    if run.__closure__:  # a long plan, which is several functions
        return run
    space = run.__globals__
    kernels = {
        name: _read if value is read_kernel else _disable(value)
        for name, value in space.items()
        if value is read_kernel or _is_of_variables(value) or hasattr(value, TELLS_LATER)
    }
    if GIVES_BACK in space:  # torch would stop there, and it has its own ways with memory
        kernels[GIVES_BACK] = _nothing
    return FunctionType(run.__code__, {**space, **kernels})


def _is_of_variables(value: Any) -> bool:
    module = getattr(value, "__module__", None) or ""
    return isinstance(value, FunctionType) and module.startswith(_VARIABLES)


def _read(resource: Storage) -> Any:
    # One attribute is read at once, with or without a lock.
    value = resource.value
    return read_kernel(resource) if value is None else value


def _nothing() -> None:
    pass


@contextmanager
def _quiet() -> Iterator[None]:
    logger = logging.getLogger("torch._dynamo")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


@functools.cache
def why_not(backend: str) -> str | None:
    """Why torch cannot compile here; None if it can."""
    if backend != "inductor":
        known = torch._dynamo.list_backends(())
        if backend in known:
            return None
        return f"EMPLACE_JIT_BACKEND={backend!r} is none of torch's: {', '.join(known)}"
    try:
        from torch._inductor.cpp_builder import get_cpp_compiler

        get_cpp_compiler()
    except Exception as error:  # torch names what is missing in its own ways
        return str(error) or type(error).__name__
    return None


@functools.cache
def _warn(why: str) -> None:
    log.warning(
        f"jit_compile=True: torch cannot compile here ({why.splitlines()[0]}); functions run by "
        "their plans, with the same results. Torch's inductor needs a C++ compiler."
    )
