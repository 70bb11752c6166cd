"""What `get_variable` does where a partitioner divides the variable."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...graph.recording.scopes import current_graph, init_scope
from ...ops.array.slicing import slice_
from ...ops.convert import to_tensor
from ...ops.variables.slice_info import SaveSliceInfo
from . import messages
from .collections import outer_graph
from .in_parts import PartitionedVariable, PartitionInfo, is_of_strategy, partitions_of, slices_of
from .variable_making import plain_nodes, usual_initializer

_WARNED: list[bool] = []


def partitioner_for(partitioner: Any, shape: Any) -> Any:
    """The partitioner that a call of `get_variable` has to ask; None for a variable that stays
    whole: a scalar, or one of a strategy.

    Raises:
        ValueError: it is no function.
    """
    if partitioner is None or (isinstance(shape, (list, tuple)) and not shape):
        return None
    if is_of_strategy():
        if not _WARNED:
            _WARNED.append(True)
            messages.warning(
                "Partitioned variables are disabled when using current tf.distribute.Strategy."
            )
        return None
    if not callable(partitioner):
        raise ValueError(f"Partitioner must be callable, but received: {partitioner}")
    return partitioner


def found_or_made_in_parts(
    store: Any, single: Callable[..., Any], name: str, partitioner: Any, shape: Any, dtype: Any,
    initializer: Any, reuse: Any, **more: Any,
) -> Any:  # fmt: skip
    """A variable in parts: a new one, or the one that has the name.

    Args:
        store: the variables of the graph, `variables` and `in_parts`.
        single: what finds or makes a variable that is not divided.
        name: the full name of the whole.
        partitioner: what divides it; None to look it up.
        shape: its shape.
        dtype: its dtype.
        initializer: a function that makes each part, or the value of the whole.
        reuse: True to look it up, False to make it.
        more: further arguments of `single`.

    Raises:
        ValueError: it exists and is not to be shared, or the other way round, or it exists with
            another shape, dtype or division.
    """
    is_eager = LOCAL.state.target.is_eager
    variables = {} if is_eager else store.variables
    if name in variables:
        raise ValueError(
            "A partitioner was provided, but an unpartitioned version of the variable was found: "
            f"{name}.  Perhaps a variable of the same name was already created without "
            "partitioning?"
        )
    dims, dtype = TensorShape(shape), as_dtype(dtype)
    if isinstance(initializer, Tensor):
        dims = dims.merge_with(initializer.shape)
    partitions = partitions_of(partitioner, dims, dtype) if partitioner is not None else None
    existing = None if is_eager else store.in_parts.get(name)
    if existing is not None:
        return _shared(existing, name, dims, dtype, partitions, reuse)
    if reuse is True or partitions is None:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with "
            "tf.get_variable(). Did you mean to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    slices = list(slices_of(dims.as_list(), partitions))
    _check_others(variables, name, len(slices))
    parts = []
    for i, (offset, sizes) in enumerate(slices):
        part_name = f"{name}/part_{i}"
        own = _own_initializer(initializer, name, part_name, dtype, offset, sizes)
        part = single(
            part_name, shape=sizes if callable(own) else None, dtype=dtype, initializer=own,
            reuse=reuse, partition_info=PartitionInfo(dims.as_list(), offset), **more,
        )  # fmt: skip
        part._set_save_slice_info(SaveSliceInfo(name, dims.as_list(), offset, sizes))
        parts.append(part)
    whole = PartitionedVariable(name, dims, dtype, parts, partitions)
    if not is_eager:
        store.in_parts[name] = whole
    return whole


def _shared(
    found: PartitionedVariable, name: str, shape: TensorShape, dtype: Any, partitions: Any,
    reuse: Any,
) -> PartitionedVariable:  # fmt: skip
    if reuse is False:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True "
            "or reuse=tf.AUTO_REUSE in VarScope?"
        )
    trying = f"Trying to reuse partitioned variable {name}, but specified"
    if not shape.is_compatible_with(found.shape):
        raise ValueError(f"{trying} shape {shape} and found shape {found.shape}.")
    if dtype is not found.dtype:
        raise ValueError(f"{trying} dtype {dtype.name} and found dtype {found.dtype.name}.")
    if partitions is not None and found._get_partitions() != partitions:
        raise ValueError(
            f"{trying} partitions {partitions} and found partitions {found._get_partitions()}."
        )
    return found


def _check_others(variables: dict[str, Any], name: str, count: int) -> None:
    """Refuses parts that exist without a whole, unless they are as many."""
    if f"{name}/part_0" not in variables:
        return
    text = (
        "Partitioner returned a different partitioning than what was already found.  Partitioner "
        f"returned {count} shards, and shard {name}/part_0 was found, but"
    )
    if f"{name}/part_{count - 1}" not in variables:
        raise ValueError(f"{text} {name}/part_{count - 1} was not.")
    if f"{name}/part_{count}" in variables:
        raise ValueError(f"{text} so was the extra shard {name}/part_{count}.")


def _own_initializer(
    initializer: Any, name: str, part_name: str, dtype: Any, offset: list[int], sizes: list[int]
) -> Any:
    """What makes the first value of a part, or that value: the part of the whole's."""
    if initializer is None:
        return usual_initializer(name, dtype)
    if callable(initializer):
        return initializer
    outer = outer_graph()
    is_inside = current_graph() is not outer and not outer.is_function
    is_inside = is_inside and not isinstance(initializer, Tensor)
    with init_scope() if is_inside and not LOCAL.state.target.is_eager else nullcontext():
        graph = current_graph()
        if graph is None:
            return slice_(to_tensor(initializer, dtype), offset, sizes)
        with graph.name_scope(f"{part_name}/PartitionedInitializer"), plain_nodes(graph):
            return slice_(to_tensor(initializer, dtype), offset, sizes)
