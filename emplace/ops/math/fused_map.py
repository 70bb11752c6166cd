"""Several element-wise ops, sums of what they make over all but the last axis, and what their rows
come to, in one pass over memory: what a plan makes of a chain of them (`graph/passes/maps.py`).

On the host it is machine code, after some calls, where torch's kernels would write and read every
value in between. Until then, and where machine code cannot be made, the same ops run one by one.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ...base import dtypes
from ...codegen.program import Program
from ...codegen.rows import RowTables, is_shared, run_tables, tables_of
from ...codegen.worth import DoneOtherwise
from ...devices.device import HOST
from ..infer import Spec
from ..op import op
from .choices import CHOICES
from .map_program import MapProgram, map_program
from .map_steps import TOTAL, WHOLE, MapStep, is_fixed

# To compile takes as long as torch's kernels need for some passes over so many numbers.
NUMBERS_BEFORE = 1 << 20
_DONE = DoneOtherwise()  # numbers, by program: maps of the same sizes have the same one
# So many numbers are an iteration at most: each value of it stays in a processor's cache.
_NUMBERS_AT_ONCE = 1 << 12
# The sums of so many rows are added up one after the other, where one thread goes through all: to
# call torch for it takes as long as some thousand numbers. Of more, sums would lose digits.
MOST_SUMMED = 1 << 10
_LEAST_ROWS = 4
_REQUIRES_GRAD = operator.attrgetter("requires_grad")
#: Ops for which torch passes over memory several times: one of them alone is worth a map.
COSTLY = frozenset({
    "Softmax", "_Gelu", "_GeluGrad", "_GeluByTanh", "_GeluByTanhGrad",
    *(each.name for each in CHOICES.values()),
})  # fmt: skip


class FusedMap:
    """The ops, and what is wanted of them.

    Args:
        shape: the shape of all values but sums.
        inputs: the shapes of the inputs.
        steps: the ops, in an order in which they can run.
        outputs: which values are wanted.
        dying: inputs of this shape whose memory nobody reads afterwards: machine code may write
            results there.
    """

    def __init__(
        self, shape: tuple[int, ...], inputs: Sequence[tuple[int, ...]], steps: Sequence[MapStep],
        outputs: Sequence[int], dying: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.shape = shape
        self.inputs = tuple(inputs)
        self.steps = tuple(steps)
        self.outputs = tuple(outputs)
        self._dying = dying
        #: The machine code, the gaps between rows of inputs that it is for, and where its results
        #: go: one tuple, for threads may make it at once.
        self._ready: tuple[RowTables, dict[int, int], _Lying] | None = None
        self._is_possible = True

    @functools.cached_property
    def lying(self) -> _Lying:
        """How inputs lie, and where results go: for machine code, which few maps of a plan become
        before it runs for the first time.
        """
        return _Lying(self.shape, self.inputs, self.steps, self.outputs, self._dying)

    @functools.cached_property
    def _ends(self) -> list[list[int]]:
        """For each step, the values that nobody needs after it."""
        last = {i: place for place, step in enumerate(self.steps) for i in step.given}
        ends: list[list[int]] = [[] for _ in self.steps]
        for i, place in last.items():
            if i not in self.outputs:
                ends[place].append(i)
        return ends

    def __repr__(self) -> str:
        return f"<map of {len(self.steps)} ops: {', '.join(step.name for step in self.steps)}>"

    # -- the two ways to run --------------------------------------------------------------------

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The wanted values."""
        if torch.compiler.is_compiling() or not self._is_possible:
            return self.by_torch(tensors)
        if self._ready is None:
            self._ready = self._prepared(self._gaps_of(tensors))
        # Loops in C: what Python does between large products is slow.
        if self._ready is None or any(map(_REQUIRES_GRAD, tensors)):
            return self.by_torch(tensors)
        tables, gaps, lying = self._ready
        if not gaps:
            return self._by_machine_code(tables, lying, [*map(torch.Tensor.contiguous, tensors)])
        if self._gaps_of(tensors) != gaps:  # those of before were laid out otherwise
            return self.by_torch(tensors)
        given = [x if i in gaps else x.contiguous() for i, x in enumerate(tensors)]
        return self._by_machine_code(tables, lying, given)

    def by_torch(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The wanted values, by torch's kernels, op by op."""
        values: list[Any] = list(tensors)
        for step, ends in zip(self.steps, self._ends, strict=True):
            values.append(step.kernel(*[values[i] for i in step.given], **step.attrs))
            for i in ends:
                values[i] = None
        return [values[i] for i in self.outputs]

    def _gaps_of(self, tensors: Sequence[torch.Tensor]) -> dict[int, int]:
        """For inputs that are columns of something wider: how many numbers further a row begins.
        Those whose memory a result takes over are copied instead: it has no gaps.
        """
        lying = self.lying
        return {
            i: tensors[i].stride(-2)
            for i in lying.moving
            if lying.layouts[i] == "full"
            and not tensors[i].is_contiguous()
            and i not in lying.taken
            and _are_columns(tensors[i])
        }

    def _by_machine_code(
        self, tables: RowTables, lying: _Lying, tensors: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        made = [
            self._memory_of(step, tables.is_whole) if taken is None else tensors[taken]
            for taken, step in lying.results
        ]
        # What iterations add up apart lies in one memory, and is added up in one call.
        parts, places = None, itertools.count()
        if lying.sums and not tables.is_whole:
            size = lying.sums, tables.iterations, self.shape[-1]
            parts = torch.empty(size, dtype=torch.float32, device=HOST)
            places = itertools.count(parts.data_ptr(), 4 * size[1] * size[2])
        starts = [tensors[i].data_ptr() for i in lying.moving]
        starts += [next(places) if x is None else x.data_ptr() for x in made]
        run_tables(tables, [tensors[i].data_ptr() for i in lying.fixed], starts)
        totals = iter(() if parts is None else parts.sum(1).unbind())
        results = [next(totals) if x is None else x for x in made]
        return [
            self._sum_of(x, step) if step.gives is TOTAL else x
            for x, (_, step) in zip(results, lying.results, strict=True)
        ]

    def _memory_of(self, step: MapStep, is_whole: bool) -> torch.Tensor | None:
        """Memory for what a step gives; None for sums of which each iteration has its own part.
        Whatever torch's defaults are: machine code writes float32 into the host's memory.
        """
        if step.gives is not TOTAL:
            return torch.empty(step.dims or self.shape, dtype=torch.float32, device=HOST)
        return torch.empty(self.shape[-1], dtype=torch.float32, device=HOST) if is_whole else None

    def _sum_of(self, total: torch.Tensor, step: MapStep) -> torch.Tensor:
        """What a step is to give of the sums of all rows."""
        if step.name == "Mean":
            total /= math.prod(self.shape[:-1])
        if step.attrs.get("keep_dims"):
            return total.view((1,) * (len(self.shape) - 1) + self.shape[-1:])
        return total

    # -- the program ----------------------------------------------------------------------------

    def _prepared(self, gaps: dict[int, int]) -> tuple[RowTables, dict[int, int], _Lying] | None:
        """The machine code, where its iterations find their numbers, the gaps that it is for, and
        where its results go; None if there is none, or not yet.
        """
        lying = self.lying
        rows, columns = math.prod(self.shape[:-1]), self.shape[-1]
        in_block = math.prod(self.shape[1:-1])
        count = _rows_at_once(in_block if "block" in lying.layouts else rows, columns)
        if count is None:
            self._is_possible = False
            return None
        program = self.program(count, columns, gaps=gaps)
        if _DONE.add(math.prod(self.shape) * len(self.steps), program) < NUMBERS_BEFORE:
            return None
        whole = count * columns, 1
        further = {"full": whole, "column": (count, 1), "block": (columns, in_block // count)}
        steps = [
            (count * gaps[i], 1) if i in gaps else further[lying.layouts[i]] for i in lying.moving
        ]
        is_alone = rows <= MOST_SUMMED and not is_shared(rows * columns)
        of_gives = {WHOLE: whole, TOTAL: (0 if is_alone else columns, 1)}
        steps += [of_gives.get(step.gives, (count, 1)) for _, step in lying.stored]
        tables = tables_of(program, rows // count, steps)
        self._is_possible = tables is not None
        return None if tables is None else (tables, gaps, lying)

    def program(
        self, rows: int, columns: int, are_fixed: bool = True, gaps: Mapping[int, int] | None = None
    ) -> Program:
        """What an iteration on so many rows and columns does, as `MapProgram` says."""
        lying = self.lying
        made = map_program(lying.layouts, lying.outlines, self.outputs, columns)
        return made(rows, are_fixed, gaps)


class _Lying:
    """How the inputs of a map lie, and where its results go. The arguments are the map's.

    `layouts` are those of inputs, `outlines` those of the ops; `fixed` are the inputs that are the
    same in all iterations of machine code, `moving` the others. `stored` are the wanted values,
    with the steps that make them. `takes` says by places among these which input's memory each
    takes over: every place is read before it is written, and nothing else is read afterwards;
    `taken` are those inputs. `results` has for each wanted value that input or None, and its step;
    `sums` is how many sums of all rows there are.
    """

    __slots__ = (
        "fixed", "layouts", "moving", "outlines", "results", "stored", "sums", "taken", "takes",
    )  # fmt: skip

    def __init__(
        self, shape: tuple[int, ...], inputs: Sequence[tuple[int, ...]], steps: Sequence[MapStep],
        outputs: Sequence[int], dying: Sequence[int],
    ) -> None:  # fmt: skip
        self.layouts = tuple(layout(dims, shape) for dims in inputs)
        self.stored = [(i, steps[i - len(inputs)]) for i in outputs]
        self.outlines = tuple([step.outline for step in steps])
        self.takes: dict[int, int] = {}
        if dying:
            program = map_program(self.layouts, self.outlines, tuple(outputs), shape[-1])
            self.takes = self._takes(program, dying)
        self.taken = frozenset(self.takes.values())
        self.results = [(self.takes.get(i), step) for i, (_, step) in enumerate(self.stored)]
        self.sums = sum(step.gives is TOTAL for _, step in self.stored)
        self.fixed = [i for i, kind in enumerate(self.layouts) if is_fixed(kind)]
        self.moving = [i for i, kind in enumerate(self.layouts) if not is_fixed(kind)]

    def _takes(self, program: MapProgram, dying: Sequence[int]) -> dict[int, int]:
        """For results that are as large, an input each that nobody reads afterwards."""
        found, left = {}, list(dying)
        for i, (_, step) in enumerate(self.stored):
            if step.gives is WHOLE:
                taken = next((x for x in left if program.may_take(i, x)), None)
                if taken is not None:
                    found[i] = taken
                    left.remove(taken)
        return found


def layout(dims: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """How a tensor of these sizes lies beside one of a shape: "full"; "row", a number per column;
    "column", a number per row; "one", a single number; "block", a row of numbers per place along
    the first axis; or "" for what maps do not know.
    """
    if dims == shape:
        return "full"
    if math.prod(dims) == 1:
        return "one"
    own = dims[next(i for i, size in enumerate(dims) if size != 1) :]
    if own == shape[-1:]:
        return "row"
    if dims == (*shape[:-1], 1):
        return "column"
    return "block" if dims == (shape[0], *[1] * (len(shape) - 2), shape[-1]) else ""


def _are_columns(x: torch.Tensor) -> bool:
    """Whether a tensor is the first columns of rows that lie one after the other, or others."""
    sizes, steps = x.shape, x.stride()
    return (
        steps[-1] == 1
        and steps[-2] >= sizes[-1]
        and all(steps[axis] == steps[axis + 1] * sizes[axis + 1] for axis in range(len(sizes) - 2))
    )


def _rows_at_once(rows: int, columns: int) -> int | None:
    """How many rows an iteration has: as many as stay in a cache and divide all of them."""
    most = max(_LEAST_ROWS, _NUMBERS_AT_ONCE // columns)
    found = next(count for count in range(min(rows, most), 0, -1) if rows % count == 0)
    return found if found >= min(rows, _LEAST_ROWS) else None


def fused_map_kernel(*inputs: torch.Tensor, map: FusedMap) -> list[torch.Tensor]:
    """The wanted values of a map."""
    return map(inputs)


def _spec(*inputs: Spec, map: FusedMap) -> list[Spec]:
    found = []
    for i in map.outputs:
        step = map.steps[i - len(map.inputs)]
        dims = step.dims or map.shape
        if step.gives is TOTAL:
            ones = (1,) * (len(dims) - 1) if step.attrs.get("keep_dims") else ()
            dims = (*ones, dims[-1])
        found.append(Spec(dims, dtypes.float32))
    return found


FUSED_MAP = op(
    "_FusedMap", "inputs: N * T -> outputs: N * T", fused_map_kernel, _spec, is_listed=False,
    T=(dtypes.float32,),
)  # fmt: skip
