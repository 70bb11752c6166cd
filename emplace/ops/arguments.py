"""Arguments that ops take as plain values: shapes, axes, counts, and one of a few types.

Programs pass them as Python numbers, sequences, arrays or tensors.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import torch

from ..base.dtypes import ANY, INTEGERS, DType, as_dtype, int32, runtime_name
from ..base.errors import InvalidArgumentError, invalid_argument
from ..base.shapes import TensorShape, runtime_text
from ..base.typing import Axis, DTypeLike, TensorLike
from ..core.context import LOCAL
from ..core.symbolic_value import (
    BackedInt,
    SymbolicValue,
    SymbolicValueError,
    backed_int,
    has_backed_int,
    specialise_on,
)
from ..core.tensor import EagerTensor, Tensor
from .convert import is_tensor_like, to_tensor
from .host_values import to_array
from .infer import Spec, same
from .op import apply, op


def flag(value: TensorLike | None, default: bool = True) -> bool:
    """A switch of an op; None stands for its default, as TensorFlow's wrappers have it."""
    return default if value is None else bool(value)


def static_ints(value: Any, what: str) -> tuple[int, ...]:
    """A shape or a list of axes as a tuple of ints, from ints, sequences, arrays or tensors.

    Raises:
        InvalidArgumentError: `value` holds other numbers, or is no vector.
        TypeError: it is a Python float.
        ValueError: it cannot be a tensor.
    """
    if type(value) is int:
        return (value,)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
        return tuple(value.as_list())
    if isinstance(value, (list, tuple)):
        try:
            integers = tuple(map(operator.index, value))
            return tuple(value) if has_backed_int(value) else integers
        except (AttributeError, TypeError) as error:  # something in it is no integer
            value = [read_now(size) for size in value]
            if any(is_symbolic(size) and not size.dtype.is_integer for size in value):
                # TF: numbers of other types in a list are cast.
                return _symbolic_ints(to_tensor(list(value), int32))  # type: ignore[no-any-return]
            if any(is_symbolic(size) or isinstance(size, SymbolicValue) for size in value):
                return tuple(known_int(size) for size in value)
            if isinstance(error, AttributeError):  # a scalar tensor of floats: TF takes it there
                return tuple(int(size) for size in value)
    value = read_now(value)
    if is_symbolic(value):
        if value.shape.rank is not None and value.shape.rank > 1:
            raise ValueError(f"Shape must be rank 1 but is rank {value.shape.rank} for {what}")
        return _symbolic_ints(value)  # type: ignore[no-any-return]
    if isinstance(value, (int, np.integer)):
        return (value if type(value) is BackedInt else int(value),)
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    array = static_array(value, what)
    if array.ndim > 1:
        raise wrong_argument(
            f"{what} must be a vector, got shape {runtime_text(array.shape)}",
            f"Shape must be rank 1 but is rank {array.ndim} for {what}",
        )
    return tuple(array.reshape(-1).tolist())


def wrong_argument(eager: str, recorded: str, kind: type[Exception] = ValueError) -> Exception:
    """An error for an argument that TensorFlow's kernel refuses, and in graphs, with other words
    and as a ValueError, its shape rule; of a dtype a TypeError, which `kind` says."""
    return invalid_argument(eager) if LOCAL.state.target.is_eager else kind(recorded)


def told_here(error: InvalidArgumentError) -> Exception:
    """What a rule of a kernel says, as the error that it is where the argument is given: in graphs
    a ValueError.
    """
    return error if LOCAL.state.target.is_eager else ValueError(error.message)


def read_now(value: object) -> Any:
    """A variable of a graph as its value: it may change before the graph runs."""
    if LOCAL.state.target.is_eager or isinstance(value, Tensor) or not is_tensor_like(value):
        return value
    return to_tensor(value)


def given_shape(value: Any) -> tuple[int | None, ...] | None:
    """The shape of a number, a sequence, an array or a tensor, without a look at its values; None
    if its rank is not known."""
    if isinstance(value, (list, tuple)):
        inner = given_shape(value[0]) if value else ()
        return None if inner is None else (len(value), *inner)
    dims = value.shape if hasattr(value, "shape") else np.shape(value)
    if isinstance(dims, TensorShape):
        return None if dims.rank is None else tuple(dims.as_list())
    return tuple(dims)


def number_now(value: object) -> Any:
    """A number as Python has it, or the tensor of a graph that tells it when the graph runs; of a
    tensor that is no scalar the array, for who asks for one number to refuse."""
    value = read_now(value)
    if is_symbolic(value) or not is_tensor_like(value):
        return value
    found = value.numpy()
    return found if found.ndim else found.item()


def _symbolic_ints(value: Tensor) -> Any:
    """The numbers of a tensor of a graph; a `SymbolicValue` for each that is not known yet."""
    check_integers(value)
    known = value.partial_value()
    if known is None:
        return SymbolicValue(value, "all")
    if value.shape.rank == 0:
        return (SymbolicValue(value) if known[0] is None else backed_int(known[0], value),)
    return tuple(
        SymbolicValue(value, i) if each is None else backed_int(each, value, i)
        for i, each in enumerate(known)
    )


