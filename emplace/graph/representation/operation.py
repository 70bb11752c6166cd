"""Operations of a graph and their tensors.

What an operation is, is its op's record; where it runs and what it reads is decided later, by
`placer.py` and `plan.py`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from ...base.dtypes import DType
from ...base.late_binding import LateBinding
from ...base.lines import NOWHERE, Line
from ...base.shapes import Dims, TensorShape, difference
from ...base.typing import DTypeLike, ShapeLike
from ...core.symbolic_value import BackedInt, specialise_on, symbolic_values
from ...core.tensor import Reference, Tensor
from ...ops.infer import Spec
from ...ops.op import Op
from .control_edges import before_on_variables, type_of
from .copies import Copies
from .default_session import run_in_session
from .node_text import NodeText

if TYPE_CHECKING:
    from .graph import Graph


class Operation:
    """One node of a graph (`tf.Operation`).

    `record` is the op's declaration, `attrs` its attributes by the kernel's names, `device` what
    the program asked for ("" for nothing), `place` where the program made it. `given`
    are the inputs that the kernel takes; the rest of `inputs` is what attributes wait for. `copies`
    says what the tensors of other graphs became from which it was copied here, see `copies.py`.
    """

    __slots__ = (
        "__dict__", "__weakref__", "_name", "attrs", "control", "copies", "device", "given",
        "graph", "groups", "id", "inputs", "outputs", "place", "record",
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
        self.place = NOWHERE
        self._name = ""
        self.id = -1
        self.outputs = [SymbolicTensor(self, i, spec) for i, spec in enumerate(specs)]

    @classmethod
    def from_node_def(
        cls,
        node_def: Any,
        g: Graph,
        inputs: Sequence[Any] | None = None,
        output_types: Sequence[DTypeLike] | None = None,
        control_inputs: Sequence[Any] | None = None,
        input_types: Sequence[DTypeLike] | None = None,
        original_op: object = None,
        op_def: object = None,
    ) -> Operation:
        """Adds the operation that a `NodeDef` describes (`tf.Operation.from_node_def`).

        Args:
            node_def: its name, op, device and attributes.
            g: the graph it is added to.
            inputs: its tensors, lists laid flat.
            output_types, input_types: types, which the op knows.
            control_inputs: operations or tensors that it runs after.
            original_op, op_def: not needed.

        Raises:
            TypeError: an input is no tensor.
            ValueError: the name is none for a node.
            RuntimeError: TensorFlow has no such op.
        """
        device = g.device(node_def.device) if node_def.device else contextlib.nullcontext()
        order = g.control_dependencies(control_inputs or [])
        name = g._exactly(node_def.name)
        with g.as_default(), device, order, g.exact_name(f"{name}/"):
            return g.create_op(node_def.op, inputs or [], attrs=dict(node_def.attr))

    def itself(self) -> Operation:
        """The operation of the graph, for what stands for it elsewhere."""
        return self

    @property
    def _original_op(self) -> None:
        """The operation whose gradient it is: not kept. Test cases of libraries ask."""

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
    def line(self) -> Line | None:
        """The line that made it, of the program or of a library."""
        return self.place.line

    @property
    def is_named(self) -> bool:
        """False for a constant that waits for the name of the operation that takes it."""
        return bool(self._name)

    @property
    def type(self) -> str:
        """The op's name."""
        return type_of(self)

    @property
    def control_inputs(self) -> list[Operation]:
        """What must have run before, besides its inputs and what they wait for."""
        behind = {x.op for x in self.inputs}.union(*[x.op.control for x in self.inputs])
        found = [each for each in self.control if each not in behind]
        # TF: in a function also what worked on the same variables before.
        more = before_on_variables(self) if self.graph.is_function and self.graph.runs_all else ()
        return list(dict.fromkeys([*found, *more]))

    @property
    def _control_outputs(self) -> list[Operation]:
        """What must not run before it, besides what takes its outputs."""
        return [
            op for op in self.graph.operations if self in op.control and self in op.control_inputs
        ]

    def _get_control_flow_context(self) -> None:
        """Returns None: there are none of TF 1's loops and branches."""

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
        """An attribute: texts are bytes, and several numbers a list.

        Raises:
            ValueError: it has none of that name.
        """
        if name in self.attrs:
            return _as_told(self.attrs[name])
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
        run_in_session(self, feed_dict, session, "run")

    def __tf_tensor__(self, dtype: DTypeLike | None = None, name: str | None = None) -> NoReturn:
        raise TypeError(f"can't convert Operation {self.name!r} to Tensor")

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self) -> str:
        return str(self.node_def)


def _as_told(value: Any) -> Any:
    """An attribute as TensorFlow's `get_attr` tells it."""
    if isinstance(value, str):
        return value.encode()
    if type(value) in (tuple, list):
        return [_as_told(each) for each in value]
    return int(value) if type(value) is BackedInt else value


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
        if self.graph.is_function:
            raise NotImplementedError(
                "eval is not supported when eager execution is enabled, is .numpy() what you're "
                "looking for?"
            )
        return run_in_session(self, feed_dict, session, "eval")

    def ref(self) -> Reference:
        """This tensor as a dictionary key."""
        return Reference(self)

    def static_value(self) -> Any:
        """The value, where constants and known shapes lead to it."""
        return STATIC_VALUE.call(self)

    def partial_value(self) -> list[int | None] | None:
        """What is known of a vector of integers."""
        return PARTIAL_VALUE.call(self)

    def __eq__(self, other: object) -> Any:
        # TF: elements are compared where eager mode is around; what a session runs is itself.
        return super().__eq__(other) if self.graph.is_below_eager else self is other

    def __ne__(self, other: object) -> Any:
        return super().__ne__(other) if self.graph.is_below_eager else self is not other

    def __hash__(self) -> int:
        if self._op.graph.is_below_eager:
            raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
        return id(self)

    def __bool__(self) -> NoReturn:
        raise self.is_symbolic("Using a symbolic `tf.Tensor` as a Python `bool`")

    # Python would go through the elements and compare them as objects, or ask for truth values.
    __contains__ = None

    def __iter__(self) -> Iterator[Any]:
        raise self.is_symbolic("Iterating over a symbolic `tf.Tensor`")

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
        # More is known here than TensorFlow's `tf.get_static_value` knows, and who asks that first,
        # as Keras does, takes it for a number then. TF: a constant's is not told.
        known = None if self.op.type == "Const" else self.static_value()
        if known is None:
            self.__index__()
        specialise_on(self)
        return int(known)

    def __index__(self) -> NoReturn:
        raise TypeError(
            f"int() argument must be a string, a bytes-like object or a real number, not a tensor "
            f"of a graph ({self.name}); its value is known only when the graph runs."
        )

    def is_symbolic(self, what: str) -> Exception:
        """The error of what only a value can do, such as `bool(x)`."""
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


#: What is known of a symbolic tensor's value: the whole of it, and a vector's elements.
STATIC_VALUE: LateBinding[[SymbolicTensor], Any] = LateBinding(
    "find the value of a symbolic tensor", "graph/passes/constant_folding.py"
)
PARTIAL_VALUE: LateBinding[[SymbolicTensor], list[int | None] | None] = LateBinding(
    "find what is known of a vector's elements", "graph/passes/constant_folding.py"
)


def attribute_tensors(attrs: dict[str, Any]) -> list[SymbolicTensor]:
    """The tensors that attributes wait for, each once."""
    found: dict[int, SymbolicTensor] = {}
    for value in attrs.values():
        for symbolic in symbolic_values(value):
            found[id(symbolic.tensor)] = symbolic.tensor
    return list(found.values())
