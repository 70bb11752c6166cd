"""The functions that programs hand to datasets: traced once, then called on raw values.

As in TensorFlow a function becomes a graph when the dataset is made, so its Python code runs once.
It is then called as a plan, on the host, without tensors around the values.
"""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ...base.dtypes import DType
from ...base.errors import InternalError, OpError, OutOfRangeError, invalid_argument
from ...base.shapes import common
from ...core.context import HOST_SCOPE, LOCAL, PROCESS
from ...core.events import tell
from ...core.tensor import Tensor, make_tensor
from ...core.tensor_spec import TensorSpec
from ...devices.device import Kind
from ...devices.inventory import INVENTORY
from ...eager.variable import Variable
from ...graph.autograph.entry import converted
from ...graph.function.lifting import creator
from ...graph.passes.prune import with_effects
from ...graph.plan.build import PlanOptions, build_plan
from ...graph.plan.plan import Plan
from ...graph.recording.func_graph import FuncGraph, around
from ...graph.representation.default_graph import as_default
from ...graph.representation.graph import Operation, SymbolicTensor
from ..elements.nesting import pack_as
from ..elements.structure import Element, Structure, spec_of, to_element
from ..iteration.node import Node, Run

_NUMBERS = itertools.count()
_MOST_PLANS = 256
# Ops that are ordered with others, or read what does not change in a pass.
# TF: a position may be saved where functions have these.
_WITHOUT_STATE = frozenset((
    "Assert", "CheckChoice_", "CheckNumerics", "CheckNumericsV2", "DatasetToSingleElement",
    "GetElementAtIndex", "HashTableV2", "LookupTableExportV2", "LookupTableFindV2",
    "LookupTableSizeV2", "MatchingFiles", "NoOp", "PrintV2", "ReadFile", "ReduceDataset",
))  # fmt: skip

Call = Callable[..., Element]


class Planned:
    """A graph as a function of raw values of the host, with a plan per shapes where it needs one.

    Args:
        graph: the graph; its `outputs` are the results.
        inputs: what it takes.
    """

    def __init__(self, graph: FuncGraph, inputs: Sequence[SymbolicTensor]) -> None:
        self.graph = graph
        self.inputs = list(inputs)
        self.dtypes = [x.dtype for x in self.inputs]
        self.effects = with_effects(graph.operations)
        self._open = [i for i, x in enumerate(self.inputs) if not x.is_fully_known]
        self._plans: dict[Any, Plan] = {}
        self._lock = threading.Lock()

    def call(self) -> Call:
        """The function. What it returns is raw too."""
        return self._by_shapes() if self._open else _raw_call(self._plan(()), self.dtypes)

    def _by_shapes(self) -> Call:
        """A call that looks up the plan for the shapes it is given."""
        calls: dict[Any, Call] = {}
        places = self._open

        def call(*values: Any) -> Element:
            key = tuple([values[i].shape for i in places])
            found = calls.get(key)
            if found is None:
                if len(calls) >= _MOST_PLANS:
                    calls.clear()
                found = calls[key] = _raw_call(self._plan(key), self.dtypes)
            return found(*values)

        return call

    def _plan(self, shapes: tuple[Any, ...]) -> Plan:
        """The plan for these shapes of the inputs whose shapes the graph does not know."""
        with self._lock:
            found = self._plans.get(shapes)
            if found is None or found.epoch is not PROCESS.epoch:
                if len(self._plans) >= _MOST_PLANS:
                    self._plans.clear()
                found = self._plans[shapes] = self._new_plan(shapes)
            return found

    def _new_plan(self, shapes: tuple[Any, ...]) -> Plan:
        host = INVENTORY.devices()[0]
        dims: list[Any] = [x.dims for x in self.inputs]
        for i, shape in zip(self._open, shapes, strict=True):
            dims[i] = tuple(shape)
        options = PlanOptions([host] * len(self.inputs), dims, HOST_SCOPE.spec)
        plan = build_plan(self.inputs, self.graph.outputs, self.effects, options)
        if PROCESS.observers:
            tell("planned", self.graph.name, plan.operations)
        return plan


