"""`tf.debugging.assert_*` of ranks and shapes.

What is known is checked at once; in a graph, the rest when it runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ...base.dtypes import int32
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ...core.context import LOCAL
from ...core.tensor import EagerTensor
from ..array.joining import concat
from ..array.making import fill
from ..array.shaping import rank as rank_of, shape as shape_of
from ..convert import to_tensor
from ..math.elementwise import equal, greater_equal, maximum, subtract
from ..math.reduction import reduce_any
from .checks import Assert, nothing_to_check

Data = Sequence[Any] | None


def _start(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _taken(x: Any) -> Any:
    return x if isinstance(x, CompositeTensor) else to_tensor(x)


def _name(x: Any) -> str:
    """What an error calls a tensor, which has a name in graphs."""
    eager = LOCAL.state.target.is_eager or isinstance(x, CompositeTensor | EagerTensor)
    return "" if eager else str(x.name)


@contextlib.contextmanager
def _behind(checks: Sequence[Any]) -> Iterator[None]:
    """A scope whose operations run after checks."""
    target: Any = LOCAL.state.target
    if target.is_eager:
        yield
    else:
        with target.graph.control_dependencies([each for each in checks if each is not None]):
            yield


@dataclass(frozen=True)
class _Ranks:
    """Which ranks are right, and how an error says so."""

    wanted: Sequence[Any]
    holds: Callable[[int, Sequence[int]], bool]
    holds_later: Callable[[Any, Sequence[Any]], Any]
    words: str  # what stands behind "must have rank"
    is_one: bool = True

    def text(self, known: Sequence[int]) -> str:
        """The ranks as an error names them."""
        numbers = str(known[0]) if self.is_one else str(tuple(known))
        return f"{self.words} {numbers}".strip()


def _known_rank(rank: Any) -> int | None:
    if rank.dtype is not int32:
        raise TypeError(f"tensor must be of type {int32!r}; got {rank.dtype!r}")
    known = rank.static_value()
    if known is not None and rank.shape.rank != 0:
        raise ValueError("Rank must be a scalar.")
    return None if known is None else int(known)


def _check_rank(
    x: Any, ranks: _Ranks, message: str | None, data: Data = None, summarize: int | None = None
) -> Any:
    """Raises unless a tensor has a right rank; the operation that will, in a graph."""
    x = _taken(x)
    wanted = [to_tensor(rank) for rank in ranks.wanted]
    known = [_known_rank(rank) for rank in wanted]
    there = [rank for rank in known if rank is not None]
    found = x.shape.rank
    if found is not None and len(there) == len(known):
        if not ranks.holds(found, there):
            raise ValueError(
                f"{_start(message)}Tensor {_name(x)} must have rank {ranks.text(there)}.  Received "
                f"rank {found}, shape {x.shape}"
            )
        return nothing_to_check()
    checks = [
        _check_rank(rank, _one_rank(0), None, ["Rank must be a scalar. Received rank: ", rank])
        for rank, value in zip(wanted, known, strict=True)
        if value is None
    ]
    with _behind(checks):
        holds = ranks.holds_later(rank_of(x), wanted)
        shown = data or [
            _start(message), f"Tensor {_name(x)} must have rank {ranks.words}".strip(), *wanted,
            "Received shape: ", shape_of(x),
        ]  # fmt: skip
        return Assert(holds, shown, summarize)


def _one_rank(rank: Any) -> _Ranks:
    return _Ranks([rank], lambda n, wanted: n == wanted[0], lambda n, rank: equal(n, rank[0]), "")


def _rank_at_least(rank: Any) -> _Ranks:
    return _Ranks(
        [rank], lambda n, wanted: n >= wanted[0], lambda n, rank: greater_equal(n, rank[0]),
        "at least",
    )  # fmt: skip


def _rank_in(ranks: Iterable[Any]) -> _Ranks:
    def any_is(n: Any, wanted: Sequence[Any]) -> Any:
        return reduce_any([equal(n, rank) for rank in wanted])

    return _Ranks(list(ranks), lambda n, wanted: n in wanted, any_is, "in", is_one=False)


def assert_rank(
    x: TensorLike,
    rank: TensorLike,
    message: str | None = None,
    name: str | None = None,
    *,
    data: Data = None,
    summarize: int | None = None,
) -> Any:
    """Raises unless a tensor has a rank (`tf.debugging.assert_rank`).

    Args:
        x: a tensor.
        rank: the rank, an int or a scalar of int32.
        message: what the error starts with.
        name: a name in graphs.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.

    Raises:
        ValueError: it has another.

    >>> assert_rank([[1, 2]], 2)
    """
    return _check_rank(x, _one_rank(rank), message, data, summarize)


def assert_rank_at_least(
    x: TensorLike,
    rank: TensorLike,
    message: str | None = None,
    name: str | None = None,
    *,
    data: Data = None,
    summarize: int | None = None,
) -> Any:
    """Raises unless a tensor has at least a rank (`tf.debugging.assert_rank_at_least`).

    Args:
        x: a tensor.
        rank: the least rank.
        message: what the error begins with.
        name: a name in graphs.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
    """
    return _check_rank(x, _rank_at_least(rank), message, data, summarize)


def assert_rank_in(
    x: TensorLike,
    ranks: Iterable[Any],
    message: str | None = None,
    name: str | None = None,
    *,
    data: Data = None,
    summarize: int | None = None,
) -> Any:
    """Raises unless a tensor has one of several ranks (`tf.debugging.assert_rank_in`).

    Args:
        x: a tensor.
        ranks: the ranks it may have.
        message: what the error begins with.
        name: a name in graphs.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
    """
    return _check_rank(x, _rank_in(ranks), message, data, summarize)


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Raises unless it is known that a tensor has rank 0 (`tf.debugging.assert_scalar`).

    Raises:
        ValueError: it has another, or its rank is not known.
    """
    tensor = _taken(tensor)
    shape = tensor.shape  # type: ignore[union-attr]
    if shape.rank != 0:
        of = f" for {_name(tensor)}" if _name(tensor) else ""
        raise ValueError(f"{_start(message)}Expected scalar shape{of}, saw shape: {shape}.")
    return nothing_to_check()


