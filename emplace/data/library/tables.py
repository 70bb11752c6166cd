"""Tables as datasets: CSV files, files of examples."""

from __future__ import annotations

import csv
import itertools
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import FailedPreconditionError, InvalidArgumentError, invalid_argument
from ...base.typing import IntLike, TensorLike
from ...core.context import LOCAL
from ...core.tensor_spec import TensorSpec
from ...graph.autograph.settings import do_not_convert
from ...ops.convert import to_tensor
from ...ops.host_values import raw_of
from ...ops.io.csv import decode_records, decode_records_kernel
from ...ops.io.features import parse_example
from ...ops.io.gfile import glob
from ...ops.io.readers import ReaderBase
from ...ops.io.records import TFRecordWriter as RecordWriter, read_chunks
from ...ops.op import CPU_ONLY, apply, op
from ..dataset.dataset import Dataset
from ..dataset.files import Read, TFRecordDataset, names_of
from ..elements.structure import to_element
from ..iteration.bound import BoundDataset
from ..iteration.node import AUTOTUNE
from ..nodes.listing import names_that_match

_INT32, _INT64 = range(-(2**31), 2**31), range(-(2**63), 2**63)


class CsvDataset(Dataset):
    """The rows of CSV files (`tf.data.experimental.CsvDataset`): a tuple of scalars for each.

    Args:
        filenames: a name, or a tensor of names.
        record_defaults: for each column a dtype, where a value is required, or a default.
        compression_type: "GZIP", "ZLIB", or None.
        buffer_size: positive, and not needed.
        header: whether the first line of each file is left out.
        field_delim: what stands between fields.
        use_quote_delim: whether quotes keep delimiters together.
        na_value: what else means that a field is missing.
        select_cols: the numbers of the columns that are read; all if None.
        exclude_cols: those that are not.
    """

    _shown = "CsvDatasetV2"

    def __init__(
        self,
        filenames: TensorLike | Dataset,
        record_defaults: Sequence[Any],
        compression_type: str | None = None,
        buffer_size: IntLike | None = None,
        header: bool = False,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        if select_cols and exclude_cols:
            raise invalid_argument("Either select_cols or exclude_cols should be empty")
        if isinstance(buffer_size, (int, np.integer)) and buffer_size <= 0:
            raise invalid_argument("buffer_size should be positive")
        if len(field_delim) != 1:
            raise invalid_argument("field_delim should be only 1 char")
        defaults = list(map(_default, record_defaults))
        left_out = tuple(map(int, exclude_cols or ()))
        chosen = _chosen_numbers(select_cols, len(defaults))

        @do_not_convert
        def parsed(line: Any) -> tuple[Any, ...]:
            read = decode_records
            return tuple(
                read(line, defaults, field_delim, use_quote_delim, na_value, chosen, left_out)
            )

        form = _Form(field_delim, use_quote_delim, header, compression_type or "")
        self.node = _records(filenames, form).map(parsed).node


def _chosen_numbers(select_cols: Any, count: int) -> list[int]:
    """The numbers of the columns that are read; none stands for all.

    Raises:
        InvalidArgumentError: there are not as many as defaults, or they are out of order.
    """
    if not select_cols:
        return []
    chosen = [int(each) for each in select_cols]
    if len(chosen) != count:
        raise invalid_argument("select_cols should match output size")
    if any(a >= b for a, b in itertools.pairwise(chosen)):
        raise invalid_argument("select_cols should be strictly increasing indices")
    return chosen


def _default(each: object) -> Any:
    """A default as `decode_csv` takes it: an empty tensor where a value is required."""
    if isinstance(each, DType | type | str) and not isinstance(each, bytes):
        try:
            return to_tensor(np.zeros(0, as_dtype(each).as_numpy_dtype))
        except TypeError:
            pass
    tensor = to_element(each)
    if tensor.shape.rank is not None and tensor.shape.rank > 1:
        if not LOCAL.state.target.is_eager:
            raise ValueError(f"Shape must be at most rank 1 but is rank {tensor.shape.rank}")
        raise invalid_argument("Each record default should be at most rank 1")
    return tensor if tensor.shape.rank else to_element([each])


def _raw_default(default: Any) -> Any:
    """A default as the kernel takes it.

    Raises:
        ValueError: only a run of a graph tells it.
    """
    value = default.static_value()
    if value is None:
        raise ValueError("`ignore_errors` needs defaults of columns that are known.")
    return raw_of(value.copy())


class _Form(NamedTuple):
    """How the records of CSV files are told apart."""

    delimiter: str
    has_quotes: bool
    header: bool
    compression: str
    is_good: Callable[[bytes], bool] | None = None  # records that are not are left out

    def records(self, name: bytes) -> Iterator[bytes]:
        """The records of a file: what quotes enclose may go over several lines.

        Raises:
            InvalidArgumentError: there is no header to leave out, or a quote is not closed.
        """
        data = b"".join(read_chunks(name, self.compression))
        if self.header and not data:
            raise invalid_argument("Can't read header of file")
        start, is_header = 0, self.header
        while start < len(data):
            end = self._end(data, start)
            if not is_header and (self.is_good is None or self.is_good(data[start:end])):
                yield data[start:end]
            start, is_header = end + (2 if data[end : end + 2] == b"\r\n" else 1), False

    def _end(self, data: bytes, start: int) -> int:
        """Where a record ends. A quote opens at the start of a field, or again behind itself."""
        is_open, closed = False, -1
        before = self.delimiter.encode()
        for found in _ENDS_AND_QUOTES.finditer(data, start):
            place = found.start()
            if found.group() != b'"':
                if not is_open:
                    return place
            elif is_open:
                is_open, closed = False, place
            elif self.has_quotes:
                is_open = place in (start, closed + 1) or data[place - 1 : place] == before
        if is_open:
            raise invalid_argument("Reached end of file without closing quoted field in record")
        return len(data)


_ENDS_AND_QUOTES = re.compile(rb'[\r\n"]')


def _records(filenames: TensorLike | Dataset, form: _Form) -> Dataset:
    """The records of files as a dataset."""
    return Dataset.of_node(Read(names_of(filenames), form.records, None))


def make_csv_dataset(
    file_pattern: Any, batch_size: int, column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None, label_name: str | None = None,
    select_columns: Sequence[Any] | None = None, field_delim: str = ",",
    use_quote_delim: bool = True, na_value: str = "", header: bool = True,
    num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None, sloppy: bool = False, num_rows_for_inference: int = 100,
    compression_type: str | None = None, ignore_errors: bool = False, encoding: str = "utf-8",
) -> Any:  # fmt: skip
    """Batches of the columns of CSV files (`tf.data.experimental.make_csv_dataset`): ordered
    dictionaries, or pairs of one and the label.

    Args:
        file_pattern: names of files, or patterns.
        batch_size: how many rows a batch has.
        column_names: the names of the columns; those of the header if None.
        column_defaults: for each column a dtype or a default; guessed from the first rows if None.
        label_name: the column that is the label.
        select_columns: names or numbers of the columns that are read; all if None.
        field_delim: what stands between fields.
        use_quote_delim: whether quotes keep delimiters together.
        na_value: what else means that a field is missing.
        header: whether the first line of each file has the names.
        num_epochs: how often the rows come; without an end if None.
        shuffle: whether rows are shuffled.
        shuffle_buffer_size: of how many rows the next is drawn.
        shuffle_seed: makes the order repeatable.
        prefetch_buffer_size: how many batches are made in advance.
        num_parallel_reads: how many files are open at a time, and give a row in turns; one if
            None or AUTOTUNE.
        sloppy: not needed.
        num_rows_for_inference: how many rows the types are guessed from; all if None.
        compression_type: "GZIP", "ZLIB", or None.
        ignore_errors: leave rows out that cannot be parsed.
        encoding: of the files.

    Raises:
        ValueError: no file matches, there is no such column, the header does not tell the names,
            or the rows or defaults are not as many as the columns.
    """
    files = _files(file_pattern)
    names_first = _in_any_order(files, shuffle_seed) if shuffle else files  # its seed comes first
    rows = _Reader(files, compression_type, field_delim, use_quote_delim, encoding)
    if column_names is None or column_defaults is None:
        rows.check_compression()
    names = list(column_names) if column_names is not None else rows.header(header)
    if len(set(names)) != len(names):
        twice = {column for column in names if names.count(column) > 1}
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{twice}."
        )
    chosen = list(range(len(names))) if select_columns is None else _chosen(names, select_columns)
    if column_defaults is None:
        column_defaults = rows.guessed(len(names), chosen, header, num_rows_for_inference, na_value)
    elif select_columns is not None and len(column_defaults) != len(chosen):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: "
            f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length "
            f"{len(chosen)}."
        )
    selected = [names[i] for i in chosen]
    if label_name is not None and label_name not in selected:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {selected}. Received: {label_name}."
        )
    defaults = [_default(default) for default in column_defaults]
    read = () if select_columns is None else chosen

    @do_not_convert
    def parsed(lines: Any) -> Any:
        columns = decode_records(lines, defaults, field_delim, use_quote_delim, na_value, read)
        features = OrderedDict(zip(selected, columns, strict=False))  # counted in records
        return features if label_name is None else (features, features.pop(label_name))

    plain = [_raw_default(default) for default in defaults] if ignore_errors else []

    def is_good(record: bytes) -> bool:
        try:
            decode_records_kernel(
                np.array([record], object), *plain, field_delim=field_delim, na_value=na_value,
                use_quote_delim=use_quote_delim, select_cols=tuple(read),
            )  # fmt: skip
        except InvalidArgumentError:
            return False
        return True

    form = _Form(field_delim, use_quote_delim, header, compression_type or "",
                 is_good if ignore_errors else None)  # fmt: skip
    dataset = _in_turns(names_first, form, num_parallel_reads)
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(parsed)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _in_turns(files: Any, form: _Form, turns: IntLike | None) -> Dataset:
    """The records of files, of several of them in turns."""
    if turns in (None, 1, AUTOTUNE):
        return _records(files, form)
    if not isinstance(files, Dataset):
        files = Dataset.from_tensor_slices(files)
    read = do_not_convert(lambda name: _records(name, form))
    dataset: Dataset = files.interleave(read, cycle_length=turns)
    return dataset