class Traced(Planned):
    """A function of elements.

    Args:
        function: the program's function.
        arguments: what it is given; elements of one structure alone that are tuples are given as
            several arguments.
        who: the transformation, for errors.
    """

    def __init__(
        self, function: Callable[..., Any], arguments: Sequence[Structure], who: str
    ) -> None:
        self.function = function
        self.who = who
        self.arguments = list(arguments)
        created: list[Variable] = []
        graph = self._trace(created)
        if created:  # and the function has them by now
            graph = self._trace(None)
        self.captures = [x for x, _ in graph.captures.values()]
        super().__init__(graph, [*graph.inputs, *[inner for _, inner in graph.captures.values()]])

    def _trace(self, created: list[Variable] | None) -> FuncGraph:
        """The function as a graph. Variables that it makes are added to `created`; where that is
        None it must make none.
        """
        name = getattr(self.function, "__name__", "function").strip("<>")
        self.graph = graph = FuncGraph(
            f"__inference_{self.who}_{name}_{next(_NUMBERS)}", outer=around()
        )
        graph.make_variable_here = creator(created)
        with as_default(graph):
            self.element = self._element()
            self.structure = Structure(spec_of(self.element))
            target: Any = LOCAL.state.target
            graph.outputs = [target.taken(x) for x in self.structure.tensors(self.element)]
        return graph

    def _element(self) -> Any:
        """The element that the function returns for arguments of the graph."""
        values = []
        for structure in self.arguments:
            parts = [self.graph.argument(spec, f"args_{i}")
                     for i, spec in enumerate(structure.components)]  # fmt: skip
            values.append(structure.value(parts))
        if len(values) == 1 and type(values[0]) is tuple:
            values = list(values[0])
        result = converted(self.function, None)(*values)
        # TF: a list is what an op returned that has several results.
        return to_element(tuple(result) if isinstance(result, list) else result)

    @property
    def calls_python(self) -> bool:
        """Whether it calls Python code each time it runs."""
        return any(operation.type in ("EagerPyFunc", "PyFunc", "PyFuncStateless")
                   for operation in self.graph.operations)  # fmt: skip

    @property
    def is_stateful(self) -> bool:
        """Whether it does more than make values."""
        return bool(self.effects)

    def made_nodes(self) -> Iterator[tuple[Node, Sequence[Any]]]:
        """The nodes of the datasets that it makes, with the graph's tensors that each needs."""
        for operation in self.graph.operations:
            if "node" in operation.attrs:
                yield operation.attrs["node"], operation.attrs["symbols"]

    def outer_state(self) -> str | None:
        """The first op that reads or changes what is not in its arguments, if there is one: in
        functions that make datasets, also one of these datasets' functions.
        """
        return _outer_op(self.graph.operations)

    def caller(self, run: Run) -> Call:
        """The function, of raw values of the host; what it returns is raw too."""
        extra = [run.raw(x) for x in self.captures]
        inner = _drawing(self.call(), run.draws) if self.effects else self.call()
        if not extra:
            return inner
        return lambda *values: inner(*values, *extra)

    def called(self, call: Call, values: Iterable[Any], index: int) -> Element:
        """What a caller of this function makes of an element with this number, from 0.

        Raises:
            OpError: it failed; the error tells whose it is, and does not look like an end.
        """
        try:
            return call(*values)
        except Exception as error:
            raise self.failure(error, index) from error

    def failure(self, error: Exception, index: int) -> Exception:
        """What to tell the program when the function failed for an element.

        Args:
            error: what was raised.
            index: the number of the element, from 0.
        """
        found = self._of_plan(error)
        if not isinstance(found, OpError):
            return found
        text = (
            f"Error in user-defined function passed to {self.who} transformation, at element "
            f"{index}: {found.message}"
        )
        if isinstance(found, OutOfRangeError):  # TF: it must not look like the end
            return invalid_argument(text)
        return type(found)(found.node_def, found.op, text)

    def internal_failure(self, error: Exception) -> Exception:
        """What to tell the program when the function failed for a group, as TensorFlow tells it:
        whatever it was, an InternalError that names the function.
        """
        found = self._of_plan(error)
        if not isinstance(found, OpError):
            return found
        code = _BETWEEN_WORDS.sub("_", type(found).__name__.removesuffix("Error")).upper()
        return InternalError(
            found.node_def, found.op,
            f"Got error code {code} and message: {{\n{found.message}\n}} in the user-defined "
            f"function {self.graph.name}, passed to {self.who}.",
        )  # fmt: skip

    def _of_plan(self, error: Exception) -> Exception:
        """An error with the operation and the line that it comes from."""
        for plan in list(self._plans.values()):
            found = plan.failure(error)
            if found is not error:
                return found
        return error


