"""`tf.debugging.assert_*` of ranks and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...base.dtypes import int32
from ...base.shapes import TensorShape
from ...base.typing import TensorLike
from ...core.composite import CompositeTensor
from ..array.shaping import rank as rank_of, shape as shape_of
from ..convert import to_tensor
from ..math.elementwise import equal, greater_equal
from ..math.reduction import reduce_any
from .checks import Assert, nothing_to_check


def _start(message: str | None) -> str:
    return f"{message}.  " if message else ""


def _shape(x: Any) -> Any:
    return x.shape if isinstance(x, CompositeTensor) else to_tensor(x).shape  # type: ignore[attr-defined]


def _static_rank(rank: TensorLike) -> int:
    tensor = to_tensor(rank)
    if tensor.dtype is not int32:
        raise TypeError(f"tensor must be of type {int32!r}; got {tensor.dtype!r}")
    if tensor.shape.rank != 0:
        raise ValueError("Rank must be a scalar.")
    known = tensor.static_value()
    if known is None:
        raise NotImplementedError("A rank to check that only running the graph will tell.")
    return int(known)


def _wrong_rank(shape: Any, wanted: str, message: str | None) -> ValueError:
    return ValueError(
        f"{_start(message)}Tensor  must have rank {wanted}.  Received rank {shape.rank}, "
        f"shape {shape}"
    )


def _later(x: TensorLike, compare: Any, wanted: int, text: str, message: str | None) -> Any:
    """The check of a rank that only running the graph will tell."""
    return _assert(compare(rank_of(x), to_tensor(wanted)), x, text, message)


def _assert(holds: Any, x: Any, text: str, message: str | None) -> Any:
    subject = f"Tensor {x.name} must have rank"
    return Assert(holds, [message or "", subject, text, "Received shape: ", shape_of(x)])


def assert_rank(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raises unless a tensor has a rank (`tf.debugging.assert_rank`).

    Args:
        x: a tensor.
        rank: the rank, an int or a scalar of int32.
        message: what the error starts with.
        name: a name in graphs.

    Raises:
        ValueError: it has another.

    >>> assert_rank([[1, 2]], 2)
    """
    shape, wanted = _shape(x), _static_rank(rank)
    if shape.rank is None:
        return _later(x, equal, wanted, str(wanted), message)
    if shape.rank != wanted:
        raise _wrong_rank(shape, str(wanted), message)
    return nothing_to_check()


