"""Ops that work element by element, on ragged tensors: applied to the flat values.

Ragged tensors of the same rows are combined value by value. Others are stretched to each other,
dimension by dimension from the outside, as dense tensors are: where one has size 1, or rows of
one value, it is repeated. A dense tensor counts as rows of one length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import invalid_argument
from ...core.ragged import RaggedTensor
from ..arguments import host_value
from ..array.shaping import expand_dims
from ..composite import composite_rule
from ..convert import to_tensor
from ..op import Op, apply
from .making import make_ragged
from .methods import as_partitioned, value_rowids
from .pick import gather_rows

UNARY = """
    Abs Acos Acosh Angle AsString Asin Asinh Atan Atanh BesselI0 BesselI0e BesselI1 BesselI1e
    Bitcast Cast Ceil CheckNumerics CheckNumericsV2 ComplexAbs Conj Cos Cosh DecodeBase64
    DecodeCompressed Digamma Elu EncodeBase64 Erf Erfc Erfcinv Erfinv Exp Expm1 Floor Gelu Identity
    Imag Inv Invert IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p LogicalNot Ndtri Neg OnesLike
    PreventGradient Real Reciprocal RegexFullMatch RegexReplace Relu Relu6 Rint Round Rsqrt Selu
    Sigmoid Sign Silu Sin Sinh Softplus Softsign Sqrt Square StaticRegexFullMatch
    StaticRegexReplace StopGradient StringLength StringLower StringStrip StringToHashBucket
    StringToHashBucketFast StringToHashBucketStrong StringToNumber StringUpper Tan Tanh
    UnicodeScript UnicodeTranscode ZerosLike
""".split()  # noqa: SIM905  # a page of quotes would be no clearer

BINARY = """
    Add AddN AddV2 ApproximateEqual Atan2 BitwiseAnd BitwiseOr BitwiseXor ClipByValue Complex Div
    DivNoNan Equal FloorDiv FloorMod Greater GreaterEqual Igamma Igammac LeftShift Less LessEqual
    LogicalAnd LogicalOr Maximum Minimum Mod Mul MulNoNan NextAfter NotEqual Polygamma Pow RealDiv
    RightShift SelectV2 SquaredDifference StringJoin Sub Substr TruncateDiv TruncateMod Xdivy
    Xlog1py Xlogy Zeta _SigmoidCrossEntropyWithLogits
