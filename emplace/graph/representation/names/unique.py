"""The names of nodes: unique in their graph, below the name scopes that are open.

A node is called what the program says: every public function takes `name`, and the frame of the
one that the program called tells it. One that makes several nodes is a scope for them. So no
function has to hand a name on, and eager execution pays nothing for names.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import threading
from types import FrameType
from typing import Any

from ....core.events import PACKAGE_FOLDER, is_our_file
from ....ops.op import Op, expanded_inputs

_NODE = re.compile("^[A-Za-z0-9.][A-Za-z0-9_.\\\\/>-]*$")
_SCOPE = re.compile("^[A-Za-z0-9_.\\\\/>-]*$")

# Functions whose single node TensorFlow calls otherwise than its op.
_OWN_NAMES = {
    "add": "Add",
    "zeros": "zeros",
    "ones": "ones",
    "zeros_like": "zeros_like",
    "ones_like": "ones_like",
    "shape": "Shape",
    "size": "Size",
    "rank": "Rank",
    "floordiv": "floordiv",
    "truediv": "truediv",
    "divide": "truediv",
    "div": "div",
    "divide_no_nan": "div_no_nan",
    "clip_by_value": "clip_by_value",
    "one_hot": "one_hot",
    "random_uniform": "random_uniform",
    "uniform": "random_uniform",
    "max_pool2d": "MaxPool2d",
    "avg_pool2d": "AvgPool2D",
    "depthwise_conv2d": "depthwise",
    "conv2d_transpose": "conv2d_transpose",
    "sigmoid_cross_entropy_with_logits": "logistic_loss",
    "reduce_logsumexp": "ReduceLogSumExp",
}
# What operators call their nodes.
_OPERATORS = {
    "AddV2": "add", "Sub": "sub", "Mul": "mul", "RealDiv": "truediv", "FloorDiv": "floordiv",
    "FloorMod": "mod", "Pow": "pow", "MatMul": "matmul", "BatchMatMulV2": "matmul",
    "StridedSlice": "strided_slice", "Neg": "Neg",
}  # fmt: skip


class Names(threading.local):
    """The names that are taken in one graph, whatever their case, and the scope that this thread
    has open: threads that build one graph name what they add by scopes of their own.
    """

    def __init__(self, taken: dict[str, int] | None = None) -> None:
        # Called again in each further thread, with the same arguments.
        self._taken: dict[str, int] = {} if taken is None else taken
        self.scope = ""

    def unique(self, name: str, mark: bool = True) -> str:
        """`name` below the open scope, with a number behind it if it is taken."""
        if self.scope:
            name = f"{self.scope}/{name}"
        key = name.lower()
        count = self._taken.get(key, 0)
        if mark:
            self._taken[key] = count + 1
        if not count:
            return name
        tried = key
        while tried in self._taken:
            tried = f"{key}_{count}"
            count += 1
        if mark:
            self._taken[tried] = 1
            self._taken[key] = count
        return f"{name}_{count - 1}"

    def open(self, name: str | bytes | None) -> str:
        """Enters a scope; returns the one before it, for `close`.

        Raises:
            ValueError: `name` cannot be the name of a scope.
        """
        before = self.scope
        name = as_text(name) if isinstance(name, bytes) else name
        if name is not None and not isinstance(name, str):
            raise TypeError(f"expected string or bytes-like object, got '{type(name).__name__}'")
        if not name:
            self.scope = ""
        elif name.endswith("/"):
            self.scope = name[:-1]
        else:
            check_scope(name, bool(before))
            self.scope = self.unique(name)
        return before


def check_node(name: str) -> None:
    """Raises ValueError, in TensorFlow's words, unless a node can have this name."""
    if not _NODE.match(name):
        raise ValueError(
            f"`{name}` is not a valid node name. Accepted names conform to Regex /{_NODE}/"
        )


def check_scope(name: str, is_inner: bool) -> None:
    """Raises ValueError, in TensorFlow's words, unless a scope can have this name."""
    if is_inner and not _SCOPE.match(name):
        raise ValueError(
            f"'{name}' is not a valid scope name. A scope name has to match the following "
            f"pattern: {_SCOPE.pattern}"
        )
    if not is_inner and not _NODE.match(name):
        raise ValueError(
            f"'{name}' is not a valid root scope name. A root scope name has to match the "
            f"following pattern: {_NODE.pattern}"
        )


