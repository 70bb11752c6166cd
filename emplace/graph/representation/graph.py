"""A graph: operations in the order in which the program made them, and their tensors.

`Graph.add` is the only way in. What an operation is, is its op's record; where it runs and what
it reads is decided later, by `placer.py` and `plan.py`.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ...base.late_binding import LateBinding
from ...base.typing import DTypeLike, TensorLike
from ...core.context import LOCAL, DeviceFunctionScope, DeviceScope, Scope, device_of
from ...core.places import place_here
from ...core.symbolic_value import BackedInt, specialise_on
from ...core.tensor import EagerTensor, Tensor
from ...ops.infer import Spec
from ...ops.op import Op
from .default_graph import as_default
from .device_scopes import GraphDeviceScope, scopes_of
from .elements import Collections, Elements
from .elsewhere import of_another_graph
from .lint import bodies_of, problems_of, refuse

# Who asks for a graph asks for its operations and tensors as well.
from .operation import (
    Operation as Operation,
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
    SymbolicTensor as SymbolicTensor,
    attribute_tensors as attribute_tensors,
)

_VERSIONS = itertools.count(1)


class OpenScopes:
    """The scopes of a graph that say what operations wait for, and with what they are colocated."""

    def __init__(self, control: list[Operation], colocated: tuple[Operation, ...]) -> None:
        self.control = control
        self.colocated = colocated


class ThreadScopes(threading.local):
    """The same, of each thread. They begin in each as they were when the graph changed to them."""

    def __init__(self, control: list[Operation], colocated: tuple[Operation, ...]) -> None:
        self.control = control
        self.colocated = colocated


class Graph(Elements, Collections):
    """Operations and the names of their tensors (`tf.Graph`)."""

    is_function = False
    #: Whether it is the graph of a function, or in one, that is called in eager mode.
    is_below_eager = False
    #: Whether the device scope around a body is that of its operations, too.
    keeps_scope = False
    #: Whether what has an effect runs though nothing needs it.
    runs_all = False
    #: TF 1's loops and branches, of which there are none; libraries look for XLA's among them.
    _control_flow_context = None

    def _get_control_flow_context(self) -> None:
        """Returns None, as `_control_flow_context`."""

    def __init__(self) -> None:
        Elements.__init__(self)
        Collections.__init__(self)
        self.lock = threading.RLock()
        self.version = next(_VERSIONS)
        #: A text that no other graph has: by it Keras 2 knows for which graph it made a variable.
        self._graph_key = f"graph-key-{self.version}/"
        self._open_scopes: OpenScopes | ThreadScopes = OpenScopes([], ())
        #: Operations whose gradient goes by another name, and their record under that name.
        self._gradient_types: dict[Operation, Op] = {}
        self._gradient_scopes: list[tuple[int, dict[str, str]]] = []  # the open ones: from where on
        # What replicas made together, and what its gradient is within each: see `Meeting`.
        self.meetings: list[Any] = []
        #: Tensors that the graph was made with the values of: a session cannot feed them.
        self.specialised_on: dict[int, SymbolicTensor] = {}
        self.seed: int | None = None
        #: How many operations have drawn a seed of the graph's; None where they are not its own.
        self.seeds_drawn: int | None = 0
        #: Of a function: the device scope around its tracing, which its operations do not see.
        self.scope_around: Scope | None = None

    # -- making nodes ---------------------------------------------------------------------------

    def add(
        self,
        record: Op,
        inputs: Sequence[SymbolicTensor],
        attrs: dict[str, Any],
        specs: Sequence[Spec],
        name: str | None = None,
        attribute_inputs: int = 0,
    ) -> Operation:
        """Adds a new operation.

        Args:
            record: its op.
            inputs: its inputs, lists laid flat, then the tensors of `SymbolicValue` attributes.
            attrs: attributes and host arguments.
            specs: shape and dtype of each output.
            name: its name, if the caller knows better than the program's call.
            attribute_inputs: how many of the inputs only attributes wait for.

        Raises:
            RuntimeError: the graph is finalized.
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        scope = LOCAL.state.scope
        operation = Operation(
            self, record, inputs, attrs, specs, scope.name if scope else "", attribute_inputs
        )
        with self.lock:
            self._colocate(operation)
            operation.control = [awaited for awaited in self._control if awaited is not operation]
            operation.place = place_here(self.names.scope)
            self._name(operation, name)
            if scope is not None and scope.chain is not None and not self._colocated:
                operation.device = device_of(operation, scope)
            operation.id = len(self.operations)
            self.operations.append(operation)
            if operation.is_named:
                self._by_name[operation.name] = operation
            self.version = next(_VERSIONS)
        return operation

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Any],
        dtypes: Sequence[DTypeLike] | None = None,
        input_types: Sequence[DTypeLike] | None = None,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op_def: object = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Adds an operation by the name of its op (`tf.Graph.create_op`).

        Args:
            op_type: TensorFlow's name of the op, as in `tf.raw_ops`.
            inputs: its tensors, lists laid flat.
            dtypes: types of the outputs, which the op knows.
            input_types: types of the inputs, which these know.
            name: the operation's name.
            attrs: attributes by name: Python's values or `AttrValue`s.
            op_def: not needed.
            compute_shapes, compute_device: not needed.

        Raises:
            RuntimeError: TensorFlow has no such op, or the graph is finalized.
            TypeError: an input is no tensor.

        >>> import emplace.tensorflow as tf
        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     x = tf.constant([1.0])
        >>> graph.create_op("Neg", [x], name="negative").name
        'negative'
        """
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        return CREATED.call(self, op_type, inputs, name, attrs or {})

    def refused(
        self,
        record: Op,
        inputs: Sequence[SymbolicTensor],
        attrs: dict[str, Any],
        attribute_inputs: int,
    ) -> Operation:
        """Makes an operation that has a name and is not added, for the error that says why.

        Args:
            record: its op.
            inputs: its inputs.
            attrs: its attributes.
            attribute_inputs: how many of the inputs only attributes wait for.
        """
        operation = Operation(self, record, inputs, attrs, (), "", attribute_inputs)
        with self.lock:
            self._name(operation, None)
        return operation

    def _colocate(self, operation: Operation) -> None:
        if not self._colocated:
            return
        if operation.type == "ReadVariableOp" and operation.inputs[0].op not in self._colocated:
            operation.device = ""  # a variable is read where it is
        else:
            groups = [group for each in self._colocated for group in each.colocation_groups()]
            operation.groups = tuple(dict.fromkeys(group.decode() for group in groups))
            operation.device = self._colocated[-1].device

    def capture(self, x: TensorLike) -> SymbolicTensor:
        """What stands here for a tensor that is not of this graph: nothing does.

        Raises:
            ValueError: it is a tensor of another graph.
            RuntimeError: it is a value of eager mode.
        """
        if isinstance(x, SymbolicTensor):
            raise of_another_graph(x, self)
        raise RuntimeError(  # TF: the first sentence
            "Attempting to capture an EagerTensor without building a function. A session's graph "
            "has no values of eager mode: make the tensor or the variable while the graph is the "
            "default one, or give its value, `x.numpy()`."
        )

    def number_of(self, number: BackedInt) -> Any:
        """What an attribute here holds for a number of a tensor that another graph has told."""
        specialise_on(number.tensor)
        return int(number)

    def number_behind(self, tensor: SymbolicTensor) -> Any:
        """The known value of a tensor of this graph that an op wants as plain numbers, or None."""
        return tensor.static_value()

    def make_variable(self, kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Makes a variable while this graph takes ops; its values live in sessions.

        Args:
            kind: the class of the variable.
            args: its positional arguments.
            kwargs: its arguments by name.
        """
        return NEW_VARIABLE.call(kind, args, kwargs)

    @property
    def target(self) -> Any:
        """What takes ops for this graph."""
        found = self.__dict__.get("_target")
        if found is None:
            found = self.__dict__["_target"] = NEW_TARGET.call(self)
        return found

    # -- scopes ---------------------------------------------------------------------------------

    @property
    def _control(self) -> list[Operation]:
        """What new operations run after."""
        return self._open_scopes.control

    @_control.setter
    def _control(self, control: list[Operation]) -> None:
        self._open_scopes.control = control

    @property
    def _colocated(self) -> tuple[Operation, ...]:
        """What new operations are colocated with."""
        return self._open_scopes.colocated

    @_colocated.setter
    def _colocated(self, colocated: tuple[Operation, ...]) -> None:
        self._open_scopes.colocated = colocated

    def switch_to_thread_local(self) -> None:
        """From now on each thread that builds this graph has scopes of control dependencies and
        colocation of its own, which begin as those that are open now. Scopes of devices and names
        always are.
        """
        if isinstance(self._open_scopes, OpenScopes):
            self._open_scopes = ThreadScopes(list(self._control), self._colocated)

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A scope in which ops are added to this graph."""
        with as_default(self):
            try:
                yield self
            finally:
                if getattr(LOCAL.state.target, "graph", self) is not self:
                    raise AssertionError(
                        f"Nesting violated for default stack of {type(self)} objects"
                    )

    @contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """A scope in which nodes run after all of `control_inputs`; None lifts those around."""
        before = self._control
        if control_inputs is None:
            self._control = []
        else:
            # What was computed before a function is traced needs no waiting for, nor do variables
            # from outside: a function changes them in the order of the program.
            awaited = [
                each for each in control_inputs
                if not (self.is_function and _is_from_outside(each, self.runs_all))
            ]  # fmt: skip
            added = self._own([self.as_operation(each) for each in awaited])
            self._control = list(dict.fromkeys([*before, *added]))
        try:
            yield
        finally:
            self._control = before

    def _own(self, control_inputs: list[Operation]) -> list[Operation]:
        """Those that an operation here can wait for."""
        return control_inputs

    def device(self, device_name_or_function: Any) -> GraphDeviceScope:
        """A scope in which nodes of this graph are on a device: see `tf.compat.v1.device`."""
        kind = DeviceFunctionScope if callable(device_name_or_function) else DeviceScope
        return GraphDeviceScope(self, kind(device_name_or_function))

    def _apply_device_functions(self, op: Any) -> None:
        """Gives an operation the device that the scopes of this graph ask for; Keras 2 calls it."""
        with scopes_of(self):
            scope = LOCAL.state.scope
            if scope is not None:
                op._set_device_from_string(device_of(op, scope))

    @contextmanager
    def colocate_with(
        self, op: Operation | Tensor, ignore_existing: bool = False
    ) -> Iterator[None]:
        """A scope in which nodes run where `op` runs, whatever the device scope."""
        before = self._colocated
        if op is None and not ignore_existing:
            raise ValueError(
                "Trying to reset colocation (op is None) but `ignore_existing` is not True"
            )
        around = () if ignore_existing else before
        self._colocated = around if op is None else (*around, self.as_operation(op))
        try:
            if op is None:
                with self.device(None):
                    yield
            else:
                yield
        finally:
            self._colocated = before

    @contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """A scope in which `tf.gradients` differentiates some types of ops by other rules
        (`tf.Graph.gradient_override_map`).

        Args:
            op_type_map: from the type of an op to the name that `tf.RegisterGradient` gave.
        """
        if not isinstance(op_type_map, dict):
            raise TypeError(f"`op_type_map` must be a dictionary. Received: {op_type_map}")
        self._gradient_scopes.append((len(self.operations), op_type_map))
        try:
            yield
        finally:
            self._name_gradients(*self._gradient_scopes.pop())

    @property
    def gradient_types(self) -> dict[Operation, Op]:
        """The operations that `gradient_override_map` gives a gradient by another name."""
        for scope in reversed(self._gradient_scopes):
            self._name_gradients(*scope)
        return self._gradient_types

    def _name_gradients(self, begin: int, op_type_map: dict[str, str]) -> None:
        for operation in self.operations[begin:]:
            name = op_type_map.get(operation.type)
            if name is not None and operation not in self._gradient_types:
                self._gradient_types[operation] = replace(operation.record, name=name)

    def as_operation(self, value: object) -> Operation:
        """The operation that `value`, an operation, tensor or variable, stands for."""
        if isinstance(value, Operation):
            return value.itself()
        if isinstance(value, SymbolicTensor):
            return value.op
        operation = getattr(value, "op", None)
        if isinstance(operation, Operation):
            return operation
        handle = getattr(value, "_handle", None)
        if self.is_function and isinstance(handle, EagerTensor):
            return self.capture(handle).op  # a variable that was there before the function
        shards = getattr(value, "shards_in_order", ())
        if self.is_function and shards:  # what works on any of them runs in the program's order
            return self.as_operation(shards[-1])
        raise TypeError(
            f"Control input must be an Operation, a Tensor, or IndexedSlices: {value!r}"
        )

    @property
    def building_function(self) -> bool:
        """True for the graph of a function."""
        return self.is_function

    # -- for people -----------------------------------------------------------------------------

    def as_graph_def(self, from_version: object = None, add_shapes: bool = False) -> GraphText:
        """The graph as text for people; not TensorFlow's file format."""
        self._name_all()
        return GraphText(self)

    # -- for tests ------------------------------------------------------------------------------

    def lint(self) -> None:
        """Checks that this, and the bodies of its operations, are what every graph is.

        Raises:
            GraphError: something does not hold; the text names all of it.
        """
        refuse(f"{self!r}", list(self.problems()))
        for body in bodies_of(self):
            body.lint()

    def problems(self) -> Iterator[str]:
        """What does not hold of this graph, a sentence each."""
        yield from problems_of(self)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__module__}.{type(self).__name__} of {len(self.operations)} operations>"
        )


