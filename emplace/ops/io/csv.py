"""Lines of comma-separated values as columns.

Python's `csv` takes what TensorFlow refuses (a quote inside of a field without quotes, text behind
a closing quote), so two patterns read the fields here.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.typing import TensorLike
from ..arguments import one_of
from ..convert import to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..strings.basic import as_texts, text_array
from ..strings.numbers import reader_of

_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)

Column = tuple[DType, bytes | float | int | None]


@functools.lru_cache
def _patterns(delimiter: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """A field in quotes with what ends it, and one without, for a delimiter."""
    end = re.escape(delimiter)
    quoted = rb'"((?:[^"]|"")*+)"(?:' + end + rb"|\Z)"
    return re.compile(quoted, re.DOTALL), re.compile(rb"[^\r\n" + end + rb"]*+")


def fields(record: bytes, delimiter: bytes, quotes: bool) -> Iterator[bytes]:
    """The fields of one line.

    Raises:
        InvalidArgumentError: quotes or ends of lines stand where they must not.
    """
    quoted, plain = _patterns(delimiter)
    place = _skip(record, 0)
    while place < len(record):
        if quotes and record[place] == ord('"'):
            found = quoted.match(record, place)
            if found is None:
                raise _unended(record, place)
            yield found[1].replace(b'""', b'"')
            place = _skip(record, found.end())
            continue
        found = plain.match(record, place)
        assert found is not None, "a field may be empty"
        end = found.end()
        if record[end : end + 1] not in (b"", delimiter) or (quotes and b'"' in found[0]):
            raise invalid_argument("Unquoted fields cannot have quotes/CRLFs inside")
        yield found[0]
        place = _skip(record, end + 1)
    if record.endswith(delimiter):
        yield b""


def _skip(record: bytes, place: int) -> int:
    """The first place from here on that ends no line."""
    while record[place : place + 1] in (b"\n", b"\r"):
        place += 1
    return place


def _unended(record: bytes, place: int) -> Exception:
    if re.compile(rb'"(?:[^"]|"")*+".', re.DOTALL).match(record, place):
        return invalid_argument("Quote inside a string has to be escaped by another quote")
    return invalid_argument("Quoted field has to end with quote followed by delim or end")


def decode_csv_kernel(
    records: np.ndarray[Any, Any],
    *record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: tuple[int, ...] = (),
) -> tuple[Any, ...]:
    """A tensor for each column of lines of text."""
    how = field_delim, use_quote_delim, na_value
    return _decoded(records, record_defaults, *how, select_cols, (), of_file=False)


def decode_records_kernel(
    records: np.ndarray[Any, Any],
    *record_defaults: Any,
    field_delim: str,
    use_quote_delim: bool,
    na_value: str,
    select_cols: tuple[int, ...] = (),
    exclude_cols: tuple[int, ...] = (),
) -> tuple[Any, ...]:
    """The same of records of a file: an empty line is one empty field, and errors speak of `record`
    without its number.
    """
    how = field_delim, use_quote_delim, na_value
    return _decoded(records, record_defaults, *how, select_cols, exclude_cols, of_file=True)


def _decoded(
    records: np.ndarray[Any, Any], record_defaults: Sequence[Any], field_delim: str,
    use_quote_delim: bool, na_value: str, select_cols: Sequence[int], exclude_cols: Sequence[int],
    of_file: bool,
) -> tuple[Any, ...]:  # fmt: skip
    delimiter, missing = field_delim.encode(), {b"", na_value.encode()}
    if len(delimiter) != 1:
        raise invalid_argument("field_delim should be only 1 char")
    columns = [_column(i, value) for i, value in enumerate(record_defaults)]
    rows = []
    for row, record in enumerate(records.reshape(-1).tolist()):
        texts = _fields_of(record, delimiter, use_quote_delim) or ([b""] if of_file else [])
        texts = _selected(texts, select_cols, exclude_cols)
        if len(texts) != len(columns):
            have = "more" if of_file and len(texts) > len(columns) else len(texts)
            where = "record" if of_file else f"record {row}"
            raise invalid_argument(f"Expect {len(columns)} fields but have {have} in {where}")
        rows.append(texts)
    listed = list(zip(*rows, strict=True)) or [()] * len(columns)
    return tuple(
        _values(i, column, texts, missing, records.shape, of_file)
        for i, (column, texts) in enumerate(zip(columns, listed, strict=True))
    )


_PLAIN = re.compile(rb'[^"\r\n]*+')


def _fields_of(record: bytes, delimiter: bytes, quotes: bool) -> list[bytes]:
    """The fields of one line; most lines have nothing special, and are just split."""
    if _PLAIN.fullmatch(record):
        return record.split(delimiter) if record else []
    return list(fields(record, delimiter, quotes))


def _column(i: int, default: np.ndarray[Any, Any] | torch.Tensor) -> Column:
    """The dtype of a column and its default; None where a value is required."""
    dtype = dtypes.string if isinstance(default, np.ndarray) else dtypes.as_dtype(default.dtype)
    one_of("OUT_TYPE", dtype, _TYPES)
    if default.ndim > 1:
        raise invalid_argument("Each record default should be at most rank 1")
    values = default.reshape(-1).tolist()
    if len(values) > 1:
        raise invalid_argument(
            f"There should only be 1 default per field but field {i} has {len(values)}"
        )
    return dtype, values[0] if values else None


def _selected(texts: list[bytes], columns: Sequence[int], left_out: Sequence[int]) -> list[bytes]:
    if left_out:
        return [text for i, text in enumerate(texts) if i not in left_out]
    return [texts[i] for i in columns if i < len(texts)] if columns else texts


def _values(
    i: int, column: Column, texts: Sequence[bytes], missing: set[bytes], shape: Sequence[int],
    of_file: bool,
) -> Any:  # fmt: skip
    """A column as a raw value: the default where a text is missing, else what the text spells."""
    dtype, default = column
    if not missing.isdisjoint(texts):
        if default is None:
            row = next(row for row, text in enumerate(texts) if text in missing)
            where = "record" if of_file else f"record {row}"
            raise invalid_argument(f"Field {i} is required but missing in {where}!")
        written = default if isinstance(default, bytes) else repr(default).encode()
        texts = [written if text in missing else text for text in texts]
    if dtype is dtypes.string:
        return text_array(texts, shape)
    numbers = _plain_numbers(texts, dtype)
    if numbers is None:
        numbers = _any_numbers(texts, i, dtype, of_file)
    with np.errstate(over="ignore"):
        return torch.from_numpy(numbers.astype(dtype.as_numpy_dtype)).reshape(tuple(shape))


_SPECIAL = re.compile(rb"[_xX]")


def _plain_numbers(texts: Sequence[bytes], dtype: DType) -> Any:
    """Numbers as Python and C both read them, fast; None if there are others."""
    if _SPECIAL.search(b"".join(texts)):
        return None
    try:
        if dtype.is_floating:
            return np.array(list(map(float, texts)), np.float64)
        whole = np.array(list(map(int, texts)), np.int64)
    except (ValueError, OverflowError):
        return None
    fits = not whole.size or (dtype.min <= whole.min() and whole.max() <= dtype.max)
    return whole if fits else None


def _any_numbers(texts: Sequence[bytes], i: int, dtype: DType, of_file: bool) -> Any:
    """Numbers as C reads them, one by one.

    Raises:
        InvalidArgumentError: a text is none; the error names it.
    """
    read, numbers = reader_of(dtype), []
    for row, text in enumerate(texts):
        try:
            numbers.append(read(text))
        except ValueError:
            shown = text.decode("utf-8", "backslashreplace")
            where = "record" if of_file else f"record {row}"
            raise invalid_argument(
                f"Field {i} in {where} is not a valid {runtime_name(dtype)}: {shown}"
            ) from None
    return np.array(numbers, np.float64 if dtype.is_floating else np.int64)


def _decode_csv_spec(records: Spec, *record_defaults: Spec, **attrs: Any) -> tuple[Spec, ...]:
    return tuple(
        Spec(records.dims, one_of("OUT_TYPE", each.dtype, _TYPES)) for each in record_defaults
    )


DECODE_CSV = op(
    "DecodeCSV", "records: string, record_defaults: N * any -> output: N * any",
    decode_csv_kernel, _decode_csv_spec, device_types=CPU_ONLY,
)  # fmt: skip
_DECODE_RECORDS = op(
    "_DecodeRecords", "records: string, record_defaults: N * any -> output: N * any",
    decode_records_kernel, _decode_csv_spec, device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip


def decode_csv(
    records: TensorLike,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
    name: str | None = None,
) -> list[Any]:
    """Returns lines of comma-separated values as one tensor per column (`tf.io.decode_csv`).

    Args:
        records: strings, each one line.
        record_defaults: a tensor per column with its dtype (float32, float64, int32, int64 or
            string), and with the value of an empty field; without a value the field is required.
        field_delim: the character between fields.
        use_quote_delim: whether fields may stand in double quotes.
        na_value: a text that counts as an empty field too.
        select_cols: the columns to return, from 0 on and rising; None for all.
        name: a name in graphs.

    Returns:
        A list of tensors of the shape of `records`.

    Raises:
        InvalidArgumentError: a line has another number of fields, or a field is missing or no
            number; the text names both.
        ValueError: `select_cols` is not rising, or not as long as `record_defaults`.

    >>> numbers, names = decode_csv(["1,a", "2,"], [[0], ["none"]])
    >>> names.numpy().tolist()
    [b'a', b'none']
    """
    defaults = [to_tensor(default) for default in record_defaults]
    columns = _checked_columns(select_cols, len(defaults))
    if not defaults:
        raise invalid_argument("Length for attr 'OUT_TYPE' of 0 must be at least minimum 1")
    attrs = {
        "field_delim": field_delim, "use_quote_delim": bool(use_quote_delim),
        "na_value": na_value, "select_cols": columns,
    }  # fmt: skip
    result = apply(DECODE_CSV, (as_texts(records), *defaults), attrs)
    return list(result) if isinstance(result, (list, tuple)) else [result]


def decode_records(
    records: TensorLike, defaults: Sequence[Any], field_delim: str, use_quote_delim: bool,
    na_value: str, columns: Sequence[int], left_out: Sequence[int] = (),
) -> list[Any]:  # fmt: skip
    """The columns of records of CSV files, as `decode_csv` has those of lines.

    Args:
        records: strings, each one record.
        defaults: a tensor per column, empty where a value is required.
        field_delim: the character between fields.
        use_quote_delim: whether fields may stand in double quotes.
        na_value: a text that counts as an empty field too.
        columns: those to return, rising; all if there are none.
        left_out: those to leave out instead.

    Raises:
        InvalidArgumentError: a record has another number of fields, or a field is missing or no
            number.
    """
    attrs = {
        "field_delim": field_delim, "use_quote_delim": use_quote_delim, "na_value": na_value,
        "select_cols": tuple(columns), "exclude_cols": tuple(left_out),
    }  # fmt: skip
    result = apply(_DECODE_RECORDS, (records, *defaults), attrs)
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _checked_columns(columns: Sequence[int] | None, count: int) -> tuple[int, ...]:
    if columns is None:
        return ()
    if any(after <= before for before, after in itertools.pairwise(columns)):
        raise ValueError("select_cols is not strictly increasing.")
    if columns and columns[0] < 0:
        raise ValueError("select_cols contains negative values.")
    if len(columns) != count:
        raise ValueError("Length of select_cols and record_defaults do not match.")
    return tuple(columns)


def decode_csv_v1(
    records: TensorLike,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[Any]:
    """Does as `decode_csv`, with the order of `tf.compat.v1.decode_csv`.

    >>> decode_csv_v1("1;2", [[0], [0]], ";")[1].numpy().tolist()
    2
    """
    return decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols)
