"""Variables: tensors that can be changed, and whose value, once read, does not change.

A variable lives where it was made. Reading and changing it are ops there
(`ops/variables/resource.py`), whatever the scope; what is computed from the value goes where any
op goes.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..base.dtypes import DType, as_dtype
from ..base.errors import FailedPreconditionError
from ..base.shapes import TensorShape
from ..base.typing import DTypeLike, ShapeLike, TensorLike
from ..core.aggregation import (
    VariableAggregation,
    VariableSynchronization,
    check_constraint,
    is_trained,
)
from ..core.context import LOCAL, device
from ..core.tensor import AnyTensor, EagerTensor, Reference, Tensor, value_text
from ..core.tracking import Trackable
from ..devices.charges import PARAMETERS
from ..holders.walkers import Held, holds
from ..ops.array.shaping import ensure_shape, identity
from ..ops.array.slicing import getitem, key_of
from ..ops.convert import register_converter, to_tensor
from ..ops.op import apply, apply_any
from ..ops.operators import tensor_equals, tensor_not_equals
from ..ops.variables.indexed_slices import IndexedSlices
from ..ops.variables.resource import (
    ASSIGN_ADD,
    ASSIGN_SLICE,
    ASSIGN_SUB,
    ASSIGN_VARIABLE,
    IS_INITIALIZED,
    READ_VARIABLE,
    VAR_HANDLE,
)
from ..ops.variables.resource_slices import (
    COUNT_UP_TO,
    RESOURCE_GATHER,
    RESOURCE_GATHER_ND,
    SCATTER,
    SCATTER_ND,
    batch_places,
    check_countable,
)
from ..ops.variables.slice_info import SaveSliceInfo
from .variable_operators import bind_operators

NUMBERS = itertools.count()


class _Creators(threading.local):
    """The functions of this thread's program that variables are made through, the last one first;
    see `tf.variable_creator_scope`.
    """

    stack: tuple[Callable[..., Any], ...] = ()


CREATORS = _Creators()

# What creators are told beside the arguments of `Variable` while a graph takes ops.
_IN_GRAPHS = ("expected_shape", "collections", "use_resource")
# TF 1's order of the arguments, which graphs take too.
_CLASSIC = ("initial_value", "trainable", "collections", "validate_shape", "caching_device",
            "name", "variable_def", "dtype")  # fmt: skip


def _is_session_graph() -> bool:
    """Whether a graph takes ops that sessions run: there TF 1's other arguments mean something."""
    target: Any = LOCAL.state.target
    return not target.is_eager and not target.graph.is_function