def _files(patterns: Any) -> list[str]:
    """The names of the files that match a pattern, or one of several, in order.

    Raises:
        ValueError: there are none.
    """
    if isinstance(patterns, list) and not patterns:
        raise ValueError("Argument `file_pattern` should not be empty.")
    found = glob(patterns)
    if not found:
        raise ValueError(f"No files match `file_pattern` {patterns}.")
    return sorted(found)


def _in_any_order(names: Sequence[str], seed: int | None) -> Dataset:
    """The names of files, shuffled as their rows are. TF: this takes a seed, for one file too."""
    return Dataset.from_tensor_slices(list(names)).shuffle(max(len(names), 1), seed)


def _chosen(names: Sequence[str], columns: Sequence[Any]) -> list[int]:
    """The numbers of the columns that are read, in their order.

    Raises:
        ValueError: there is no such column, or one is there twice.
    """
    places = []
    for each in columns:
        if isinstance(each, int) and not 0 <= each < len(names):
            raise ValueError(
                f"Column index {each} specified in `select_columns` should be >= 0 and < "
                f"{len(names)}, which is the number of columns."
            )
        if not isinstance(each, int) and each not in names:
            raise ValueError(
                f"Column {each} specified in `select_columns` must be of one of the columns: "
                f"{list(names)}."
            )
        places.append(each if isinstance(each, int) else names.index(each))
    if len(set(places)) < len(places):
        twice = sorted({names[place] for place in places if places.count(place) > 1})
        raise ValueError(f"The `select_columns` argument contains duplicate columns: {twice}.")
    return sorted(places)