def assert_rank_at_least(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raises unless a tensor has at least a rank (`tf.debugging.assert_rank_at_least`).

    Args:
        x: a tensor.
        rank: the least rank.
        message: what the error begins with.
        name: a name in graphs.
    """
    shape, wanted = _shape(x), _static_rank(rank)
    if shape.rank is None:
        return _later(x, greater_equal, wanted, f"at least {wanted}", message)
    if shape.rank < wanted:
        raise _wrong_rank(shape, f"at least {wanted}", message)
    return nothing_to_check()


def assert_rank_in(
    x: TensorLike, ranks: Sequence[Any], message: str | None = None, name: str | None = None
) -> Any:
    """Raises unless a tensor has one of several ranks (`tf.debugging.assert_rank_in`).

    Args:
        x: a tensor.
        ranks: the ranks it may have.
        message: what the error begins with.
        name: a name in graphs.
    """
    shape, wanted = _shape(x), tuple(_static_rank(rank) for rank in ranks)
    if shape.rank is None:
        found = rank_of(x)
        holds = reduce_any(equal(found, to_tensor(wanted)))
        return _assert(holds, x, f"in {wanted}", message)
    if shape.rank not in wanted:
        raise _wrong_rank(shape, f"in {wanted}", message)
    return nothing_to_check()


def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Raises unless a tensor has rank 0 (`tf.debugging.assert_scalar`).

    Raises:
        ValueError: it has another.
    """
    shape = _shape(tensor)
    if shape.rank is None:
        return _later(tensor, equal, 0, "0", message)
    if shape.rank != 0:
        raise ValueError(f"{_start(message)}Expected scalar shape, saw shape: {shape}.")
    return nothing_to_check()


def assert_shapes(
    shapes: Sequence[Any] | dict[Any, Any],
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raises unless tensors have shapes that fit each other (`tf.debugging.assert_shapes`).

    Args:
        shapes: pairs of a tensor and its shape, or a dictionary of them. A shape is a sequence of
            sizes; a string names a size that must be the same wherever the name stands; None and
            "." are any size; a first `...` or "*" are any number of axes.
        data: ignored in eager mode.
        summarize: ignored in eager mode.
        message: what the error starts with.
        name: a name in graphs.

    Raises:
        ValueError: a size or rank is another.

    >>> assert_shapes([([[1, 2, 3]], ("N", "Q")), ([5], ("N",))])
    """
    pairs = list(shapes.items() if isinstance(shapes, dict) else shapes)
    named: dict[str, tuple[int, str]] = {}
    for tensor, symbols in pairs:
        shape, expected_dims = _shape(tensor), _symbols(symbols)
        if shape.rank is None:  # only running the graph will tell
            continue
        text = f"Tensor shape={shape} dtype={_dtype_name(tensor)}"
        _check_places(expected_dims, text, message)
        sizes = _sizes(shape, expected_dims, message)
        for axis, (symbol, size) in enumerate(sizes, start=shape.rank - len(sizes)):
            _check_size(named, symbol, size, f"{text} dimension {axis}", shape, message)


def _dtype_name(tensor: TensorLike) -> str:
    return str(to_tensor(tensor).dtype.name)


def _symbols(symbols: Sequence[Any] | str) -> list[Any]:
    """The wanted sizes; a single one stands for a shape of one axis."""
    if isinstance(symbols, (str, Sequence)):
        return list(symbols)
    return [symbols] if symbols is Ellipsis or isinstance(symbols, int) else list(symbols)


def _check_places(wanted: list[Any], text: str, message: str | None) -> None:
    for i, symbol in enumerate(wanted[1:], start=1):
        if symbol is Ellipsis or symbol == "*":
            raise ValueError(
                f"{_start(message)}{text} specified shape index {i}.  Symbol `...` or `*` for a "
                "variable number of unspecified dimensions is only allowed as the first entry"
            )


def _sizes(shape: Any, wanted: list[Any], message: str | None) -> list[tuple[Any, int]]:
    """Each wanted size beside the one there is."""
    dims = shape.as_list()
    if wanted and (wanted[0] is Ellipsis or wanted[0] == "*"):
        wanted = wanted[1:]
        if len(dims) < len(wanted):
            raise _wrong_rank(shape, f"at least {len(wanted)}", message)
        dims = dims[len(dims) - len(wanted) :]
    elif len(wanted) <= 1 and len(dims) > 1:
        raise _wrong_rank(shape, "in (0, 1)" if wanted else "0", message)
    elif len(dims) != len(wanted) and not (len(wanted) == 1 and not dims):
        raise _wrong_rank(shape, str(len(wanted)), message)
    return list(zip(wanted, dims, strict=False))


def _check_size(
    named: dict[str, tuple[int, str]], symbol: Any, size: int, text: str, shape: TensorShape,
    message: str | None,
) -> None:  # fmt: skip
    if symbol is None or symbol == "." or size is None:
        return
    explicit = isinstance(symbol, int) or (isinstance(symbol, str) and symbol.isdigit())
    wanted, source = (int(symbol), "") if explicit else named.setdefault(symbol, (size, text))
    if wanted != size:
        start = (
            "Specified explicitly" if explicit else f"Specified by {source[0].lower()}{source[1:]}"
        )
        raise ValueError(
            f"{_start(message)}{start}.  {text} must have size {wanted}.  Received size {size}, "
            f"shape {shape}"
        )
