"""Ops on strings: NumPy arrays of bytes on the host, so their kernels are on the CPU only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from . import infer
from .convert import pair, tensors, to_tensor
from .infer import Spec
from .op import CPU_ONLY, apply, op

_ONE = "input: string -> output: string"


def _changed(input: Any, change: Callable[[bytes], bytes]) -> Any:
    result = np.empty(input.shape, object)
    for index, text in np.ndenumerate(input):
        result[index] = change(text)
    return result


def lower_kernel(input: Any, *, encoding: str) -> Any:
    """Lower case, of ASCII letters only unless an encoding is given."""
    if encoding:
        return _changed(input, lambda text: text.decode(encoding).lower().encode(encoding))
    return _changed(input, bytes.lower)


def upper_kernel(input: Any, *, encoding: str) -> Any:
    """Upper case, of ASCII letters only unless an encoding is given."""
    if encoding:
        return _changed(input, lambda text: text.decode(encoding).upper().encode(encoding))
    return _changed(input, bytes.upper)


STRING_LOWER = op("StringLower", _ONE, lower_kernel, infer.same, on=CPU_ONLY)
STRING_UPPER = op("StringUpper", _ONE, upper_kernel, infer.same, on=CPU_ONLY)


def length_kernel(input: Any, *, unit: str) -> torch.Tensor:
    """Bytes or characters of each string."""
    texts = input.reshape(-1)
    if unit == "BYTE":
        sizes = [len(text) for text in texts]
    else:
        sizes = [len(text.decode("utf-8", "replace")) for text in texts]
    return torch.tensor(sizes, dtype=torch.int32).reshape(input.shape)


STRING_LENGTH = op(
    "StringLength", "input: string -> output: int32", length_kernel, infer.as_type(dtypes.int32),
    on=CPU_ONLY,
)  # fmt: skip


def join_kernel(*inputs: Any, separator: str) -> Any:
    """Strings put together element by element."""
    parts: Any = np.broadcast_arrays(*inputs)
    result = np.empty(parts[0].shape, object)
    glue = separator.encode()
    for index in np.ndindex(result.shape):
        result[index] = glue.join(part[index] for part in parts)
    return result


def _join_spec(*inputs: Spec, separator: str) -> Spec:
    result = inputs[0]
    for each in inputs[1:]:
        result = infer.broadcast(result, each)
    return result


STRING_JOIN = op(
    "StringJoin", "inputs: N * string -> output: string", join_kernel, _join_spec, on=CPU_ONLY
)


def string_add_kernel(x: Any, y: Any) -> Any:
    """x followed by y."""
    return join_kernel(x, y, separator="")


STRING_ADD = op(
    "Add", "x: string, y: string -> z: string", string_add_kernel, infer.broadcast, on=CPU_ONLY
)


def lower(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Lower case; ASCII only unless `encoding` is "utf-8" (`tf.strings.lower`).

    >>> lower("ABC").numpy()
    b'abc'
    """
    return apply(STRING_LOWER, (to_tensor(input),), {"encoding": encoding})


def upper(input: Any, encoding: str = "", name: str | None = None) -> Any:
    """Upper case; ASCII only unless `encoding` is "utf-8" (`tf.strings.upper`)."""
    return apply(STRING_UPPER, (to_tensor(input),), {"encoding": encoding})


def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Any:
    """Bytes, or characters with "UTF8_CHAR", of each string (`tf.strings.length`)."""
    return apply(STRING_LENGTH, (to_tensor(input),), {"unit": unit})


def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Strings put together element by element; shapes broadcast (`tf.strings.join`)."""
    return apply(STRING_JOIN, tuple(tensors(inputs)), {"separator": separator})


def concatenate(x: Any, y: Any) -> Any:
    """x + y for string tensors."""
    x, y = pair(x, y)
    return apply(STRING_ADD, (x, y))
