"""Variables on parameter servers: ordinary ones, whose values a server holds."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...core.tensor import AnyTensor
from ...eager.variable import Variable
from ...ops.convert import register_converter, to_tensor


class ServedVariable(Variable):
    """A variable that a parameter server holds."""

    #: The number of the server.
    _server = 0

    @property
    def device(self) -> str:
        """The server's CPU."""
        return ps_device(self._server)


AnyTensor.register(ServedVariable)
register_converter(ServedVariable, lambda variable, dtype: to_tensor(variable.value(), dtype))


def ps_device(number: int) -> str:
    """The name of a parameter server's device."""
    return f"/job:ps/replica:0/task:{number}/device:CPU:0"


class ShardInfo(NamedTuple):
    """Which part of a variable is made: what an initial value's function is told that takes
    `shard_info`.

    Fields:
        shape: of the part.
        offset: where it begins in the whole.
    """

    shape: TensorShape
    offset: tuple[int, ...]


class Division:
    """Into what shards a variable is divided.

    Args:
        given: the variable's arguments by name.
        partitioner: tells how many there are to be; None for no division.

    Raises:
        ValueError: it divides another axis than the first.
    """

    def __init__(self, given: dict[str, Any], partitioner: Callable[..., Any] | None) -> None:
        self._given = given
        self._value: Any = given.get("initial_value")
        self.sizes: list[int] = []
        if partitioner is None or self._value is None:
            return
        shape, dtype = self._known()
        if shape.rank:
            self._dims = [int(each or 0) for each in shape.as_list()]
            self._dtype = dtype
            count = _parts(partitioner(shape=shape, dtype=dtype))
            self.sizes = _sizes(self._dims[0], count)

    def _known(self) -> tuple[TensorShape, Any]:
        """Shape and dtype of the whole; computes the initial value where nothing else tells."""
        shape, dtype = TensorShape(self._given.get("shape")), self._given.get("dtype")
        if dtype is None or not shape.is_fully_defined():
            self._value = to_tensor(self._whole(), None if dtype is None else as_dtype(dtype))
            return self._value.shape, self._value.dtype
        return shape, as_dtype(dtype)

    def _whole(self) -> Any:
        return self._value() if callable(self._value) else self._value

    def arguments(self) -> list[dict[str, Any]]:
        """The arguments of each shard."""
        name = self._given.get("name") or "Variable"
        made, start = [], 0
        values = self._parts_of_value()
        for i, (size, value) in enumerate(zip(self.sizes, values, strict=True)):
            own = {"initial_value": value, "name": f"{name}/part_{i}", "dtype": self._dtype}
            made.append({**self._given, **own, "shape": None})
            start += size
        return made

    def _parts_of_value(self) -> Sequence[Any]:
        starts = [sum(self.sizes[:i]) for i in range(len(self.sizes))]
        if callable(self._value) and "shard_info" in inspect.signature(self._value).parameters:
            return [self._part(start, size) for start, size in zip(starts, self.sizes, strict=True)]
        whole = to_tensor(self._whole(), self._dtype)
        return [whole[s : s + size] for s, size in zip(starts, self.sizes, strict=True)]

    def _part(self, start: int, size: int) -> Any:
        shape = TensorShape([size, *self._dims[1:]])
        offset = (start, *[0] * (len(self._dims) - 1))
        return self._value(shard_info=ShardInfo(shape, offset))

    def whole_arguments(self) -> dict[str, Any]:
        """The arguments of the variable that is not divided."""
        return {**self._given, "initial_value": self._value}


def _parts(counts: Any) -> int:
    fits = isinstance(counts, (list, tuple)) and counts and counts[0] >= 1
    if not fits or any(each != 1 for each in counts[1:]):
        raise ValueError(
            "variable_partitioner must return a list/tuple whose elements are 1 besides the first "
            f"element (non-zero), got: {counts!r}"
        )
    return int(counts[0])


def _sizes(rows: int, count: int) -> list[int]:
    """The rows of each shard, the first ones having one more where they do not divide."""
    count = min(count, rows)
    if count < 2:
        return []
    least, more = divmod(rows, count)
    return [least + 1] * more + [least] * (count - more)
