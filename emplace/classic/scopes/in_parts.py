"""Variables of TF 1 in parts: the variable that consists of others, and how it is divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ...base.dtypes import DType
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor import Tensor
from ...graph.recording.scopes import control_dependencies, current_graph
from ...ops.array.joining import concat, split
from ...ops.array.shaping import identity
from ...ops.convert import register_converter
from ...ops.variables.parts import InParts


class PartitionInfo:
    """Which part of a variable an initializer is to make: its `partition_info`.

    Args:
        full_shape: the shape of the whole, a list.
        var_offset: where the part begins, an int per axis.

    Raises:
        TypeError: one of them is no list or tuple.
        ValueError: they differ in length, or the part begins outside.

    >>> PartitionInfo([5, 3], [3, 0]).single_offset([2, 3])
    3
    """

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        for name, value in (("full_shape", full_shape), ("var_offset", var_offset)):
            if not isinstance(value, (list, tuple)):
                raise TypeError(_no_sequence(name, value))
        if len(var_offset) != len(full_shape):
            raise ValueError(
                f"Expected equal length, but `var_offset` is of length {len(var_offset)} while "
                f"full_shape is of length {len(full_shape)}."
            )
        for offset, size in zip(var_offset, full_shape, strict=True):
            if not 0 <= offset < size:
                raise ValueError(
                    f"Expected 0 <= offset < shape but found offset={offset}, shape={size} for "
                    f"var_offset={var_offset}, full_shape={full_shape}"
                )
        self._full_shape, self._var_offset = full_shape, var_offset

    full_shape = property(lambda self: self._full_shape, doc="The shape of the whole.")
    var_offset = property(lambda self: self._var_offset, doc="Where the part begins.")

    def single_offset(self, shape: Sequence[int]) -> int:
        """Where a part of this shape begins on the axis that is cut; 0 if none is. It raises what
        `single_slice_dim` does.
        """
        axis = self.single_slice_dim(shape)
        return 0 if axis is None else int(self.var_offset[axis])

    def single_slice_dim(self, shape: Sequence[int]) -> int | None:
        """The axis on which a part of this shape is cut, None if it is the whole.

        Raises:
            TypeError: the shape is no list or tuple.
            ValueError: it has another rank, does not fit, or is cut on several axes.
        """
        if not isinstance(shape, (tuple, list)):
            raise TypeError(_no_sequence("shape", shape))
        full, begin = self.full_shape, self.var_offset
        if len(shape) != len(full):
            raise ValueError(
                f"Expected equal length, but received shape={shape} of length {len(shape)} while "
                f"self.full_shape={full} is of length {len(full)}."
            )
        for axis, size in enumerate(shape):
            if begin[axis] + size > full[axis]:
                raise ValueError(
                    f"With self.var_offset={begin}, a partition of shape={shape} would exceed "
                    f"self.full_shape={full} in dimension {axis}."
                )
        cut = [axis for axis, size in enumerate(shape) if size != full[axis]]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape={shape} and self.full_shape={full} "
                f"since slice dim could be either dimension {cut[1]} or {cut[0]}."
            )
        return cut[0] if cut else None


def _no_sequence(name: str, value: object) -> str:
    kind = type(value).__name__
    return f"`{name}` must be a sequence (like tuple or list) instead of {kind}"


class PartitionedVariable(InParts):
    """A variable that consists of others, which `get_variable` makes where a partitioner divides
    it. It is no `tf.Variable`, its parts are; functions that take tensors take it.

    Args:
        name: the name of the whole.
        shape: its shape.
        dtype: its dtype.
        variable_list: the parts, each with a `SaveSliceInfo`.
        partitions: the number of parts per axis.

    Raises:
        TypeError: `variable_list` or `partitions` is no list or tuple.
        ValueError: there are no parts, or they do not fit.
    """

    __module__ = "tensorflow.python.ops.variables"  # by which libraries tell it

    def __init__(
        self, name: str, shape: Any, dtype: DType, variable_list: Sequence[Any],
        partitions: Sequence[int],
    ) -> None:  # fmt: skip
        _check(shape, variable_list, partitions)
        self._variable_list = sorted(
            variable_list, key=lambda part: part._get_save_slice_info().var_offset
        )
        self._name, self._shape, self._dtype = name, shape, dtype
        self._partitions = partitions

    name = property(lambda self: self._name, doc='The name of the whole, without ":0".')
    dtype = property(lambda self: self._dtype, doc="The dtype of the elements.")
    shape = property(lambda self: self._shape, doc="The shape of the whole.")
    _distribute_strategy = None  # those of strategies are not divided

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape  # type: ignore[no-any-return]

    def __len__(self) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise ValueError(f"Cannot get a length for {len(axes)} > 1 partition axes")
        return len(self._variable_list)

    def as_tensor(self) -> Tensor:
        """The value of the whole; control dependencies around do not hold for it.

        Raises:
            NotImplementedError: it is cut on more than one axis.
        """
        with control_dependencies(None):
            joined: Tensor = self._concat()
            return joined

    def _concat(self) -> Any:
        parts: Any = self._variable_list
        with _named(f"{self._name}/ConcatPartitions", "concat"):
            found = parts[0].value() if len(parts) == 1 else concat(parts, self._joining_axis())
        with _named(None, self._name):
            return identity(found)

    def _joining_axis(self) -> int:
        return self._only_axis("Cannot concatenate", "concat is not")

    def _partition_axes(self) -> list[int]:
        return [axis for axis, count in enumerate(self._partitions) if count > 1] or [0]

    def _only_axis(self, deed: str, what: str) -> int:
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError(
                f"{deed} along more than one dimension: {axes}.  Multi-axis partition {what} "
                "supported"
            )
        return axes[0]

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> Sequence[int]:
        return self._partitions

    # -- changes --------------------------------------------------------------------------------

    def assign(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:  # fmt: skip
        """Replaces the value of the whole.

        Args:
            value: the new one, or a list of the parts' new ones.
            use_locking: not used.
            name: the name of the operations.
            read_value: False returns the operations.

        Returns:
            A list of what assigning to each part returns.

        Raises:
            ValueError: the value, or the number of values, does not fit.
        """
        return self._each("assign", value, name, read_value)

    def assign_add(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:  # fmt: skip
        """Adds to the value; see `assign`."""
        return self._each("assign_add", value, name, read_value)

    def assign_sub(
        self, value: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:  # fmt: skip
        """Subtracts from the value; see `assign`."""
        return self._each("assign_sub", value, name, read_value)

    def _each(self, change: str, value: Any, name: str | None, read_value: bool) -> list[Any]:
        axis = self._only_axis("Cannot do assign action", "assign action is not")
        if isinstance(value, PartitionedVariable):
            value = list(value)
        elif not isinstance(value, list):
            sizes = [part.shape.as_list()[axis] for part in self._variable_list]
            value = split(value, sizes, axis=axis)
        if len(value) != len(self._variable_list):
            raise ValueError(
                f"[{change}] got a list of {len(value)} values for {self._name!r}, which has "
                f"{len(self._variable_list)} parts. Give one per part, or one tensor for all."
            )
        return [
            getattr(part, change)(each, name=name, read_value=read_value)
            for part, each in zip(self._variable_list, value, strict=True)
        ]


@contextmanager
def _named(scope: str | None, name: str) -> Iterator[None]:
    """A scope in which a graph's operations have a name, whatever makes them."""
    graph = current_graph()
    if graph is None:
        yield
        return
    with graph.plain_names(f"{scope}/" if scope else ""), graph.exact_name(name):
        yield