def check_index_types(
    op_name: str, bounds: Sequence[Any], allowed: Sequence[DType], start: int = 1
) -> None:
    """Raises TensorFlow's error unless the tensors among an op's bounds are of one fitting type.

    Args:
        op_name: the op.
        bounds: its bounds in order; Python numbers have the type that the others have.
        allowed: the types that they may have.
        start: the place of the first bound among the op's inputs.

    Raises:
        InvalidArgumentError: a type is not allowed, or another one than before it.
    """
    first: DType | None = None
    for place, bound in enumerate(bounds, start):
        if not isinstance(bound, (Tensor, np.ndarray)):
            continue
        dtype = as_dtype(bound.dtype)
        if dtype not in allowed:
            raise invalid_argument(
                f"Value for attr 'Index' of {runtime_name(dtype)} is not in the list of allowed "
                f"values: {', '.join(runtime_name(x) for x in allowed)}\n\t; NodeDef: "
                f"{{{{node {op_name}}}}} [Op:{op_name}] name: "
            )
        if isinstance(bound, Tensor):
            first = first or dtype
            if dtype is not first:
                raise invalid_argument(
                    f"cannot compute {op_name} as input #{place}(zero-based) was expected to be a "
                    f"{runtime_name(first)} tensor but is a {runtime_name(dtype)} tensor "
                    f"[Op:{op_name}] name: "
                )


def is_symbolic(value: object) -> TypeGuard[Tensor]:
    """Whether `value` is a tensor of a graph."""
    return isinstance(value, Tensor) and type(value) is not EagerTensor


def holds_symbolic(value: object) -> bool:
    """Whether `value` is a sequence with a tensor of a graph in it."""
    return isinstance(value, (list, tuple)) and any(map(is_symbolic, value))


def known_int(value: Any) -> Any:
    """A number as an int, or as a `SymbolicValue` if it is a tensor of a graph and not known yet.

    Raises:
        TypeError: it is no integer.
    """
    if is_symbolic(value):
        check_integers(value)
        known = value.partial_value()
        if known is None or known[0] is None:
            return SymbolicValue(value)
        return backed_int(known[0], value)
    if isinstance(value, (SymbolicValue, BackedInt)):
        return value
    if is_tensor_like(value) and not isinstance(value, Tensor):
        return known_int(to_tensor(value))
    return operator.index(value)


def check_integers(value: Tensor) -> None:
    """Raises TypeError unless `value` is a tensor of integers."""
    if value.dtype.is_integer:
        return
    raise TypeError(
        f"Value passed as a shape, an axis or a count has DataType {value.dtype.name} not in "
        "list of allowed values: int32, int64"
    )


def static_axes(axis: Axis | None) -> tuple[int, ...] | None:
    """The axes that an op reduces as a tuple of ints; None for all of them.

    Raises:
        InvalidArgumentError, TypeError, ValueError: as `static_ints`.
    """
    if isinstance(axis, (list, tuple, np.ndarray)) and _is_deep(axis):
        if not LOCAL.state.target.is_eager:
            raise ValueError(f"Shape must be at most rank 1 but is rank {np.ndim(axis)}: axes.")
        axis = static_array(axis, "axis").reshape(-1)  # TF: they are laid flat
    return None if axis is None else static_ints(axis, "axis")


def _is_deep(axis: Any) -> bool:
    if isinstance(axis, np.ndarray):
        return axis.ndim > 1
    return any(isinstance(each, (list, tuple, np.ndarray)) and np.ndim(each) for each in axis)


def static_array(value: TensorLike, what: str) -> np.ndarray[Any, Any]:
    """Host integers as a NumPy array, from whatever a tensor of integers can be made of.

    Raises:
        InvalidArgumentError: they are no integers.
        ValueError: they cannot be a tensor.
    """
    if isinstance(value, (list, tuple)):
        value = [_plain(each) for each in value]
    array = host_value(value) if hasattr(value, "numpy") or isinstance(value, Tensor) else value
    if not isinstance(array, (np.ndarray, np.generic, int, float, str, bytes)):
        array, _ = to_array(array)
    array = np.asarray(array)
    if array.dtype.kind not in "iub" and array.size:
        dtype = as_dtype(array.dtype)
        raise wrong_argument(
            f"Value for attr 'Tidx' of {runtime_name(dtype)} is not in the list of allowed values: "
            f"int32, int64 ({what})",
            f"Value passed to parameter {what!r} has DataType {dtype.name} not in list of allowed "
            "values: int32, int64",
            TypeError,
        )
    return array.astype(np.int64)