class _Reader:
    """Looks into CSV files to find names and types."""

    def __init__(
        self, files: Sequence[str], compression: Any, delimiter: str, quotes: bool, encoding: str
    ) -> None:
        self.files = files
        self.compression = compression or ""
        self.options: dict[str, Any] = {
            "delimiter": delimiter, "quoting": csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
        }  # fmt: skip
        self.encoding = encoding

    def rows(self, file: str) -> Iterator[list[str]]:
        """The rows of a file; none of a folder."""
        try:
            text = b"".join(read_chunks(file, self.compression)).decode(self.encoding)
        except FailedPreconditionError:
            text = ""
        return csv.reader(text.splitlines(), **self.options)

    def check_compression(self) -> None:
        """Raises ValueError unless names and types can be found in files of this compression."""
        if self.compression == "ZLIB":
            raise ValueError("`compression_type` ZLIB is not supported for probing columns.")
        if self.compression not in ("", "GZIP"):
            raise ValueError(
                f"Received unknown `compression_type` {self.compression}. Expected: GZIP, ZLIB or "
                '"" (empty string).'
            )

    def header(self, is_there: bool) -> list[str]:
        """The names of the columns.

        Raises:
            ValueError: there is no header, or files have different ones.
        """
        if not is_there:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        first: list[str] | None = None
        for file in self.files:
            found = next(self.rows(file), None)
            if found is None:
                raise ValueError(
                    f"Failed when reading the header line of {file}. Is it an empty file?"
                )
            if first is not None and found != first:
                raise ValueError(
                    "All input CSV files should have the same column names in the header row. "
                    f"File {file} has different column names."
                )
            first = found
        return first or []

    def _numbered(self, header: bool) -> Iterator[tuple[int, list[str]]]:
        for file in self.files:
            yield from itertools.islice(enumerate(self.rows(file), 1), 1 if header else 0, None)

    def guessed(
        self, count: int, columns: Sequence[int], header: bool, rows: int | None, missing: str
    ) -> list[Any]:
        """A default for each column, of the type that holds what the first rows have in it.

        Raises:
            ValueError: a row has more or fewer fields than `count`.
        """
        kinds: list[DType | None] = [None] * len(columns)
        for number, row in itertools.islice(self._numbered(header), rows):
            if len(row) != count:
                raise ValueError(
                    f"Problem inferring types: CSV row {number} has {len(row)} number of fields. "
                    f"Expected: {count}."
                )
            for i, column in enumerate(columns):
                text = row[column]
                if text and text != missing:
                    kinds[i] = _wider(kinds[i], _kind_of(text))
        return [_zero(kind or dtypes.string) for kind in kinds]


