"""Ops on strings: NumPy arrays of bytes on the host, so their kernels are on the CPU only.

Here are those that change or join whole strings. Numbers, hashes, patterns, Unicode and splitting
have files of their own, named `strings_...`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import OutOfRangeError, invalid_argument
from ...base.shapes import broadcast, runtime_text
from ...base.typing import Axis, TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..arguments import one_number, static_ints, wrong_argument
from ..convert import pair, to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op

_ONE = "input: string -> output: string"


def as_texts(value: TensorLike) -> Tensor:
    """`value` as a tensor of strings.

    Raises:
        TypeError: it is made of something else.
    """
    if isinstance(value, (list, tuple, str, bytes, int, float)):
        return to_tensor(value, dtypes.string)
    return to_tensor(value)


def text_array(texts: Sequence[bytes], shape: Sequence[int]) -> Any:
    """Byte strings as the raw value of a tensor."""
    result = np.empty(len(texts), object)
    result[:] = texts
    return result.reshape(shape)


def changed(input: Any, change: Callable[[bytes], bytes]) -> Any:
    """Every string changed by a function."""
    return text_array([change(text) for text in input.reshape(-1).tolist()], input.shape)


def attr_text(value: TensorLike, what: str) -> str:
    """An attribute that is a text.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError(f"Expected string for argument '{what}' not {value!r}.")
    return value


def check_choice(op_name: str, attr: str, given: str, allowed: Sequence[str]) -> None:
    """Raises InvalidArgumentError, in TensorFlow's words, unless `given` is allowed, in graphs a
    ValueError; and a TypeError unless it is a text.
    """
    if not isinstance(given, (str, bytes)):
        raise TypeError(f"Expected string for argument '{attr}' not {given}.")
    if given not in allowed:
        names = ", ".join(f'"{each}"' for each in allowed)
        raise wrong_argument(
            f"Value for attr '{attr}' of \"{given}\" is not in the list of allowed values: {names}"
            f"\n\t; NodeDef: {{{{node {op_name}}}}} [Op:{op_name}] name: ",
            f"Attr '{attr}' of '{op_name}' Op passed string '{given}' not in: {names}.",
        )


