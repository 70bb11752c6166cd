"""`tf.print`: writes values, those of tensors when the program or its graph computes them."""

from __future__ import annotations

import os
import pprint
import sys
from typing import Any

import numpy as np
import torch

from ...base import dtypes, log, nest
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ..convert import is_tensor_like, to_tensor
from ..debugging.summaries import as_array, decoded
from ..infer import nothing
from ..op import CPU_ONLY, apply, op
from .split import STRING_FORMAT


def print_kernel(input: torch.Tensor, *, output_stream: str, end: str) -> None:
    """Writes a text."""
    text = decoded(as_array(input).item())
    if output_stream.startswith("file://"):
        with open(output_stream.removeprefix("file://"), "a", encoding="utf-8") as file:
            file.write(text + end)
    elif output_stream in _LOGS:
        _LOGS[output_stream](text)
    else:
        stream = getattr(sys, output_stream)
        stream.write(text + end)
        stream.flush()


PRINT = op(
    "PrintV2",
    "input: string ->",
    print_kernel,
    nothing,
    device_types=CPU_ONLY,
    stateful=True,
    is_listed=False,
)

_LOGS = {"log(info)": log.info, "log(warning)": log.warning, "log(error)": log.error}
_MARK = "\ue000"


class _Mark:
    """Stands for a tensor in a structure that is written by `pprint`, or for one made of some."""

    def __init__(self, text: str = _MARK) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def print_(
    *inputs: TensorLike, output_stream: Any = None, summarize: int = 3, sep: str = " ",
    end: str = os.linesep, name: str | None = None,
) -> Tensor:  # fmt: skip
    """Writes values, those of tensors when they are there (`tf.print`).

    Args:
        *inputs: tensors, Python values, and lists and dictionaries of both.
        output_stream: sys.stderr, sys.stdout, "file://" and a path to append to, or one of
            "log(info)", "log(warning)" and "log(error)", or the level or the function that
            `tf.compat.v1.logging` and absl have for one of these.
        summarize: how many elements of each axis to show at both ends; all if negative.
        sep: what stands between the values.
        end: what comes last.
        name: a name in graphs.

    Returns:
        The operation in a graph; None in eager mode.

    Raises:
        ValueError: there is no such stream.

    >>> print_("x:", [1, 2], output_stream=sys.stdout)
    x: [1, 2]
    """
    stream = _stream(output_stream)
    if len(inputs) == 1 and _is_text(inputs[0]):
        text = to_tensor(inputs[0])
    else:
        tensors: list[Any] = []
        template = sep.join(_written(x, tensors) for x in inputs)
        attrs = {"template": template, "placeholder": _MARK, "summarize": summarize}
        text = apply(STRING_FORMAT, tuple(tensors), attrs)
    return apply(PRINT, (text,), {"output_stream": stream, "end": end})


def _is_text(value: object) -> bool:
    return isinstance(value, Tensor) and value.dtype is dtypes.string and value.shape.rank == 0


def _stream(wanted: object) -> str:
    if wanted is None or wanted is sys.stderr or wanted is sys.__stderr__:
        return "stderr"
    if wanted is sys.stdout or wanted is sys.__stdout__:
        return "stdout"
    if _logs(wanted) in _LOGS:
        return _logs(wanted)
    if isinstance(wanted, str) and (wanted.startswith("file://") or wanted in _LOGS):
        return wanted
    raise ValueError(
        "Unsupported output stream, logging level, or file. Supported streams are sys.stdout, "
        "sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs to be in "
        f'the form of "file://<filepath>", got {wanted!r}.'
    )


# Levels as `tf.compat.v1.logging` counts them, and as absl does.
_LEVELS = {20: "info", 0: "info", 30: "warning", -1: "warning", 40: "error", -2: "error"}


def _logs(wanted: Any) -> str:
    """The log that a level or one of the logging functions, those of absl too, stands for."""
    level = _LEVELS.get(wanted, "") if type(wanted) is int else getattr(wanted, "__name__", "")
    return f"log({'warning' if level == 'warn' else level})"


def _written(value: TensorLike, tensors: list[Any]) -> str:
    """A value as text with marks in the places of tensors, which go to the list."""
    if isinstance(value, str):
        return value
    if isinstance(value, CompositeTensor):
        return repr(value) if value.refusal else _written_composite(value, tensors)
    if not nest.is_nested(value):
        return str(_marked(value, tensors)) if not _is_array(value) else repr(value)
    leaves = [_marked(each, tensors) for each in nest.flatten(value)]
    return pprint.pformat(nest.pack_sequence_as(value, leaves))


def _is_array(value: object) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def _marked(leaf: object, tensors: list[Any]) -> Any:
    if isinstance(leaf, CompositeTensor):  # TF: what all replicas have is shown
        return leaf if leaf.refusal else _Mark(_written_composite(leaf, tensors))
    if isinstance(leaf, (np.ndarray, np.generic)) or not is_tensor_like(leaf):
        return leaf
    tensors.append(to_tensor(leaf))
    return _Mark()


def _written_composite(value: Any, tensors: list[Any]) -> str:
    if isinstance(value, RaggedTensor):
        tensors.append(value)
        return _MARK
    parts = nest.flatten(value, expand_composites=True)
    if hasattr(value, "dense_shape"):
        tensors += [value.indices, value.values, value.dense_shape]
        return f"'SparseTensor(indices={_MARK}, values={_MARK}, shape={_MARK})'"
    tensors += [to_tensor(each) for each in parts]
    return f"{type(value).__name__}({', '.join([_MARK] * len(parts))})"
