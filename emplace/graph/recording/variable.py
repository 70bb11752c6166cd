"""Variables of graphs: a handle, an operation that initialises it, and the ops on it.

The value lives in a session: each session has memory of its own for every variable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ...base.dtypes import as_dtype
from ...base.late_binding import LateBinding
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.aggregation import (
    VariableAggregation,
    VariableSynchronization,
    check_constraint,
    is_trained,
)
from ...core.context import LOCAL
from ...eager.variable import NUMBERS, Variable, declared_shape
from ...ops.convert import to_tensor
from ...ops.infer import Spec
from ...ops.op import apply, apply_any
from ...ops.variables.resource import (
    ASSIGN_VARIABLE,
    IS_INITIALIZED,
    READ_VARIABLE,
    VAR_HANDLE,
)
from ..representation.graph import NEW_VARIABLE, Graph, Operation, SymbolicTensor

#: The operation `If` is made of operations, as variables are; see `tf.cond`.
CHOICE: LateBinding[[Any, Callable[[], Any], Callable[[], Any]], Any] = LateBinding(
    "choose between two values in a graph", "graph/control_flow/branches.py"
)
GLOBAL_VARIABLES = "variables"
TRAINABLE_VARIABLES = "trainable_variables"


def keep_in_collections(graph: Graph, variable: Any, collections: Any = None) -> None:
    """Puts a variable into a graph's lists: those that the program names, or that of all variables;
    besides that of the trainable ones, if it is one.
    """
    if collections is not None and not isinstance(collections, (list, tuple, set)):
        raise ValueError(
            "collections argument to Variable constructor must be a list, tuple, or set. Got "
            f"{collections} of type {type(collections)}"
        )
    kinds = [GLOBAL_VARIABLES] if collections is None else list(collections)
    if variable.trainable and TRAINABLE_VARIABLES not in kinds:
        kinds.append(TRAINABLE_VARIABLES)
    graph.add_to_collections(kinds, variable)


class GraphVariable(Variable):
    """A variable of a graph (`tf.compat.v1.Variable`). See `Variable` for the arguments.

    `collections` are the lists of the graph that it is added to, the global variables if None.
    """

    _in_graph_mode = True
    __contains__ = None  # as a graph's tensors

    def __init__(  # TensorFlow's signature
        self,
        initial_value: TensorLike | None = None,
        trainable: bool | None = None,
        collections: str | Sequence[str] | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike | None = None,
        expected_shape: Any = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: ShapeLike | None = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        check_constraint(constraint)
        target: Any = LOCAL.state.target
        graph: Graph = target.graph
        self._trainable = is_trained(trainable, synchronization)
        self._constraint = constraint
        self._synchronization = synchronization or VariableSynchronization.AUTO
        self._aggregation = aggregation or VariableAggregation.NONE
        with graph.control_dependencies(None), graph.name_scope(name or "Variable") as scope:
            self._name = scope.rstrip("/")
            self._initial = self._initial_tensor(graph, initial_value, dtype)
            self._dtype = self._initial.dtype
            self._shape = declared_shape(shape, self._initial.shape, validate_shape)
            self._make(graph, scope)
        keep_in_collections(graph, self, collections)

    def _initial_tensor(
        self, graph: Graph, value: TensorLike, dtype: DTypeLike | None
    ) -> SymbolicTensor:
        wanted = None if dtype is None else as_dtype(dtype)
        if callable(value) and not isinstance(value, Variable):
            with graph.name_scope("Initializer"):
                value = value()
        with graph.exact_name("Initializer/initial_value"):
            if isinstance(value, GraphVariable):
                value = value.initialized_value()
            found = to_tensor(value, wanted)
        made: SymbolicTensor = graph.target.taken(found)
        return made

    def _make(self, graph: Graph, scope: str) -> None:
        attrs = {"dtype": self._dtype, "shape": self._shape, "shared_name": self._name}
        self._unique_id = f"{self._name}/{id(graph)}"
        self._created = next(NUMBERS)
        with graph.exact_name(scope):
            self._handle: Any = apply_any(VAR_HANDLE, (), attrs)
        self._handle.handle_data = Spec(self._shape.sizes, self._dtype)
        with graph.colocate_with(self._handle):
            with graph.exact_name("IsInitialized/VarIsInitializedOp"):
                self._is_initialized = apply(IS_INITIALIZED, (self._handle,))
            with graph.exact_name("Assign"):
                self._initializer: Operation = apply_any(
                    ASSIGN_VARIABLE, (self._handle, self._initial)
                )
            with graph.exact_name("Read/ReadVariableOp"):
                self._snapshot: SymbolicTensor = apply_any(READ_VARIABLE, (self._handle,))

    @property
    def op(self) -> Operation:
        """The operation that makes the handle."""
        operation: Operation = self._handle.op
        return operation

    @property
    def graph(self) -> Graph:
        """The graph it is in."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device that the program asked for."""
        return self.op.device

    @property
    def initializer(self) -> Operation:
        """The operation that gives it its first value."""
        return self._initializer

    def initialize_with(self, operation: Operation, value: SymbolicTensor) -> None:
        """Lets another assignment, of another tensor, give it its first value."""
        self._initializer, self._initial = operation, value

    @property
    def initial_value(self) -> SymbolicTensor:
        """The tensor that becomes its first value."""
        return self._initial

    def initialized_value(self) -> Any:
        """Its value, or its first value if it has none yet."""
        return CHOICE.call(self._is_initialized, self.read_value, lambda: self._initial)

    def is_initialized(self, name: str | None = None) -> Any:
        """Whether it has a value, as a tensor."""
        return self._is_initialized

    def _as_graph_element(self) -> SymbolicTensor:
        return self._snapshot

    def _read(self, after: Operation | None) -> SymbolicTensor:
        graph: Graph = LOCAL.state.target.graph  # type: ignore[attr-defined]
        read: SymbolicTensor
        if after is None:
            read = apply_any(READ_VARIABLE, (self._handle,))
            return read
        with graph.control_dependencies([after]), graph.exact_name("ReadVariableOp"):
            read = apply_any(READ_VARIABLE, (self._handle,))
            return read

    def _after(self, change: Operation, read_value: bool = True) -> Any:
        return ChangedVariable(self, change) if read_value else change

    def eval(self, session: Any = None) -> Any:
        """Its value in a session, the default one if none is given."""
        return self._snapshot.eval(session=session)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Gives it a value in a session."""
        self._initializer.run({self._initial: value}, session)

    def numpy(self) -> Any:
        """Only eager variables have values now."""
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def _for_python(self) -> Any:
        return self._snapshot

    def _describe(self, name: str) -> str:
        return f"<tf.Variable {name!r} shape={self._shape} dtype={self._dtype.name}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> Any:
        return self is other

    def __ne__(self, other: object) -> Any:
        return self is not other


class ChangedVariable(GraphVariable):
    """What an assignment returns in a graph: the variable as it is afterwards."""

    def __init__(self, variable: GraphVariable, operation: Operation) -> None:
        self.__dict__.update(variable.__dict__)
        self._variable = variable._whole()
        self._node = operation
        self._snapshot = self._read(operation)

    @property
    def op(self) -> Operation:
        """The assignment."""
        return self._node

    @property
    def name(self) -> str:
        """The name of the assignment."""
        return self._node.name

    def value(self) -> Any:
        """The value after the assignment."""
        return self._snapshot

    def _whole(self) -> Variable:
        return self._variable


def _waiting(name: str) -> Callable[..., Any]:
    """A method that looks at the variable, or changes it, after the assignment."""
    plain = getattr(GraphVariable, name)

    def call(self: ChangedVariable, *args: Any, **kwargs: Any) -> Any:
        target: Any = LOCAL.state.target
        with target.graph.control_dependencies([self._node]):
            return plain(self, *args, **kwargs)

    call.__code__ = call.__code__.replace(co_name=name)  # nodes are named by the call
    return functools.wraps(plain)(call)


for _name in (
    "assign", "assign_add", "assign_sub", "sparse_read", "gather_nd", "count_up_to", "scatter_add",
    "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "scatter_update",
    "batch_scatter_update", "scatter_nd_add", "scatter_nd_sub", "scatter_nd_min", "scatter_nd_max",
    "scatter_nd_update", "_assign_part",
):  # fmt: skip
    setattr(ChangedVariable, _name, _waiting(_name))


def graph_variable(kind: object, args: Sequence[Any], kwargs: dict[str, Any]) -> GraphVariable:
    """What `tf.Variable(...)` makes while a graph takes ops.

    TF 2's `tf.Variable` and TF 1's have the same arguments in another order.
    """
    if args and len(args) > 2:
        names = ("initial_value", "trainable", "collections", "validate_shape", "caching_device",
                 "name", "variable_def", "dtype")  # fmt: skip
        kwargs = {**dict(zip(names, args, strict=False)), **kwargs}
        args = ()
    kwargs.pop("experimental_enable_variable_lifting", None)
    return type.__call__(GraphVariable, *args, **kwargs)  # type: ignore[no-any-return]


NEW_VARIABLE.bind(graph_variable)