# What stands between a program and the functions of ours that it calls: AutoGraph, strategies, and
# wrappers that ask others first, or whether shapes are known.
_BETWEEN = (
    os.path.join(PACKAGE_FOLDER, "graph", "autograph", ""),
    os.path.join(PACKAGE_FOLDER, "distribute", ""),
    os.path.join(PACKAGE_FOLDER, "ops", "deferred.py"),
    *[os.path.join(PACKAGE_FOLDER, "interop", f"{name}.py") for name in
      ("dispatch", "type_dispatch", "elementwise_dispatch", "numpy_behavior")],
)  # fmt: skip


# By file: whether it is ours, of the program, or stands between.
_OURS, _OTHERS, _IN_BETWEEN = range(3)
_WHOSE: dict[str, int] = {}


def _whose(file: str) -> int:
    if not is_our_file(file):
        found = _OTHERS
    else:
        found = _IN_BETWEEN if file.startswith(_BETWEEN) else _OURS
    _WHOSE[file] = found
    return found


def public_call() -> FrameType | None:
    """The frame of the function of ours that the program called, which led here."""
    frame: FrameType | None = sys._getframe(1)
    found = None
    while frame is not None:
        file = frame.f_code.co_filename
        whose = _WHOSE.get(file)
        if whose is None:
            whose = _whose(file)
        if whose == _OTHERS:
            return found
        if whose == _OURS:
            found = frame
        frame = frame.f_back
    return None


def wanted_name(call: FrameType | None) -> str | None:
    """The argument `name` of a call; None if it has none."""
    if call is None:
        return None
    code = call.f_code
    if "name" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        name = call.f_locals.get("name")
    elif code.co_flags & inspect.CO_VARKEYWORDS:
        place = code.co_argcount + code.co_kwonlyargcount
        place += bool(code.co_flags & inspect.CO_VARARGS)
        more = call.f_locals.get(code.co_varnames[place])
        name = more.get("name") if isinstance(more, dict) else None
    else:
        return None
    return as_text(name) if isinstance(name, (str, bytes)) else None


def as_text(name: str | bytes) -> str:
    """A name; TensorFlow takes bytes as well."""
    return name.decode() if isinstance(name, bytes) else name


def default_name(op_name: str, call: FrameType | None) -> str:
    """What TensorFlow calls a node that the program gave no name."""
    function = call.f_code.co_name if call is not None else ""
    op_name = op_name.lstrip("_")  # ops of our own
    if function in ("operator", "reflected", "__getitem__", "getitem"):
        return _OPERATORS.get(op_name, op_name)
    return _OWN_NAMES.get(function, op_name)


# Functions whose nodes TensorFlow puts below another name than theirs.
_OWN_SCOPES = {
    "normal": "random_normal",
    "uniform": "random_uniform",
    "moments_v1": "moments",
    "tensordot": "Tensordot",
    "batch_normalization": "batchnorm",
    "sequence_mask": "SequenceMask",
    "map_fn": "map",
    "trace": "Trace",
    "divide": "truediv",
    "convert_image_dtype": "convert_image",
    "resize_with_crop_or_pad": "resize_image_with_crop_or_pad",
    "multiply": "mul",
    "subtract": "sub",
    "floormod": "mod",
}


def scope_name(call: Any) -> str:
    """The scope of a function that makes several nodes."""
    name = str(call.f_code.co_name)
    if name in ("call", "operator", "reflected"):  # what they call tells more
        name = getattr(call.f_locals.get("function"), "__name__", name)
    return _OWN_SCOPES.get(name, name).strip("_") or "op"


def argument_name(op: Op, i: int, count: int) -> str:
    """The name of the i-th of `count` tensors that an op takes, for the constant that it is."""
    entries = expanded_inputs(op, count)
    if not 0 <= i < len(entries):
        return "Const"
    arg, place = entries[i]
    if op.name == "Pack":  # TF: stack/1
        return str(place)
    return arg.name if place is None else f"{arg.name}_{place}"