""".split()  # noqa: SIM905


@composite_rule(RaggedTensor, UNARY)
def map_values(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """The op on the flat values of its first input."""
    ragged, *others = inputs
    return ragged.with_flat(apply(op, (ragged.flat_values, *others), attrs))


@composite_rule(RaggedTensor, BINARY)
def map_stretched(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
    """The op on the flat values of all inputs, stretched to the same rows."""
    like, values = stretched(inputs)
    return like.with_flat(apply(op, tuple(values), attrs))


def stretched(inputs: tuple[Any, ...]) -> tuple[RaggedTensor, list[Any]]:
    """A ragged tensor with the rows of the result, and flat values for each input.

    Raises:
        InvalidArgumentError: the rows do not fit to each other.
    """
    ragged = [each for each in inputs if isinstance(each, RaggedTensor)]
    like = ragged[0]
    simple = all(_fits_as_it_is(each, like) for each in inputs)
    if not simple:
        like = _common(inputs)
        inputs = tuple(_stretch(each, like) for each in inputs)
    flat = [each.flat_values if isinstance(each, RaggedTensor) else each for each in inputs]
    return like, flat


def _fits_as_it_is(value: Any, like: RaggedTensor) -> bool:
    if isinstance(value, RaggedTensor):
        return value is like or _same_rows(value, like)
    rank = value.shape.rank
    return rank is not None and rank < like.flat_values.shape.rank


def _same_rows(x: RaggedTensor, y: RaggedTensor) -> bool:
    mine, yours = x.nested_row_splits, y.nested_row_splits
    return len(mine) == len(yours) and all(
        a is b or np.array_equal(host_value(a), host_value(b))
        for a, b in zip(mine, yours, strict=True)
    )


def _common(inputs: tuple[Any, ...]) -> RaggedTensor:
    """A ragged tensor with the rows that all inputs can be stretched to."""
    rank = max(each.shape.rank for each in inputs)
    levels = max(each.ragged_rank for each in inputs if isinstance(each, RaggedTensor))
    parts = [_of_rank(each, rank) for each in inputs]
    first = parts[0] if parts[0].shape.rank > 1 else next(p for p in parts if p.shape.rank > 1)
    result = first
    for each in parts:
        if each is not first:
            result = _joined(result, each, levels)
    return result  # type: ignore[no-any-return]


def _of_rank(value: Any, rank: int) -> Any:
    """With leading dimensions of size 1."""
    while value.shape.rank < rank:
        if isinstance(value, RaggedTensor):
            rows = value.row_splits.shape[0] - 1
            splits = to_tensor(np.array([0, rows], value.row_splits.dtype.as_numpy_dtype))
            value = make_ragged(value, splits, rows)
        else:
            value = expand_dims(value, 0)
    return value


def _joined(x: object, y: object, levels: int) -> Any:
    """x, repeated where y has more."""
    if levels == 0:
        return x
    x, y = _same_count(x, y)
    swapped = _ragged_rank(y) < _ragged_rank(x)
    x, y = as_partitioned(x), as_partitioned(y)
    mine, yours = _lengths(x), _lengths(y)
    if np.array_equal(mine, yours):
        return x.rewrap(_joined(x.values, y.values, levels - 1))
    if (yours == 1).all():
        repeated = gather_rows(y.values, value_rowids(x))
        return x.rewrap(_joined(x.values, repeated, levels - 1))
    if (mine == 1).all():
        repeated = gather_rows(x.values, value_rowids(y))
        return y.rewrap(_joined(repeated, y.values, levels - 1))
    raise _do_not_fit(*(yours, mine) if swapped else (mine, yours))


def _ragged_rank(value: object) -> int:
    return value.ragged_rank if isinstance(value, RaggedTensor) else 0


def _stretch(value: Any, like: RaggedTensor) -> Any:
    """`value` with the rows of `like`, or as it is where it needs none of them."""
    if not isinstance(value, RaggedTensor) and value.shape.rank < like.flat_values.shape.rank:
        return value
    return _follow(_of_rank(value, like.shape.rank or 0), like)


def _follow(value: Any, like: object) -> Any:
    if not isinstance(like, RaggedTensor):
        return value
    rows = like.row_splits.shape[0] - 1
    if value.shape[0] != rows:
        value = _repeat_first(value, rows)
    part = as_partitioned(value)
    inner = part.values
    mine, wanted = _lengths(part), _lengths(like)
    if not np.array_equal(mine, wanted):
        if not (mine == 1).all():
            raise _do_not_fit(mine, wanted)
        inner = gather_rows(inner, value_rowids(like))
    return like.rewrap(_follow(inner, like.values))


def _same_count(x: Any, y: Any) -> tuple[Any, Any]:
    first, second = x.shape[0], y.shape[0]
    if first == second:
        return x, y
    if first == 1:
        return _repeat_first(x, second), y
    if second == 1:
        return x, _repeat_first(y, first)
    raise _do_not_fit(np.array([first]), np.array([second]))


def _repeat_first(value: Any, count: int) -> Any:
    if value.shape[0] != 1:
        raise _do_not_fit(np.array([value.shape[0]]), np.array([count]))
    return gather_rows(value, to_tensor(np.zeros(count, np.int64)))


def _lengths(ragged: RaggedTensor) -> Any:
    return np.diff(ragged.host_splits())


def _do_not_fit(mine: np.ndarray[Any, Any], yours: np.ndarray[Any, Any]) -> Exception:
    """The error for rows of these lengths; as TensorFlow it tells where they begin and end."""
    x, y = (np.concatenate([[0], np.cumsum(lengths)]) for lengths in (mine, yours))
    text = "Condition x == y did not hold.\n"
    if x.shape == y.shape:
        (other,) = np.nonzero(x != y)
        other = other[:3]
        text += (
            f"Indices of first {len(other)} different values:\n{other[:, None]}\n"
            f"Corresponding x values:\n{x[other]}\nCorresponding y values:\n{y[other]}\n"
        )
    return invalid_argument(
        f"{text}First {len(x[:3])} elements of x:\n{x[:3]}\n"
        f"First {len(y[:3])} elements of y:\n{y[:3]}"
    )
