"""Variables in shards: each holds some rows, on a server of its own; reading joins them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...base.dtypes import DType, int32
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.tensor import AnyTensor, Tensor
from ...core.tracking import Trackable
from ...eager.variable import Variable
from ...ops.array.gathering import gather, gather_nd
from ...ops.array.joining import concat
from ...ops.array.making import range_, zeros_like
from ...ops.array.partition import dynamic_partition, dynamic_stitch
from ...ops.array.shaping import reshape, shape, size
from ...ops.convert import register_converter, to_tensor
from ...ops.math.elementwise import add, cast, greater_equal, subtract
from ...ops.variables.indexed_slices import IndexedSlices

# The name that a variable's value has in checkpoints.
_VALUE = "VARIABLE_VALUE"


class ShardedVariable(Trackable):
    """A variable whose rows are divided among several (`ShardedVariable` of TensorFlow). It reads
    as one, is assigned to as one, and is one in a checkpoint; it is no `tf.Variable`, its shards
    are.

    Args:
        variables: the shards, in the order of their rows.
        name: what it says is its name.

    Raises:
        TypeError: there is none, or something is no variable.
        ValueError: they do not fit together.
    """

    # Operators win over NumPy's when an array stands on the left.
    __array_priority__ = 100

    is_sharded_variable = True

    def __init__(self, variables: Sequence[Any], name: str = "ShardedVariable") -> None:
        _check(variables)
        self._variables = list(variables)
        self.name = name
        ends = list(itertools.accumulate(each.shape.as_list()[0] for each in self._variables))
        self._starts = [0, *ends[:-1]]
        self._row = self._variables[0].shape.as_list()[1:]
        self._shape = TensorShape([ends[-1], *self._row])

    @property
    def variables(self) -> list[Any]:
        """The shards."""
        return list(self._variables)

    shards_in_order = variables  # what a graph waits for

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._variables[0].dtype  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variables)

    def value(self) -> Any:
        """Its value now: the rows of all shards."""
        return concat([each.value() for each in self._variables], 0)

    def numpy(self) -> Any:
        """Its value as a NumPy array."""
        return np.concatenate([each.numpy() for each in self._variables])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.numpy(), dtype)

    def __getitem__(self, key: object) -> Any:
        count = self._shape.as_list()[0]
        if type(key) is int and not -count <= key < count:
            at = key if key >= 0 else key + count
            raise IndexError(f"ShardedVariable: slice index {at} of dimension 0 out of bounds.")
        return self.value()[key]

    # -- changes --------------------------------------------------------------------------------

    def assign(
        self, value: Any, use_locking: bool | None = None, name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:  # fmt: skip
        """Replaces its value.

        Args:
            value: the new one, of the variable's shape, cast to its dtype.
            use_locking: changes nothing; each shard is assigned at once.
            name: a name in graphs.
            read_value: changes nothing; the variable is returned.

        Raises:
            ValueError: the value has another shape.
        """
        return self._each(lambda shard, part: shard.assign(part), value)

    def assign_add(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:  # fmt: skip
        """Adds to its value.

        Args:
            delta: what is added; it and the others are as in `assign`.
            use_locking: see `assign`.
            name: a name in graphs.
            read_value: see `assign`.
        """
        return self._each(lambda shard, part: shard.assign_add(part), delta)

    def assign_sub(
        self, delta: TensorLike, use_locking: bool = False, name: str | None = None,
        read_value: bool = True,
    ) -> ShardedVariable:  # fmt: skip
        """Subtracts from its value.

        Args:
            delta: what is taken away; it and the others are as in `assign`.
            use_locking: see `assign`.
            name: a name in graphs.
            read_value: see `assign`.
        """
        return self._each(lambda shard, part: shard.assign_sub(part), delta)

    def _each(self, change: Callable[[Any, Any], Any], value: Any) -> ShardedVariable:
        value = to_tensor(value, self.dtype)
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign to {self.name} of shape {self._shape} a value of shape "
                f"{value.shape}: the shapes must be equal."
            )
        for shard, start in zip(self._variables, self._starts, strict=True):
            change(shard, value[start : start + shard.shape.as_list()[0]])
        return self

    def _scatter(self, kind: str, delta: object, name: str | None = None) -> ShardedVariable:
        if not isinstance(delta, IndexedSlices):
            raise TypeError(
                f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {delta}"
            )
        indices = to_tensor(delta.indices)
        owner, local = self._owners(indices)
        count = len(self._variables)
        values = dynamic_partition(to_tensor(delta.values, self.dtype), owner, count)
        places = dynamic_partition(local, owner, count)
        for shard, part, rows in zip(self._variables, values, places, strict=True):
            getattr(shard, f"scatter_{kind}")(IndexedSlices(part, rows))
        return self

    def scatter_add(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Adds `tf.IndexedSlices` to rows.

        Raises:
            TypeError: `sparse_delta` is something else.
            InvalidArgumentError: a row is out of range.
        """
        return self._scatter("add", sparse_delta)

    def scatter_sub(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Subtracts `tf.IndexedSlices` from rows; see `scatter_add`."""
        return self._scatter("sub", sparse_delta)

    def scatter_mul(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Multiplies rows by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("mul", sparse_delta)

    def scatter_div(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Divides rows by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("div", sparse_delta)

    def scatter_min(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keeps the smaller of rows and `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("min", sparse_delta)

    def scatter_max(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Keeps the larger of rows and `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("max", sparse_delta)

    def scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("update", sparse_delta)

    def batch_scatter_update(
        self, sparse_delta: IndexedSlices, use_locking: bool = False, name: str | None = None
    ) -> Any:
        """Replaces rows by `tf.IndexedSlices`; see `scatter_add`."""
        return self._scatter("update", sparse_delta)

    # -- rows -----------------------------------------------------------------------------------

    def sparse_read(self, indices: TensorLike, name: str | None = None) -> Any:
        """Some rows; every shard is asked for its own only. Gradients are slices of the shards.

        Args:
            indices: the numbers of the rows, int32 or int64, of any shape.

        Raises:
            InvalidArgumentError: a row is out of range (on the CPU).
        """
        indices = to_tensor(indices)
        flat = reshape(indices, [-1])
        owner, local = self._owners(flat)
        count = len(self._variables)
        local_rows = dynamic_partition(local, owner, count)
        places = dynamic_partition(range_(size(flat)), owner, count)
        rows = [
            each.sparse_read(part) for each, part in zip(self._variables, local_rows, strict=True)
        ]
        found = dynamic_stitch(places, rows)
        return reshape(found, concat([shape(indices), to_tensor(self._row, int32)], 0))

    def gather_nd(self, indices: TensorLike, name: str | None = None) -> Any:
        """Some slices, each named by a row of indices (`tf.gather_nd`)."""
        return gather_nd(self.value(), indices)

    def _owners(self, indices: Any) -> tuple[Any, Any]:
        """The number of each row's shard, and that of the row in it. Rows before the first shard
        are its, rows behind the last are that one's, which then refuse them."""
        owner = zeros_like(indices, dtype=int32)
        for start in self._starts[1:]:
            owner = add(owner, cast(greater_equal(indices, start), int32))
        starts = to_tensor(self._starts, indices.dtype)
        return owner, subtract(indices, gather(starts, owner))

    # -- checkpoints ----------------------------------------------------------------------------

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_VALUE: self.value()}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> Any:
        self.assign(restored_tensors[_VALUE])
        return None

    def __repr__(self) -> str:
        shards = ", ".join(f"{each.name} on {each.device}" for each in self._variables)
        return f"<ShardedVariable shape={self._shape} dtype={self.dtype.name}: {shards}>"


def _check(variables: Any) -> None:
    is_list = isinstance(variables, Sequence) and bool(variables)
    if not is_list or not all(isinstance(each, Variable) for each in variables):
        raise TypeError(
            "Argument `variables` should be a non-empty list of `variables.Variable`s. Received "
            f"{variables}"
        )
    first = variables[0]
    for each in variables:
        if each.dtype is not first.dtype or each.shape.as_list()[1:] != first.shape.as_list()[1:]:
            raise ValueError(
                "All shards must have the same dtype and the same shape but for the first axis. "
                f"Got {first.dtype.name} {first.shape} and {each.dtype.name} {each.shape}."
            )


def _operator(on_tensors: Callable[..., Any]) -> Callable[..., Any]:
    def operator(self: ShardedVariable, *others: Tensor) -> Any:
        return on_tensors(self.value(), *others)

    return operator


for _name in sorted(Tensor.OVERLOADABLE_OPERATORS - {"__getitem__"}):
    setattr(ShardedVariable, _name, _operator(getattr(Tensor, _name)))
AnyTensor.register(ShardedVariable)
register_converter(ShardedVariable, lambda sharded, dtype: to_tensor(sharded.value(), dtype))