class GraphText:
    """What `as_graph_def` returns: `node`, a list of NodeText, and a text."""

    def __init__(self, graph: Graph) -> None:
        self.node = [operation.node_def for operation in graph.operations]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphText) and str(self) == str(other)

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return "".join(f"node {{\n{operation}}}\n" for operation in self.node)


#: What takes ops for a graph, and what makes its variables; both record into it.
NEW_TARGET: LateBinding[[Graph], Any] = LateBinding(
    "make what records ops into a graph", "graph/recording/target.py"
)
CREATED: LateBinding[[Graph, str, Sequence[Any], str | None, Mapping[str, Any]], Operation] = (
    LateBinding("make an operation by the name of its op", "raw/__init__.py")
)
NEW_VARIABLE: LateBinding[[Any, Any, Any], Any] = LateBinding(
    "make a variable of a graph", "graph/recording/variable.py"
)


def _is_from_outside(value: object, runs_all: bool) -> bool:
    """Whether a value, or the memory of a variable, was there before a function was traced. A graph
    that does not run all there is waits for a change of that memory.
    """
    if not runs_all and isinstance(getattr(value, "op", None), Operation):
        return False
    return isinstance(value, EagerTensor) or isinstance(
        getattr(value, "_handle", None), EagerTensor
    )