def _by_creators(cls: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Makes a variable by the creators of the program, each of which may ask the next one."""
    usual = inspect.signature(Variable.__init__).parameters
    is_graph = _is_session_graph()
    names = _CLASSIC if is_graph and len(args) > 2 else list(usual)[1:]
    wishes = {name: each.default for name, each in list(usual.items())[1:]}
    wishes["experimental_enable_variable_lifting"] = None
    wishes |= {"synchronization": VariableSynchronization.AUTO,
               "aggregation": VariableAggregation.NONE}  # fmt: skip
    if is_graph:
        wishes |= dict.fromkeys(_IN_GRAPHS)
    wishes |= dict(zip(names, args, strict=False)) | kwargs

    def last(**wishes: Any) -> Any:
        around, CREATORS.stack = CREATORS.stack, ()
        try:
            return cls(**{name: value for name, value in wishes.items() if value is not None})
        finally:
            CREATORS.stack = around

    made: Callable[..., Any] = last
    for creator in CREATORS.stack:
        made = functools.partial(creator, made)
    return made(**wishes)


class VariableClass(type):
    """Lets the current target make a variable: eager execution now, a graph as operations."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Makes a variable as the target does; other classes are made as usual."""
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        if not kwargs.keys().isdisjoint(_IN_GRAPHS) and not _is_session_graph():
            kwargs = {name: value for name, value in kwargs.items() if name not in _IN_GRAPHS}
        if CREATORS.stack:
            return _by_creators(cls, args, kwargs)
        state = LOCAL.state
        if state.strategy is not None:  # which makes one for each replica
            return state.strategy.variable(cls, args, kwargs)
        return state.target.variable(cls, args, kwargs)


class Variable(Trackable, metaclass=VariableClass):
    """A tensor that can be changed (`tf.Variable`).

    Args:
        initial_value: its first value, anything `tf.convert_to_tensor` takes, or a function that
            returns it.
        trainable: gradient tapes watch it when it is read.
        validate_shape: False allows values of other shapes later.
        caching_device: not used.
        name: its name; "Variable" if None.
        variable_def: not supported.
        dtype: its dtype; the initial value's if None.
        import_scope: not used.
        constraint: kept for optimizers, see the property.
        synchronization: kept for strategies.
        aggregation: kept for strategies.
        shape: a wider shape that later values may have.

    Raises:
        ValueError: there is no initial value, its shape does not fit `shape`, or the constraint
            is no function.

    >>> v = Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy().tolist()
    [2.0, 3.0]
    """

    # Operators win over NumPy's when an array stands on the left.
    __array_priority__ = 100
    SaveSliceInfo = SaveSliceInfo
    __module__ = "tensorflow.python.ops.resource_variable_ops"  # by which libraries tell it
    _in_graph_mode = False  # whether it is of a session's graph
    _save_slice_info: Any = None  # which part of a larger one it is

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: DTypeLike | None = None,
        import_scope: Any = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: ShapeLike | None = None,
        experimental_enable_variable_lifting: bool = True,
    ) -> None:
        if initial_value is None:
            raise ValueError(
                "The `initial_value` arg to `tf.Variable` must be specified except when you are "
                "not providing a `variable_def`. You provided neither."
            )
        check_constraint(constraint)
        if callable(initial_value):
            initial_value = initial_value()
        value = _initial(initial_value, None if dtype is None else as_dtype(dtype))
        self._dtype: DType = value.dtype
        self._shape = declared_shape(shape, value.shape, validate_shape)
        self._trainable = is_trained(trainable, synchronization)
        self._constraint = constraint
        self._synchronization = synchronization or VariableSynchronization.AUTO
        self._aggregation = aggregation or VariableAggregation.NONE
        if name is not None and not isinstance(name, str):
            raise ValueError("name for name_scope must be a string.")  # TF: the same words
        self._name = f"{LOCAL.state.names}{name or 'Variable'}"
        self._created = next(NUMBERS)
        shared_name = f"{self._name}/{self._created}"
        self._unique_id = shared_name
        attrs = {"dtype": self._dtype, "shape": self._shape, "shared_name": shared_name}
        self._handle: EagerTensor = apply_any(VAR_HANDLE, (), attrs)
        self._handle.variable = weakref.ref(self)
        apply(ASSIGN_VARIABLE, (self._handle, value))

    @property
    def handle(self) -> EagerTensor:
        """The resource that stands for the variable in ops and on tapes."""
        return self._handle

    @property
    def name(self) -> str:
        """Its name with ":0"."""
        return f"{self._name}:0"

    @property
    def _shared_name(self) -> str:
        """Its name as Keras 2 asks for it, without ":0"."""
        return self._name

    @property
    def _distribute_strategy(self) -> Any:
        """The strategy that made it, None for none.

        Raises:
            AttributeError: it has no memory of its own, as a class of a library's that stands for
                another variable, which Python then asks in its way.
        """
        if "_handle" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no strategy of its own")
        return self.__dict__.get("_made_by")

    @property
    def dtype(self) -> DType:
        """Its dtype; it never changes."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape all its values have."""
        return self._shape

    @property
    def device(self) -> str:
        """Full name of the device that holds it."""
        return self._handle.device

    @property
    def trainable(self) -> bool:
        """Whether tapes watch it."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """What an optimizer applies after each update."""
        return self._constraint

    @property
    def synchronization(self) -> Any:
        """When its copies on several replicas are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> Any:
        """How they are."""
        return self._aggregation

    @property
    def initializer(self) -> Any:
        """Only variables of graphs have an operation that gives them their first value."""
        return None

    @property
    def ndim(self) -> int | None:
        """The number of dimensions."""
        return self._shape.rank

    def get_shape(self) -> TensorShape:
        """The shape all its values have."""
        return self._shape

    def value(self) -> Any:
        """Its value now, as a tensor on its device."""
        state = LOCAL.state
        if state.tapes and self._trainable:
            self._watch()
        return state.target.apply_few(state, READ_VARIABLE, self._handle)

    def _watch(self) -> None:
        """Tells the tapes that it is read."""
        if self._trainable:
            for tape in LOCAL.state.tapes:
                tape.watch_variable(self._whole(), self._handle)

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        """Says which part of a larger variable it is, in checkpoints of TF 1."""
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    def _whole(self) -> Variable:
        """The variable itself, for what assignments return."""
        return self

    def read_value(self) -> Tensor:
        """Its value now, as a tensor on the current device."""
        return identity(self.value())

    def numpy(self) -> Any:
        """Its value as a NumPy copy.

        Raises:
            NotImplementedError: a function is traced, which would keep the value of now.
        """
        if not LOCAL.state.target.is_eager:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._peek().numpy()

    def _for_python(self) -> Any:
        """What Python asks for a truth value, a number or an array: a tensor of the graph refuses
        while a function is traced.
        """
        return self._peek() if LOCAL.state.target.is_eager else self.value()

    def _peek(self) -> Any:
        """Its value without an op, for people: nothing is logged or watched."""
        storage, kind = self._handle._value, self._handle._kind
        tensor = EagerTensor()
        tensor._value = storage.read()
        tensor._kind = kind.device.kind(self._dtype)
        tensor._origin = None
        return tensor

    def _changed_once(self, change: Callable[[], Any]) -> Any:
        """What a change returns; replicas that share the variable make it once, together."""
        return change()

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Replaces its value.

        Args:
            value: what a tensor of the variable's dtype and shape can be made of.
            use_locking: not needed.
            name: not used.
            read_value: False returns no variable: the operation in a graph, else None.

        Raises:
            ValueError: the value has another shape or dtype.
        """
        new = to_tensor(value, self._dtype)
        if not self._shape.is_compatible_with(new.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable "
                f"shape {self._shape}, and the assigned value shape {new.shape} are incompatible."
            )
        if not LOCAL.state.target.is_eager and not new.shape.is_fully_defined():
            new = ensure_shape(new, self._shape)
        return self._after(apply(ASSIGN_VARIABLE, (self._handle, new)), read_value)

    def assign_add(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Adds to its value.

        Args:
            delta: what to add, of the variable's dtype and shape.
            use_locking: not needed.
            name: not used.
            read_value: see `assign`.

        Raises:
            ValueError: `delta` has another dtype.
            InvalidArgumentError: `delta` has another shape.
        """
        change = apply(ASSIGN_ADD, (self._handle, to_tensor(delta, self._dtype)))
        return self._after(change, read_value)

    def load(self, value: TensorLike, session: Any = None) -> None:
        """Gives it another value, as `assign` does.

        Args:
            value: of the variable's shape and dtype.
            session: not used.

        Raises:
            ValueError: a function is being traced: there is no session in it.
        """
        if not LOCAL.state.target.is_eager:
            raise ValueError(
                "Either session argument should be provided or default session should be "
                "established: in a function use `assign`."
            )
        self.assign(value)

    def assign_sub(
        self,
        delta: TensorLike,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """Subtracts from its value.

        Args:
            delta: what to subtract, of the variable's dtype and shape.
            use_locking: not needed.
            name: not used.
            read_value: see `assign`.

        Raises:
            ValueError: `delta` has another dtype.
            InvalidArgumentError: `delta` has another shape.
        """
        change = apply(ASSIGN_SUB, (self._handle, to_tensor(delta, self._dtype)))
        return self._after(change, read_value)

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some slices along the first axis; nothing else is read.

        Raises:
            InvalidArgumentError: an index is out of range.
        """
        self._watch()
        return apply(RESOURCE_GATHER, (self._handle, to_tensor(indices)))

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Tensor:
        """Some slices, each named by a row of indices (`tf.gather_nd`).

        Raises:
            InvalidArgumentError: a row is out of range.
        """
        self._watch()
        return apply(RESOURCE_GATHER_ND, (self._handle, to_tensor(indices)))

    def _scatter(self, kind: str, delta: IndexedSlices) -> Any:
        if not isinstance(delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}"
            )
        indices = to_tensor(delta.indices)
        return self._after(
            apply(SCATTER[kind], (self._handle, indices, self._slices(delta.values)))
        )

    def _slices(self, values: TensorLike) -> Tensor:
        """Values for some slices; what is no tensor takes the variable's dtype."""
        return to_tensor(values, self._dtype)

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds `tf.IndexedSlices` to slices of the value.

        Raises:
            TypeError: `sparse_delta` is something else.
            InvalidArgumentError: an index is out of range, or shapes do not fit.
        """
        return self._scatter("Add", sparse_delta)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts `tf.IndexedSlices` from slices of the value; see `scatter_add`."""
        return self._scatter("Sub", sparse_delta)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies slices of the value by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("Mul", sparse_delta)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides slices of the value by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("Div", sparse_delta)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keeps the smaller of slices of the value and `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("Min", sparse_delta)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keeps the larger of slices of the value and `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("Max", sparse_delta)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces slices of the value by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("Update", sparse_delta)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces slices of each part of a batch; the indices have the batch's axes first.

        Raises:
            TypeError: `sparse_delta` is no `tf.IndexedSlices`.
            InvalidArgumentError: an index is out of range, or shapes do not fit.
        """
        if not isinstance(sparse_delta, IndexedSlices):
            return self._scatter("Update", sparse_delta)
        places = batch_places(sparse_delta.indices)
        return self.scatter_nd_update(places, sparse_delta.values)

    def _scatter_nd(self, kind: str, indices: TensorLike, updates: TensorLike) -> Any:
        return self._after(
            apply(SCATTER_ND[kind], (self._handle, to_tensor(indices), self._slices(updates)))
        )

    def scatter_nd_add(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        """Adds updates to the slices that rows of indices name.

        Raises:
            InvalidArgumentError: a row is out of range, or shapes do not fit.
        """
        return self._scatter_nd("Add", indices, updates)

    def scatter_nd_sub(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        """Subtracts updates from the slices that rows of indices name."""
        return self._scatter_nd("Sub", indices, updates)

    def scatter_nd_min(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        """Keeps the smaller of updates and the slices that rows of indices name."""
        return self._scatter_nd("Min", indices, updates)

    def scatter_nd_max(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        """Keeps the larger of updates and the slices that rows of indices name."""
        return self._scatter_nd("Max", indices, updates)

    def scatter_nd_update(
        self, indices: TensorLike, updates: TensorLike, name: str | None = None
    ) -> Any:
        """Replaces the slices that rows of indices name."""
        return self._scatter_nd("Update", indices, updates)

    def count_up_to(self, limit: int) -> Tensor:
        """Its value, which then is one larger.

        Raises:
            OutOfRangeError: the value has reached the limit.
        """
        check_countable(self._dtype)
        return apply(COUNT_UP_TO, (self._handle,), {"limit": limit})

    def set_shape(self, shape: ShapeLike) -> None:
        """Narrows the shape.

        Raises:
            ValueError: it contradicts the present one.
        """
        self._shape = self._shape.merge_with(shape)

    def ref(self) -> Reference:
        """This variable as a dictionary key."""
        return Reference(self)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """Whether it has a value, as a tensor."""
        return apply(IS_INITIALIZED, (self._handle,))

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return to_tensor(self.value(), dtype)

    def _dense_var_to_tensor(
        self, dtype: Any = None, name: str | None = None, as_ref: bool = False
    ) -> Any:
        """TensorFlow's conversion of a variable, which libraries wrap."""
        return to_tensor(self.value(), dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        # TF: always a copy, so that nobody holds the value and it is changed in place again.
        return np.array(self._for_python(), dtype)

    def __bool__(self) -> bool:
        return bool(self._for_python())

    def __int__(self) -> int:
        return int(self._for_python())

    def __float__(self) -> float:
        return float(self._for_python())

    def __complex__(self) -> complex:
        return complex(self._for_python())

    def __index__(self) -> int:
        return self._for_python().__index__()  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Any:
        part = getitem(self.value(), key)
        # TF: a part of a variable is a tensor that can be assigned to.
        part.assign = functools.partial(self._assign_part, key)
        return part

    def _assign_part(self, key: object, value: Any, name: str | None = None) -> Any:
        attrs = {"key": key_of(key)}
        return self._after(
            apply(ASSIGN_SLICE, (self._handle, to_tensor(value, self._dtype)), attrs)
        )

    def _after(self, change: Any, read_value: bool = True) -> Any:
        """What stands for the variable after an op has changed it; else the change itself, which is
        an operation in a graph and None in eager mode.
        """
        return UnreadVariable(self, change) if read_value else change

    def __iter__(self) -> Iterator[Any]:
        return iter(self.value())

    def __hash__(self) -> int:
        raise TypeError(
            f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self!r})"
        )

    def __eq__(self, other: object) -> Any:
        return tensor_equals(self.value(), other) if other is not None else False

    def __ne__(self, other: object) -> Any:
        return tensor_not_equals(self.value(), other) if other is not None else True

    def __repr__(self) -> str:
        return self._describe(self.name)

    def _describe(self, name: str) -> str:
        try:
            text = value_text(self._peek(), is_repr=True)
        except FailedPreconditionError:
            text = "<unset>"
        text = f"\n{text}" if "\n" in text else text
        return f"<tf.Variable {name!r} shape={self._shape} dtype={self._dtype.name}, numpy={text}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.numpy(), self._trainable, self._name, self._dtype, self._shape)

    def __copy__(self) -> Variable:
        copied = Variable.__new__(Variable)
        copied.__dict__.update(self.__dict__)
        return copied

    def __deepcopy__(self, memo: Any) -> Variable:
        with device(self.device):
            copied = Variable(
                self._peek(), self._trainable, name=self._name, dtype=self._dtype,
                constraint=self._constraint, shape=self._shape,
                synchronization=self._synchronization, aggregation=self._aggregation,
            )  # fmt: skip
        memo[id(self)] = copied
        return copied


