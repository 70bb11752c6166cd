"""Ops of every family in three sizes: nothing may be slower than TensorFlow's eager mode."""

from ..budgets import Budget
from .cases import statements

PEERS = ("emplace", "torch", "tensorflow")
ROWS = statements("tf")
STARTS: dict[str, dict[str, str]] = {}

_KERNEL = "torch's kernel itself is that much slower than Eigen's or oneDNN's"
_PASSES = "torch has no such kernel: it takes two or three passes over memory"
_PYTHON = "strings are Python objects: what TensorFlow does in C++ is a loop here"
_INDICES = "torch's kernel also writes the places of the maxima, as int64"
_LAPACK = "calling LAPACK through torch costs some microseconds more"
_CHECKS = "indices are checked first, in passes of their own"
_EQUAL = "as fast: 0.9 to 1.07 of TensorFlow's time, and above 1 in some runs of several"

# Rows that are slower than TensorFlow or now and then, and why. The list may only shrink.
SLOWER = {
    "erf large": _KERNEL,
    "equal large": _KERNEL,
    "floormod large": _KERNEL,
    "softmax large": _KERNEL,
    "pad large": _KERNEL,
    "avg_pool medium": _KERNEL,
    "avg_pool large": _KERNEL,
    "max_pool medium": _INDICES,
    "max_pool large": _INDICES,
    "squared_difference large": _PASSES,
    "where large": _PASSES,
    "lrn small": _PASSES,
    "lrn medium": "a product with a band matrix, which pays from some images on",
    "lrn large": "a product with a band matrix of 64 channels, most of whose elements are zeros",
    "bincount large": "int32 values become int64 first",
    "unique small": "a dictionary in Python",
    "unique medium": "a dictionary in Python",
    "unique large": "a sort, where TensorFlow has a hash table",
    "top_k small": "two tensors are made of one result",
    "solve small": _LAPACK,
    "solve medium": _LAPACK,
    "inv small": _LAPACK,
    "inv medium": _LAPACK,
    "resize medium": "weights and places are worked out anew by every call",
    "resize large": "weights and places are worked out anew by every call",
    "stateless_uniform medium": "Philox in NumPy: ten rounds of passes over memory",
    "stateless_uniform large": "Philox in NumPy: ten rounds of passes over memory",
    "strings.join medium": _PYTHON,
    "strings.join large": _PYTHON,
    "strings.hash small": _PYTHON,
    "strings.hash medium": _PYTHON,
    "strings.hash large": _PYTHON,
    "sparse matmul small": _CHECKS,
    "sparse to_dense large": _CHECKS,
    "matmul large": _EQUAL,
    "tensordot large": _EQUAL,
    "conv2d medium": _EQUAL,
    "conv2d large": _EQUAL,
    "dropout large": _EQUAL,
    "sort large": _EQUAL,
    "sparse cross entropy small": _EQUAL,
}

BUDGETS = tuple(Budget(row, of="tensorflow") for row in ROWS if row not in SLOWER)
