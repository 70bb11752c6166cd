"""`create_partitioned_variables`: variables in as many parts as the program says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.typing import DTypeLike, InitializerLike
from ...ops.convert import is_tensor, to_tensor
from .in_parts import is_of_strategy
from .variable_scope import get_variable_scope, variable_scope


def create_partitioned_variables(
    shape: Any,
    slicing: Sequence[int],
    initializer: InitializerLike,
    dtype: DTypeLike = dtypes.float32,
    trainable: bool = True,
    collections: str | Sequence[str] | None = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """Makes a variable in parts and returns them (`tf.compat.v1.create_partitioned_variables`).

    Args:
        shape: the shape of the whole, at least of rank 1.
        slicing: the number of parts per axis; only one may be more than 1.
        initializer: a function of a part's shape and dtype, or the value of the whole.
        dtype: the dtype of the parts.
        trainable: whether optimizers change them.
        collections: the lists that they are added to; the global variables if None.
        name: the name of the whole; "PartitionedVariable", with a number behind it if it has been
            used, if None.
        reuse: True to look the parts up, False to make them; None as the scope says.

    Returns:
        A list of variables.

    Raises:
        ValueError: an argument does not fit another, the variable exists and is not to be shared
            or the other way round, or getters of the scope would be passed over.

    >>> import emplace.tensorflow.compat.v1 as tf
    >>> with tf.Graph().as_default():
    ...     parts = create_partitioned_variables([5, 2], [2, 1], tf.zeros_initializer(), name="w")
    >>> [part.name for part in parts]
    ['w/part_0:0', 'w/part_1:0']
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: "
            f"{shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        scope = get_variable_scope()
        if scope.custom_getter is not None or is_of_strategy():
            raise ValueError(
                "Private access to _get_partitioned_variable is not allowed when a custom getter "
                f"is set.  Current custom getter: {scope.custom_getter}.  It is likely that "
                "you're using create_partitioned_variables.  If so, consider instead using "
                "get_variable with a non-empty partitioner parameter instead."
            )
        if not callable(initializer):
            initializer = to_tensor(
                initializer, None if is_tensor(initializer) else as_dtype(dtype)
            )
            dtype = initializer.dtype
        wishes = {
            "shape": shape, "dtype": dtype, "initializer": initializer, "trainable": trainable,
            "collections": collections, "partitioner": lambda **_: slicing,
        }  # fmt: skip
        return list(scope._get(scope.name, wishes))