@holds(Variable, rank=1)
def held_by_variable(variable: Variable) -> Iterator[Held]:
    """What a variable of eager mode holds, by the program's name for it."""
    yield Held(PARAMETERS, variable._name, variable._handle._value.value)


class UnreadVariable(Variable):
    """What an assignment returns: the variable, printed so that the change is seen. `op` is the
    operation that changes it in a graph, None in eager mode.
    """

    def __init__(self, variable: Variable, op: Any = None) -> None:
        self.__dict__.update(variable.__dict__)
        self._variable = variable._whole()
        self.op = op

    @property
    def name(self) -> str:
        """TensorFlow's word for what an assignment returns."""
        return "UnreadVariable"

    def _whole(self) -> Variable:
        return self._variable

    def value(self) -> Any:
        """Its value after the change, which a graph that runs what results need only is told of."""
        if self.op is None or self.op.graph.runs_all:
            return super().value()
        with self.op.graph.control_dependencies([self.op]):
            return super().value()

    def __repr__(self) -> str:
        return self._describe(self.name)


def _initial(value: TensorLike, dtype: DType | None) -> Tensor:
    try:
        return to_tensor(value, dtype)
    except ValueError as error:
        if isinstance(value, Tensor):  # TF: names the argument where a tensor has another dtype
            raise ValueError(f"initial_value: {error}") from None
        raise


def _restore(
    value: TensorLike, trainable: bool, name: str, dtype: DType, shape: TensorShape
) -> Variable:
    return Variable(value, trainable, name=name, dtype=dtype, shape=shape)


def declared_shape(declared: Any, actual: TensorShape, validate: bool) -> TensorShape:
    """The shape of a variable: the one that the program declares, or that of its first value.

    Raises:
        ValueError: they do not go together.
    """
    if declared is None:
        return actual if validate else TensorShape(None)
    shape = TensorShape(declared)
    if not shape.is_compatible_with(actual):
        raise ValueError(
            "In this `tf.Variable` creation, the initial value's shape "
            f"({actual}) is not compatible with the explicitly supplied `shape` argument "
            f"({declared})."
        )
    return shape


def _convert(variable: Variable, dtype: DType | None) -> Tensor:
    return to_tensor(variable.value(), dtype)


bind_operators(Variable)
AnyTensor.register(Variable)
register_converter(Variable, _convert)
