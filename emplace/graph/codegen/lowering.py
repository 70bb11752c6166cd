"""An iteration of a loop as a program for machine code, for given shapes.

Operations on single places of tensors become maps, several in one pass over memory where their
shapes allow; products become calls of BLAS; splits and concatenations become views.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from ...codegen.pointwise import is_pointwise
from ...codegen.program import MapInstruction, Memory, ProductInstruction, Program, View
from ...core.symbolic_value import SymbolicValue, symbolic_values
from ...ops.op import kernel_of
from ..passes.constant_folding import raw_value
from ..representation.graph import Operation, SymbolicTensor
from .loop_values import (
    ArgumentSource,
    CarriedSource,
    ConstantSource,
    CounterSource,
    ElementSource,
    EmptiedListResult,
    IndexSource,
    ListGradientResult,
    ListItemSource,
    ListResult,
    ListSource,
    NumberSource,
    Result,
    Shape,
    Source,
    StateResult,
    StoredResult,
    VariableSource,
    WrittenListResult,
)
from .lowered import (
    ALIASES,
    LISTS,
    MOVES,
    ONE_ITEM,
    PRODUCTS,
    SUMS,
    Lowered,
    Only,
    Pending,
    Same,
    Value,
)
from .maps import LoweredTensor, OpenMap, Unfit, broadcast, count, dense, stretched
from .views import part, reshaped, sliced


class LoopLowering:
    """Lowers a body.

    Args:
        sources: what the tensors that the body is given are, by id.
        shapes: of arguments that are tensors, of the elements of those that are lists, and of the
            values of variables; None for what is none of these.
    """

    def __init__(
        self, sources: Mapping[int, Source], shapes: Sequence[Shape | None],
        roots: Mapping[int, SymbolicTensor],
    ) -> None:  # fmt: skip
        self.sources = sources
        self.shapes = shapes
        self.roots = roots
        self.values: dict[int, Value] = {}
        self.instructions: list[MapInstruction | ProductInstruction] = []
        self.fixed: list[Source] = []
        self.each: list[Source | None] = []
        self.constants: dict[int, torch.Tensor] = {}
        self.scratch = 0
        self.emptied: set[int] = set()
        # Tensors that somebody takes after the iteration, so that each iteration needs memory for
        # them.
        self.lasting: set[int] = set()
        self.lasting_views: dict[Memory, View] = {}
        # The shapes of memories per iteration, by their rows in the table.
        self.made: dict[int, Shape] = {}
        # Memories that are more than one tensor's.
        self.shared: set[Memory] = set()
        self.takers: dict[int, int] = {}
        self.map: OpenMap | None = None

    # -- the whole body -------------------------------------------------------------------------

    def lower(
        self, operations: Sequence[Operation], variables: Sequence[SymbolicTensor],
        results: Sequence[SymbolicTensor], collected: Sequence[SymbolicTensor],
    ) -> Lowered:  # fmt: skip
        """The program of a body.

        Args:
            operations: its operations, in an order in which they can run.
            variables: the tensors that are the loop variables in the body, in order.
            results: their next values.
            collected: what is kept of each iteration.

        Raises:
            Unfit: it cannot be one.
        """
        operations = [operation for operation in operations if not self._is_known(operation)]
        for x in [*results, *collected, *[x for operation in operations for x in operation.given]]:
            self.takers[id(self.root(x))] = self.takers.get(id(self.root(x)), 0) + 1
        items = [
            operation.given[-1]
            for operation in operations
            if operation.record.name in ("TensorListSetItem", ONE_ITEM)
        ]
        self.lasting = {id(self.root(x)) for x in [*collected, *items]}
        self.emptied = {
            id(self.root(operation.given[0]))
            for operation in operations
            if operation.record.name == "TensorListWithout_"
        }
        for operation in operations:
            self._step(operation)
        self._flush()
        keepers = tuple(self._keep(x) for x in collected)
        before = [self._before(x) for x in variables]
        for y in results:
            self._part_from_states(y)
        after = tuple(map(self._turn, variables, results, before))
        program = Program(
            tuple(self.instructions), len(self.fixed), len(self.each), self.scratch,
            has_starts=True,
        )  # fmt: skip
        return Lowered(
            program, tuple(self.fixed), tuple(self.each), after, keepers, self.constants, self.made
        )

    def root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        return self.roots.get(id(x), x)

    def _is_known(self, operation: Operation) -> bool:
        """Whether a node makes nothing: it stands for what is given, or for a constant."""
        return bool(operation.outputs) and all(
            id(y) in self.sources or raw_value(y) is not None for y in operation.outputs
        )

    def _before(self, x: SymbolicTensor) -> LoweredTensor | Source:
        found = self.value(x)
        return found if isinstance(found, LoweredTensor) else self.sources[id(x)]

    def _part_from_states(self, y: SymbolicTensor) -> None:
        """Takes a copy of a loop variable, or of a part of one, which its own next value will
        overwrite.
        """
        found = self.value(y)
        if isinstance(found, LoweredTensor) and self._is_state(found.view.memory):
            view = self._own(found.shape)
            self._copy(found, view, found.shape)
            self.values[id(self.root(y))] = LoweredTensor(view, found.shape)

    def _is_state(self, memory: Memory) -> bool:
        return memory.kind == "fixed" and isinstance(self.fixed[memory.place], CarriedSource)

    def _turn(self, x: SymbolicTensor, y: SymbolicTensor, before: LoweredTensor | Source) -> Result:
        """The end of an iteration for a loop variable."""
        if isinstance(before, LoweredTensor):
            self._copy(self.tensor(y), before.view, before.shape)
            return StateResult(before.view.memory.place)
        found = self.value(y)
        if isinstance(found, ListResult) and found.source == before:
            self._check_reads(found)
            return found
        if self.root(y) is x:
            return before
        raise Unfit(f"{y.op.record.name} as a list")

    def _check_reads(self, changed: ListResult) -> None:
        """Elements are read from the list as it was before the loop: an iteration must not ask for
        what an earlier one changed, except that what was taken out is zeros.
        """
        reads = [
            x for x in self.each if isinstance(x, ListItemSource) and x.source == changed.source
        ]
        if any(
            not isinstance(changed, EmptiedListResult) or item.at != changed.at for item in reads
        ):
            raise Unfit("a list that rounds change and read")

    def _keep(self, x: SymbolicTensor) -> Result:
        """Where a value of each iteration is found afterwards."""
        found = self.value(x)
        if isinstance(found, LoweredTensor):
            source = found.source
            if source is not None and not _changes(source):
                return source
            return self._lasts(x)
        if isinstance(found, (CounterSource, ElementSource)):
            return found
        raise Unfit(f"{x.op.record.name} kept")

    # -- memory ---------------------------------------------------------------------------------

    def _fixed(self, source: Source, shape: Shape) -> LoweredTensor:
        self.fixed.append(source)
        return LoweredTensor(dense(Memory("fixed", len(self.fixed) - 1), shape), shape, source)

    def _each(self, source: Source | None, shape: Shape) -> LoweredTensor:
        self.each.append(source)
        return LoweredTensor(dense(Memory("each", len(self.each) - 1), shape), shape, source)

    def _per_iteration(self, shape: Shape) -> View:
        view = self._each(None, shape).view
        self.lasting_views[view.memory] = view
        self.made[view.memory.place] = shape
        return view

    def _own(self, shape: Shape) -> View:
        place = self.scratch
        self.scratch += -(-count(shape) // 16) * 16
        return dense(Memory("scratch", place), shape)

    # -- values ---------------------------------------------------------------------------------

    def value(self, x: SymbolicTensor) -> Value:
        """What is known of a tensor."""
        x = self.root(x)
        found = self.values.get(id(x))
        if found is None:
            found = self.values[id(x)] = self._find(x)
        return found

    def _find(self, x: SymbolicTensor) -> Value:
        source = self.sources.get(id(x))
        if source is None:
            raw = raw_value(x)
            if isinstance(raw, torch.Tensor):
                return self._constant(x, raw)
            raise Unfit(f"{x.op.record.name} from elsewhere")
        shape = (
            self.shapes[source.place]
            if isinstance(source, (ArgumentSource, CarriedSource, ElementSource))
            else None
        )
        if shape is None or x.dtype.torch is not torch.float32:
            return source
        if isinstance(source, ElementSource):
            return self._each(source, shape)
        return self._fixed(source, shape)

    def _constant(self, x: SymbolicTensor, raw: torch.Tensor) -> Value:
        if raw.dtype is not torch.float32:
            if raw.ndim == 0 and raw.dtype in (torch.int32, torch.int64):
                return NumberSource(int(raw))
            raise Unfit(f"a constant of {raw.dtype}")
        if raw.numel() == 1:
            return Same(float(raw), tuple(raw.shape))
        self.constants[id(x)] = raw.contiguous()
        return self._fixed(ConstantSource(id(x)), tuple(raw.shape))

    def tensor(self, x: SymbolicTensor) -> LoweredTensor:
        """A tensor with its values in memory."""
        found = self.value(x)
        if isinstance(found, Pending):
            self._flush()
            found = self.value(x)
        if isinstance(found, Same):
            view = self._own(found.shape)
            rows, columns = view.rows, view.columns
            self.instructions.append(
                MapInstruction(rows, columns, (), (found.value,), (), ((0, view),))
            )
            found = self.values[id(self.root(x))] = LoweredTensor(view, found.shape)
        if not isinstance(found, LoweredTensor):
            raise Unfit(f"{x.op.record.name} as numbers")
        if self.map is not None and found.view.memory in self.map.changed:
            self._flush()
        return found

    def _copy(self, source: LoweredTensor, to: View, shape: Shape) -> None:
        if source.shape != shape:
            raise Unfit(f"{source.shape} for {shape}")
        self.instructions.append(
            MapInstruction(to.rows, to.columns, (source.view,), (), (), ((0, to),))
        )

    # -- operations -----------------------------------------------------------------------------

    def _step(self, operation: Operation) -> None:
        kind = operation.record.name
        if kind in ALIASES:
            self._same(operation.given[0], operation.outputs[0])
        elif is_pointwise(kind, operation.attrs):
            is_list = any(isinstance(self.value(x), Only) for x in operation.given)
            (self._add_lists if is_list else self._pointwise)(operation)
        elif kind in PRODUCTS:
            self._product(operation)
        elif kind in LISTS:
            source = self.value(operation.given[0])
            if not isinstance(source, ListSource):
                raise Unfit("a list that changes twice")
            getattr(self, LISTS[kind])(operation, source)
        elif kind == ONE_ITEM:
            self._only(operation)
        elif kind in MOVES:
            getattr(self, MOVES[kind])(operation)
        elif kind in SUMS:
            self._sum_of_rows(operation)
        elif kind == "ReadVariableOp":
            self._read(operation)
        else:
            raise Unfit(kind)

    def _same(self, x: SymbolicTensor, y: SymbolicTensor) -> None:
        """One tensor's value for another."""
        found = self.values[id(y)] = self.value(x)
        if isinstance(found, Pending):
            self._flush()
            found = self.values[id(y)] = self.value(x)
        if isinstance(found, LoweredTensor):
            self.shared.add(found.view.memory)

    def _read(self, operation: Operation) -> None:
        source = self.value(operation.given[0])
        shape = self.shapes[source.place] if isinstance(source, ArgumentSource) else None
        if not isinstance(source, ArgumentSource) or shape is None:
            raise Unfit("a variable")
        (y,) = operation.outputs
        if y.dtype.torch is not torch.float32:
            raise Unfit(y.dtype.name)
        self.values[id(y)] = self._fixed(VariableSource(source.place), shape)

    def _pointwise(self, operation: Operation) -> None:
        (y,) = operation.outputs
        if y.dtype.torch is not torch.float32:
            raise Unfit(f"{operation.record.name} of {y.dtype.name}")
        values = [self.value(x) for x in operation.given]
        if not all(isinstance(value, (LoweredTensor, Pending, Same)) for value in values):
            raise Unfit(operation.record.name)
        shape = broadcast([value.shape for value in values])  # type: ignore[union-attr]
        if self.map is None or self.map.shape != shape or any(
            isinstance(value, LoweredTensor) and value.view.memory in self.map.changed
            for value in values
        ):  # fmt: skip
            self._flush()
            self.map = OpenMap(shape)
        operands = []
        for x in operation.given:
            value = self.value(x)
            if isinstance(value, LoweredTensor):
                operands.append(self.map.load(stretched(value, shape)))
            elif isinstance(value, Same):
                operands.append(self.map.constant(value.value))
            else:
                assert isinstance(value, Pending)
                operands.append(value.place)
        for x in operation.given:
            self.map.takes(id(self.root(x)))
        self.values[id(y)] = Pending(self.map.step(operation.record.name, operands, y), shape)

    def _flush(self) -> None:
        """Ends the map that is being made; what others will take of it goes to memory."""
        made, self.map = self.map, None
        if made is None:
            return
        stores = list(made.stores)
        for place, y in made.made.items():
            if self.takers.get(id(y), 0) > made.taken.get(id(y), 0):
                view = self._destination(y, made.shape)
                stores.append((place, view))
                self.values[id(y)] = LoweredTensor(view, made.shape)
        if stores:
            self.instructions.append(made.finished(stores))

    def _destination(self, y: SymbolicTensor, shape: Shape) -> View:
        """Memory for a value: that of its iteration if it is kept."""
        return self._per_iteration(shape) if id(y) in self.lasting else self._own(shape)

    def _product(self, operation: Operation) -> None:
        a, b = self.tensor(operation.given[0]), self.tensor(operation.given[1])
        attrs = operation.attrs
        if len(a.shape) != 2 or len(b.shape) != 2:
            raise Unfit("a product")
        by_columns, turned = bool(attrs.get("transpose_a")), bool(attrs.get("transpose_b"))
        m, k = a.shape[::-1] if by_columns else a.shape
        other, n = b.shape[::-1] if turned else b.shape
        if k != other or 0 in (m, n, k) or {a.view.column_step, b.view.column_step} != {1}:
            raise Unfit("a product")
        shape = (m, n)
        (y,) = operation.outputs
        with_sum = operation.record.name == "_FusedMatMul"
        view = (
            self._sum_begun(operation.given[2], y, shape)
            if with_sum
            else self._destination(y, shape)
        )
        self.instructions.append(
            ProductInstruction(a.view, b.view, view, by_columns, turned, with_sum)
        )
        if attrs.get("relu"):
            zero = (("Relu", (0,)),)
            self.instructions.append(MapInstruction(m, n, (view,), (), zero, ((1, view),)))
        self.values[id(y)] = LoweredTensor(view, shape)

    def _sum_begun(self, x: SymbolicTensor, y: SymbolicTensor, shape: Shape) -> View:
        """The memory of a sum that has its first summand already: that one's, if nobody else
        takes it.
        """
        added = self.tensor(x)
        view = stretched(added, shape)
        memory = added.view.memory
        is_own = memory.kind == "scratch" and memory not in self.shared and view.is_dense
        last_here = self.takers[id(self.root(x))] == 1 and id(y) not in self.lasting
        if is_own and last_here:
            return view
        destination = self._destination(y, shape)
        self.instructions.append(
            MapInstruction(
                destination.rows, destination.columns, (view,), (), (), ((0, destination),)
            )
        )
        return destination

    def _sum_of_rows(self, operation: Operation) -> None:
        x = self.tensor(operation.given[0])
        axes = operation.attrs.get("axis", (0,)) if operation.record.name == "Sum" else (0,)
        is_plain = operation.given == operation.inputs and not operation.attrs.get("keep_dims")
        is_by_rows = operation.attrs.get("data_format", "NHWC") == "NHWC" and len(x.shape) == 2
        if not is_plain or not is_by_rows or not np.array_equal(np.ravel(axes), [0]):
            raise Unfit("a sum")
        (y,) = operation.outputs
        shape = x.shape[1:]
        destination = self._destination(y, shape)
        total = destination._replace(rows=x.shape[0], row_step=0)
        self.instructions += [
            MapInstruction(1, destination.columns, (), (0.0,), (), ((0, destination),)),
            MapInstruction(
                x.view.rows, x.view.columns, (total, x.view), (), (("Add", (0, 1)),), ((2, total),)
            ),
        ]
        self.values[id(y)] = LoweredTensor(destination, shape)

    # -- parts and shapes -----------------------------------------------------------------------

    def _is(self, y: SymbolicTensor, x: LoweredTensor) -> None:
        """A tensor that shares the memory of another."""
        self.shared.add(x.view.memory)
        self.values[id(y)] = x

    def _split(self, operation: Operation) -> None:
        whole, axis = self.tensor(operation.given[0]), operation.attrs["axis"]
        parts = len(operation.outputs)
        sizes = operation.attrs.get("size_splits")
        if sizes is None and isinstance(axis, int):
            sizes = [whole.shape[axis] // parts] * parts
        begin = 0
        for y, size in zip(operation.outputs, sizes or (), strict=True):
            if not isinstance(size, int):
                raise Unfit("a split")
            self._is(y, part(whole, axis, begin, size))
            begin += size

    def _slice(self, operation: Operation) -> None:
        self._is(
            operation.outputs[0], sliced(self.tensor(operation.given[0]), operation.attrs["key"])
        )

    def _slice_grad(self, operation: Operation) -> None:
        (y,), dims = operation.outputs, operation.attrs["dims"]
        if not all(isinstance(size, int) for size in dims):
            raise Unfit("a gradient of unknown shape")
        destination = self._destination(y, tuple(dims))
        self.instructions.append(
            MapInstruction(
                destination.rows, destination.columns, (), (0.0,), (), ((0, destination),)
            )
        )
        whole = LoweredTensor(destination, tuple(dims))
        found = sliced(whole, operation.attrs["key"])
        if found.shape != self._shape(operation.given[0]):
            raise Unfit("a gradient that is spread")
        self._put(operation.given[0], found.view)
        self.values[id(y)] = whole

    def _reshape(self, operation: Operation) -> None:
        x = self.tensor(operation.given[0])
        if any(True for value in operation.attrs.values() for _ in symbolic_values(value)):
            raise Unfit("a shape that is computed")
        like = torch.empty(x.shape, device="meta")
        made = kernel_of(operation.record, [operation.given[0].dtype])(like, **operation.attrs)
        self._is(operation.outputs[0], reshaped(x, tuple(made.shape)))

    def _shape(self, x: SymbolicTensor) -> Shape:
        found = self.value(x)
        if not isinstance(found, (LoweredTensor, Pending, Same)):
            raise Unfit(f"{x.op.record.name} as numbers")
        return found.shape

    def _concat(self, operation: Operation) -> None:
        shapes, axis = [self._shape(x) for x in operation.given], operation.attrs["axis"]
        if not isinstance(axis, int) or not shapes[0]:
            raise Unfit("a concatenation")
        axis %= len(shapes[0])
        others = {(*shape[:axis], *shape[axis + 1 :]) for shape in shapes}
        if len(others) != 1:
            raise Unfit("a concatenation")
        (y,) = operation.outputs
        size = sum(shape[axis] for shape in shapes)
        shape = (*shapes[0][:axis], size, *shapes[0][axis + 1 :])
        whole = LoweredTensor(self._destination(y, shape), shape)
        begin = 0
        for x, each in zip(operation.given, shapes, strict=True):
            self._put(x, part(whole, axis, begin, each[axis]).view)
            begin += each[axis]
        self.values[id(y)] = whole

    def _put(self, x: SymbolicTensor, to: View) -> None:
        """Stores a value in a place."""
        found = self.value(x)
        if isinstance(found, Pending):
            assert self.map is not None
            self.map.store(found.place, to)
            self.map.takes(id(self.root(x)))
            return
        source = self.tensor(x)
        self._copy(source, to, source.shape)

    # -- lists ----------------------------------------------------------------------------------

    def _index(self, value: Any) -> IndexSource:
        if isinstance(value, int):
            return NumberSource(value)
        if isinstance(value, SymbolicValue) and value.place is None:
            found = self.value(value.tensor)
            if isinstance(found, IndexSource):
                return found
        raise Unfit("an index that is computed")

    def _get(self, operation: Operation, source: ListSource) -> None:
        shape = self.shapes[source.place]
        (y,) = operation.outputs
        if shape is None or y.dtype.torch is not torch.float32:
            raise Unfit("a list without known elements")
        is_gradient = bool(operation.attrs.get("is_gradient"))
        once = id(self.root(operation.given[0])) in self.emptied
        index = self._index(operation.attrs["index"])
        self.values[id(y)] = self._each(ListItemSource(source, index, is_gradient, once), shape)

    def _set(self, operation: Operation, source: ListSource) -> None:
        if not isinstance(source, CarriedSource) or operation.attrs.get(
            "resize_if_index_out_of_bounds"
        ):
            raise Unfit("a list that grows")
        at = self._index(operation.attrs["index"])
        self.values[id(operation.outputs[0])] = WrittenListResult(
            source, at, self._lasts(operation.given[-1])
        )

    def _empty(self, operation: Operation, source: ListSource) -> None:
        places = [self._index(each) for each in operation.attrs["indices"]]
        if not isinstance(source, CarriedSource) or len(places) != 1:
            raise Unfit("a list that loses several elements")
        self.values[id(operation.outputs[0])] = EmptiedListResult(source, places[0])

    def _only(self, operation: Operation) -> None:
        at = self._index(operation.attrs["index"])
        self.values[id(operation.outputs[0])] = Only(at, self._lasts(operation.given[0]))

    def _add_lists(self, operation: Operation) -> None:
        """A loop variable that is a list, and one element."""
        both = [self.value(x) for x in operation.given]
        only = [each for each in both if isinstance(each, Only)]
        lists = [each for each in both if isinstance(each, CarriedSource)]
        if len(both) != 2 or len(only) != 1 or len(lists) != 1:
            raise Unfit("a sum of lists")
        self.values[id(operation.outputs[0])] = ListGradientResult(
            lists[0], only[0].at, only[0].made
        )

    def _lasts(self, item: SymbolicTensor) -> StoredResult:
        """Each iteration's value of a tensor, for after the loop."""
        found = self.tensor(item)
        view = found.view
        if view != self.lasting_views.get(view.memory):
            view = self._per_iteration(found.shape)
            self._copy(found, view, found.shape)
        if self.made[view.memory.place] != found.shape:
            raise Unfit("one memory of two shapes")
        return StoredResult(view.memory.place)


def _changes(source: Source) -> bool:
    """Whether what a source gives is not there as it is after the loop."""
    return isinstance(source, CarriedSource) or (
        isinstance(source, ListItemSource) and source.is_gradient
    )
