"""Strings in parts, as ragged tensors: split, bytes, n-grams; and tensors written in strings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.texts import as_bytes
from ...base.typing import TensorLike
from ...core.ragged import RaggedTensor
from ...core.tensor import Tensor, torch_to_numpy
from ..array.shaping import axis_size, expand_dims, reshape
from ..convert import to_tensor
from ..debugging.summaries import element_text
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..ragged.making import from_tensor, make_ragged, product_of, uniform_splits
from ..ragged.rows import COUNT_IDS, ROW_SPLITS
from .basic import as_texts, text_array


def split_kernel(
    input: np.ndarray[Any, Any], sep: np.ndarray[Any, Any], *, maxsplit: int = -1
) -> tuple[Any, ...]:
    """Parts between separators, as the parts of a sparse matrix."""
    glue = sep[()] or None
    if glue is None and maxsplit >= 0:
        rows = [_split_at_spaces(text, maxsplit) for text in input.tolist()]
    else:
        rows = [text.split(glue, max(maxsplit, -1)) for text in input.tolist()]
    return _sparse_rows(rows)


def _sparse_rows(rows: Sequence[list[bytes]]) -> tuple[Any, ...]:
    """Rows of strings as the parts of a sparse matrix."""
    lengths = np.fromiter(map(len, rows), np.int64, len(rows))
    ids = np.repeat(np.arange(len(rows)), lengths)
    places = np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    parts = list(itertools.chain.from_iterable(rows))
    shape = torch.tensor([len(rows), int(lengths.max(initial=0))], dtype=torch.int64)
    return torch.from_numpy(np.stack([ids, places], 1)), text_array(parts, (len(parts),)), shape


def _split_at_spaces(text: bytes, most: int) -> list[bytes]:
    """TensorFlow adds what is left after the last cut, even if that is nothing."""
    if most == 0:
        return [text]
    parts = text.split(None, most)
    return [*parts, b""] if len(parts) == most else parts


STRING_SPLIT = op(
    "StringSplitV2", "input: string, sep: string -> indices: int64, values: string, shape: int64",
    split_kernel, None, device_types=CPU_ONLY,
)  # fmt: skip


def split_at_bytes_kernel(input: Any, delimiter: Any, *, skip_empty: bool = True) -> Any:
    """Parts between bytes, as the parts of a sparse matrix."""
    if input.ndim != 1:
        raise invalid_argument(f"input must be a vector, got shape: {runtime_text(input.shape)}")
    if delimiter.ndim:
        raise invalid_argument(
            f"delimiter must be a scalar, got shape: {runtime_text(delimiter.shape)}"
        )
    rows = [_at_bytes(text, delimiter[()]) for text in input.tolist()]
    return _sparse_rows([[part for part in row if part] for row in rows] if skip_empty else rows)


def _at_bytes(text: bytes, delimiters: bytes) -> list[bytes]:
    """Parts between any of some bytes; every byte alone if there are none of these."""
    if not text:
        return []
    if not delimiters:
        return [text[i : i + 1] for i in range(len(text))]
    if len(delimiters) > 1:
        text = text.translate(bytes.maketrans(delimiters, delimiters[:1] * len(delimiters)))
    return text.split(delimiters[:1])


STRING_SPLIT_AT_BYTES = op(
    "StringSplit", "input: string, delimiter: string -> indices: int64, values: string, "
    "shape: int64", split_at_bytes_kernel, None, device_types=CPU_ONLY,
)  # fmt: skip


def bytes_kernel(input: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """Every byte of every string: values and row splits."""
    texts = input.tolist()
    parts = [text[i : i + 1] for text in texts for i in range(len(text))]
    splits = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    return text_array(parts, (len(parts),)), torch.from_numpy(splits)


BYTES = op(
    "_StringBytes", "input: string -> values: string, splits: int64", bytes_kernel, None,
    device_types=CPU_ONLY,
)  # fmt: skip


def over_vector(input: Any, parts_of: Any) -> Any:
    """Applies a function from a vector to a ragged matrix to strings of any shape.

    A scalar gives the one row there is, a ragged tensor more partitions.
    """
    if isinstance(input, RaggedTensor):
        return input.with_flat(over_vector(input.flat_values, parts_of))
    if input.shape.rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    dims = input.shape.as_list()
    if not dims:
        return parts_of(reshape(input, [1])).values
    made = parts_of(reshape(input, [-1]) if len(dims) > 1 else input)
    sizes = [axis_size(input, axis) for axis in range(len(dims))]
    for i in range(len(dims) - 1, 0, -1):
        made = make_ragged(made, uniform_splits(product_of(sizes[:i]), sizes[i]), dims[i])
    return made


def split(
    input: TensorLike, sep: TensorLike | None = None, maxsplit: int = -1, name: str | None = None
) -> Any:
    """Returns parts between separators (`tf.strings.split`).

    Args:
        input: strings of any shape.
        sep: the separator; None or "" for any white space, which is also cut off at the ends.
        maxsplit: the most cuts per string; -1 for all.
        name: a name in graphs.

    Returns:
        A RaggedTensor with one more dimension; a tensor for a scalar.

    >>> split(["a b", "", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [], [b'c']]>
    """
    glue = to_tensor("" if sep is None else sep, dtypes.string)

    def parts_of(vector: Tensor) -> RaggedTensor:
        places, values, _ = apply(STRING_SPLIT, (vector, glue), {"maxsplit": maxsplit})
        return as_rows(vector, places, values)

    return over_vector(as_texts(input), parts_of)


def as_rows(texts: Any, places: Any, values: TensorLike) -> RaggedTensor:
    """The parts of a sparse matrix, one row for each of some texts, as rows."""
    lengths = apply(COUNT_IDS, (places[:, 0],), {"rows": axis_size(texts, 0)})
    return make_ragged(values, apply(ROW_SPLITS, (lengths,)))


def bytes_split(input: TensorLike, name: str | None = None) -> Any:
    """The bytes of each string (`tf.strings.bytes_split`).

    >>> bytes_split(["ab", "c"])
    <tf.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    texts = to_tensor(to_tensor(input), dtypes.string)

    def parts_of(vector: Tensor) -> RaggedTensor:
        values, splits = apply(BYTES, (vector,))
        return make_ragged(values, splits)

    return over_vector(texts, parts_of)


def _check_splits(splits: Sequence[int], count: int) -> None:
    """Raises InvalidArgumentError unless rows end one after the other, and where texts end."""
    if not splits:
        return
    if splits[0] != 0:
        raise invalid_argument(f"First split value must be 0, got {splits[0]}")
    for before, split in itertools.pairwise(splits):
        if not before <= split <= count:
            raise invalid_argument(f"Invalid split value {split}, must be in [{before}, {count}]")
    if splits[-1] != count:
        raise invalid_argument(
            f"Last split value must be data size. Expected {count}, got {splits[-1]}"
        )


def _check_widths(widths: Sequence[int], pad_width: int, count: int) -> None:
    """Raises InvalidArgumentError unless runs of so many texts, and what fills them up, can be."""
    if any(width <= 0 for width in widths):
        raise invalid_argument("ngram_widths must contain positive values")
    pads = [min(width - 1, pad_width if pad_width >= 0 else width - 1) for width in widths]
    if 2 * max(pads, default=0) + count > _MOST_TEXTS:
        raise invalid_argument(
            f"Pad width could lead to integer overflow, got pad_width = {pad_width}"
        )


_MOST_TEXTS = 2**31 - 1


def ngrams_kernel(
    data: np.ndarray[Any, Any],
    data_splits: torch.Tensor,
    *,
    separator: bytes | str,
    ngram_widths: Sequence[int],
    left_pad: bytes | str,
    right_pad: bytes | str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> tuple[Any, torch.Tensor]:
    """All runs of so many strings in each row, joined."""
    glue, left, right = map(as_bytes, (separator, left_pad, right_pad))
    texts, splits = data.tolist(), data_splits.tolist()
    _check_splits(splits, len(texts))
    _check_widths(ngram_widths, pad_width, len(texts))
    if preserve_short_sequences and not ngram_widths and pad_width < 0:
        raise invalid_argument(
            "Pad width should be >= 0 when preserve_short_sequences is True and ngram_widths are "
            f"not provided, got {pad_width}"
        )
    ngrams_made: list[bytes] = []
    ends = [0]
    for start, stop in itertools.pairwise(splits):
        row = texts[start:stop]
        before = len(ngrams_made)
        for width in ngram_widths:
            pad = min(width - 1, pad_width if pad_width >= 0 else width - 1)
            padded = [left] * pad + row + [right] * pad
            ngrams_made += [
                glue.join(padded[i : i + width]) for i in range(len(padded) - width + 1)
            ]
        if preserve_short_sequences and row and len(ngrams_made) == before:
            pad = max(pad_width, 0)
            ngrams_made.append(glue.join([left] * pad + row + [right] * pad))
        ends.append(len(ngrams_made))
    return text_array(ngrams_made, (len(ngrams_made),)), torch.tensor(ends, dtype=data_splits.dtype)


STRING_NGRAMS = op(
    "StringNGrams",
    "data: string, data_splits: Tsplits -> ngrams: string, ngrams_splits: Tsplits",
    ngrams_kernel, None, device_types=CPU_ONLY, Tsplits=dtypes.INDICES,
)  # fmt: skip


def ngrams(
    data: Any,
    ngram_width: Any,
    separator: bytes | str = " ",
    pad_values: Any = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> Any:
    """Runs of so many strings of the last axis, joined (`tf.strings.ngrams`).

    Args:
        data: strings of rank 1 or more, dense or ragged.
        ngram_width: how many, or several such numbers.
        separator: what stands between them.
        pad_values: a string, or one for each end, to put around rows.
        padding_width: the most pads at each end; width - 1 if None.
        preserve_short_sequences: keep rows that are too short as they are.
        name: a name in graphs.

    Returns:
        Ragged for ragged data, else a tensor.

    Raises:
        ValueError: a width is below 1, or pads are asked for without `pad_values`.

    >>> ngrams(["a", "b", "c"], 2).numpy().tolist()
    [b'a b', b'b c']
    """
    widths = _widths(ngram_width)
    left, right = _pads(pad_values)
    if padding_width is not None and pad_values is None:
        raise ValueError("pad_values must be provided if padding_width is set.")
    if padding_width is not None and padding_width <= 0:
        raise ValueError("padding_width must be greater than 0.")
    if pad_values is None:
        padding_width = 0
    attrs = {
        "separator": as_bytes(separator), "ngram_widths": widths, "left_pad": left,
        "right_pad": right,
        "pad_width": -1 if padding_width is None else padding_width,
        "preserve_short_sequences": preserve_short_sequences,
    }  # fmt: skip
    data = to_tensor(data)
    rank = data.shape.rank
    if rank is None:
        raise ValueError("Rank of data must be known.")
    if rank == 0:
        raise ValueError("Data must have rank>0")
    if isinstance(data, RaggedTensor):
        return _row_ngrams(data, attrs)
    rows = expand_dims(data, 0) if rank == 1 else data
    ragged = from_tensor(rows, ragged_rank=max(1, rank - 1))
    dense = _row_ngrams(ragged, attrs).to_tensor(default_value="")
    return dense[0] if rank == 1 else dense


def _row_ngrams(rows: RaggedTensor, attrs: dict[str, Any]) -> Any:
    last = rows.levels()[-1]
    made, splits = apply(STRING_NGRAMS, (last.values, last.row_splits), attrs)
    outer = rows.nested_row_splits[:-1]
    result: Any = make_ragged(made, splits)
    for level, row_splits in zip(reversed(rows.levels()[:-1]), reversed(outer), strict=True):
        result = make_ragged(result, row_splits, level.uniform_length)
    return result


def _widths(ngram_width: Any) -> tuple[int, ...]:
    given = ngram_width if isinstance(ngram_width, (list, tuple)) else [ngram_width]
    widths = tuple(int(each) for each in given)
    if any(each < 1 for each in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    return widths


def _pads(pad_values: Any) -> tuple[bytes, bytes]:
    if pad_values is None:
        return b"", b""
    pads = pad_values if isinstance(pad_values, (list, tuple)) else (pad_values, pad_values)
    if not all(isinstance(each, (str, bytes)) for each in pads):
        raise TypeError("pad_values must be a string, tuple of strings, or None.")
    return as_bytes(pads[0]), as_bytes(pads[1])


def format_kernel(*inputs: Any, template: str, placeholder: str, summarize: int = 3) -> Any:
    """A text with tensors written into it."""
    pieces = template.split(placeholder)
    made = [pieces[0]]
    for value, piece in zip(inputs, pieces[1:], strict=True):
        array = value if isinstance(value, np.ndarray) else torch_to_numpy(value)
        made += [_written(array, summarize), piece]
    return np.array("".join(made).encode("utf-8", "surrogateescape"), object)


def _written(array: np.ndarray[Any, Any], summarize: int) -> str:
    if array.ndim == 0:
        return element_text(array[()], True)
    return _brackets(array, summarize, 0)


def _brackets(array: Any, summarize: int, depth: int) -> str:
    below = array.ndim - 1
    between = "\n" * below + " " * (depth + 1) if below else " "
    shown = [_shown(each, summarize, depth) for each in _ends(array, summarize)]
    if len(shown) < len(array):
        shown.insert(summarize, "...")
    return f"[{between.join(shown)}]"


def _shown(each: Any, summarize: int, depth: int) -> str:
    is_array = isinstance(each, np.ndarray) and each.ndim > 0
    return _brackets(each, summarize, depth + 1) if is_array else element_text(each, True)


def _ends(array: Any, summarize: int) -> list[Any]:
    if summarize < 0 or len(array) <= 2 * summarize:
        return list(array)
    return [*array[:summarize], *array[len(array) - summarize :]]


def _format_spec(*inputs: Spec, **attrs: Any) -> Spec:
    return Spec((), dtypes.string)


STRING_FORMAT = op(
    "StringFormat",
    "inputs: N * any -> output: string",
    format_kernel,
    _format_spec,
    device_types=CPU_ONLY,
)


def format_(
    template: str, inputs: TensorLike, placeholder: str = "{}", summarize: int = 3,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Returns a text with tensors written into it (`tf.strings.format`).

    Args:
        template: the text, with a placeholder for each tensor.
        inputs: a tensor or a list of them.
        placeholder: what stands for a tensor.
        summarize: how many elements to show at each end of each axis; -1 for all.
        name: a name in graphs.

    Raises:
        ValueError: there are more or fewer placeholders than tensors.

    >>> format_("x = {}", [[1, 2]]).numpy()
    b'x = [1 2]'
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    count = template.count(placeholder)
    if count != len(values):
        raise ValueError(
            f"The template expects {count} tensors, but the inputs only has {len(values)}. Please "
            "ensure the number of placeholders in template matches inputs length."
        )
    if not values:
        return to_tensor(template)
    attrs = {"template": template, "placeholder": placeholder, "summarize": summarize}
    return apply(STRING_FORMAT, tuple(map(to_tensor, values)), attrs)
