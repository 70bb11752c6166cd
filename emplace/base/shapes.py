"""Shapes whose dimensions, or whose rank, may be unknown (`tf.TensorShape`), and broadcasting.

Messages are TensorFlow's.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from .board_protos import board_proto
from .dimensions import Dimension, Size, as_dimension

Dims = tuple[int | None, ...]


_OURS = __name__.partition(".")[0] + "."
# Whether the elements of shapes are dimensions as in TF 1, with `value`.
_HAS_DIMENSIONS = [False]


def show_dimensions(wanted: bool) -> None:
    """Says whether the elements of shapes are those of TF 1 or plain numbers and None."""
    _HAS_DIMENSIONS[0] = wanted


def _shown(size: int | None, frames: int = 1) -> Any:
    """An element of a shape as whoever asks for it sees it: programs of TF 1 get dimensions, but
    Emplace's own code gets None for what is unknown, in all modes. `frames` is how far up it is.
    """
    if not _HAS_DIMENSIONS[0]:
        return size
    if size is not None:
        return Size(size)
    asks = sys._getframe(frames).f_globals.get("__name__", "")
    return None if asks.startswith(_OURS) else Dimension(None)


def common(one: Dims | None, other: Dims | None) -> Dims | None:
    """What two shapes share: None for each dimension in which they differ, or for the rank."""
    if one is None or other is None or len(one) != len(other):
        return None
    return tuple(a if a == b else None for a, b in zip(one, other, strict=True))


def covers(wide: Dims | None, dims: Dims | None) -> bool:
    """True if every shape that fits `dims` fits `wide`."""
    if wide is None or dims is None:
        return wide is None
    return len(wide) == len(dims) and all(
        w is None or w == d for w, d in zip(wide, dims, strict=True)
    )


def _as_dims(dims: object) -> Dims | None:
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims.sizes
    if hasattr(dims, "unknown_rank"):  # a TensorShapeProto, whichever library made its class
        return _of_proto(dims)
    if isinstance(dims, (str, bytes, dict)):
        first = next(iter(dims), "")
        raise TypeError(
            f"Failed to convert '{dims!r}' to a shape: '{first!r}'could not be converted to a "
            "dimension. A shape should either be single dimension (e.g. 10), or an iterable of "
            "dimensions (e.g. [1, 10, None])."
        )
    if isinstance(dims, Iterable):
        try:
            return tuple(as_dimension(size) for size in dims)
        except TypeError:
            if getattr(dims, "ndim", 1) != 0:  # a scalar array looks iterable but is one dimension
                raise
    return (as_dimension(dims),)


def _of_proto(proto: Any) -> Dims | None:
    if proto.unknown_rank:
        return None
    return tuple(None if dim.size == -1 else dim.size for dim in proto.dim)


class TensorShape:
    """The shape of a tensor (`tf.TensorShape`): known, partly known, or of unknown rank.

    Args:
        dims: None for an unknown rank, one dimension, or an iterable of dimensions, each an int
            or None.

    Raises:
        TypeError: something in `dims` is not a dimension.
        ValueError: a dimension is negative.

    >>> TensorShape([None, 3]).is_compatible_with([2, 3])
    True
    """

    __slots__ = ("sizes",)

    def __init__(self, dims: Any) -> None:
        #: The dimensions as plain numbers, None where one is unknown; None for an unknown rank.
        self.sizes: Dims | None = _as_dims(dims)

    @property
    def _dims(self) -> Dims | None:
        """The same under TensorFlow's name, which libraries read."""
        return self.sizes

    @property
    def rank(self) -> int | Any:
        """The number of dimensions, or None if it is unknown."""
        return None if self.sizes is None else len(self.sizes)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as TF 1 objects, or None if the rank is unknown."""
        return None if self.sizes is None else [Dimension(size) for size in self.sizes]

    def as_list(self) -> list[Any]:
        """The dimensions as a list of ints and Nones.

        Raises:
            ValueError: the rank is unknown.
        """
        if self.sizes is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self.sizes)

    def is_fully_defined(self) -> bool:
        """True if the rank and every dimension are known."""
        return self.sizes is not None and None not in self.sizes

    def num_elements(self) -> int | None:
        """The number of elements, or None if it is not known."""
        count = 1
        for size in self.sizes if self.sizes is not None else (None,):
            if size is None:
                return None
            count *= size
        return count

    def is_compatible_with(self, other: Any) -> bool:
        """True if some full shape fits both."""
        mine, theirs = self.sizes, _as_dims(other)
        if mine is None or theirs is None:
            return True
        return len(mine) == len(theirs) and all(
            a is None or b is None or a == b for a, b in zip(mine, theirs, strict=True)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """True if every shape that fits this one also fits `other`."""
        theirs = _as_dims(other)
        if theirs is None:
            return True
        return (
            self.sizes is not None
            and len(self.sizes) == len(theirs)
            and all(b is None or a == b for a, b in zip(self.sizes, theirs, strict=True))
        )

    def merge_with(self, other: object) -> TensorShape:
        """The shape that holds what both know.

        Raises:
            ValueError: they contradict each other.
        """
        theirs = TensorShape(other)
        if self.sizes is None:
            return theirs
        if theirs.sizes is None:
            return self
        if not self.is_compatible_with(theirs):
            raise ValueError(f"Shapes {self} and {theirs} are not compatible")
        return TensorShape(
            a if a is not None else b for a, b in zip(self.sizes, theirs.sizes, strict=True)
        )

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The narrowest shape that both fit."""
        theirs = _as_dims(other)
        if self.sizes is None or theirs is None or len(self.sizes) != len(theirs):
            return TensorShape(None)
        return TensorShape(a if a == b else None for a, b in zip(self.sizes, theirs, strict=True))

    def most_specific_common_supertype(self, others: Sequence[TensorShape]) -> TensorShape | None:
        """The narrowest shape that this one and all of `others` fit; None if one is no shape."""
        shared = self
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            shared = shared.most_specific_compatible_shape(other)
        return shared

    def as_proto(self) -> Any:
        """This shape as a TensorShapeProto, in which -1 stands for what is unknown."""
        proto = self.experimental_type_proto()(unknown_rank=self.sizes is None)
        for size in self.sizes or ():
            proto.dim.add(size=-1 if size is None else size)
        return proto

    experimental_as_proto = as_proto

    @classmethod
    def experimental_from_proto(cls, proto: object) -> TensorShape:
        """The shape that `as_proto` made a protocol buffer of."""
        return cls(proto)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of protocol buffers that shapes are kept in."""
        return board_proto("tensor_shape_pb2", "TensorShapeProto")

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape followed by those of `other`."""
        theirs = _as_dims(other)
        if self.sizes is None or theirs is None:
            return TensorShape(None)
        return TensorShape(self.sizes + theirs)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` dimensions.

        Raises:
            ValueError: it has another rank.
        """
        if self.sizes is None:
            return TensorShape([None] * rank)
        self.assert_has_rank(rank)
        return self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
            ValueError: it has fewer than `rank` dimensions.
        """
        if self.sizes is not None and len(self.sizes) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape.

        Raises:
            ValueError: it has more than `rank` dimensions.
        """
        if self.sizes is not None and len(self.sizes) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError unless the rank is `rank` or unknown."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: object) -> None:
        """Raises ValueError unless both have the same rank, or one rank is unknown."""
        theirs = TensorShape(other)
        if self.rank is not None and theirs.rank is not None and self.rank != theirs.rank:
            raise ValueError(f"Shapes {self} and {theirs} must have the same rank")

    def assert_is_compatible_with(self, other: object) -> None:
        """Raises ValueError unless some full shape fits both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every dimension is known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def _known(self) -> Dims:
        if self.sizes is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return self.sizes

    def __len__(self) -> int:
        return len(self._known())

    def __bool__(self) -> bool:
        return self.sizes is not None

    def __iter__(self) -> Iterator[Any]:
        if self.sizes is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.sizes) if not _HAS_DIMENSIONS[0] else map(_shown, self.sizes)

    def __getitem__(self, key: int | slice) -> Any:
        if self.sizes is None:
            return _shown(None, 2) if isinstance(key, int) else TensorShape(None)
        if isinstance(key, slice):
            return TensorShape(self.sizes[key])
        return _shown(self.sizes[key], 2)

    def __add__(self, other: object) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: object) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self.sizes == _as_dims(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.sizes)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self.dims,)

    def __repr__(self) -> str:
        dims = self.dims if _HAS_DIMENSIONS[0] else self.sizes
        return "TensorShape(None)" if dims is None else f"TensorShape({list(dims)})"

    def __str__(self) -> str:
        text = "<unknown>" if self.sizes is None else str(self.sizes)
        return text.replace("None", "?") if _HAS_DIMENSIONS[0] else text


def shape_of(dims: Sequence[int]) -> TensorShape:
    """A TensorShape from sizes that are known to be good, without checking them again."""
    shape = TensorShape.__new__(TensorShape)
    shape.sizes = tuple(dims)
    return shape


def num_elements(dims: Dims | None) -> int:
    """The number of elements; 0 where a dimension is unknown."""
    count = 1
    for size in dims if dims is not None else (0,):
        count *= size or 0
    return count


def overflow_text(dims: Dims) -> str | None:
    """What to say of sizes that no number of elements stands for; None if one does."""
    if None not in dims and 0 < math.prod(dims) < 2**63:  # type: ignore[arg-type]
        return None  # soon told of most
    count = 1
    for size in dims:
        if count * (size or 0) >= 2**63:
            return (
                f"Encountered overflow when multiplying {count} with {size}, result: -1: shape "
                f"{runtime_text(dims)} would have more than 2**63 - 1 elements"
            )
        count *= size or 0
    return None


def broadcast(a: Dims, b: Dims) -> Dims | None:
    """The dimensions of `a` and `b` stretched to each other, or None if they do not fit.

    Unknown with 1 or unknown stays unknown; unknown with another size is that size.
    """
    result: list[int | None] = []
    for x, y in zip_longest(reversed(a), reversed(b), fillvalue=1):
        if x == y or y == 1:
            result.append(x)
        elif x == 1 or x is None:
            result.append(y)
        elif y is None:
            result.append(x)
        else:
            return None
    return tuple(reversed(result))


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape two tensors of these shapes broadcast to (`tf.broadcast_static_shape`).

    Raises:
        ValueError: the shapes do not fit each other.

    >>> broadcast_static_shape(TensorShape([2, 1]), TensorShape([3]))
    TensorShape([2, 3])
    """
    if shape_x.sizes is None or shape_y.sizes is None:
        return TensorShape(None)
    dims = broadcast(shape_x.sizes, shape_y.sizes)
    if dims is None:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension "
            f"pair they are either equal or one of them is 1. Received: {shape_x} and {shape_y}."
        )
    return TensorShape(dims)


def runtime_text(dims: Iterable[int | None]) -> str:
    """A shape as TensorFlow's runtime prints it: [2,?,3]."""
    return "[" + ",".join("?" if size is None else str(size) for size in dims) + "]"


def difference(one: Dims, other: Dims) -> str | None:
    """What TensorFlow's runtime says of two shapes that cannot be of one tensor, if they cannot."""
    if len(one) != len(other):
        return f"Shapes must be equal rank, but are {len(one)} and {len(other)}"
    for i, (a, b) in enumerate(zip(one, other, strict=True)):
        if None not in (a, b) and a != b:
            return (
                f"Dimension {i} in both shapes must be equal, but are {a} and {b}. Shapes are "
                f"{runtime_text(one)} and {runtime_text(other)}."
            )
    return None
