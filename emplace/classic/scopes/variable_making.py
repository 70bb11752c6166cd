"""Making a variable that `get_variable` has not found, and whether a found one will do."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.aggregation import VariableAggregation, VariableSynchronization, is_trained
from ...core.context import LOCAL
from ...eager.variable import Variable
from ...graph.recording.scopes import current_graph, init_scope
from ...graph.representation.graph import Graph
from ...ops.convert import is_tensor_like, to_tensor
from ...ops.host_values import natural_dtype, to_array
from .collections import GraphKeys, add_to_collection, outer_graph
from .initializers import GlorotUniform, Zeros


def wanted_dtype(wishes: dict[str, Any], usual: Any) -> Any:
    """The dtype that a variable is asked to have.

    Raises:
        ValueError: its first value has another one.
    """
    dtype, initializer = wishes.get("dtype"), wishes.get("initializer")
    if initializer is not None and not callable(initializer):
        found = _dtype_of(initializer)
        if dtype is not None and as_dtype(dtype) is not found:
            raise ValueError(
                f"Initializer type '<dtype: '{found.name}'>' and explicit dtype '<dtype: "
                f"'{as_dtype(dtype).name}'>' don't match."
            )
        return found
    return as_dtype(usual if dtype is None else dtype)


def _dtype_of(value: TensorLike) -> Any:
    """The dtype of a value; it makes no node."""
    if is_tensor_like(value):
        return value.dtype
    if type(value) in (bool, int, float, complex, str, bytes):  # NumPy's numbers are no such
        return natural_dtype(value)
    return as_dtype(to_array(value, in_graph=not LOCAL.state.target.is_eager)[0].dtype)


def shared_variable(found: Any, name: str, shape: Any, dtype: Any, reuse: Any) -> Any:
    """A variable that exists already, for a call that may share it.

    Raises:
        ValueError: it may not, or asks for another shape or dtype.
    """
    if reuse is False or reuse is None:
        line = getattr(getattr(found, "op", None), "line", None)  # eager ones have no operation
        where = "" if line is None else (
            f' Originally defined at:\n\n  File "{line.file}", line {line.number}, in '
            f"{line.function}\n"
        )  # fmt: skip
        raise ValueError(
            f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or "
            f"reuse=tf.AUTO_REUSE in VarScope?{where}"
        )
    if not found.shape.is_compatible_with(TensorShape(shape)):
        raise ValueError(
            f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found "
            f"shape {found.shape}."
        )
    if dtype is not found.dtype:
        raise ValueError(
            f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype "
            f"{found.dtype.name}."
        )
    return found


def new_variable(
    name: str, shape: Any, dtype: Any, initializer: Any, is_value: bool, more: dict[str, Any]
) -> Any:
    """A variable that did not exist.

    Args:
        name: its name.
        shape: its shape; None where the first value tells.
        dtype: its dtype.
        initializer: its first value, or what makes that of a shape; None for the usual one.
        is_value: whether `initializer` is a value.
        more: further arguments of `tf.Variable`, and the `partition_info` of a part.

    Raises:
        ValueError: nothing tells its first value or its shape.
    """
    dims, is_usual = TensorShape(shape), initializer is None
    if initializer is None:
        initializer = usual_initializer(name, dtype)
    if inspect.isclass(initializer):
        initializer = initializer()
    if not is_value:
        if not dims.is_fully_defined() and not _is_called_bare(initializer):
            if dims.rank is None and is_usual:
                raise ValueError(
                    f"Variable {name} did not get an initializer, so its `shape` argument must be "
                    "specified."
                )
            raise ValueError(
                "The initializer passed is not valid. It should be a callable with no arguments "
                "and the shape should not be provided or an instance of "
                "`tf.keras.initializers.*' and "
                "`shape` should be fully defined."
            )
        if dims.is_fully_defined():
            more = {**more, "shape": dims}
        part = more.get("partition_info")
        initializer = functools.partial(_first_value, initializer, dims, dtype, part)
    options = _options(more)
    if LOCAL.state.target.is_eager:
        options.pop("collections", None)
        return Variable(initializer, name=name, dtype=dtype, **options)
    outer = outer_graph()
    is_lifted = current_graph() is not outer and not outer.is_function
    with init_scope() if is_lifted else nullcontext():
        graph: Any = current_graph()
        with graph.name_scope(None):
            return Variable(initializer, name=name, dtype=dtype, **options)


def _options(more: dict[str, Any]) -> dict[str, Any]:
    """Further arguments of `tf.Variable`, as functions that make variables find them."""
    keep = ("collections", "validate_shape", "constraint", "shape")
    options = {k: more[k] for k in keep if k in more}
    synchronization = more.get("synchronization") or VariableSynchronization.AUTO
    options["trainable"] = is_trained(more.get("trainable"), synchronization)
    options["synchronization"] = synchronization
    options["aggregation"] = more.get("aggregation") or VariableAggregation.NONE
    return options


def _is_called_bare(initializer: Callable[..., Any]) -> bool:
    """Whether an initializer takes no shape."""
    try:
        wanted = inspect.signature(initializer).parameters.values()
    except (TypeError, ValueError):
        return False
    return not any(p.default is p.empty and p.kind < p.VAR_POSITIONAL for p in wanted)


def _first_value(
    initializer: Callable[..., Any], shape: TensorShape, dtype: DType | None, part: Any
) -> Any:
    graph = current_graph()
    with nullcontext() if graph is None else plain_nodes(graph):
        if _is_called_bare(initializer) and not shape.is_fully_defined():
            return initializer()
        known = _arguments_of(initializer)
        options = {"partition_info": part} if "partition_info" in known else {}
        if "dtype" in known:
            return initializer(shape.as_list(), dtype=dtype, **options)
        return to_tensor(initializer(shape.as_list()), dtype)


def _arguments_of(function: Callable[..., Any]) -> Any:
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ("dtype",)
    is_open = any(each.kind is each.VAR_KEYWORD for each in found.values())
    return {*found, "dtype"} if is_open else found


@contextmanager
def plain_nodes(graph: Graph) -> Iterator[None]:
    """A scope in which nodes are called by their ops, below the open name scope."""
    with graph.plain_names(f"{graph.names.scope}/" if graph.names.scope else ""):
        yield


def usual_initializer(name: str, dtype: Any) -> Any:
    """What makes the first value of a variable that got no initializer.

    Raises:
        ValueError: there is none for the dtype.
    """
    if dtype.is_floating:
        return GlorotUniform()
    if dtype.is_integer or dtype.is_bool or dtype is dtypes.string:
        return Zeros()
    raise ValueError(f"An initializer for variable {name} of {dtype!r} is required")


def add_regularization(variable: Any, name: str, regularizer: Any) -> None:
    """Adds the loss of a variable's regularizer to the collection of those losses."""
    graph = current_graph()
    with nullcontext() if graph is None else graph.name_scope(f"{name}/Regularizer/"):
        loss = regularizer(variable)
    if loss is not None:
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
