"""Text of LLVM made into a function that Python can call, by llvmlite where that is installed."""

from __future__ import annotations

import ctypes
import functools
import importlib
import threading
from typing import Any, Protocol

from ..base.pages import forget_pages
from . import library
from .kernel_text import NAME
from .program import Program
from .text import best_width, text

# LLVM's own state is shared; one thread at a time.
_LOCK = threading.Lock()
_CALL = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)  # it lets other threads run

_FILE = "libllvmlite"
# Processors whose vectors are shorter may lack a product and a sum in one step.
_LEAST_LANES = 8
# So many functions are let go together, at most.
_PER_ENGINE = 64


class Loop(Protocol):
    """A function of machine code. Addresses are numbers, or bytes for those of what they hold.

    `address` is its own.
    """

    address: int

    def __call__(self, begin: int, fixed: int | bytes, sizes: int | bytes, scratch: int, /) -> None:
        """Runs it; other threads may run meanwhile."""


def compiled(program: Program) -> Loop | None:
    """`loop(iterations, fixed, table, scratch)` of a program, with addresses as numbers; None where
    this machine cannot make it.
    """
    host = _host()
    if host is None or library.product() is None:
        return None
    try:
        return compiled_text(text(program, best_width(program, host.width)))
    except LookupError:  # no such function
        return None


def compiled_text(source: str) -> Loop | None:
    """The function of this name and these arguments in a text; None where it cannot be made."""
    host = _host()
    if host is None:
        return None
    try:
        with _LOCK:
            return host.function(source)
    except RuntimeError:  # an LLVM that reads other texts
        return None


def is_possible() -> bool:
    """Whether machine code can be made here."""
    return _host() is not None and library.product() is not None


def lanes() -> int:
    """How many float32 numbers a vector of a kernel has; 0 where none can be made."""
    host = _host()
    return 0 if host is None or host.width < _LEAST_LANES else host.width


@functools.cache
def _host() -> _Host | None:
    try:
        llvm = importlib.import_module("llvmlite.binding")
    except ImportError:
        return None
    with _LOCK:
        return _Host(llvm)


class _Host:
    """LLVM for this machine. `width` is how many float32 numbers a vector has.

    An engine takes three quarters of a megabyte, so functions share one. It lives as long as one of
    them does, and what it was told to make them of is gone before.
    """

    def __init__(self, llvm: Any) -> None:
        self._llvm = llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        forget_pages(_FILE)  # 34 MB, of which a function needs next to nothing
        features = llvm.get_host_cpu_features()
        self.width = 16 if features.get("avx512f") else 8 if features.get("avx2") else 4
        self._target = llvm.Target.from_default_triple()
        self._options = {
            "cpu": llvm.get_host_cpu_name(), "features": features.flatten(), "opt": 2, "jit": True,
        }  # fmt: skip
        self._engine: Any = None
        self._made = 0

    def function(self, source: str) -> Loop:
        """Machine code of a text."""
        module = self._llvm.parse_assembly(source)
        module.verify()
        if self._made % _PER_ENGINE == 0:
            self._engine = self._new_engine()
        self._made += 1
        module.get_function(NAME).name = name = f"{NAME}{self._made}"
        engine = self._engine
        engine.add_module(module)
        engine.finalize_object()
        address = engine.get_function_address(name)
        found: Any = _CALL(address)
        found.address = address
        found.engine = engine  # the code lives as long as it
        engine.remove_module(module)
        return found  # type: ignore[no-any-return]

    def _new_engine(self) -> Any:
        """What holds machine code."""
        machine = self._target.create_target_machine(**self._options)
        return self._llvm.create_mcjit_compiler(self._llvm.parse_assembly(""), machine)
