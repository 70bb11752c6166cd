"""What PyTorch's own library lends to machine code: its product of matrices, the functions on
vectors that its kernels are made of, and the threads that it works with.
"""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch

# Where vectors are passed to functions as machine code here does it.
_MACHINES = ("x86_64", "AMD64")
_FILES = ("libtorch_cpu.so", "libtorch_cpu.dylib", "torch_cpu.dll")
_PRODUCT = "sgemm_"
_THREADS = "MKL_Set_Num_Threads_Local"
_T = TypeVar("_T")
_TEAM, _THREAD_NUMBER = "GOMP_parallel", "omp_get_thread_num"


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
def address_of_threads() -> int | None:
    """The address of what sets how many threads MKL takes for products that the calling thread asks
    for, and returns what was set before; None where torch lacks MKL.
    """
    return _address(_THREADS)


@functools.cache
def threads_of_products() -> Callable[[int], int] | None:
    """Sets how many threads MKL takes for a product that this thread of the program asks for, and
    returns what was set before; 0 is what the whole process has. None where torch lacks MKL.
    """
    address = address_of_threads()
    # Calls that keep Python's lock: letting go of it would cost more than the call.
    return None if address is None else ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int)(address)


def with_product_threads(count: int, call: Callable[..., _T], *args: object) -> _T:
    """Calls something, of which each product takes so many threads where MKL computes it."""
    set_threads = threads_of_products()
    if set_threads is None:
        return call(*args)
    before = set_threads(count)
    try:
        return call(*args)
    finally:
        set_threads(before)


@functools.cache
def team() -> Callable[[int, int, int, int], None] | None:
    """Runs the function at an address on each of so many threads of OpenMP's, this one among them,
    and waits for all: `team(function, argument, threads, 0)`. None where torch has no OpenMP, or
    one that tells its functions otherwise.
    """
    address = _address(_TEAM)
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
    return None if address is None else call(address)


@functools.cache
def thread_number() -> int | None:
    """The address of what says which thread of a team asks, from 0 on; None as above."""
    return _address(_THREAD_NUMBER)


@functools.cache
def function(name: str, width: int) -> int | None:
    """The address of a function of `width` float32 numbers, such as "tanh"; None if absent."""
    return _address(f"Sleef_{name}f{width}_u10")
