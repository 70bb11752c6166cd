"""Chains of element-wise operations on rows of numbers become one operation each: the arithmetic on
a number per channel that batch norm is made of, whose calls cost more than its numbers do.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ...base import dtypes
from ...base.shapes import Dims
from ...codegen.pointwise import POINTWISE, is_pointwise
from ...devices.device import HOST
from ...eager.place import Placement
from ...ops.math.fused_map import FusedMap
from ...ops.math.fused_rows import FUSED_ROWS, FusedRows, reshaped
from ...ops.math.map_steps import VIEWS, MapStep
from ...ops.op import Op
from ..representation.graph import Operation, SymbolicTensor
from .chains import Chain, ChainKind, Roots, Uses, known, made_of, with_chains
from .maps import are_maps_fused
from .prune import has_effect
from .replacing import operation_like

#: Longer rows take longer than what launching costs.
MOST_NUMBERS = 1 << 13
#: To launch machine code costs as much as so many of torch's kernels, less one.
LEAST_OPERATIONS = 3


def with_fused_rows(
    operations: list[Operation],
    placed: dict[Operation, Placement],
    results: Collection[int],
    roots: Roots,
) -> list[Operation]:
    """The same computation, with chains of operations on rows as one operation each.

    Args:
        operations: operations in an order in which they can run.
        placed: where they run; new ones are entered.
        results: ids of tensors that must get a value.
        roots: tensors whose values others have, by the ids of those others.
    """
    if not are_maps_fused():
        return operations
    kind = _ROWS._replace(least=LEAST_OPERATIONS)
    chained = with_chains(operations, placed, results, roots, kind)
    return _neighbours_joined(_joined(chained, placed), placed)


# -- rows of several layers ---------------------------------------------------------------------


def _joined(operations: list[Operation], placed: dict[Operation, Placement]) -> list[Operation]:
    """The same with rows of variables, which all are there from the beginning, in one operation
    for each program. Nothing is done so early where anything in the block changes a variable.
    """
    rows = [operation for operation in operations if operation.record is FUSED_ROWS]
    if len(rows) < 2 or any(map(has_effect, operations)):
        return operations
    makers = {id(y): operation for operation in operations for y in operation.outputs}
    groups: dict[Any, list[Operation]] = {}
    needed: dict[Operation, list[Operation]] = {}
    for operation in rows:
        sources = _sources(operation, makers)
        if sources is not None:
            needed[operation] = sources
            key = operation.attrs["rows"].program, placed[operation].device
            groups.setdefault(key, []).append(operation)
    firsts = {members[0]: members for members in groups.values() if len(members) > 1}
    # Where the first was: what all of them need, and one for all.
    made: dict[Operation, None] = {}
    gone: set[Operation] = set()
    for operation in operations:
        members = firsts.get(operation)
        if members is not None:
            made.update(dict.fromkeys(each for member in members for each in needed[member]))
            made[_one_of(members, placed)] = None
            gone.update(members)
        elif operation not in gone:
            made[operation] = None
    return list(made)


def _neighbours_joined(
    operations: list[Operation], placed: dict[Operation, Placement]
) -> list[Operation]:
    """The same with rows that follow each other, and need nothing of each other, in one operation
    for each program.
    """
    made: list[Operation] = []
    run: list[Operation] = []
    outputs: set[int] = set()

    def end() -> None:
        made.extend(_joined_run(run, placed) if len(run) > 1 else run)
        run.clear()
        outputs.clear()

    for operation in operations:
        if operation.record is not FUSED_ROWS:
            end()
            made.append(operation)
            continue
        if not outputs.isdisjoint(map(id, operation.given)):
            end()
        run.append(operation)
        outputs.update(map(id, operation.outputs))
    end()
    return made


def _joined_run(
    run: Sequence[Operation], placed: dict[Operation, Placement]
) -> Iterator[Operation]:
    """Rows that need nothing of each other, in one operation for each program."""
    groups: dict[Any, list[Operation]] = {}
    for operation in run:
        key = operation.attrs["rows"].program, placed[operation].device
        groups.setdefault(key, []).append(operation)
    for members in groups.values():
        yield members[0] if len(members) == 1 else _one_of(members, placed)


def _sources(operation: Operation, makers: Mapping[int, Operation]) -> list[Operation] | None:
    """What makes the inputs of an operation, in an order; None unless these are variables' values,
    constants and arguments of the block.
    """
    found: list[Operation] = []
    for x in operation.given:
        maker = makers.get(id(x))
        if maker is None:
            continue
        if maker.record.name != "ReadVariableOp" and (maker.given or maker.record.stateful):
            return None
        before = _sources(maker, makers)
        if before is None or maker.control:
            return None
        found += (*before, maker)
    return found


def _one_of(members: Sequence[Operation], placed: dict[Operation, Placement]) -> Operation:
    """The operation that does what several do on one row each."""
    rows = [member.attrs["rows"] for member in members]
    made = FusedRows(
        [each for row in rows for each in row.maps], [each for row in rows for each in row.shapes]
    )
    inputs = [x for member in members for x in member.given]
    outputs = [y for member in members for y in member.outputs]
    one = operation_like(FUSED_ROWS, inputs, {"rows": made}, members[0], outputs)
    placed[one] = placed[members[0]]
    return one


# -- one row ------------------------------------------------------------------------------------


def _pays(members: Sequence[Operation]) -> bool:
    """Whether a chain has enough operations that do something."""
    return len([1 for member in members if member.record.name not in VIEWS]) >= LEAST_OPERATIONS


def _fused(chain: Chain, uses: Uses) -> Operation:
    """The operation that does what a chain does."""
    members = uses.members(chain)
    inputs, given, wanted, numbers = made_of(chain, members, uses)
    steps = [
        MapStep(name, values, reshaped, {"shape": known(member.outputs[0].dims)})
        if (name := member.record.name) in VIEWS
        else MapStep(name, values, member.record.kernel, member.attrs)
        if member.attrs
        else _step(member.record, values)
        for member, values in zip(members, given, strict=True)
    ]
    sizes = [chain.shape if _row_size(x._dims) > 1 else () for x in inputs]
    fused = FusedMap(chain.shape, sizes, steps, numbers)
    rows = FusedRows([fused], [[known(y._dims) for y in wanted]])
    return operation_like(FUSED_ROWS, inputs, {"rows": rows}, members[-1], wanted)


@functools.lru_cache(maxsize=4096)
def _step(record: Op, values: tuple[int, ...]) -> MapStep:
    """A step without attributes. Chains that are alike have the same ones."""
    return MapStep(record.name, values, record.kernel, {})


def _shape_of(
    operation: Operation, placed: Mapping[Operation, Placement]
) -> tuple[int, ...] | None:
    """The shape of the rows that an operation maps; None if it is no part of a chain."""
    name, given = operation.record.name, operation.given
    if not given or len(given) != len(operation.inputs):
        return None
    y = operation.outputs[0]
    dims, dtype = y._dims, y._dtype
    size = _row_size(dims)
    if not 1 < size < MOST_NUMBERS or dtype is not dtypes.float32:
        return None
    for x in given:
        if (x._dims != dims or x._dtype is not dtype) and _numbers(x) not in (1, size):
            return None
    if operation.attrs and name not in VIEWS and not is_pointwise(name, operation.attrs):
        return None
    return (size,) if placed[operation].device.torch_device == HOST else None


def size_of_row(x: SymbolicTensor) -> int | None:
    """How many numbers a row has; None for what is none, or a longer one."""
    size = _numbers(x)
    return size if 1 < size < MOST_NUMBERS else None


def _numbers(x: SymbolicTensor) -> int:
    """How many numbers a row has, which may be a single one; -1 for what is no row."""
    return _row_size(x._dims) if x._dtype is dtypes.float32 else -1


@functools.lru_cache(maxsize=1024)
def _row_size(dims: Dims | None) -> int:
    if dims is None or None in dims or not set(dims[:-1]) <= {1}:
        return -1
    return math.prod(known(dims))


_ROWS = ChainKind(frozenset({*POINTWISE, *VIEWS}), _shape_of, _pays, _fused, LEAST_OPERATIONS)
