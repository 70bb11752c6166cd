"""Element-wise ops on rows of some hundred numbers each, all in one call: what a plan makes of the
arithmetic of batch norm on a number per channel, of all layers (`graph/passes/small_maps.py`).

There calls cost more than numbers do. As machine code all rows are one call, whose iterations are
on a few numbers each, so that layers of different widths share one program.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

import numpy as np
import torch

from ...base import dtypes
from ...codegen.code import Loop
from ...codegen.program import Program
from ...codegen.rows import loop_of
from ...codegen.team import packed
from ...codegen.worth import DoneOtherwise
from ...devices.device import HOST
from ..infer import Spec
from ..op import op
from .fused_map import FusedMap

# To compile takes as long as torch needs for some hundred rows.
ROWS_BEFORE = 100
_DONE = DoneOtherwise()  # rows, by program
# So many numbers are an iteration, or else a whole row.
_NUMBERS_AT_ONCE = (16, 8)


class FusedRows:
    """The ops, and what is wanted of them.

    Args:
        maps: the ops on each row; they have one program.
        shapes: for each row, the shapes of what is wanted.
    """

    def __init__(
        self, maps: Sequence[FusedMap], shapes: Sequence[Sequence[tuple[int, ...]]]
    ) -> None:
        self.maps = tuple(maps)
        self.shapes = tuple(map(tuple, shapes))
        self._is_possible = True
        self._given, self._made = len(maps[0].inputs), len(maps[0].outputs)
        #: The machine code, and where it finds its numbers: one tuple, for threads may make it at
        #: once.
        self._ready: tuple[Loop, _Addresses] | None = None

    @functools.cached_property
    def program(self) -> Program:
        """What an iteration does; rows of different sizes may have one program."""
        return self.maps[0].program(1, _at_once(self.maps[0]), are_fixed=False)

    def __repr__(self) -> str:
        return f"<{len(self.maps)} x {self.maps[0]}>"

    def __call__(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The wanted values, row by row."""
        if torch.compiler.is_compiling() or any(x.requires_grad for x in tensors):
            return self._by_torch(tensors)
        if self._ready is None:
            self._ready = self._prepared() if self._is_possible else None
            if self._ready is None:
                return self._by_torch(tensors)
        return self._by_machine_code(*self._ready, [x.contiguous() for x in tensors])

    def _by_torch(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        made: list[torch.Tensor] = []
        for i, each in enumerate(self.maps):
            made += each.by_torch(tensors[i * self._given : (i + 1) * self._given])
        return made

    def _by_machine_code(
        self, loop: Loop, addresses: _Addresses, tensors: Sequence[torch.Tensor]
    ) -> list[torch.Tensor]:
        whole = torch.empty(addresses.total, dtype=torch.float32, device=HOST)
        begin = whole.data_ptr()
        if len(self.maps) == 1:  # as a training step has it, layer by layer
            starts = [x.data_ptr() for x in tensors]
            starts += [begin + start for start in addresses.starts_alone]
            loop(addresses.iterations, 0, packed(starts), 0)
            if self._made == 1:
                ((dims,),) = self.shapes
                return [whole if len(dims) == 1 else whole.view(dims)]
        else:
            given = np.array([x.data_ptr() for x in tensors], np.int64).reshape(-1, self._given)
            rows = np.concatenate([given, begin + addresses.starts], axis=1)
            table = rows.T[:, addresses.row_of] + addresses.offsets
            loop(addresses.iterations, 0, table.ctypes.data, 0)
        shapes = itertools.chain.from_iterable(self.shapes)
        return [
            y if len(dims) == 1 else y.view(dims)
            for y, dims in zip(whole.split_with_sizes(addresses.sizes), shapes, strict=True)
        ]

    def _prepared(self) -> tuple[Loop, _Addresses] | None:
        """The machine code and its addresses; None if there is none, or not yet."""
        if _DONE.add(len(self.maps), self.program) <= ROWS_BEFORE:
            return None
        program = self.program
        if len(self.maps) == 1:  # which finds its numbers by steps, not by a table
            steps = [_at_once(self.maps[0]) if dims else 0 for dims in self.maps[0].inputs]
            steps += [_at_once(self.maps[0])] * self._made
            program = program._replace(steps=tuple((step, 1) for step in steps))
        loop = loop_of(program)
        self._is_possible = loop is not None
        return None if loop is None else (loop, _Addresses(self.maps))


class _Addresses:
    """Where machine code finds the numbers of some rows.

    Args:
        maps: the ops on each row; they have one program.
    """

    def __init__(self, maps: Sequence[FusedMap]) -> None:
        at_once, made = _at_once(maps[0]), len(maps[0].outputs)
        counts = [each.shape[0] // at_once for each in maps]
        self.iterations = sum(counts)
        #: By iteration: the row that it is on, and how many bytes it begins after the row's start,
        #: for inputs and results that are rows and for those that are one number.
        self.row_of = np.repeat(np.arange(len(maps)), counts)
        places = np.concatenate([np.arange(count, dtype=np.int64) for count in counts])
        moves = np.array([[bool(dims)] for dims in maps[0].inputs] + [[True]] * made)
        self.offsets = moves * (4 * at_once * places)
        # Where the results are in the memory that they share.
        self.sizes = [each.shape[0] for each in maps for _ in range(made)]
        starts = [0, *itertools.accumulate(self.sizes)]
        self.total = starts.pop()
        self.starts = 4 * np.array(starts, np.int64).reshape(len(maps), made)
        self.starts_alone = self.starts[0].tolist()


def _at_once(map: FusedMap) -> int:
    """How many numbers of a row are an iteration."""
    size = map.shape[0]
    return next((each for each in _NUMBERS_AT_ONCE if size % each == 0), size)


def reshaped(x: torch.Tensor, *, shape: tuple[int, ...]) -> torch.Tensor:
    """The same numbers in another shape: what views are in a row."""
    return x.reshape(shape)


def fused_rows_kernel(*inputs: torch.Tensor, rows: FusedRows) -> list[torch.Tensor]:
    """The wanted values of all rows."""
    return rows(inputs)


def _spec(*inputs: Spec, rows: FusedRows) -> list[Spec]:
    return [Spec(dims, dtypes.float32) for shapes in rows.shapes for dims in shapes]


FUSED_ROWS = op(
    "_FusedRows", "inputs: N * T -> outputs: N * T", fused_rows_kernel, _spec, is_listed=False,
    T=(dtypes.float32,),
)  # fmt: skip