def _check(shape: Any, parts: Sequence[Any], partitions: Sequence[int]) -> None:
    for what, given in (("variable_list", parts), ("partitions", partitions)):
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"{what} is not a list or tuple: {given}")
    if not all(each >= 1 for each in partitions):
        raise ValueError(f"partition values must be positive: {partitions}")
    if not parts:
        raise ValueError("variable_list may not be empty")
    if any(part._get_save_slice_info() is None for part in parts):
        names = [part.name for part in parts]
        raise ValueError(f"All variables must have a save_slice_info available: {names}")
    if len(shape) != len(partitions):
        raise ValueError(f"len(shape) != len(partitions): {shape} vs. {partitions}")
    for part in parts:
        full = part._get_save_slice_info().full_shape
        if TensorShape(full) != TensorShape(shape):
            raise ValueError(
                f"All variables' full shapes must match shape: {shape}; but full shapes were: "
                f"{[full]}"
            )


def _joined(whole: PartitionedVariable, dtype: DType | None) -> Tensor:
    if dtype is not None and dtype is not whole.dtype:
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{whole.dtype.name}'"
        )
    return whole.as_tensor()


register_converter(PartitionedVariable, _joined)


# -- how variables are divided --------------------------------------------------------------------


def partitions_of(partitioner: Callable[..., Any], shape: TensorShape, dtype: DType) -> Any:
    """How many parts a partitioner wants per axis.

    Raises:
        ValueError: the shape is not known, or the answer is none for it.
    """
    if not shape.is_fully_defined():
        raise ValueError(
            f"Shape of a new partitioned variable must be fully defined, but instead was {shape}."
        )
    if not shape.rank:
        raise ValueError(f"A partitioned Variable must have rank at least 1, shape: {shape}")
    parts = partitioner(shape=shape, dtype=dtype)
    if not isinstance(parts, Sequence):
        raise ValueError(f"Partitioner must return a sequence, but saw: {parts}")
    if len(parts) != shape.rank:
        raise ValueError(
            "Partitioner returned a partition list that does not match the Variable's rank: "
            f"{parts} vs. {shape}"
        )
    if any(each < 1 for each in parts):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {parts}")
    if sum(each > 1 for each in parts) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {shape}, partitioning: {parts}"
        )
    return parts


def slices_of(full: list[int], partitions: Sequence[int]) -> Iterator[tuple[list[int], list[int]]]:
    """Where each part begins, and its shape; the first ones are longer where sizes differ.

    >>> list(slices_of([5, 2], [2, 1]))
    [([0, 0], [3, 2]), ([3, 0], [2, 2])]
    """
    axis = next((i for i, count in enumerate(partitions) if count > 1), 0)
    count, offset = int(partitions[axis]), [0] * len(full)
    for i in range(count):
        sizes = list(full)
        sizes[axis] = full[axis] // count + (i < full[axis] % count)
        yield list(offset), sizes
        offset[axis] += sizes[axis]


def is_of_strategy() -> bool:
    """Whether variables belong to a strategy, which does not divide them."""
    return LOCAL.state.strategy is not None
