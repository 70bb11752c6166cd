"""Plans: a graph as a Python function, written out and compiled.

A plan calls the kernels of operations one after the other on raw values, copies values between
devices in lines of their own, and lets each value go after its last use. The `instrumented` form of
a plan hands every operation to `run_kernel` instead, which tells observers and asks budgets; it is
written only where somebody listens or bounds.
"""

from __future__ import annotations

import builtins
import itertools
import linecache
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import OpError
from ...core.context import LOCAL, PROCESS
from ...core.events import PlacedOperation
from ...core.symbolic_value import BackedInt, SymbolicValue, symbolic_values, without_backed_ints
from ...core.tensor import EagerTensor, make_tensor
from ...core.tensor_list import TensorList, taken_list
from ...devices.device import Device, Kind
from ...devices.inventory import INVENTORY
from ...devices.memory import OutOfBudget
from ...eager.failure import fail, refused_copy
from ...eager.kernel import run_kernel
from ...eager.numerics import is_checking
from ...eager.place import Placement, Reason
from ...eager.rollback import before_write, whole
from ...eager.route import Route, is_reached
from ...eager.target import EAGER
from ...ops.array.shaping import IDENTITY
from ..passes.common_subexpressions import common_subexpressions
from ..passes.constant_folding import raw_value
from ..passes.fusion import fused
from ..passes.optimizer_steps import joined_steps, with_fused_steps
from ..passes.prune import always_holds, effects_of, has_effect, needed
from ..placement.placer import full_scope, place_graph
from ..recording.deferred import DEFERRED
from ..representation.graph import Operation, SymbolicTensor
from ..representation.operation_text import failed_text
from .splitting import functions_of

_NUMBERS = itertools.count(1)
# Ops that may write into a list that nobody else will read.
_MAY_CHANGE = frozenset({"TensorListSetItem", "TensorListWithout_"})
# What lives on the host, wherever it is used.
_NEVER_COPIED = (dtypes.resource, dtypes.string, *dtypes.QUANTIZED)


class Step:
    """One operation in a plan: where it runs, why, and by which route.

    `depth` is how many bodies of branches and loops are around it; `copies` are the inputs that
    come from other devices, with those. `names` are the inputs of its kernel in the plan, None
    where it is more than a call of a kernel.
    """

    __slots__ = ("_route", "copies", "depth", "names", "operation", "placement")

    def __init__(
        self, operation: Operation, placement: Placement, route: Route | None, depth: int
    ) -> None:
        self.operation = operation
        self.placement = placement
        self._route = route
        self.depth = depth
        self.names: list[str] | None = None
        self.copies: Sequence[tuple[SymbolicTensor, Device]] = ()

    @property
    def route(self) -> Route | None:
        """How its kernel runs; None where it is more than that. A plain plan calls the kernel
        itself, so the route is made when somebody asks.
        """
        if self._route is None and self.names is not None:
            kind = self.placement.device.kind
            self._route = _route(self, tuple([kind(x.dtype) for x in self.operation.given]))
        return self._route


def _route(step: Step, kinds: tuple[Kind, ...]) -> Route:
    operation, placement = step.operation, step.placement
    scope: Any = full_scope(placement.device) if operation.device else None
    route = Route(operation.record, placement, scope, kinds)
    route.operation = operation
    return route


