"""The target that records: while a graph is the default one, ops become its operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType
from ...base.shapes import Dims, TensorShape
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.context import AppliesAlike, ThreadState
from ...core.symbolic_value import (
    BackedInt,
    SymbolicValue,
    SymbolicValueError,
    filled_in,
    resolved,
    symbolic_values,
    with_backed_ints,
    without_backed_ints,
)
from ...core.tensor import Tensor
from ...eager.tape import TO_TAPES
from ...ops.composite import compose
from ...ops.host_values import raw_of, scalar_array
from ...ops.infer import Spec
from ...ops.op import FIXED_TYPES, Arg, Op, expand
from ..representation.copies import copy_of
from ..representation.graph import NEW_TARGET, Graph, Operation, SymbolicTensor, attribute_tensors
from ..representation.ops import BODIED, CONST, PLACEHOLDER_WITH_DEFAULT
from ..shape_inference.lists import elements_of
from ..shape_inference.narrow_inputs import too_narrow
from ..shape_inference.shape_errors import refusal
from ..shape_inference.shapes import outputs_of
from ..shape_inference.variable_changes import wrong_change
from .deferred import DEFERRED, defer
from .value_dependent import call_value_dependent, has_symbolic_tensors


class GraphTarget(AppliesAlike):
    """Takes the ops of one graph. There is one per graph, as `graph.target`."""

    is_eager = False

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def apply(
        self, state: ThreadState, op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any] | None
    ) -> Any:
        """Records `op`; returns its outputs as eager execution would, or the operation if it has
        none.

        Raises:
            TypeError: an input has a dtype that the op does not take.
            ValueError: shapes do not fit.
        """
        if any(isinstance(x, CompositeTensor) for x in inputs):
            return self.call_value_dependent(compose, (op, inputs, attrs), {})
        graph, attrs = self.graph, attrs or {}
        taken = [self.taken(x) for x in inputs]
        check_types(op, taken)
        attrs = with_backed_ints(attrs, self._backed_here)
        attribute_inputs = attribute_tensors(attrs)
        if attribute_inputs:
            attrs = {name: self._symbolic_here(value) for name, value in attrs.items()}
            attribute_inputs = attribute_tensors(attrs)
        specs = [x.spec for x in taken]
        try:
            wrong = (
                None
                if attribute_inputs
                else too_narrow(op, specs, attrs) or wrong_change(op.name, taken)
            )
            if wrong is not None:
                raise ValueError(wrong)
            output_specs = outputs_of(op, specs, without_backed_ints(attrs), bool(attribute_inputs))
        except ValueError as error:
            raise refusal(
                str(error),
                graph.refused(op, (*taken, *attribute_inputs), attrs, len(attribute_inputs)),
            ) from None
        flat = (output_specs,) if isinstance(output_specs, Spec) else output_specs or ()
        operation = graph.add(
            op, (*taken, *attribute_inputs), attrs, flat, attribute_inputs=len(attribute_inputs)
        )
        self._hand_on(operation, taken)
        if state.tapes:
            TO_TAPES.tell(operation)
        if isinstance(output_specs, Spec):
            return operation.outputs[0]
        return list(operation.outputs) if flat else operation

    def disagreements(self, operation: Operation) -> Iterator[str]:
        """Where inputs and outputs of an operation are not what its op's record and rule tell."""
        record = operation.record
        if record.name in _TOLD:
            return
        try:
            check_types(record, list(operation.given))
            waits = any(True for each in operation.attrs.values() for _ in symbolic_values(each))
            specs = [x.spec for x in operation.given]
            made = outputs_of(record, specs, operation.attrs, waits)
        except TypeError as error:
            yield f"{operation!r} takes what it cannot: {error}"
            return
        except ValueError:  # shapes that are known by now do not fit: running it says so
            return
        told = (made,) if isinstance(made, Spec) else made or ()
        if len(told) != len(operation.outputs):
            yield f"{operation!r} has {len(operation.outputs)} outputs, its rule tells {len(told)}"
            return
        is_read = any(x.handle_data is not None for x in operation.inputs)
        for y, spec in zip(operation.outputs, told, strict=True) if not is_read else ():
            if y.dtype is not spec.dtype:
                yield f"{y!r} has another dtype than its rule tells, {spec.dtype.name}"
            if not y.shape.is_compatible_with(TensorShape(spec.dims)):
                yield f"{y!r} has another shape than its rule tells, {TensorShape(spec.dims)}"

    def _symbolic_here(self, value: TensorLike) -> Any:
        """An attribute that waits for tensors, with what is known of them by now."""

        def here(symbolic: SymbolicValue) -> Any:
            tensor = self.taken(symbolic.tensor)
            known = self.graph.number_behind(tensor)
            if known is None:
                return SymbolicValue(tensor, symbolic.place)
            return resolved(SymbolicValue(tensor, symbolic.place), known.tolist())

        return filled_in(value, here)

    def _backed_here(self, number: BackedInt) -> Any:
        """A number that a tensor has told, as an attribute of an operation here."""
        return number if number.tensor.graph is self.graph else self.graph.number_of(number)

    def _hand_on(self, operation: Any, inputs: list[SymbolicTensor]) -> None:
        """What is known of a variable goes with its handle."""
        name = operation.record.name
        if name == "VarHandleOp":
            attrs = operation.attrs
            dims = attrs["shape"].sizes
            operation.outputs[0].handle_data = Spec(dims, attrs["dtype"])
            operation.outputs[0]._dims = ()
        elif name in _READS and inputs[0].handle_data is not None:
            data = inputs[0].handle_data
            operation.outputs[0]._dtype = data.dtype
            operation.outputs[0]._dims = _READS[name](data.dims, *[x.dims for x in inputs[1:]])
        elif operation.outputs and operation.outputs[0].dtype is dtypes.variant:
            operation.outputs[0].handle_data = elements_of(operation, inputs)
        elif name == "Identity":
            operation.outputs[0].handle_data = inputs[0].handle_data

    def taken(self, x: TensorLike) -> SymbolicTensor:
        """An input as a tensor of this graph."""
        if type(x) is SymbolicTensor and x.graph is self.graph:
            return x
        made = copy_of(x)
        if made is not x:
            return self.taken(made)
        return self.graph.capture(x)

    def constant(
        self, state: ThreadState, raw: object, dtype: DType, borrowed: bool
    ) -> SymbolicTensor:
        """An operation Const; it gets its name from the operation that takes it, unless the
        program asked for a constant.
        """
        if borrowed:
            raw = raw.clone() if isinstance(raw, torch.Tensor) else np.array(raw)
        attrs = {"value": raw, "dtype": dtype, "is_implicit": True}
        return self._const(attrs)

    def scalar(self, state: ThreadState, value: TensorLike, dtype: DType) -> SymbolicTensor:
        """An operation Const; it gets its name from the operation that takes it."""
        raw = raw_of(scalar_array(value, dtype))
        return self._const({"value": raw, "dtype": dtype, "is_implicit": True})

    def _const(self, attrs: dict[str, Any]) -> SymbolicTensor:
        spec = Spec(tuple(attrs["value"].shape), attrs["dtype"])
        return self.graph.add(CONST, (), attrs, (spec,)).outputs[0]

    def call(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function that looks at shapes or values: run now if they are known, else deferred."""
        if not defer.has_unknown(args, kwargs):
            try:
                return function(*args, **kwargs)
            except SymbolicValueError:
                pass
        return defer(self, function, args, kwargs)

    def call_value_dependent(self, function: Any, args: Any, kwargs: Any) -> Any:
        """A function that looks at values of ragged tensors: run now if it need not, else when the
        graph runs.
        """
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if not has_symbolic_tensors((args, kwargs)):
                raise
            try:
                return call_value_dependent(self, function, args, kwargs)
            except Exception:  # it would not run either
                raise error from None

    def source(self, handle: Tensor) -> Tensor:
        """What stands for a variable's handle, or for a tensor from elsewhere, on a tape."""
        return self.taken(handle)

    def stand_ins(self, x: Tensor) -> Iterator[Tensor]:
        """What stands for a tensor by now in the graphs around, from the outermost in, and here."""
        functions: list[Any] = []
        graph: Any = self.graph
        while graph is not None and graph.is_function:
            functions.append(graph)
            graph = graph.outer
        for function in reversed(functions):
            inside = function.stand_in_for(x)
            if inside is not None:
                yield inside
                x = inside

    def variable(self, kind: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """A variable of this graph."""
        return self.graph.make_variable(kind, args, kwargs)


def _rows(dims: Dims | None, indices: Dims | None) -> Dims | None:
    return None if dims is None or indices is None else (*indices, *dims[1:])


def _rows_nd(dims: Dims | None, indices: Dims | None) -> Dims | None:
    if dims is None or not indices or indices[-1] is None:
        return None
    return (*indices[:-1], *dims[indices[-1] :])


# Ops whose outputs are told by who records them, not by a rule.
_TOLD = BODIED | {
    DEFERRED.name, PLACEHOLDER_WITH_DEFAULT.name, "_Arg", "Const", "VarHandleOp",
}  # fmt: skip

# What ops that read a variable return, by the shapes of the variable and of the other inputs.
_READS: dict[str, Any] = {
    "ReadVariableOp": lambda dims: dims,
    "ResourceCountUpTo": lambda dims: dims,
    "ResourceGather": _rows,
    "ResourceGatherNd": _rows_nd,
}


# Ops and types of inputs that have been found to fit.
_FITTING: set[tuple[object, ...]] = set()
_MOST_FITTING = 4096


def check_types(op: Op, inputs: list[SymbolicTensor]) -> None:
    """Raises TypeError, in TensorFlow's words for graphs, unless the input types fit `op`."""
    key = op, *[x.dtype.name for x in inputs]
    if key in _FITTING:
        return
    bound: dict[str, tuple[Arg, DType]] = {}
    for (arg, _), x in zip(expand(op.tensor_inputs, len(inputs)), inputs, strict=True):
        allowed = op.types.get(arg.type)
        if allowed is None:
            _check_fixed(op, arg, x.dtype)
            continue
        if x.dtype not in allowed:
            names = ", ".join(each.name for each in allowed)
            raise TypeError(
                f"Value passed to parameter '{arg.name}' has DataType {x.dtype.name} not in list "
                f"of allowed values: {names}"
            )
        first, dtype = bound.setdefault(arg.type, (arg, x.dtype))
        if dtype is not x.dtype:
            raise TypeError(
                f"Input '{arg.name}' of '{op.name}' Op has type {x.dtype.name} that does not match "
                f"type {dtype.name} of argument '{first.name}'."
            )
    if len(_FITTING) >= _MOST_FITTING:
        _FITTING.clear()
    _FITTING.add(key)


def _check_fixed(op: Op, arg: Arg, dtype: DType) -> None:
    expected = FIXED_TYPES.get(arg.type)
    if expected is not None and dtype is not expected:
        raise TypeError(
            f"Input '{arg.name}' of '{op.name}' Op has type {dtype.name} that does not match "
            f"expected type of {expected.name}."
        )


NEW_TARGET.bind(GraphTarget)