_BETWEEN_WORDS = re.compile("(?<=[a-z])(?=[A-Z])")


def _outer_op(operations: Iterable[Operation]) -> str | None:
    """The first operation with a state that is elsewhere."""
    for operation in operations:
        name: str = operation.record.name
        node = operation.attrs.get("node")
        found = None if node is None else _outer_op_of_nodes(node)
        for body in operation.attrs.get("bodies", ()):
            found = found or _outer_op(body.operations)
        if operation.record.stateful and name not in _WITHOUT_STATE:
            found = found or name
        if found is not None:
            return found
    return None


def _outer_op_of_nodes(node: Any) -> str | None:
    found: str | None = node.outer_state()
    for each in node.inputs:
        found = found or _outer_op_of_nodes(each)
    return found


def _drawing(call: Call, draws: dict[Any, int]) -> Call:
    """A function whose random operations go on where `draws` says."""

    def drawn(*values: Tensor) -> Element:
        state = LOCAL.state
        around, state.draws = state.draws, draws
        try:
            return call(*values)
        finally:
            state.draws = around

    return drawn


def _raw_call(plan: Plan, dtypes: Sequence[DType]) -> Call:
    """A plan as a function of raw values of the host."""
    host = INVENTORY.devices()[0]
    if not plan.is_instrumented and all(device is host for device in plan.result_devices):
        return plan.run
    return _Instrumented(plan, [host.kind(dtype) for dtype in dtypes])


class _Instrumented:
    """A plan that takes tensors, or whose results are elsewhere."""

    def __init__(self, plan: Plan, kinds: Sequence[Kind]) -> None:
        self.plan = plan
        self.kinds = kinds

    def __call__(self, *values: Any) -> Element:
        plan, host = self.plan, INVENTORY.devices()[0]
        if not plan.is_instrumented:
            made = plan.run(*values)
        else:
            given = map(make_tensor, values, self.kinds)
            made = [x._value for x in plan.run(*given)]
        return [
            value if device is host else host.take(value, device)
            for value, device in zip(made, plan.result_devices, strict=True)
        ]


def traced(function: Callable[..., Any], arguments: list[Structure], who: str) -> Traced:
    """A function of the program, traced.

    Raises:
        ValueError: it cannot be called.
    """
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function!r} (of type "
            f"{type(function)})"
        )
    return Traced(function, arguments, f"{who}Dataset")


def check_state(before: Structure, after: Structure, who: str) -> None:
    """Raises TypeError unless a state has become one of the same kind."""
    if len(before.components) != len(after.components):
        raise invalid_argument(
            "The number of components of the initial state and the reduce function output does "
            f"not match. (initial_state={len(before.components)}, "
            f"output={len(after.components)})."
        )
    for old, new in zip(before.components, after.components, strict=True):
        if old.dtype is not new.dtype:
            raise TypeError(
                "The element types for the new state must match the initial state. Expected "
                f"{old.dtype} but got {new.dtype}."
            )


def wider_state(before: Structure, after: Structure) -> Structure | None:
    """The structure of a state that may have the shapes of both; None if it has that already."""
    leaves = []
    for (_, old), (_, new) in zip(before.leaves, after.leaves, strict=True):
        if isinstance(old, TensorSpec) and isinstance(new, TensorSpec):
            leaves.append(TensorSpec(common(old.shape.sizes, new.shape.sizes), old.dtype))
        else:
            leaves.append(old)
    found = Structure(pack_as(before.spec, leaves))
    return None if found.components == before.components else found


def traced_over_states(
    function: Callable[..., Any], state: Structure, elements: Structure, who: str
) -> tuple[Traced, Structure]:
    """A function that makes the next state of a state and an element, and what holds for all
    states: TF traces it anew while it returns wider shapes than it was traced for.
    """
    made = traced(function, [state, elements], who)
    check_state(state, made.structure, who)
    wider = wider_state(state, made.structure)
    while wider is not None:
        made, state = traced(function, [wider, elements], who), wider
        wider = wider_state(state, made.structure)
    return made, state
