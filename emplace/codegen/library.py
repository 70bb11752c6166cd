"""What PyTorch's own library lends to machine code: its product of matrices, and the functions on
vectors that its kernels are made of.
"""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Callable
from pathlib import Path

import torch

# Where vectors are passed to functions as machine code here does it.
_MACHINES = ("x86_64", "AMD64")
_FILES = ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll")
_PRODUCT = "sgemm_"
_THREADS = "MKL_Set_Num_Threads_Local"


@functools.cache
def _library() -> ctypes.CDLL | None:
    folder = Path(torch.__file__).parent / "lib"
    for name in _FILES:
        if (folder / name).exists():
            return ctypes.CDLL(str(folder / name))
    return None


def _address(name: str) -> int | None:
    try:
        found = getattr(_library(), name)
    except AttributeError:
        return None
    return ctypes.cast(found, ctypes.c_void_p).value


@functools.cache
def product() -> int | None:
    """The address of BLAS's product of float32 matrices; None where torch does not share one."""
    return _address(_PRODUCT) if platform.machine() in _MACHINES else None


@functools.cache
def threads_of_products() -> Callable[[int], int] | None:
    """Sets how many threads MKL takes for a product that this thread of the program asks for, and
    returns what was set before; 0 is what the whole process has. None where torch lacks MKL.
    """
    address = _address(_THREADS)
    # Calls that keep Python's lock: letting go of it would cost more than the call.
    return None if address is None else ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)


@functools.cache
def function(name: str, width: int) -> int | None:
    """The address of a function of `width` float32 numbers, such as "tanh"; None if absent."""
    return _address(f"Sleef_{name}f{width}_u10")