_WIDTHS = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string)


def _wider(one: DType | None, other: DType) -> DType:
    return other if one is None else max(one, other, key=_WIDTHS.index)


def _kind_of(text: str) -> DType:
    """The narrowest type that holds a field."""
    try:
        number = int(text)
        if number in _INT64:
            return dtypes.int32 if number in _INT32 else dtypes.int64
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return dtypes.string
    with np.errstate(over="ignore"):
        return dtypes.float64 if np.isinf(np.float32(value)) else dtypes.float32


def _zero(dtype: DType) -> Any:
    return [""] if dtype is dtypes.string else to_tensor(np.zeros(1, dtype.as_numpy_dtype))


def parse_example_dataset(
    features: Mapping[str, Any], num_parallel_calls: IntLike = 1, deterministic: bool | None = None
) -> Callable[[Any], Any]:
    """Parses batches of serialized examples (`tf.data.experimental.parse_example_dataset`).

    Args:
        features: what they hold; see `tf.io.parse_example`.
        num_parallel_calls: how many threads may parse.
        deterministic: not needed.

    Raises:
        ValueError: there are no features.
    """
    if not features:
        raise ValueError("Argument `features` cannot be None.")
    parsed = do_not_convert(lambda batch: parse_example(batch, dict(features)))
    return lambda dataset: dataset.map(parsed, num_parallel_calls)


