"""The graph of a function: arguments, what it takes from outside, results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import EllipsisType
from typing import Any

from ...base import dtypes
from ...base.shapes import TensorShape
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...ops.infer import Spec
from ..representation.elsewhere import out_of_scope
from ..representation.graph import Graph, Operation, SymbolicTensor
from ..representation.ops import ARG, CONST
from .default import global_graph
from .deferred import constant_of


class FuncGraph(Graph):
    """A graph that stands for a function of its `inputs`.

    Values that exist already are constants of it. `captures` are the tensors of the graphs around
    it that it reads: what they are outside, and what stands for them here. `is_shared` says whether
    it may be the body of several operations.

    Args:
        name: its name.
        collections: lists by name that it begins with, as `Graph.get_collection` tells them.
        capture_by_value: not served: what is read of the graph around it is captured as it is.
        structured_input_signature: kept for the program.
        structured_outputs: kept for the program.
        outer: the graph around it, None for none. If it is not told, it is the one that takes ops
            now, and tensors of all other functions are captured too: a program that makes a graph
            by hand looks at it and does not run it, as Keras 2 does to learn shapes.

    Raises:
        NotImplementedError: `capture_by_value` is asked for.
    """

    is_function = True
    is_shared = False
    #: Whether it is the gradient of a function that eager mode calls.
    is_of_gradient = False
    #: What errors call a branch: "true_fn", "branch 2".
    role = ""

    def __init__(
        self,
        name: str,
        collections: dict[str, Any] | None = None,
        capture_by_value: bool | None = None,
        structured_input_signature: object = None,
        structured_outputs: object = None,
        *,
        outer: Graph | EllipsisType | None = ...,
    ) -> None:
        super().__init__()
        if capture_by_value:
            raise NotImplementedError(
                "FuncGraph(capture_by_value=True) is not served. Hand the values over as arguments."
            )
        self.name = name
        self.structured_input_signature = structured_input_signature
        self.structured_outputs = structured_outputs
        for key, values in (collections or {}).items():
            for value in values:
                self.add_to_collection(key, value)
        self._is_by_hand = isinstance(outer, EllipsisType)
        self.outer = around() if isinstance(outer, EllipsisType) else outer
        self.inputs: list[SymbolicTensor] = []
        self.outputs: list[Any] = []
        self.captures: dict[int, tuple[Any, SymbolicTensor]] = {}
        self.constants: dict[int, tuple[EagerTensor, SymbolicTensor]] = {}
        self.given: dict[int, Any] = {}
        #: What runs though no result needs it; None: whatever has an effect.
        self.awaited: list[Operation] | None = None
        #: Operations outside that must have run before this graph does.
        self.waits_for: list[Operation] = []
        #: What stands for the variables among the arguments while the function is traced.
        self.variable_arguments: list[Any] = []
        self.make_variable_here: Any = None

    @property
    def outer_graph(self) -> Any:
        """The graph around it: what was the default when the function was traced."""
        return global_graph() if self.outer is None else self.outer

    @property
    def is_below_eager(self) -> bool:  # type: ignore[override]
        """Whether no session's graph is around it."""
        return self.outer is None or self.outer.is_below_eager

    @property
    def runs_all(self) -> bool:  # type: ignore[override]
        """Whether all effects happen. TF: in a session's branches and loops only what results
        need, as in its graph itself.
        """
        return self.awaited is None

    def argument(self, spec: Spec, name: str = "arg") -> SymbolicTensor:
        """A new argument."""
        attrs = {"dtype": spec.dtype, "shape": TensorShape(spec.dims)}
        made = self.add(ARG, (), attrs, (spec,), self.names.unique(name) + "/").outputs[0]
        self.inputs.append(made)
        return made

    @contextmanager
    def called_with(self, tensors: Sequence[Any]) -> Iterator[None]:
        """A scope in which first values of variables may be computed of the arguments of this call,
        which are forgotten then.
        """
        values = [x for x in self.inputs if x.dtype is not dtypes.resource]
        given = [x for x in tensors if x is None or x.dtype is not dtypes.resource]
        self.given = {
            id(x): each for x, each in zip(values, given, strict=True) if each is not None
        }
        try:
            yield
        finally:
            self.given = {}

    def capture(self, x: Any) -> SymbolicTensor:
        """What stands here for a tensor from outside.

        Raises:
            TypeError: it is of a graph that is not around this one.
        """
        if isinstance(x, EagerTensor):
            if id(x) not in self.constants:
                self.constants[id(x)] = x, self._unscoped(constant_of, x)
            _tell_tapes(*self.constants[id(x)])
            return self.constants[id(x)][1]
        found = self.captures.get(id(x))
        if found is None:
            if not self._may_capture(x):
                raise out_of_scope(x, self)
            inner = self._unscoped(captured, x)
            inner.handle_data = x.handle_data
            found = self.captures[id(x)] = x, inner
        _tell_tapes(*found)
        return found[1]

    def stand_in_for(self, x: Any) -> SymbolicTensor | None:
        """What stands here by now for a tensor from outside."""
        pairs: dict[int, Any] = self.constants if isinstance(x, EagerTensor) else self.captures
        pair = pairs.get(id(x))
        return None if pair is None else pair[1]

    def _may_capture(self, x: Any) -> bool:
        if self._is_by_hand and x.graph.is_function:
            return not is_around(self, x.graph)
        return is_around(x.graph, self.outer)

    def _own(self, control_inputs: list[Operation]) -> list[Operation]:
        """Those of this graph; whatever runs it waits for the others, a branch not taken too."""
        self.wait_for([each for each in control_inputs if each.graph is not self])
        return [each for each in control_inputs if each.graph is self]

    def wait_for(self, outside: Iterable[Operation]) -> None:
        """Lets whatever runs this graph wait for operations around it."""
        self.waits_for = list(dict.fromkeys([*self.waits_for, *outside]))

    def _unscoped(self, make: Callable[..., Any], x: object) -> SymbolicTensor:
        """Captures ask for no device and wait for nothing, wherever they are first used."""
        state = LOCAL.state
        scope, control, colocated = state.scope, self._control, self._colocated
        state.scope, self._control, self._colocated = None, [], ()
        try:
            return make(self, x)  # type: ignore[no-any-return]
        finally:
            state.scope, self._control, self._colocated = scope, control, colocated

    def make_variable(self, kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Makes a variable while the function is traced.

        Args:
            kind: the class of the variable.
            args: its positional arguments.
            kwargs: its arguments by name.
        """
        graph: Any = self
        while graph.make_variable_here is None:
            if graph.outer is None:
                raise ValueError("A variable cannot be made here.")
            graph = graph.outer
            if not graph.is_function:
                return graph.make_variable(kind, args, kwargs)
        return graph.make_variable_here(kind, args, kwargs)

    def problems(self) -> Iterator[str]:
        """What does not hold of this graph, a sentence each."""
        yield from super().problems()
        for x in (*self.inputs, *self.outputs, *[y for _, y in self.captures.values()]):
            if x is not None and x.graph is not self:
                yield f"{x!r} is an argument or result of another graph"


def around() -> Graph | None:
    """The graph that takes ops now."""
    target: Any = LOCAL.state.target
    return None if target.is_eager else target.graph


def _tell_tapes(outside: Tensor, inside: SymbolicTensor) -> None:
    """Tells the tapes that record now what stands for a tensor: one from outside may know that."""
    for tape in LOCAL.state.tapes:
        tape.record_capture(outside, inside)


def captured(graph: Graph, x: SymbolicTensor) -> SymbolicTensor:
    """What stands in a graph for a tensor from around it."""
    attrs = {"dtype": x.dtype, "shape": TensorShape(x.dims)}
    return graph.add(ARG, (), attrs, (x.spec,), "captured").outputs[0]


def same_constant(graph: Graph, x: SymbolicTensor) -> SymbolicTensor:
    """A constant of another graph once more."""
    return graph.add(CONST, (), x.op.attrs, (x.spec,), "Const").outputs[0]


def is_around(graph: Graph, inner: Graph | None) -> bool:
    """Whether a graph is `inner` or around it."""
    while inner is not None:
        if inner is graph:
            return True
        inner = getattr(inner, "outer", None)
    return False