class Plan:
    """A compiled plan. `run` takes a value per argument and returns the values of the results.

    Values are raw in a plain plan, tensors in an instrumented one. `result_devices` are those of
    the results. `text` is the function's source. `is_blocking` says whether an operation may wait
    for another thread. `operations` is what observers are told of an instrumented one; `called`
    tells them that it runs.
    """

    __slots__ = (
        "called", "codes", "epoch", "is_blocking", "is_instrumented", "kinds", "lines",
        "operations",
        "reservation", "result_devices", "routes", "run", "steps", "text",
    )  # fmt: skip

    def __init__(self, writer: Writer, arguments: Sequence[str], results: Sequence[str]) -> None:
        self.epoch = PROCESS.epoch
        self.is_instrumented = writer.instrumented
        self.called: Callable[[], None] | None = None
        #: What runs an instrumented plan in its plain form where there is room; see
        #: `reservation.py`.
        self.reservation: Callable[..., list[EagerTensor]] | None = None
        self.operations: list[PlacedOperation] = []
        self.steps = writer.steps
        self.lines = writer.by_line
        self.is_blocking = any(step.operation.record.is_blocking for step in writer.steps)
        self.text, self.run, self.codes = writer.compile(arguments, results)
        if writer.writes:
            self.run = whole(self.run, self.codes)
        self.result_devices: list[Device] = []
        self.kinds: list[Any] = []
        self.routes: list[Any] = []

    def __call__(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """Runs the plan on tensors.

        Raises:
            OpError: an operation failed; the error names it.
        """
        if self.is_instrumented:
            if self.reservation is not None:
                return self.reservation(self._run_instrumented, tensors)
            return self._run_instrumented(tensors)
        try:
            values = self.run(*[x._value for x in tensors])
        except Exception as error:
            raise self.failure(error) from error
        outputs = []
        for value, kind, route in zip(values, self.kinds, self.routes, strict=True):
            tensor = EagerTensor()
            tensor._value = value
            tensor._kind = kind
            tensor._origin = route
            outputs.append(tensor)
        return outputs

    def _run_instrumented(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        try:
            if self.called is not None:
                self.called()
            return [_anew(each) for each in self.run(*tensors)]
        except Exception as error:
            raise self.failure(error) from error

    def failure(self, error: Exception) -> Exception:
        """What TensorFlow would raise for the failure of an operation."""
        step, frame = self._failed(error)
        if isinstance(error, OutOfBudget) and (step is None or step.route is None):
            return refused_copy(error, "copy of a list")
        if step is None:
            return error
        found: Exception = error
        if step.route is not None and not isinstance(error, OpError):
            try:
                fail(error, step.route, self._inputs(step, frame), self._attrs(step))
            except Exception as better:
                found = better
        elif isinstance(error, OpError) and step.route is not None and not self.is_instrumented:
            try:
                fail(error, step.route, (), None)
            except Exception as better:
                found = better
        return located(found, step.operation)

    def _failed(self, error: Exception) -> tuple[Step | None, Any]:
        trace = error.__traceback__
        while trace is not None:
            if any(trace.tb_frame.f_code is code for code in self.codes):
                return self.lines.get(trace.tb_lineno), trace.tb_frame
            trace = trace.tb_next
        return None, None

    def _inputs(self, step: Step, frame: Any) -> tuple[EagerTensor, ...]:
        found = [frame.f_locals.get(name, frame.f_globals.get(name)) for name in step.names or ()]
        route = step.route
        assert route is not None
        return tuple(
            value if isinstance(value, EagerTensor) else make_tensor(value, kind)
            for value, kind in zip(found, route.in_kinds, strict=True)
        )

    def _attrs(self, step: Step) -> dict[str, Any]:
        is_symbolic = any(
            True for value in step.operation.attrs.values() for _ in symbolic_values(value)
        )
        return {} if is_symbolic else step.operation.attrs


def located(error: Exception, operation: Operation) -> Exception:
    """The same error, saying which operation failed and which line made it."""
    if not isinstance(error, OpError) or "{{node" in error.message:
        return error
    text = error.message.replace("{name}", operation.name)
    for end in (f" [Op:{operation.type}] name: ", f" [Op:{operation.type}]"):
        text = text.removesuffix(end)
    text = failed_text(operation, f"{text}\n\t [[{{{{node {operation.name}}}}}]]")
    return type(error)(operation.node_def, operation, text)


class Writer:
    """Writes the lines of a plan."""

    def __init__(self, instrumented: bool, options: Any) -> None:
        self.instrumented = instrumented
        # Whether a run that is refused memory is undone, and whether it writes into variables.
        self.undoes = self.writes = False
        self.options = options
        self.resources = options.resources
        self.placed: dict[Operation, Placement] = {}
        # In which body an operation is, as a path like TensorFlow's; operations outside have none.
        self.paths: dict[Operation, str] = {}
        self.path = ""
        self._bodies = itertools.count()
        # What need not run, because something else makes its values; and whose those are.
        self.duplicates: dict[Operation, Operation] = {}
        self.roots: dict[int, SymbolicTensor] = {}
        self.steps: list[Step] = []
        self.by_line: dict[int, Step] = {}
        self.lines: list[str] = []
        self.indent = 1
        self.space: dict[str, Any] = {"run": run_kernel, "numbers": _numbers, "truth": _truth}
        self.space |= {"raw": _raw_of, "taken": _taken_list, "before_write": before_write}
        self.space["__builtins__"] = builtins  # torch.compile looks for them here
        self.names: dict[int, str] = {}
        self.device_of: dict[int, Device] = {}
        # The names of copies, by value and then by device.
        self.copied: dict[int, dict[int, str]] = {}
        self.listed: dict[int, str] = {}
        self.left: dict[int, int] = {}
        self.keep: set[int] = set()
        # The operations of the block that was finished last.
        self.written: list[Operation] = []
        # The variables of the innermost loop that each iteration replaces.
        self.turning: set[int] = set()
        self._bound: dict[int, str] = {}
        # The names of kernels, and whether they return lists, by op, device and types of inputs.
        self._kernels: dict[tuple[int, ...], tuple[str, bool]] = {}
        self._held: list[Any] = []
        self._count = itertools.count()

    # -- names ----------------------------------------------------------------------------------

    def fresh(self, letter: str = "v") -> str:
        """A name for a value."""
        return f"{letter}{next(self._count)}"

    def bind(self, value: Any, letter: str) -> str:
        """A name for something that exists before the plan runs."""
        found = self._bound.get(id(value))
        if found is None:
            found = self._bound[id(value)] = self.fresh(letter)
            self._held.append(value)
            self.space[found] = value
        return found

    def write(self, text: str) -> None:
        """One line."""
        self.lines.append("    " * self.indent + text)

    def root(self, x: SymbolicTensor) -> SymbolicTensor:
        """The tensor whose value a tensor has."""
        return self.roots.get(id(x), x)

    def is_known(self, x: SymbolicTensor) -> bool:
        """Whether a value has a name by now."""
        return id(x) in self.names

    def argument(self, x: SymbolicTensor, device: Device) -> str:
        """A name for what the plan is given."""
        name = self.names[id(x)] = self.fresh("a")
        self.device_of[id(x)] = device
        return name

    # -- blocks ---------------------------------------------------------------------------------

    def place(self, operations: Sequence[Operation]) -> None:
        """Decides where these operations run."""
        options = self.options
        if self.path:
            self.paths.update(dict.fromkeys(operations, self.path))
        decided = options.decided
        if decided and all(operation in decided for operation in operations):
            self.placed.update((operation, decided[operation]) for operation in operations)
            return
        # An operation that has been placed asks for its device, and gets it.
        self.placed |= place_graph(
            operations, INVENTORY.devices(), options.soft or bool(decided),
            options.strict and not decided,
            options.default, self.device_of,
        )  # fmt: skip

    def body(
        self, body: Any, symbols: Sequence[SymbolicTensor | None], names: Sequence[str],
        devices: Sequence[Device], part: str,
        outputs: Sequence[SymbolicTensor | None] | None = None,
        turning: Sequence[SymbolicTensor] = (),
    ) -> list[str]:  # fmt: skip
        """The lines of a body, one step further in; returns the names of its outputs, or of those
        that are wanted. `part` says which body of which operation it is: "cond/then"; `turning`
        are the inputs of a loop's body that each iteration replaces.
        """
        outputs = body.outputs if outputs is None else outputs
        for x, name, device in zip(symbols, names, devices, strict=True):
            if x is not None:
                self.names[id(x)], self.device_of[id(x)] = name, device
        given = [x for x in symbols if x is not None]
        ends = [y.op for y in outputs if y is not None]
        operations = needed([*ends, *effects_of(body)], given)
        around = self.path
        # TF: as its inlined functions are named.
        owner = part.rsplit("/", 1)[0]
        self.path = f"{around}{part}/_{next(self._bodies)}/{owner}/"
        self.place(operations)
        before, self.turning = self.turning, {*map(id, turning)} - {*map(id, outputs)}
        self.block(operations, [y for y in outputs if y is not None])
        self.path, self.turning = around, before
        return ["None" if y is None else self.names[id(y)] for y in outputs]

    @contextmanager
    def inner(self) -> Iterator[None]:
        """A scope in which names and copies are those of an inner block, one step further in."""
        copied = {x: dict(names) for x, names in self.copied.items()}
        before = dict(self.names), copied, dict(self.listed)
        self.indent += 1
        try:
            yield
        finally:
            self.indent -= 1
            self.names, self.copied, self.listed = before

    def block(self, operations: Iterable[Operation], results: Sequence[SymbolicTensor]) -> None:
        """The lines of some operations; values are let go after their last use in the block."""
        kept, self.keep = self.keep, self.keep | {id(x) for x in results} | set(self.names)
        operations = list(operations)
        if not (PROCESS.observers or is_checking()):
            operations = self._rewritten(operations, results)
        around, self.left = self.left, self._uses(operations)
        first = len(self.lines)
        for operation in operations:
            self.step(operation)
        self.left, self.keep = around, kept
        self.written = operations
        if len(self.lines) == first and self.indent > 1:
            self.write("pass")

    def _uses(self, operations: Sequence[Operation]) -> dict[int, int]:
        """How often values are used."""
        if self.duplicates:
            operations = [operation for operation in operations if operation not in self.duplicates]
        if not self.roots:
            return Counter([id(x) for operation in operations for x in operation.inputs])
        root = self.roots.get
        return Counter([id(root(id(x), x)) for operation in operations for x in operation.inputs])

    def _rewritten(
        self, operations: list[Operation], results: Sequence[SymbolicTensor]
    ) -> list[Operation]:
        """The same in fewer or cheaper operations: for nobody who listens, or checks each."""
        operations = with_fused_steps(operations, results, self.placed)
        operations = fused(operations, self.placed, self.keep)
        found = common_subexpressions(operations, results, self.placed)
        self.duplicates |= found
        for operation, earlier in found.items():
            for y, z in zip(operation.outputs, earlier.outputs, strict=True):
                self.roots[id(y)] = z
        return joined_steps(operations, self.placed, found, self.root)

    def step(self, operation: Operation) -> None:
        """The lines of one operation."""
        original = self.duplicates.get(operation)
        if original is not None:
            for y, z in zip(operation.outputs, original.outputs, strict=True):
                if id(z) in self.names:  # else nobody uses either any more
                    self.names[id(y)], self.device_of[id(y)] = (
                        self.names[id(z)],
                        self.device_of[id(z)],
                    )
            return
        if self._is_there(operation):
            return
        emit = EMITTERS.get(operation.record.name)
        if emit is not None:
            emit(self, operation)
        elif operation.record is DEFERRED:
            self._deferred(operation)
        else:
            self._kernel(operation)
            return
        self.drop(operation, self.dying(operation))

    def _is_there(self, operation: Operation) -> bool:
        """True if all that a node makes has a value: it was fed, or it is constant."""
        record, outputs, names = operation.record, operation.outputs, self.names
        if record.name == "NoOp" or always_holds(operation):
            return True
        if not outputs:
            return False
        if id(outputs[0]) in names and all(id(y) in names for y in outputs):
            return True
        if record.is_session_resource and self.resources is not None:
            self.constant(outputs[0], self.resources(operation, self.placed[operation].device))
            return True
        if record.name in ("Placeholder", "_Arg"):
            return False
        raws = []
        for y in outputs:
            raw = raw_value(y)
            if raw is None:
                return False
            raws.append(raw)
        for y, raw in zip(outputs, raws, strict=True):
            self.constant(y, raw)
        return True

    def constant(self, y: SymbolicTensor, raw: Any) -> None:
        """A value that exists before the plan runs, on the device of its operation."""
        device = self.placed[y.op].device
        eager = y.op.attrs.get("eager") if y.op.type == "Const" else None
        if eager is not None:  # it is where it is
            device = eager._kind.device
        elif isinstance(raw, torch.Tensor) and device.type != "CPU":
            raw = self._placed_constant(raw, y, device)
        self.device_of[id(y)] = device
        if self.instrumented:
            raw = make_tensor(raw, device.kind(y.dtype)) if eager is None else eager
        self.names[id(y)] = self.bind(raw, "c")
        self.keep.add(id(y))

    def _placed_constant(
        self, raw: torch.Tensor, y: SymbolicTensor, device: Device
    ) -> torch.Tensor:
        """A constant on its device: the same one in the other form of the plan."""
        key = id(raw), id(device)
        kept = self.options.constants
        if key not in kept:
            kept[key] = raw, _placed_constant(raw, y, device)
        return kept[key][1]  # type: ignore[no-any-return]

    # -- operations -----------------------------------------------------------------------------

    def _kernel(self, operation: Operation) -> None:
        step = Step(operation, self.placed[operation], None, self.indent - 1)
        self.steps.append(step)
        device = step.placement.device
        if self.instrumented:
            step.names = self._found_names(step)
        else:
            names, sources, record = self.names, self.device_of, operation.record
            step.names = [
                names[id(x)] if (source := sources[id(x)]) is device or (
                    record.reaches and is_reached(record, device, source)
                ) else self.at(x, device, step)
                for x in operation.given
            ]  # fmt: skip
        attrs = self.arguments(operation.attrs) if operation.attrs else {}
        if operation.type in _MAY_CHANGE and self._turns(operation.given[0]):
            attrs["is_last"] = "True"
        if self.undoes:
            self._before_write(step)
        if self.instrumented:
            call, is_list = self._careful_call(step, attrs), _makes_list(operation)
        else:
            kernel, is_list = self._kernel_name(operation, device)
            given = ", ".join([*step.names, *[f"{k}={v}" for k, v in attrs.items()]])
            call = f"{kernel}({given})"
        dead = self.dying(operation)
        results = []
        for y in operation.outputs:
            # A value whose last use this is makes place for a result: the line lets it go.
            name = dead.pop(0) if dead else self.fresh()
            self.names[id(y)], self.device_of[id(y)] = name, device
            results.append(name)
        self.call(results, call, step, is_list)
        self.drop(operation, dead)

    def _kernel_name(self, operation: Operation, device: Device) -> tuple[str, bool]:
        """The name of a kernel, and whether it returns a list."""
        key = (
            id(operation.record),
            id(device),
            len(operation.outputs),
            *[id(x.dtype) for x in operation.given],
        )
        found = self._kernels.get(key)
        if found is None:
            kinds = tuple(device.kind(x.dtype) for x in operation.given)
            kernel = Route(operation.record, Placement(device, Reason.ASKED), None, kinds).kernel
            found = self._kernels[key] = self.bind(kernel, "k"), _makes_list(operation)
        return found

    def _found_names(self, step: Step) -> list[str]:
        """The names of the inputs of an operation of an instrumented plan, which copies them
        itself.
        """
        device, given = step.placement.device, step.operation.given
        sources = [self.device_of[id(x)] for x in given]
        step.copies = [
            (x, source) for x, source in zip(given, sources, strict=True)
            if source is not device and x.dtype not in _NEVER_COPIED
            and not is_reached(step.operation.record, device, source)
        ]  # fmt: skip
        kinds = tuple(source.kind(x.dtype) for x, source in zip(given, sources, strict=True))
        step._route = _route(step, kinds)
        return [self.names[id(x)] for x in given]

    def _careful_call(self, step: Step, attrs: Mapping[str, str]) -> str:
        given = f"({''.join(f'{name}, ' for name in step.names or ())})"
        packed = f"{{{', '.join(f'{k!r}: {v}' for k, v in attrs.items())}}}" if attrs else None
        return f"run({self.bind(step.route, 'r')}, {given}, {packed})"

    def _before_write(self, step: Step) -> None:
        """A line that notes the variables which an operation may change."""
        operation, names = step.operation, step.names or ()
        pairs = zip(operation.given, names, strict=True)
        handles = [name for x, name in pairs if x.dtype is dtypes.resource]
        if handles and has_effect(operation):
            self.writes = True
            self.write(f"before_write({', '.join(handles)})")

    def _turns(self, x: SymbolicTensor) -> bool:
        """Whether a loop variable gets another value after this use of it, its last."""
        return id(x) in self.turning and self.left.get(id(x)) == 1 and not self.instrumented

    def call(self, results: Sequence[str], call: str, step: Any, is_list: bool) -> None:
        """A line that calls something and names what it returns."""
        if not results:
            self.write(call)
        elif is_list:
            self.write(f"{', '.join(results)}, = {call}")
        else:
            self.write(f"{results[0]} = {call}")
        self.by_line[len(self.lines) + 1] = step  # the first line is the function's head

    def at(self, x: SymbolicTensor, device: Device, step: Step | None = None) -> str:
        """The name of a value on a device; a line that copies it there if it is elsewhere."""
        source, name = self.device_of[id(x)], self.names[id(x)]
        if source is device or x.dtype in _NEVER_COPIED:
            return name
        copies = self.copied.setdefault(id(self.root(x)), {})
        found = copies.get(id(device))
        if found is None:
            found = self.fresh("w")
            if x.dtype is dtypes.variant:
                there, here = self.bind(device, "d"), self.bind(source, "d")
                self.write(f"{found} = taken({name}, {there}, {here})")
            elif self.instrumented:
                placement = Placement(device, Reason.FOLLOWS)
                route = Route(IDENTITY, placement, None, (source.kind(x.dtype),))
                route.operation = x.op
                self.write(f"{found} = run({self.bind(route, 'r')}, ({name},), None)")
            else:
                there = self.bind(device, "d")
                self.write(f"{found} = {there}.take({name}, {self.bind(source, 'd')})")
            copies[id(device)] = found
            if step is not None:
                step.copies = [*step.copies, (x, source)]
        return found

    def absent(self, x: SymbolicTensor) -> str:
        """What stands for a value that the other branch makes; gradients ask for zeros like it."""
        if x.dtype is dtypes.variant:
            raw: Any = TensorList([])
        else:
            raw = None if x.dtype.torch is None else torch.zeros((), dtype=x.dtype.torch)
        if self.instrumented and raw is not None:
            raw = make_tensor(raw, INVENTORY.devices()[0].kind(x.dtype))
        return self.bind(raw, "c")

    def arguments(self, attrs: Mapping[str, Any]) -> dict[str, str]:
        """Attributes as expressions."""
        return {
            name: self.expression(value) for name, value in attrs.items() if name != "is_implicit"
        }

    def expression(self, value: Any) -> str:
        """An attribute as an expression, with the numbers that it waits for."""
        if isinstance(value, SymbolicValue):
            listed = self.numbers(value.tensor)
            if value.place is None:
                return listed
            if value.place == "counter":
                return f"({listed}[0] | {listed}[1] << 64)"
            return f"tuple({listed})" if value.place == "all" else f"{listed}[{value.place}]"
        if type(value) in (bool, int, type(None)):
            return repr(value)
        if type(value) is BackedInt:
            return repr(int(value))
        if type(value) in (tuple, list) and any(True for _ in symbolic_values(value)):
            inner = "".join(f"{self.expression(each)}, " for each in value)
            return f"({inner})" if type(value) is tuple else f"[{inner}]"
        return self.bind(without_backed_ints(value), "x")

    def numbers(self, x: SymbolicTensor) -> str:
        """The name of a tensor's value as Python numbers."""
        root = self.root(x)
        found = self.listed.get(id(root))
        if found is None:
            found = self.fresh("n")
            self.write(f"{found} = numbers({self.names[id(root)]})")
            self.listed[id(root)] = found
        return found

    def _deferred(self, operation: Operation) -> None:
        placement = self.placed[operation]
        step = Step(operation, placement, None, self.indent - 1)
        self.steps.append(step)
        kinds = tuple(
            (None if self.instrumented else self.device_of[id(x)].kind(x.dtype))
            for x in operation.given
        )
        scope = full_scope(placement.device)
        body = _DeferredPlan(
            operation.attrs["call"], kinds, scope, placement.device, self.instrumented
        )
        results = [self.fresh() for _ in operation.outputs]
        names = "".join(f"{self.names[id(x)]}, " for x in operation.given)
        for y, name in zip(operation.outputs, results, strict=True):
            self.names[id(y)], self.device_of[id(y)] = name, placement.device
        self.call(results, f"{self.bind(body, 'f')}({names})", step, is_list=True)

    # -- letting go -----------------------------------------------------------------------------

    def dying(self, operation: Operation) -> list[str]:
        """The names of values that nobody will use after this operation; it is asked once."""
        left, keep, names, roots = self.left, self.keep, self.names, self.roots
        dead = []
        for x in operation.inputs:
            x = roots.get(id(x), x)
            key = id(x)
            count = left[key] = left.get(key, 0) - 1
            if not count and key not in keep and key in names:
                dead += self.names_of(x)
        return dead

    def drop(self, operation: Operation, dead: Sequence[str]) -> None:
        """Lets go of values with these names, and of what nobody wanted of an operation's."""
        for y in operation.outputs:
            if not self.left.get(id(y)) and id(y) not in self.keep and id(y) in self.names:
                dead = [*dead, *self.names_of(y)]
        if dead:
            self.write(f"del {', '.join(dict.fromkeys(dead))}")

    def names_of(self, x: SymbolicTensor) -> list[str]:
        """The names of a value that ends, and of its copies."""
        key = id(x)
        copies = self.copied.pop(key, None)
        return [self.names.pop(key), *copies.values()] if copies else [self.names.pop(key)]

    # -- the function ---------------------------------------------------------------------------

    def compile(
        self, arguments: Sequence[str], results: Sequence[str]
    ) -> tuple[str, Callable[..., Any], tuple[CodeType, ...]]:
        """The text of the function, the function, and the code that has its lines."""
        head = f"def plan({', '.join(arguments)}):"
        end = f"    return [{', '.join(results)}]"
        lines = [head, *self.lines, end]
        text = "\n".join([*lines, ""])
        file = f"<plan {next(_NUMBERS)}>"
        function, codes = functions_of(lines, arguments, self.space, file)
        _keep_lines(file, text, function)
        return text, function, codes


def _keep_lines(file: str, text: str, function: Callable[..., Any]) -> None:
    """Lets tracebacks show the lines of a plan, for as long as there is its function."""
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    weakref.finalize(function, linecache.cache.pop, file, None).atexit = False


# How operations that are more than a call of a kernel are written; `control.py` enters its own.
EMITTERS: dict[str, Any] = {}


def _makes_list(operation: Operation) -> bool:
    return len(operation.outputs) > 1 or any(arg.is_list for arg in operation.record.outputs)


def _anew(tensor: EagerTensor) -> EagerTensor:
    """A result of an instrumented plan as a tensor of its own: it may be an argument, a constant,
    or a result before it, and tapes tell tensors by their identity.
    """
    return make_tensor(tensor._value, tensor._kind, tensor._origin)


def _numbers(value: Any) -> Any:
    """A value as Python numbers."""
    return value._value.tolist() if isinstance(value, EagerTensor) else value.tolist()


def _taken_list(value: Any, device: Device, source: Device) -> Any:
    """A list on another device, raw or as a tensor."""
    if not isinstance(value, EagerTensor):
        return taken_list(value, device, source)
    made = taken_list(value._value, device, source)
    return make_tensor(made, device.kind(dtypes.variant))


def _raw_of(tensor: Any) -> Any:
    """The raw value of a tensor of an instrumented plan."""
    return None if tensor is None else tensor._value


def _truth(value: Any) -> bool:
    """A value as a condition."""
    if isinstance(value, EagerTensor):
        return bool(value)
    if isinstance(value, np.ndarray):
        return bool(value.reshape(-1)[0]) if value.size else False
    return bool(value) if value.numel() else False


class _SoftPlacement:
    """Soft placement of the process while deferred calls run, of several threads at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before: bool | None = None

    def enter(self) -> None:
        """One more runs."""
        with self._lock:
            if not self._count:
                self._before, PROCESS.soft_placement = PROCESS.soft_placement, True
            self._count += 1

    def leave(self) -> None:
        """One less; the last one puts back what was."""
        with self._lock:
            self._count -= 1
            if not self._count:
                PROCESS.soft_placement = self._before


_SOFT = _SoftPlacement()


class _DeferredPlan:
    """A deferred call in a plan: the function runs eagerly on what is there."""

    def __init__(
        self, call: Any, kinds: Any, scope: Any, device: Device, instrumented: bool
    ) -> None:
        self.call = call
        self.kinds = kinds
        self.scope = scope
        self.device = device
        self.instrumented = instrumented

    def __call__(self, *values: Any) -> list[Any]:
        tensors = values if self.instrumented else [
            make_tensor(value, kind) for value, kind in zip(values, self.kinds, strict=True)
        ]  # fmt: skip
        state = LOCAL.state
        before = state.target, state.scope, state.tapes
        state.target, state.scope, state.tapes = EAGER, self.scope, ()
        _SOFT.enter()
        try:
            made = self.call.flat(list(tensors))
            return made if self.instrumented else [self._here(each) for each in made]
        finally:
            state.target, state.scope, state.tapes = before
            _SOFT.leave()

    def _here(self, made: EagerTensor) -> Any:
        value, source = made._value, made._kind.device
        if source is self.device or not isinstance(value, torch.Tensor):
            return value
        return self.device.take(value, source)


def _placed_constant(raw: torch.Tensor, y: SymbolicTensor, device: Device) -> torch.Tensor:
    """A constant on the device of its operation.

    Raises:
        ResourceExhaustedError: it is larger than what is left of the device's budget.
    """
    source = INVENTORY.devices()[0]
    if device.budget is None:
        return device.take(raw, source)
    try:
        made: torch.Tensor = device.budget.allocate(raw, lambda: device.take(raw, source), "Const")
    except OutOfBudget as refusal:
        raise located(refused_copy(refusal, y.op.type), y.op) from None
    return made


def needs_instrumentation(devices: Iterable[Device]) -> bool:
    """True where kernels must go through `run_kernel`: somebody listens, or a device bounds."""
    if PROCESS.observers:
        return True
    return any(device.budget is not None or device.stream is not None for device in devices)
