"""A graph: operations in the order in which the program made them, and their tensors.

`Graph.add` is the only way in. What an operation is, is its op's record; where it runs and what
it reads is decided later, by `placer.py` and `plan.py`.
"""

from __future__ import annotations

import contextlib
import itertools
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn

from ...base.dtypes import DType
from ...base.shapes import Dims, TensorShape, difference
from ...base.typing import DTypeLike, ShapeLike, TensorLike
from ...core.context import LOCAL, DeviceFunctionScope, DeviceScope, Scope, device_of
from ...core.events import Line, user_line_always
from ...core.symbolic_value import BackedInt, specialise_on, symbolic_values
from ...core.tensor import EagerTensor, Reference, Tensor
from ...ops.infer import Spec
from ...ops.op import Op
from .copies import Copies
from .device_scopes import GraphDeviceScope
from .naming import (
    Names,
    argument_name,
    check_node,
    default_name,
    public_call,
    scope_name,
    wanted_name,
)
from .result_names import AGAIN, SCOPE, alone, result_name

_VERSIONS = itertools.count(1)


class Operation:
    """One node of a graph (`tf.Operation`).

    `record` is the op's declaration, `attrs` its attributes by the kernel's names, `device` what
    the program asked for ("" for nothing), `line` the place in the program that made it. `given`
    are the inputs that the kernel takes; the rest of `inputs` is what attributes wait for. `copies`
    says what the tensors of other graphs became from which it was copied here, see `copies.py`.
    """

    __slots__ = (
        "__weakref__", "_name", "attrs", "control", "copies", "device", "given", "graph", "groups",
        "id", "inputs", "line", "outputs", "record",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
        record: Op,
        inputs: Sequence[SymbolicTensor],
        attrs: dict[str, Any],
        specs: Sequence[Spec],
        device: str,
        attribute_inputs: int,
    ) -> None:
        self.graph = graph
        self.record = record
        self.inputs = tuple(inputs)
        self.given = self.inputs[: len(self.inputs) - attribute_inputs]
        self.attrs = attrs
        self.device = device
        self.control: list[Operation] = []
        self.groups: tuple[str, ...] = ()
        self.copies: Copies = ()
        self.line: Line | None = None
        self._name = ""
        self.id = -1
        self.outputs = [SymbolicTensor(self, i, spec) for i, spec in enumerate(specs)]

    @property
    def name(self) -> str:
        """Its name. A constant that nobody has named yet, nor taken, gets one when asked."""
        if not self._name:
            self.graph.name_constant(self)
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def is_named(self) -> bool:
        """False for a constant that waits for the name of the operation that takes it."""
        return bool(self._name)

    @property
    def type(self) -> str:
        """The op's name."""
        return self.record.name

    @property
    def control_inputs(self) -> list[Operation]:
        """What must have run before."""
        return list(self.control)

    @property
    def node_def(self) -> NodeText:
        """The node as text for people."""
        return NodeText(self)

    @property
    def traceback(self) -> list[Any]:
        """Where the program made it."""
        return [] if self.line is None else [self.line]

    def values(self) -> tuple[SymbolicTensor, ...]:
        """Its outputs."""
        return tuple(self.outputs)

    def get_attr(self, name: str) -> Any:
        """An attribute.

        Raises:
            ValueError: it has none of that name.
        """
        if name in self.attrs:
            return self.attrs[name]
        if name == "_class" and self.groups:
            return self.colocation_groups()
        if name == "T" and self.inputs:
            return self.inputs[0].dtype
        if name == "dtype" and self.outputs:
            return self.outputs[0].dtype
        raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")

    def colocation_groups(self) -> list[bytes]:
        """The names of the groups that must be on one device."""
        return [group.encode() for group in self.groups or (f"loc:@{self.name}",)]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs it in a session, the default one if none is given.

        Raises:
            ValueError: there is no session.
        """
        RUN_IN_SESSION[0](self, feed_dict, session, "run")

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


# How a tensor or an operation runs in a session; a later layer says it.
RUN_IN_SESSION: list[Callable[..., Any]] = []


class NodeText:
    """What `op.node_def` shows: name, op, inputs, device and attributes."""

    def __init__(self, operation: Operation) -> None:
        self.name = operation.name
        self.op = operation.type
        self.device = operation.device
        names = [x.op.name if not x.value_index else x.name for x in operation.inputs]
        self.input = [*names, *[f"^{each.name}" for each in operation.control]]
        self.attr = dict(operation.attrs)

    def __str__(self) -> str:
        lines = [f'name: "{self.name}"', f'op: "{self.op}"']
        lines += [f'input: "{name}"' for name in self.input]
        lines += [f'device: "{self.device}"'] if self.device else []
        lines += [f"attr {name}: {value!r}" for name, value in self.attr.items()]
        return "\n".join(lines) + "\n"


class SymbolicTensor(Tensor):
    """A tensor of a graph: it has a name, a dtype and what is known of its shape; no value.

    `dims` are the known dimensions, None where not even the rank is known. `handle_data` is the
    Spec of a variable's value, for the handle of one. `_known` is what `known.py` has found out.
    """

    __slots__ = (
        "__dict__", "__weakref__", "_dims", "_dtype", "_known", "_op", "handle_data",
        "value_index",
    )  # fmt: skip
    _known: Any

    def __init__(self, op: Operation, value_index: int, spec: Spec) -> None:
        self._op = op
        self.value_index = value_index
        self._dims: Dims | None = spec.dims
        self._dtype: DType = spec.dtype
        self.handle_data: Spec | None = None

    @property
    def op(self) -> Operation:
        """The operation that makes it."""
        return self._op

    @property
    def graph(self) -> Graph:
        """The graph it is in."""
        return self._op.graph

    @property
    def name(self) -> str:
        """The operation's name and the number of the output."""
        return f"{self._op.name}:{self.value_index}"

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return TensorShape(self._dims)

    @property
    def dims(self) -> Dims | None:
        """The dimensions, None for each that is not known; None if the rank is not."""
        return self._dims

    @property
    def spec(self) -> Spec:
        """Shape and dtype."""
        return Spec(self._dims, self._dtype)

    @property
    def is_fully_known(self) -> bool:
        """True if every dimension is known."""
        return self._dims is not None and None not in self._dims

    @property
    def device(self) -> str:
        """The device asked for; "" if none."""
        return self._op.device

    @property
    def is_tensor_like(self) -> bool:
        """True."""
        return True

    def set_shape(self, shape: ShapeLike | None) -> None:
        """Adds what the program knows of the shape.

        Raises:
            ValueError: it contradicts what is known.
        """
        given = TensorShape(shape)
        if self._dims is not None and given._dims is not None:
            wrong = difference(self._dims, given._dims)
            if wrong:
                raise ValueError(wrong)
        self._dims = self.shape.merge_with(given)._dims

    def narrow(self, dims: Dims | None) -> None:
        """Adds what was known of the shape elsewhere, unless what is known here contradicts it."""
        if dims is not None and not self.is_fully_known:
            with contextlib.suppress(ValueError):
                self.set_shape(dims)

    def consumers(self) -> list[Operation]:
        """The operations that take it."""
        return [op for op in self.graph.operations if any(x is self for x in op.inputs)]

    def eval(self, feed_dict: Mapping[Any, Any] | None = None, session: Any = None) -> Any:
        """Its value, by running a session.

        Raises:
            ValueError: there is no session.
        """
        if not RUN_IN_SESSION or self.graph.is_function:
            raise NotImplementedError(
                "eval is not supported when eager execution is enabled, is .numpy() what you're "
                "looking for?"
            )
        return RUN_IN_SESSION[0](self, feed_dict, session, "eval")

    def ref(self) -> Reference:
        """This tensor as a dictionary key."""
        return Reference(self)

    def static_value(self) -> Any:
        """The value, where constants and known shapes lead to it."""
        return STATIC[0](self)

    def partial_value(self) -> list[int | None] | None:
        """What is known of a vector of integers."""
        found: list[int | None] | None = STATIC[1](self)
        return found

    def __hash__(self) -> int:
        if self.graph.is_function:
            raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
        return id(self)

    def __bool__(self) -> NoReturn:
        raise self._is_symbolic("Using a symbolic `tf.Tensor` as a Python `bool`")

    def __iter__(self) -> Iterator[Any]:
        if self._dims is None or not self._dims or self._dims[0] is None:
            raise self._is_symbolic("Iterating over a symbolic `tf.Tensor`")
        return iter([self[i] for i in range(self._dims[0])])

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` "
            "rather than `len(x)` for shape information."
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NoReturn:
        raise NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may "
            "indicate that you're trying to pass a Tensor to a NumPy call, which is not supported."
        )

    def __int__(self) -> int:
        return int(self._now())

    def __float__(self) -> float:
        return float(self._now())

    def _now(self) -> Any:
        known = self.static_value()
        if known is None:
            self.__index__()
        specialise_on(self)
        return known

    def __index__(self) -> NoReturn:
        raise TypeError(
            f"int() argument must be a string, a bytes-like object or a real number, not a tensor "
            f"of a graph ({self.name}); its value is known only when the graph runs."
        )

    def _is_symbolic(self, what: str) -> Exception:
        return OperatorNotAllowedInGraphError(
            f"{what} is not allowed. You can attempt the following resolutions to the problem: If "
            "you are running in Graph mode, use Eager execution mode or decorate this function "
            "with @tf.function. If you are using AutoGraph, you can try decorating this function "
            "with @tf.function. If that does not work, then you may be using an unsupported "
            "feature or your source code may not be visible to AutoGraph. See "
            "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/"
            "reference/limitations.md#access-to-source-code for more information."
        )

    def __copy__(self) -> SymbolicTensor:
        return self

    def __deepcopy__(self, memo: object) -> SymbolicTensor:
        return self

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._dims is None else f", shape={self.shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph where a value is needed now."""


# What is known of a symbolic tensor's value: the whole of it, and a vector's elements; see
# `known.py`, which this file cannot see.
STATIC: list[Callable[[SymbolicTensor], Any]] = [lambda tensor: None, lambda tensor: None]


class Graph:
    """Operations and the names of their tensors (`tf.Graph`)."""

    is_function = False
    #: Whether the device scope around a body is that of its operations, too.
    keeps_scope = False
    #: Whether what has an effect runs though nothing needs it.
    runs_all = False

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.names = Names()
        self.lock = threading.RLock()
        self.version = next(_VERSIONS)
        self._by_name: dict[str, Operation] = {}
        self._collections: dict[Any, list[Any]] = {}
        self._finalized = False
        self._control: list[Operation] = []
        self._colocated: tuple[Operation, ...] = ()
        self._exact: list[str] = []
        self._plain = 0
        self._call: FrameType | None = None
        self._call_operations: list[Operation] = []
        self._call_scope = ""
        self._is_scope = False
        self._unfetchable: set[int] = set()
        self._unfeedable: set[int] = set()
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
        """A new operation.

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
            operation.control = [each for each in self._control if each is not operation]
            operation.line = user_line_always()
            self._name(operation, name)
            if scope is not None and scope.chain is not None and not self._colocated:
                operation.device = device_of(operation, scope)
            operation.id = len(self.operations)
            self.operations.append(operation)
            if operation.is_named:
                self._by_name[operation.name] = operation
            self.version = next(_VERSIONS)
        return operation

    def refused(
        self,
        record: Op,
        inputs: Sequence[SymbolicTensor],
        attrs: dict[str, Any],
        attribute_inputs: int,
    ) -> Operation:
        """An operation that has a name and is not added, for the error that says why."""
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

    def _name(self, operation: Operation, name: str | None) -> None:
        if name is None and self._exact:
            name = self._exact[-1]
        if name is not None:
            operation.name = name[:-1] if name.endswith("/") else self._unique(name)
        elif _is_implicit(operation):
            pass  # it gets its name from the operation that takes it
        else:
            self._name_by_call(operation)
        for i, x in enumerate(operation.inputs):
            if not x.op.is_named:
                self._name_constant(x.op, operation, i)

    def _unique(self, name: str) -> str:
        check_node(f"{self.names.scope}/{name}" if self.names.scope else name)
        return self.names.unique(name)

    def _exactly(self, name: str) -> str:
        if name in self._by_name:
            raise ValueError(f"Duplicate node name in graph: '{name}'")
        return name

    def _name_constant(self, constant: Operation, taker: Operation, i: int) -> None:
        arg = argument_name(taker.record, i, len(taker.given))
        arg = arg if constant.record.name == "Const" else constant.record.name
        before, self.names.scope = self.names.scope, ""
        constant.name = self.names.unique(f"{taker.name}/{arg}")
        self.names.scope = before
        self._by_name[constant.name] = constant

    def name_constant(self, constant: Operation) -> None:
        """Gives a constant that nobody has named a name of its own."""
        if not constant.is_named:
            before, self.names.scope = self.names.scope, ""
            constant.name = self.names.unique(constant.record.name)
            self.names.scope = before
            self._by_name[constant.name] = constant

    def _name_by_call(self, operation: Operation) -> None:
        if self._plain:
            operation.name = self.names.unique(operation.type.lstrip("_"))
            return
        call = public_call()
        if call is None or call is not self._call:
            self._call, self._call_operations = call, [operation]
            wanted = wanted_name(call)
            if wanted is not None and wanted.endswith("/"):
                operation.name = self._call_scope = self._exactly(wanted[:-1])
                self._is_scope = True
                return
            scope, inner = alone(call, operation.type) or (default_name(operation.type, call), None)
            operation.name = self._call_scope = self._unique(wanted or scope)
            self._is_scope = bool(wanted) or inner is not None
            if inner is not None:
                if inner == AGAIN:
                    inner = operation.type if wanted is None else wanted.rsplit("/", 1)[-1]
                operation.name = self._within(self._call_scope, inner)
            return
        if len(self._call_operations) == 1:  # the call turns out to be a scope
            self._make_scope(self._call_operations[0], call)
        part = operation.type.lstrip("_")
        count = sum(1 for each in self._call_operations if each.type == operation.type)
        self._call_operations.append(operation)
        known = result_name(call, f"{part}_{count}" if count else part)
        scope = self._call_scope
        if known == SCOPE and scope not in self._by_name:
            operation.name = scope
        else:
            operation.name = self._within(scope, known or part)

    def _within(self, scope: str, name: str) -> str:
        """A name in a scope, from anywhere."""
        before, self.names.scope = self.names.scope, scope
        found = self.names.unique(name)
        self.names.scope = before
        return found

    def _make_scope(self, first: Operation, call: FrameType) -> None:
        if not self._is_scope:
            self._call_scope = self.names.unique(scope_name(call))
        scope = self._call_scope
        self._by_name.pop(first.name, None)
        constants = [x.op for x in first.inputs if x.op.name.startswith(f"{first.name}/")]
        old, first.name = first.name, f"{scope}/{first.type.lstrip('_')}"
        self.names._taken[first.name.lower()] = 1
        self._by_name[first.name] = first
        for constant in constants:
            self._by_name.pop(constant.name, None)
            constant.name = first.name + constant.name[len(old) :]
            self._by_name[constant.name] = constant

    @contextmanager
    def exact_name(self, name: str) -> Iterator[None]:
        """A scope in which nodes are called `name`, below the open name scope."""
        self._exact.append(name)
        try:
            yield
        finally:
            self._exact.pop()

    def capture(self, x: TensorLike) -> SymbolicTensor:
        """What stands here for a tensor that is not of this graph: nothing does.

        Raises:
            ValueError: it is a tensor of another graph.
            RuntimeError: it is a value of eager mode.
        """
        if isinstance(x, SymbolicTensor):
            raise OTHER_GRAPH[0](self, x)
        raise RuntimeError(  # TF: the first sentence
            "Attempting to capture an EagerTensor without building a function. A session's graph "
            "has no values of eager mode: make the tensor or the variable while the graph is the "
            "default one, or give its value, `x.numpy()`."
        )

    def number_of(self, number: BackedInt) -> Any:
        """What an attribute here holds for a number of a tensor that another graph has told."""
        specialise_on(number.tensor)
        return int(number)

    def make_variable(self, kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A variable, made while this graph takes ops; its values live in sessions."""
        return VARIABLE_OF[0](kind, args, kwargs)

    @property
    def target(self) -> Any:
        """What takes ops for this graph."""
        return TARGET_OF[0](self)

    @contextmanager
    def plain_names(self, scope: str) -> Iterator[None]:
        """A name scope in which nodes are called by their ops, whoever makes them."""
        self._plain += 1
        exact, self._exact = self._exact, []
        try:
            with self.name_scope(scope):
                yield
        finally:
            self._plain -= 1
            self._exact = exact

    # -- scopes ---------------------------------------------------------------------------------

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """A scope in which ops are added to this graph."""
        with AS_DEFAULT[0](self):
            try:
                yield self
            finally:
                if getattr(LOCAL.state.target, "graph", self) is not self:
                    raise AssertionError(
                        f"Nesting violated for default stack of {type(self)} objects"
                    )

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A scope below which nodes are named; yields its name with "/"."""
        before = self.names.open(name)
        self._call = None
        try:
            # TF: a name that ends so is the scope itself.
            is_whole = isinstance(name, str) and name.endswith("/")
            yield str(name) if is_whole else f"{self.names.scope}/" if self.names.scope else ""
        finally:
            self.names.scope = before
            self._call = None

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no node has."""
        return self.names.unique(name, mark_as_used)

    def get_name_scope(self) -> str:
        """The open name scope."""
        return self.names.scope

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
                if not (self.is_function and _is_from_outside(each))
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

    def as_operation(self, value: object) -> Operation:
        """The operation that `value`, an operation, tensor or variable, stands for."""
        if isinstance(value, Operation):
            return value
        if isinstance(value, SymbolicTensor):
            return value.op
        operation = getattr(value, "op", None)
        if isinstance(operation, Operation):
            return operation
        raise TypeError(
            f"Control input must be an Operation, a Tensor, or IndexedSlices: {value!r}"
        )

    # -- looking things up ----------------------------------------------------------------------

    @property
    def finalized(self) -> bool:
        """True if nothing can be added any more."""
        return self._finalized

    def finalize(self) -> None:
        """From now on nothing can be added."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        """Lets it be added to again; TensorFlow's name, which programs use."""
        self._finalized = False

    @property
    def building_function(self) -> bool:
        """True for the graph of a function."""
        return self.is_function

    def get_operations(self) -> list[Operation]:
        """All operations, in order."""
        return list(self.operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name.

        Raises:
            KeyError: there is none.
            ValueError: it is a tensor's name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings (or similar), not {type(name).__name__}.")
        if ":" in name:
            raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
        self._name_all()
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor of that name, such as "x:0".

        Raises:
            KeyError: there is none.
            ValueError: it is no tensor's name.
        """
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings (or similar), not {type(name).__name__}.")
        parts = name.split(":")
        if len(parts) == 1:
            self._name_all()
            if name in self._by_name:
                raise ValueError(
                    f"The name {name!r} refers to an Operation, not a Tensor. Tensor names must "
                    'be of the form "<op_name>:<output_index>".'
                )
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        if len(parts) != 2 or not parts[1].isdigit():
            raise ValueError(
                f"The name {name!r} looks a like a Tensor name, but is not a valid one. Tensor "
                'names must be of the form "<op_name>:<output_index>".'
            )
        self._name_all()
        operation, index = self._by_name.get(parts[0]), int(parts[1])
        if operation is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{parts[0]!r}, does not exist in the graph."
            )
        if index >= len(operation.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The operation, "
                f"{parts[0]!r}, exists but only has {len(operation.outputs)} outputs."
            )
        return operation.outputs[index]

    def _name_all(self) -> None:
        for operation in self.operations:
            if not operation.is_named:
                self.name_constant(operation)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation that `obj`, one of those or a name, means here.

        Raises:
            KeyError, TypeError, ValueError: it means nothing here.
        """
        what = " or ".join(
            kind for kind, is_one in
            (("Tensor", allow_tensor), ("Operation", allow_operation)) if is_one
        )  # fmt: skip
        if not what:
            raise ValueError("allow_tensor and allow_operation can't both be False.")
        convert = getattr(obj, "_as_graph_element", None)
        if convert is not None:
            obj = convert()
        if isinstance(obj, (str, bytes)):
            name = obj if isinstance(obj, str) else obj.decode()
            return self._by_text(name, allow_tensor, allow_operation)
        if isinstance(obj, SymbolicTensor) and allow_tensor:
            if obj.graph is not self:
                raise ValueError(f"Tensor {obj} is not an element of this graph.")
            return obj
        if isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                raise ValueError(f"Operation {obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {what}.")

    def _by_text(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
            return self.get_tensor_by_name(name)
        if not allow_operation:
            return self.get_tensor_by_name(name)
        return self.get_operation_by_name(name)

    def prevent_fetching(self, op: Operation) -> None:
        """Forbids to fetch an operation's outputs."""
        self._unfetchable.add(op.id)

    def prevent_feeding(self, tensor: SymbolicTensor) -> None:
        """Forbids to feed a tensor."""
        self._unfeedable.add(id(tensor))

    def is_fetchable(self, element: Any) -> bool:
        """Whether a tensor or operation may be fetched."""
        operation = element.op if isinstance(element, SymbolicTensor) else element
        return operation.id not in self._unfetchable

    def is_feedable(self, tensor: SymbolicTensor) -> bool:
        """Whether a tensor may be fed."""
        return id(tensor) not in self._unfeedable

    # -- collections ----------------------------------------------------------------------------

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def add_to_collection(self, name: str | None, value: Any) -> None:
        """Adds a value to the list of that name."""
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: str | Sequence[str], value: TensorLike) -> None:
        """Adds a value to several lists."""
        for name in dict.fromkeys([names] if isinstance(names, str) else names or ()):
            self.add_to_collection(name, value)

    def get_collection(self, name: str | None, scope: str | None = None) -> list[Any]:
        """A copy of a list; with `scope`, a regular expression, what has such a name."""
        found = self._collections.get(name, [])
        if scope is None:
            return list(found)
        matches = re.compile(scope).match
        return [each for each in found if hasattr(each, "name") and matches(each.name)]

    def get_collection_ref(self, name: str | None) -> list[Any]:
        """The list itself."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that are texts."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: str | None) -> None:
        """Forgets a list."""
        self._collections.pop(name, None)

    # -- for people -----------------------------------------------------------------------------

    def as_graph_def(self, from_version: object = None, add_shapes: bool = False) -> GraphText:
        """The graph as text for people; not TensorFlow's file format."""
        self._name_all()
        return GraphText(self)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__module__}.{type(self).__name__} of {len(self.operations)} operations>"
        )


# Functions of which a constant, or a read, is the result and not a part.
_MAKERS = frozenset(
    {"constant", "convert_to_tensor", "value", "read_value", "shape", "size", "rank", "shape_n"}
)


def _is_implicit(operation: Operation) -> bool:
    """Whether a node is part of another one for the program: the constant in `x + 1`, and the read
    of a variable that is used as a tensor.
    """
    name = operation.record.name
    if name != "ReadVariableOp" and not (name == "Const" and operation.attrs.get("is_implicit")):
        return False
    call = public_call()
    return call is not None and call.f_code.co_name not in _MAKERS


class GraphText:
    """What `as_graph_def` returns: `node`, a list of NodeText, and a text."""

    def __init__(self, graph: Graph) -> None:
        self.node = [operation.node_def for operation in graph.operations]

    def __str__(self) -> str:
        return "".join(f"node {{\n{operation}}}\n" for operation in self.node)


# How a graph becomes the one that takes ops; see `target.py`.
AS_DEFAULT: list[Callable[[Graph], Any]] = []
TARGET_OF: list[Callable[[Graph], Any]] = []
VARIABLE_OF: list[Callable[[Any, Any, Any], Any]] = []
OTHER_GRAPH: list[Callable[[Graph, SymbolicTensor], Exception]] = []


def attribute_tensors(attrs: dict[str, Any]) -> list[SymbolicTensor]:
    """The tensors that attributes wait for, each once."""
    found: dict[int, SymbolicTensor] = {}
    for value in attrs.values():
        for symbolic in symbolic_values(value):
            found[id(symbolic.tensor)] = symbolic.tensor
    return list(found.values())


def _is_from_outside(value: object) -> bool:
    """Whether a value, or the memory of a variable, was there before a function was traced."""
    return isinstance(value, EagerTensor) or isinstance(
        getattr(value, "_handle", None), EagerTensor
    )
