"""Which operations treat each row of a batch by itself, so that batches one behind the other give
their results one behind the other, and which give the sum over all rows.

Only such are here as fail or not by their shapes alone, for what may refuse a value would name the
values of all; a loss that tells of one replica's labels has a form of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from ...ops.infer import known_dims
from ...ops.nn.loss import REPLICA_SPARSE_SOFTMAX_XENT
from ...ops.op import Op
from ..representation.graph import Operation, SymbolicTensor

Attrs = dict[str, Any]


class RowKind(Enum):
    """What tensors that replicas compute alike have in common."""

    SAME = "one value"
    JOINED = "rows one behind the other, in one tensor"
    APART = "a tensor of each"


SAME, JOINED, APART = RowKind.SAME, RowKind.JOINED, RowKind.APART
Rule = Callable[[Operation, Sequence[RowKind], int], "Attrs | None"]

_MAPS = frozenset({
    "Abs", "Add", "AddV2", "BiasAdd", "Bitcast", "BitwiseAnd", "Cast", "DivNoNan", "Elu", "EluGrad",
    "Equal", "Erf", "Exp", "Greater", "GreaterEqual", "Identity", "LeakyRelu", "LeakyReluGrad",
    "Less", "LessEqual", "Log", "Log1p", "LogicalAnd", "LogicalNot", "LogicalOr", "Maximum",
    "Minimum", "Mul", "MulNoNan", "Neg", "NotEqual", "RealDiv", "Relu", "Relu6", "Relu6Grad",
    "ReluGrad", "Rsqrt", "SelectV2", "Selu", "SeluGrad", "Sigmoid", "SigmoidGrad", "Softplus",
    "SoftplusGrad", "Softsign", "Sqrt", "Square", "SquaredDifference", "StopGradient", "Sub",
    "Tanh", "TanhGrad",
})  # fmt: skip
_PER_IMAGE = frozenset({
    "AvgPool", "LRN", "LRNGradKept", "MaxPool", "MaxPoolGrad", "MaxPoolGradKept",
})  # fmt: skip
_SHAPED = {"BroadcastTo": "shape", "Reshape": "shape", "AvgPoolGrad": "orig_input_shape"}


def sizes_of(x: SymbolicTensor) -> tuple[int, ...]:
    """The shape of a tensor of which it is known."""
    return known_dims(x.spec)


def _map(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """Element by element, over the axes of the result."""
    (y,) = operation.outputs
    if JOINED not in kinds or not sizes_of(y):
        return None
    for x, kind in zip(operation.given, kinds, strict=True):
        is_like = len(sizes_of(x)) == len(sizes_of(y)) and sizes_of(x)[0] == sizes_of(y)[0]
        if kind is SAME:
            if has_rows(operation, x) and not (is_like and _is_short(x)):
                return None
        elif not is_like or (kind is APART and not _is_short(x)):
            return None
    return operation.attrs


def has_rows(operation: Operation, x: SymbolicTensor) -> bool:
    """Whether an input of what goes element by element has a part for each row."""
    (y, *_), sizes = operation.outputs, sizes_of(x)
    return operation.record.name in _MAPS and len(sizes) == len(sizes_of(y)) and sizes[0] != 1


def _is_short(x: SymbolicTensor) -> bool:
    """Whether a tensor has one number for each row: to lay it behind others costs little."""
    return math.prod(sizes_of(x)) == sizes_of(x)[0]


def _per_image(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    if set(kinds) != {JOINED} or operation.attrs.get("data_format", "NHWC") != "NHWC":
        return None
    sizes = operation.attrs.get("ksize", (1,))
    return operation.attrs if sizes[0] == sizes[-1] == 1 else None


def _shaped(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """What is told a shape that begins with the rows."""
    (x,), (y,) = operation.given, operation.outputs
    key = _SHAPED[operation.record.name]
    sizes = operation.attrs.get(key)
    if list(kinds) != [JOINED] or not isinstance(sizes, tuple) or len(sizes) != len(sizes_of(y)):
        return None
    if sizes_of(x)[0] != sizes_of(y)[0] or sizes[0] not in (sizes_of(y)[0], -1):
        return None
    if operation.record.name == "BroadcastTo" and len(sizes_of(x)) != len(sizes_of(y)):
        return None
    return {**operation.attrs, key: (sizes_of(y)[0] * count, *sizes_of(y)[1:])}


def _reduction(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """Over other axes than that of the rows."""
    axes = operation.attrs.get("axis")
    if list(kinds) != [JOINED] or not isinstance(axes, tuple):
        return None
    rank = len(sizes_of(operation.given[0]))
    is_inside = all(isinstance(each, int) and each % rank != 0 for each in axes)
    return operation.attrs if axes and is_inside else None


def _axis_added(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    axis, rank = operation.attrs.get("dim"), len(sizes_of(operation.given[0]))
    if list(kinds) != [JOINED] or not isinstance(axis, int) or axis % (rank + 1) == 0:
        return None
    return operation.attrs


def _carried(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """What a dataset gave, whose parts for replicas lie one behind the other."""
    is_given = operation.given[0].op.record.name == "IteratorGetNext"
    if list(kinds) == [APART] and is_given and sizes_of(operation.outputs[0]):
        return operation.attrs
    return _map(operation, kinds, count)


def _place(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """Along another axis than that of the rows."""
    axis, rank = operation.attrs.get("dimension"), len(sizes_of(operation.given[0]))
    is_inside = isinstance(axis, int) and axis % rank != 0
    return operation.attrs if list(kinds) == [JOINED] and is_inside else None


def _labelled(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """Scores with a label for each row."""
    if kinds[0] is not JOINED or kinds[1] is SAME:
        return None
    return {**operation.attrs, "replicas": count}


def _softmax(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    is_matrix = all(len(sizes_of(x)) == 2 for x in operation.given)
    return operation.attrs if is_matrix and set(kinds) == {JOINED} else None


def _matmul(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """RowKind by one matrix."""
    if kinds[0] is SAME or kinds[1] is not SAME or operation.attrs.get("transpose_a"):
        return None
    return operation.attrs


def _convolution(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """Images by one filter."""
    return operation.attrs if kinds[0] is not SAME and kinds[1] is SAME else None


def _convolution_back(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """The gradients of images, by one filter."""
    sizes = operation.attrs.get("input_sizes")
    dims = sizes_of(operation.outputs[0])
    if kinds[0] is not SAME or kinds[1] is SAME or tuple(sizes or ()) != dims:
        return None
    return {**operation.attrs, "input_sizes": (dims[0] * count, *dims[1:])}


_RULES: Mapping[str, Rule] = {
    **dict.fromkeys(_MAPS, _map),
    **dict.fromkeys(_PER_IMAGE, _per_image),
    **dict.fromkeys(_SHAPED, _shaped),
    **dict.fromkeys(("Max", "Mean", "Min", "Sum"), _reduction),
    **dict.fromkeys(("LogSoftmax", "Softmax", "SoftmaxCrossEntropyWithLogits"), _softmax),
    **dict.fromkeys(("ArgMax", "ArgMin"), _place),
    "ExpandDims": _axis_added,
    "Identity": _carried,
    "SparseSoftmaxCrossEntropyWithLogits": _labelled,
    "MatMul": _matmul,
    "Conv2D": _convolution,
    "Conv2DBackpropInput": _convolution_back,
}
_FORMS = {"SparseSoftmaxCrossEntropyWithLogits": REPLICA_SPARSE_SOFTMAX_XENT}
#: What pays even where the rows must be copied first.
HEAVY = frozenset({"MatMul", "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"})


def joined(operation: Operation, kinds: Sequence[RowKind], count: int) -> Attrs | None:
    """The attributes with which an operation computes the rows of `count` replicas in one call, if
    it does: inputs that are not one value then are rows one behind the other. All shapes are known.
    """
    rule = _RULES.get(operation.record.name)
    if rule is None or all(kind is SAME for kind in kinds) or _has_no_rows(operation, kinds):
        return None
    return rule(operation, kinds, count)


def form_of(operation: Operation) -> Op:
    """The op that computes the rows of all in the place of an operation."""
    return _FORMS.get(operation.record.name, operation.record)


def _has_no_rows(operation: Operation, kinds: Sequence[RowKind]) -> bool:
    """Whether what moves from row to row has no axis for it, or no rows."""
    moving = [x for x, kind in zip(operation.given, kinds, strict=True) if kind is not SAME]
    firsts = {sizes_of(x)[:1] for x in (*moving, *operation.outputs)}
    return len(firsts) != 1 or not all(map(all, firsts)) or firsts == {()}


def is_sum_over_rows(operation: Operation, kinds: Sequence[RowKind]) -> bool:
    """Whether an operation on all rows gives the sum of its results of parts of them."""
    if JOINED not in kinds or SAME in kinds or not all(sizes_of(x) for x in operation.given):
        return False
    name, attrs = operation.record.name, operation.attrs
    if name == "MatMul":
        return bool(attrs.get("transpose_a")) and not attrs.get("transpose_b")
    if name == "Sum":
        axes = attrs.get("axis")
        rank = len(sizes_of(operation.given[0]))
        return isinstance(axes, tuple) and any(axis % rank == 0 for axis in axes)
    return name in ("BiasAddGrad", "Conv2DBackpropFilter")
