"""Text of LLVM made into a function that Python can call, by llvmlite where that is installed."""

from __future__ import annotations

import ctypes
import functools
import importlib
import threading
from collections.abc import Callable
from typing import Any

from . import library
from .program import Program
from .text import NAME, text

# LLVM's own state is shared; one thread at a time.
_LOCK = threading.Lock()
_CALL = ctypes.CFUNCTYPE(
    None, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)  # it lets other threads run

# Addresses are numbers, or bytes for those of what they hold.
Loop = Callable[[int, int | bytes, int | bytes, int], None]


def compiled(program: Program) -> Loop | None:
    """`loop(iterations, fixed, table, scratch)` of a program, with addresses as numbers; None where
    this machine cannot make it.
    """
    host = _host()
    if host is None or library.product() is None:
        return None
    try:
        return compiled_text(text(program, host.width))
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


@functools.cache
def _host() -> _Host | None:
    try:
        llvm = importlib.import_module("llvmlite.binding")
    except ImportError:
        return None
    with _LOCK:
        return _Host(llvm)


class _Host:
    """LLVM for this machine. `width` is how many float32 numbers a vector has."""

    def __init__(self, llvm: Any) -> None:
        self._llvm = llvm
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features()
        self.width = 16 if features.get("avx512f") else 8 if features.get("avx2") else 4
        self._target = llvm.Target.from_default_triple()
        self._options = {
            "cpu": llvm.get_host_cpu_name(), "features": features.flatten(), "opt": 2, "jit": True,
        }  # fmt: skip

    def function(self, source: str) -> Loop:
        """Machine code of a text."""
        module = self._llvm.parse_assembly(source)
        module.verify()
        machine = self._target.create_target_machine(**self._options)
        engine = self._llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        found = _CALL(engine.get_function_address(NAME))
        found.engine = engine  # type: ignore[attr-defined]  # the code lives as long as it
        return found