def make_batched_features_dataset(
    file_pattern: Any, batch_size: int, features: Mapping[str, Any], reader: Any = None,
    label_key: str | None = None, reader_args: Sequence[Any] | None = None,
    num_epochs: int | None = None, shuffle: bool = True, shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None, prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None, parser_num_threads: int | None = None,
    sloppy_ordering: bool = False, drop_final_batch: bool = False,
) -> Any:  # fmt: skip
    """Batches of parsed examples of files (`tf.data.experimental.make_batched_features_dataset`):
    dictionaries, or pairs of one and the label.

    Args:
        file_pattern: names of files, or patterns.
        batch_size: how many examples a batch has.
        features: what they hold; see `tf.io.parse_example`.
        reader: makes a dataset of examples of names; TFRecordDataset if None.
        label_key: the feature that is the label.
        reader_args: what else `reader` takes.
        num_epochs: how often the examples come; without an end if None.
        shuffle: whether examples are shuffled.
        shuffle_buffer_size: of how many the next is drawn.
        shuffle_seed: makes the order repeatable.
        prefetch_buffer_size: how many batches are made in advance.
        reader_num_threads: how many files are open at a time, and give a record in turns.
        parser_num_threads: how many threads may parse.
        sloppy_ordering: not needed.
        drop_final_batch: leave a last batch out that is not full.

    Raises:
        InvalidArgumentError: no file matches.
        TypeError: `reader` is a class of TF 1's readers.
        ValueError: there is no such feature.
    """
    if isinstance(reader, type) and issubclass(reader, ReaderBase):
        raise TypeError(
            "The `reader` argument must return a `Dataset` object. `tf.ReaderBase` subclasses are "
            "not supported. For example, pass `tf.data.TFRecordDataset` instead of "
            "`tf.TFRecordReader`."
        )
    read = partial(_read_by, reader or TFRecordDataset, tuple(reader_args or ()))
    turns = reader_num_threads or 1
    if shuffle or turns > 1:  # TF: a record of each in turn
        files = Dataset.list_files(file_pattern, shuffle, shuffle_seed)
        dataset = files.interleave(do_not_convert(read), cycle_length=max(turns, 1))
    else:
        dataset = read(names_that_match(file_pattern))
    if isinstance(dataset.element_spec, tuple):  # TF: pairs of a key and a value
        dataset = dataset.map(do_not_convert(lambda _, value: value))
    if shuffle:
        dataset = dataset.shuffle(shuffle_buffer_size, shuffle_seed)
    if num_epochs != 1:
        dataset = dataset.repeat(num_epochs)
    dataset = dataset.batch(batch_size, drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 1))
    if label_key is not None:
        if label_key not in features:
            raise ValueError(
                f"The `label_key` provided ({label_key!r}) must be one of the `features` keys: "
                f"{features.keys()}."
            )
        dataset = dataset.map(do_not_convert(lambda x: (_without(x, label_key), x[label_key])))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def _read_by(reader: Callable[..., Any], arguments: tuple[Any, ...], names: object) -> Any:
    return reader(names, *arguments)


def _without(values: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name != key}


def write_kernel(input_dataset: BoundDataset, filename: Any, compression_type: Any) -> None:
    """Writes the elements of a dataset to a file of records."""
    name, compression = filename[()].decode(), compression_type[()].decode()
    with RecordWriter(name, compression or None) as writer:
        for (record,) in input_dataset.start():
            writer.write(bytes(record[()]))


WRITE = op(
    "DatasetToTFRecord",
    "input_dataset: variant, filename: string, compression_type: string ->", write_kernel,
    lambda *inputs: None, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


class TFRecordWriter:
    """Writes a dataset of texts to a TFRecord file (`tf.data.experimental.TFRecordWriter`).

    Args:
        filename: the file, a text or a tensor of one.
        compression_type: "GZIP", "ZLIB", or None.
    """

    def __init__(self, filename: TensorLike, compression_type: str | None = None) -> None:
        self._filename, self._compression = filename, compression_type

    def write(self, dataset: Dataset) -> Any:
        """Writes all elements, in a graph each time the operation that it returns runs.

        Raises:
            TypeError: they are no texts.
        """
        if not isinstance(dataset, Dataset):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object, got {dataset}."
            )
        spec = dataset.element_spec
        if not TensorSpec((), dtypes.string) == spec:
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, "
                f"but got a dataset which produces elements with shapes {spec.shape} and types "
                f"{spec.dtype}."
            )
        texts = [to_tensor(x, dtypes.string) for x in (self._filename, self._compression or "")]
        return apply(WRITE, (dataset.variant_tensor(), *texts))