def host_value(value: Any) -> Any:
    """The value of a tensor or variable as NumPy.

    Raises:
        SymbolicValueError: it is a tensor of a graph, and only running the graph tells its value.
    """
    if type(value) is EagerTensor or not isinstance(value, Tensor):
        if not LOCAL.state.target.is_eager and not isinstance(value, Tensor):
            return host_value(
                to_tensor(value)
            )  # a variable, which may change before the graph runs
        return value.numpy()
    known = value.static_value()
    if known is None:
        raise SymbolicValueError(
            f"The value of {value!r} is known only when the graph runs, and this function needs "
            "it now. Give it a plain number, or compute it with ops on tensors."
        )
    specialise_on(value)
    return known


def _plain(value: TensorLike | None) -> Any:
    """A scalar that stands in a list, as a Python number where it is a tensor or an array."""
    if hasattr(value, "numpy") or isinstance(value, Tensor):
        return host_value(value).tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def only_number(found: Any) -> Any:
    """The only one of the numbers that `static_ints` has found; all of them if there are others.
    How many there are of a tensor of unknown rank is known when the graph runs: one is expected.
    """
    if isinstance(found, SymbolicValue):
        return SymbolicValue(found.tensor)
    return found[0] if len(found) == 1 else found


def one_number(value: Any, what: str) -> int:
    """One number, from an int, an array or a tensor of one element, as `static_ints` takes it.

    Raises:
        InvalidArgumentError: there is none, or more than one.
    """
    found = only_number(static_ints(value, what))
    if isinstance(found, tuple):
        raise invalid_argument(f"{what} must be scalar, got shape [{len(found)}]")
    return found  # type: ignore[no-any-return]


def one_int(value: Any, refusal: str) -> int:
    """`value`, a number or a scalar tensor, as an int.

    Args:
        value: the argument.
        refusal: TensorFlow's text for an argument of another shape, with {shape} in it.

    Raises:
        ValueError: it is None.
        TypeError: it is no integer.
        InvalidArgumentError: it has a shape.
    """
    if type(value) is int:
        return value
    if value is None:
        raise ValueError(
            "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a "
            "Tensor."
        )
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32")
    value = read_now(value)
    if is_symbolic(value) and value.shape.rank is None:
        return unranked_int(value, refusal)  # type: ignore[no-any-return]
    numbers = static_ints(value, "an index")
    shape = tuple(value.shape) if hasattr(value, "shape") else np.shape(value)
    if shape and not LOCAL.state.target.is_eager:
        text = refusal.format(shape=runtime_text(shape))
        raise ValueError(f"Shape must be rank 0 but is rank {len(shape)}: {text}")
    if shape:
        raise invalid_argument(refusal.format(shape=runtime_text(shape)))
    return numbers[0]


def check_scalar_kernel(value: torch.Tensor, *, refusal: str) -> torch.Tensor:
    """The value, after a check that it has no axes."""
    if value.ndim:
        raise invalid_argument(refusal.format(shape=runtime_text(tuple(value.shape))))
    return value


def _scalar_spec(value: Spec, **attrs: Any) -> Spec:
    return Spec((), value.dtype)


CHECK_SCALAR = op(
    "_CheckScalar", "value: T -> output: T", check_scalar_kernel, _scalar_spec, aliases=True,
    T=INTEGERS,
)  # fmt: skip


def check_that_kernel(value: torch.Tensor, *, holds: bool, refusal: str) -> torch.Tensor:
    """The value, after a check of something else."""
    if not holds:
        raise invalid_argument(refusal)
    return value


CHECK_THAT = op(
    "_CheckThat", "value: T, holds: host -> output: T", check_that_kernel, same, aliases=True,
    T=ANY, is_listed=False,
)  # fmt: skip


def check_that(value: Tensor, holds: Tensor, refusal: str) -> Tensor:
    """A value of a graph, which is there only if something holds when the graph runs; else that
    is refused as InvalidArgumentError.
    """
    return apply(CHECK_THAT, (value,), {"holds": SymbolicValue(holds), "refusal": refusal})


def unranked_int(value: Tensor, refusal: str) -> Any:
    """A number of a tensor of which a graph does not know the rank: whether it is a scalar is
    checked when the graph runs.
    """
    check_integers(value)
    return known_int(apply(CHECK_SCALAR, (value,), {"refusal": refusal}))


def one_of(attribute: str, dtype: DTypeLike, allowed: Sequence[DType]) -> DType:
    """The dtype of an attribute.

    Raises:
        InvalidArgumentError: it is not one of `allowed`.
    """
    found = as_dtype(dtype)
    if found not in allowed:
        names = ", ".join(runtime_name(each) for each in allowed)
        raise invalid_argument(
            f"Value for attr '{attribute}' of {runtime_name(found)} is not in the list of allowed "
            f"values: {names}"
        )
    return found


def like(value: TensorLike, dtype: DType) -> Tensor:
    """`value` as a tensor that shares a type variable with one of `dtype`.

    Raises:
        TypeError: it is a Python value that cannot have that dtype.
    """
    if is_tensor_like(value):
        return to_tensor(value)
    return to_tensor(value, dtype)