def assert_shapes(
    shapes: Iterable[Any] | dict[Any, Any],
    data: Data = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises unless tensors have shapes that fit each other (`tf.debugging.assert_shapes`). In a
    graph, sizes that are not known are checked when it runs.

    Args:
        shapes: pairs of a tensor and its shape, or a dictionary of them. A shape is a sequence of
            sizes; a string names a size that must be the same wherever the name stands; None and
            "." are any size; a first `...` or "*" are any number of axes. A tensor without axes
            and a shape without sizes have one size, which is 1; a shape of None is any.
        data: what an error shows that only running a graph tells of.
        summarize: how many elements of each it shows, 3 by default.
        message: what the error starts with.
        name: a name in graphs.

    Raises:
        ValueError: a size or rank is another.

    >>> assert_shapes([([[1, 2, 3]], ("N", "Q")), ([5], ("N",))])
    """
    checks_of_shapes(shapes, data, summarize, message)


def checks_of_shapes(
    shapes: Any, data: Data = None, summarize: int | None = None, message: str | None = None
) -> list[Any]:
    """The operations that check shapes when a graph runs; what is known is checked at once.

    Args:
        shapes: pairs, or a dictionary.
        data: what an error shows.
        summarize: how many elements of each.
        message: what the error starts with.
    """
    pairs = list(shapes.items() if isinstance(shapes, dict) else shapes)
    taken = [(_taken(x), wanted) for x, wanted in pairs if wanted is not None]
    asked = [_AskedShape.of(x, wanted, message) for x, wanted in taken]
    ranks = [each.check_rank(data, summarize, message) for each in asked]
    checks = [check for check in ranks if check is not None]
    named: dict[Any, tuple[Any, _AskedShape, int]] = {}
    with _behind(checks):
        return checks + [
            check
            for each in asked
            for check in each.check_sizes(named, data, summarize, message)
            if check is not None
        ]


@dataclass(frozen=True, eq=False)
class _AskedShape:
    """A tensor and the sizes it must have."""

    tensor: Any
    sizes: Sequence[Any]
    are_innermost: bool  # whether there may be other axes before them

    @classmethod
    def of(cls, tensor: Any, wanted: Any, message: str | None) -> _AskedShape:
        """What a program asks for.

        Raises:
            ValueError: it is no shape.
        """
        if not hasattr(wanted, "__iter__") and not hasattr(wanted, "__getitem__"):
            raise ValueError(
                f"{_start(message)}Tensor {_described(tensor)}.  Specified shape must be an "
                "iterable.  An iterable has the attribute `__iter__` or `__getitem__`.  Received "
                f"specified shape: {wanted}"
            )
        sizes = tuple(wanted)
        for i, size in enumerate(sizes[1:], start=1):
            if _is_any_number(size):
                raise ValueError(
                    f"{_start(message)}Tensor {_described(tensor)} specified shape index {i}.  "
                    "Symbol `...` or `*` for a variable number of unspecified dimensions is only "
                    "allowed as the first entry"
                )
        are_innermost = bool(sizes) and _is_any_number(sizes[0])
        return cls(tensor, sizes[are_innermost:] or (1,), are_innermost)

    def check_rank(self, data: Data, summarize: int | None, message: str | None) -> Any:
        """Whether the tensor has as many axes as there are sizes."""
        count = len(self.sizes)
        if self.are_innermost and count == 1:
            return None
        if self.are_innermost:
            ranks = _rank_at_least(count)
        else:
            ranks = _rank_in([0, 1]) if count == 1 else _one_rank(count)
        return _check_rank(self.tensor, ranks, message, data, summarize)

    def check_sizes(
        self,
        named: dict[Any, tuple[Any, _AskedShape, int]],
        data: Data,
        summarize: int | None,
        message: str | None,
    ) -> Iterator[Any]:
        """Whether the tensor has the sizes; names that are new mean its own from now on."""
        there = _sizes_of(self.tensor)
        for i, symbol in enumerate(self.sizes):
            if symbol is None or (isinstance(symbol, str) and symbol == "."):
                continue
            axis = i - len(self.sizes) if self.are_innermost else i
            asked_size = _number(symbol)
            start = "Specified explicitly"
            if asked_size is None:
                if symbol not in named:
                    named[symbol] = there[axis], self, axis
                    continue
                asked_size, other, place = named[symbol]
                start = f"Specified by tensor {_described(other.tensor)} dimension {place}"
            subject = f"Tensor {_described(self.tensor)} dimension"
            if isinstance(there[axis], int) and isinstance(asked_size, int):
                if there[axis] != asked_size:
                    raise ValueError(
                        f"{_start(message)}{start}.  {subject} {axis} must have size "
                        f"{asked_size}.  Received size {there[axis]}, shape {self.tensor.shape}"
                    )
                continue
            shown = data or [
                _start(message), start, subject, axis, "must have size", asked_size,
                "Received shape: ", shape_of(self.tensor),
            ]  # fmt: skip
            yield Assert(equal(there[axis], asked_size), shown, summarize)


def _is_any_number(size: Any) -> bool:
    """Whether it stands for any number of axes."""
    return size is Ellipsis or (isinstance(size, str) and size == "*")


def _number(symbol: Any) -> int | None:
    """The size that is asked for; None if it is a name."""
    try:
        return int(symbol)
    except (ValueError, TypeError):
        return None


def _described(tensor: Any) -> str:
    return _name(tensor) or f"shape={tensor.shape} dtype={tensor.dtype.name}"


def _sizes_of(tensor: Any) -> Any:
    """The sizes of a tensor, numbers where they are known; that of a scalar is 1."""
    shape = tensor.shape
    if shape.rank is None:
        ones = fill([maximum(subtract(1, rank_of(tensor)), 0)], 1)
        return concat([shape_of(tensor), ones], 0)
    found = shape_of(tensor) if None in shape.as_list() else ()
    return [found[i] if n is None else n for i, n in enumerate(shape.as_list())] or [1]