def _cased(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """A kernel that changes letters: of ASCII only, or all with an encoding."""

    def kernel(input: Any, *, encoding: str = "") -> Any:
        if not encoding:
            return changed(input, change)
        if encoding != "utf-8":
            raise invalid_argument(
                f"only utf-8 or '' (no encoding) is supported, received {encoding}"
            )
        return changed(input, lambda text: change(text.decode("utf-8", "replace")).encode())

    return kernel


def _lower(text: bytes | str) -> Any:
    return text.lower()


def _upper(text: bytes | str) -> Any:
    return text.upper()


STRING_LOWER = op("StringLower", _ONE, _cased(_lower), infer.same, device_types=CPU_ONLY)
STRING_UPPER = op("StringUpper", _ONE, _cased(_upper), infer.same, device_types=CPU_ONLY)


def strip_kernel(input: np.ndarray[Any, Any]) -> Any:
    """Without white space (of ASCII) at both ends."""
    return changed(input, bytes.strip)


STRING_STRIP = op("StringStrip", _ONE, strip_kernel, infer.same, device_types=CPU_ONLY)

_UNITS = ("BYTE", "UTF8_CHAR")
_FOLLOWERS = bytes(range(0x80, 0xC0))


def length_kernel(input: np.ndarray[Any, Any], *, unit: str = "BYTE") -> torch.Tensor:
    """Bytes or characters of each string; bytes that continue no character do not count."""
    check_choice("StringLength", "unit", unit, _UNITS)
    texts = input.reshape(-1).tolist()
    if unit == "BYTE":
        sizes = [len(text) for text in texts]
    else:
        sizes = [len(text.translate(None, _FOLLOWERS)) for text in texts]
    return torch.tensor(sizes, dtype=torch.int32).reshape(input.shape)


STRING_LENGTH = op(
    "StringLength", "input: string -> output: int32", length_kernel, infer.as_type(dtypes.int32),
    device_types=CPU_ONLY,
)  # fmt: skip


def join_kernel(*inputs: Any, separator: str = "") -> Any:
    """Strings put together element by element; scalars stretch."""
    _join_spec(*[Spec(tuple(each.shape), dtypes.string) for each in inputs], separator=separator)
    parts: Any = np.broadcast_arrays(*inputs)
    lists = [part.reshape(-1).tolist() for part in parts]
    glue = separator.encode()
    return text_array([glue.join(each) for each in zip(*lists, strict=True)], parts[0].shape)


def _join_spec(*inputs: Spec, separator: str = "") -> Spec:
    dims: Any = ()
    for each in inputs:
        if each.dims and dims and each.dims != dims:
            raise invalid_argument(
                f"Input shapes do not match: {runtime_text(dims)} vs. {runtime_text(each.dims)}"
            )
        dims = dims or each.dims
    return Spec(dims, dtypes.string)


STRING_JOIN = op(
    "StringJoin",
    "inputs: N * string -> output: string",
    join_kernel,
    _join_spec,
    device_types=CPU_ONLY,
)


def substr_kernel(
    input: np.ndarray[Any, Any], pos: torch.Tensor, len: torch.Tensor, *, unit: str = "BYTE"
) -> Any:
    """From a place on, so many bytes or characters of each string."""
    check_choice("Substr", "unit", unit, _UNITS)
    _substr_spec(*(Spec(tuple(each.shape), dtypes.string) for each in (input, pos, len)))
    texts, starts, counts = np.broadcast_arrays(input, pos.numpy(), len.numpy())
    cut = _cut_bytes if unit == "BYTE" else _cut_characters
    made = [
        cut(text, start, count, i)
        for i, (text, start, count) in enumerate(
            zip(*(each.reshape(-1).tolist() for each in (texts, starts, counts)), strict=True)
        )
    ]
    return text_array(made, texts.shape)


def _cut_bytes(text: bytes, start: int, count: int, index: int) -> bytes:
    size = len(text)
    if not -size <= start <= size:
        shown = text.decode("ascii", "backslashreplace")
        raise invalid_argument(f"pos {start} out of range for string b'{shown}' at index {index}")
    start = start + size if start < 0 else start
    return text[start:] if count < 0 else text[start : start + count]


def _cut_characters(text: bytes, start: int, count: int, index: int) -> bytes:
    if text.isascii():
        places: Sequence[int] = range(len(text) + 1)
    else:
        places = [*(i for i, byte in enumerate(text) if byte & 0xC0 != 0x80), len(text)]
    size = len(places) - 1
    if not -size <= start <= size:
        raise invalid_argument(f"pos {start} out of range for string at index {index}")
    if count < 0:  # TF: nothing here, where bytes go on to the end, and no place from the end
        if start < 0:
            raise invalid_argument(f"pos {start} out of range for string at index {index}")
        return b""
    start = start + size if start < 0 else start
    return text[places[start] : places[min(size, start + count)]]


def _substr_spec(input: Spec, pos: Spec, len: Spec, **attrs: Any) -> Spec:
    if pos.dims != len.dims:
        raise invalid_argument(
            "pos and len should have the same shape, got: "
            f"{runtime_text(pos.dims or ())} vs. {runtime_text(len.dims or ())}"
        )
    dims = broadcast(input.dims or (), pos.dims or ())
    if dims is None:
        raise invalid_argument(
            f"Incompatible shapes: {runtime_text(input.dims or ())} vs. "
            f"{runtime_text(pos.dims or ())}"
        )
    return Spec(dims, dtypes.string)


SUBSTR = op(
    "Substr", "input: string, pos: T, len: T -> output: string", substr_kernel, _substr_spec,
    device_types=CPU_ONLY, T=dtypes.INDICES,
)  # fmt: skip


def reduce_join_kernel(
    inputs: np.ndarray[Any, Any],
    *,
    axis: tuple[int, ...] | None,
    keep_dims: bool = False,
    separator: str = "",
) -> Any:
    """All strings along axes put together, the first named axis changing fastest."""
    axes = _join_axes(axis, inputs.ndim)
    if not axes:
        return inputs
    kept = [i for i in range(inputs.ndim) if i not in axes]
    dims = [inputs.shape[i] for i in kept]
    count = int(np.prod([inputs.shape[i] for i in axes]))
    rows = inputs.transpose([*kept, *reversed(axes)]).reshape(int(np.prod(dims)), count)
    glue = separator.encode()
    if keep_dims:
        dims = [1 if i in axes else size for i, size in enumerate(inputs.shape)]
    return text_array([glue.join(row) for row in rows.tolist()], dims)


def _join_axes(axis: tuple[int, ...] | None, rank: int) -> list[int]:
    if axis is None:
        return list(reversed(range(rank)))
    for each in axis:
        if not -rank <= each < rank:
            raise OutOfRangeError(
                None, None,
                f"Invalid reduction dimension {each} for input with {rank} dimension(s)",
            )  # fmt: skip
    axes = [each % rank for each in axis]
    for i, each in enumerate(axes):
        if each in axes[:i]:
            raise invalid_argument(f"Duplicate reduction dimension {each}")
    return axes


def _reduce_join_spec(
    inputs: Spec, *, axis: tuple[int, ...] | None, keep_dims: bool = False, separator: str = ""
) -> Spec:
    dims = inputs.dims or ()
    axes = _join_axes(axis, len(dims))
    if keep_dims:
        return Spec(tuple(1 if i in axes else d for i, d in enumerate(dims)), dtypes.string)
    return Spec(tuple(d for i, d in enumerate(dims) if i not in axes), dtypes.string)


REDUCE_JOIN = op(
    "ReduceJoin", "inputs: string, reduction_indices: host -> output: string",
    reduce_join_kernel, _reduce_join_spec, device_types=CPU_ONLY,
)  # fmt: skip


def segment_join_kernel(
    inputs: np.ndarray[Any, Any],
    segment_ids: torch.Tensor,
    *,
    num_segments: int,
    separator: str = "",
) -> Any:
    """The strings of each segment put together, in order."""
    if num_segments < 0:
        raise invalid_argument(f"Number of segments must be non-negative but got {num_segments}")
    covered = segment_ids.ndim
    _check_covered(tuple(inputs.shape), tuple(segment_ids.shape))
    ids = segment_ids.reshape(-1).tolist()
    if any(not 0 <= segment < num_segments for segment in ids):
        raise invalid_argument(
            "segment_ids are not allowed to exceed num_segments or to have negative values."
        )
    inner = inputs.shape[covered:]
    columns = int(np.prod(inner))
    texts_at: dict[int, list[bytes]] = {}
    for row, segment in zip(inputs.reshape(len(ids), columns).tolist(), ids, strict=True):
        for j, text in enumerate(row):
            texts_at.setdefault(segment * columns + j, []).append(text)
    glue = separator.encode()
    joined = np.full(num_segments * columns, b"", object)
    for place, texts in texts_at.items():
        joined[place] = glue.join(texts)
    return joined.reshape((num_segments, *inner))


def _check_covered(inputs: Sequence[int | None], ids: Sequence[int | None]) -> None:
    """Raises InvalidArgumentError unless there is a segment for each of the first dimensions."""
    for i, (own, size) in enumerate(zip(ids, inputs, strict=False)):
        if own is not None and size is not None and own != size:
            raise invalid_argument(
                f"Segment dimension is {own} while input dimension is {size} in rank {i}"
            )


def _segment_join_spec(
    inputs: Spec, segment_ids: Spec, *, num_segments: int, separator: str = ""
) -> Spec:
    if inputs.dims is None or segment_ids.dims is None:
        return Spec(None, inputs.dtype)
    _check_covered(inputs.dims, segment_ids.dims)
    return Spec((num_segments, *inputs.dims[len(segment_ids.dims) :]), inputs.dtype)


UNSORTED_SEGMENT_JOIN = op(
    "UnsortedSegmentJoin",
    "inputs: string, segment_ids: Tindices, num_segments: host -> output: string",
    segment_join_kernel, _segment_join_spec, device_types=CPU_ONLY, Tindices=dtypes.INDICES,
)  # fmt: skip


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Lower case; ASCII only unless `encoding` is "utf-8" (`tf.strings.lower`).

    >>> lower("ABC").numpy()
    b'abc'
    """
    return apply(STRING_LOWER, (as_texts(input),), {"encoding": encoding})


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> Tensor:
    """Upper case; ASCII only unless `encoding` is "utf-8" (`tf.strings.upper`).

    >>> upper("abc").numpy()
    b'ABC'
    """
    return apply(STRING_UPPER, (as_texts(input),), {"encoding": encoding})


def strip(input: TensorLike, name: str | None = None) -> Tensor:
    """Without white space at both ends (`tf.strings.strip`).

    >>> strip(" a ").numpy()
    b'a'
    """
    return apply(STRING_STRIP, (as_texts(input),))


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """Bytes, or characters with "UTF8_CHAR", of each string (`tf.strings.length`).

    >>> int(length("abc"))
    3
    """
    check_choice(STRING_LENGTH.name, "unit", unit, _UNITS)
    return apply(STRING_LENGTH, (as_texts(input),), {"unit": unit})


def join(inputs: Any, separator: str = "", name: str | None = None) -> Any:
    """Strings put together element by element; scalars stretch (`tf.strings.join`).

    Raises:
        InvalidArgumentError: shapes differ.

    >>> join(["a", "b"], "-").numpy()
    b'a-b'
    """
    parts = tuple(as_texts(each) for each in inputs)
    attrs = {"separator": attr_text("" if separator is None else separator, "separator")}
    return apply(STRING_JOIN, parts, attrs) if parts else to_tensor("")


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """Returns so many bytes or characters from a place on (`tf.strings.substr`).

    Args:
        input: strings.
        pos: where to begin, counted from the end if negative; int32 or int64.
        len: how many, of the same dtype and shape as `pos`.
        unit: "BYTE" or "UTF8_CHAR".
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a place is outside of its string.

    >>> substr("hello", 1, 3).numpy()
    b'ell'
    """
    check_choice(SUBSTR.name, "unit", unit, _UNITS)
    places, counts = pair(pos, len)
    return apply(SUBSTR, (as_texts(input), places, counts), {"unit": unit})


def reduce_join(
    inputs: TensorLike, axis: Axis | None = None, keepdims: bool = False, separator: str = "",
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns all strings along axes put together (`tf.strings.reduce_join`).

    Args:
        inputs: strings.
        axis: the axis or axes that go; all of them for None.
        keepdims: True keeps the axes that go, with size 1.
        separator: what stands between two strings.
        name: a name in graphs.

    >>> reduce_join([["a", "b"], ["c", "d"]], 1, separator="-").numpy().tolist()
    [b'a-b', b'c-d']
    """
    axes = None if axis is None else static_ints(axis, "axis")
    glue = attr_text("" if separator is None else separator, "separator")
    attrs = {"axis": axes, "keep_dims": bool(keepdims), "separator": glue}
    return apply(REDUCE_JOIN, (to_tensor(inputs),), attrs)


def unsorted_segment_join(
    inputs: TensorLike,
    segment_ids: TensorLike,
    num_segments: TensorLike,
    separator: str = "",
    name: str | None = None,
) -> Tensor:
    """Returns the strings of each segment put together (`tf.strings.unsorted_segment_join`).

    Args:
        inputs: strings.
        segment_ids: the segment of each.
        num_segments: how many segments there are.
        separator: what stands between two strings.
        name: a name in graphs.

    Raises:
        InvalidArgumentError: a segment id is negative or too large.

    >>> unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, ":").numpy().tolist()
    [b'a:c', b'b']
    """
    glue = attr_text("" if separator is None else separator, "separator")
    attrs = {"num_segments": one_number(num_segments, "num_segments"), "separator": glue}
    return apply(UNSORTED_SEGMENT_JOIN, (as_texts(inputs), to_tensor(segment_ids)), attrs)
