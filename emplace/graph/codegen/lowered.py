"""What can be lowered, what its values are meanwhile, and what a lowered loop is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import torch

from ...codegen.pointwise import POINTWISE
from ...codegen.program import Program
from .loop_values import (
    IndexSource,
    ListResult,
    Result,
    Shape,
    Source,
    StoredResult,
)
from .maps import LoweredTensor

PRODUCTS = ("MatMul", "_FusedMatMul")
LISTS = {
    "TensorListGetItem": "_get", "TensorListSetItem": "_set", "TensorListWithout_": "_empty",
}  # fmt: skip
ONE_ITEM = "TensorListOneItem_"
MOVES = {
    "Split": "_split", "SplitV": "_split", "ConcatV2": "_concat", "StridedSlice": "_slice",
    "StridedSliceGrad": "_slice_grad", "Reshape": "_reshape", "Squeeze": "_reshape",
    "ExpandDims": "_reshape",
}  # fmt: skip
SUMS = ("Sum", "BiasAddGrad")
ALIASES = ("Identity", "StopGradient")
# What a body may consist of to be worth a try.
OPERATIONS = frozenset({
    *POINTWISE, *PRODUCTS, *LISTS, ONE_ITEM, *MOVES, *SUMS, *ALIASES, "Const",
    "ReadVariableOp", "Placeholder", "_Arg",
})  # fmt: skip


class Lowered(NamedTuple):
    """A program, where its memories come from, and where its results are. `made` has the shapes of
    what lies in a memory per iteration, by rows of the table.
    """

    program: Program
    fixed: tuple[Source, ...]
    each: tuple[Source | None, ...]
    variables: tuple[Result, ...]
    kept: tuple[Result, ...]
    constants: Mapping[int, torch.Tensor]
    made: Mapping[int, Shape]


class Pending(NamedTuple):
    """A value of the map that is being made."""

    place: int
    shape: Shape


class Only(NamedTuple):
    """The gradient of a list of which one element was read."""

    at: IndexSource
    made: StoredResult


class Same(NamedTuple):
    """The same number everywhere."""

    value: float
    shape: Shape


Value = LoweredTensor | Pending | Same | Source | Only | ListResult
