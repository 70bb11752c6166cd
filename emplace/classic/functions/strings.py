"""Functions on strings that have other arguments or results in TF 1."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor
from ...ops.array.shaping import expand_dims
from ...ops.convert import to_tensor
from ...ops.op import apply
from ...ops.sparse.tensor import SparseTensor
from ...ops.strings import basic, split
from ..scopes.arguments import renamed

_RESULTS = ("RaggedTensor", "SparseTensor")


def string_split(
    source: Any,
    sep: TensorLike | None = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """Parts between separators (`tf.compat.v1.string_split`).

    Args:
        source: a vector of strings.
        sep: bytes that each separate parts, " " if None; "" for parts of one byte.
        skip_empty: leave out parts that are empty.
        delimiter: another name for `sep`.
        result_type: "SparseTensor" or "RaggedTensor".
        name: a name in graphs.

    Raises:
        InvalidArgumentError: `source` is no vector, or `sep` no scalar.
        ValueError: there is no such `result_type`, or a graph is told of a `sep` that is no scalar.
    """
    _check(result_type)
    glue = renamed("sep", sep, "delimiter", delimiter)
    texts = to_tensor(source, dtypes.string)
    inputs = texts, to_tensor(" " if glue is None else glue, dtypes.string)
    if not LOCAL.state.target.is_eager and inputs[1].shape.rank:
        raise ValueError(
            f"Shape must be rank 0 but is rank {inputs[1].shape.rank}: `sep` of {glue}"
        )
    pieces = apply(split.STRING_SPLIT_AT_BYTES, inputs, {"skip_empty": bool(skip_empty)})
    return _result(texts, pieces, result_type)


def strings_split(
    input: Any = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: Any = None,
    name: str | None = None,
) -> Any:
    """Parts between separators (`tf.compat.v1.strings.split`).

    Args:
        input: strings of any shape; one alone counts as a vector of one.
        sep: the separator; None or "" for any white space, which is also cut off at the ends.
        maxsplit: the most cuts per string; -1 for all.
        result_type: "SparseTensor" or "RaggedTensor".
        source: another name for `input`.
        name: a name in graphs.

    Raises:
        ValueError: there is no such `result_type`.
    """
    _check(result_type)
    texts = basic.as_texts(renamed("input", input, "source", source))
    if texts.shape.rank == 0:
        texts = expand_dims(texts, 0)
    if isinstance(texts, RaggedTensor) or texts.shape.rank != 1:
        parts = split.split(texts, sep, maxsplit)
        return parts if result_type == "RaggedTensor" else parts.to_sparse()
    inputs = texts, to_tensor("" if sep is None else sep, dtypes.string)
    return _result(texts, apply(split.STRING_SPLIT, inputs, {"maxsplit": maxsplit}), result_type)


def _check(result_type: str) -> None:
    if result_type not in _RESULTS:
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def _result(texts: Any, made: Any, result_type: str) -> Any:
    places, values, shape = made
    if result_type == "SparseTensor":
        return SparseTensor(places, values, shape)
    return split.as_rows(texts, places, values)


def length(input: TensorLike, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """The length of each string (`tf.compat.v1.strings.length`)."""
    return basic.length(input, unit)
