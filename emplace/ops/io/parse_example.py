"""Strings that hold a `tf.train.Example` as tensors: the op ParseExampleV2.

A feature is dense (as many values in every example, or padded), sparse, or ragged. The op takes
them in this order and returns, laid flat: indices, values and shapes of the sparse ones, the dense
ones, values and row splits of the ragged ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from google.protobuf.message import DecodeError

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ..infer import Spec
from ..op import CPU_ONLY, op
from ..strings.basic import text_array
from .examples import Example

TYPES = (dtypes.float32, dtypes.int64, dtypes.string)
_KINDS = {
    "bytes_list": dtypes.string, "float_list": dtypes.float32, "int64_list": dtypes.int64,
}  # fmt: skip
Dims = tuple[int | None, ...]


def raw(values: Sequence[Any], dtype: DType, shape: Sequence[int]) -> Any:
    """Python values as the raw value of a tensor."""
    if dtype is dtypes.string:
        return text_array(values, shape)
    array = np.array(values, dtype.as_numpy_dtype)
    return torch.from_numpy(array).reshape(tuple(shape))


def parsed(data: bytes, message: Any) -> Any:
    """The message that bytes hold.

    Raises:
        InvalidArgumentError: they hold none.
    """
    try:
        return message.FromString(data)
    except DecodeError:
        shown = data[:64].decode("utf-8", "backslashreplace")
        raise invalid_argument(f"Could not parse example input, value: '{shown}'") from None


def values_of(feature: Any, dtype: DType, refusal: str) -> list[Any] | None:
    """The values of a feature; None where it is missing or has none.

    Args:
        feature: the message, or None.
        dtype: what they must be.
        refusal: TensorFlow's text where they are something else, with {found} in it.

    Raises:
        InvalidArgumentError: they are.
    """
    kind = feature.WhichOneof("kind") if feature is not None else None
    if kind is None:
        return None
    found = _KINDS[kind]
    if found is not dtype:
        raise invalid_argument(refusal.format(found=runtime_name(found)))
    return list(getattr(feature, kind).value)


class ExampleBatch:
    """The examples of one call, and how errors name them.

    Attributes:
        messages: the examples.
        features: the features of each by name.
    """

    def __init__(
        self, serialized: Any, names: Any, message: TensorLike = Example, part: str = "features"
    ) -> None:
        if serialized.ndim > 1:
            raise invalid_argument(
                "Expected serialized to be a scalar or vector, got shape: "
                f"{runtime_text(serialized.shape)}"
            )
        self.is_one = serialized.ndim == 0
        self.names = [each.decode() for each in names.reshape(-1).tolist()]
        texts = serialized.reshape(-1).tolist()
        if self.names and len(self.names) != len(texts):
            raise invalid_argument(
                f"Expected len(names) == len(serialized) but got: {len(self.names)} vs. "
                f"{len(texts)}"
            )
        self.messages = [parsed(text, message) for text in texts]
        self.features = [getattr(each, part).feature for each in self.messages]

    def name(self, i: int) -> str:
        """What the program calls example `i`."""
        return self.names[i] if self.names else "<unknown>"

    def where(self, i: int, key: str) -> str:
        """How errors about a value name its place."""
        if self.is_one:
            return f"Key: {key}.  "
        return f"Name: {self.name(i)}, Key: {key}, Index: {i}.  "

    def get(self, i: int, key: str, dtype: DType, mismatch: str) -> list[Any] | None:
        """The values of a feature of example `i`; None where it has none."""
        feature = self.features[i].get(key)
        return values_of(feature, dtype, self.where(i, key).replace("{", "{{") + mismatch)

    def missing(self, i: int, key: str, dtype: DType) -> InvalidArgumentError:
        """The error about a feature that example `i` lacks."""
        who = "" if self.is_one else f"Name: {self.name(i)}, "
        return invalid_argument(
            f"{who}Feature: {key} (data type: {runtime_name(dtype)}) is required but could not be "
            "found."
        )

    @property
    def count(self) -> int:
        """How many examples there are."""
        return len(self.features)


def _sparse_mismatch(dtype: DType) -> str:
    return (
        f"Data types don't match. Expected type: {runtime_name(dtype)}, Actual type: {{found}}"
    )  # fmt: skip


def _rows(batch: ExampleBatch, key: str, dtype: DType) -> list[list[Any]]:
    mismatch = _sparse_mismatch(dtype)
    return [batch.get(i, key, dtype, mismatch) or [] for i in range(batch.count)]


def sparse_of(batch: ExampleBatch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    """Indices, values and shape of a feature of any number of values."""
    rows = _rows(batch, key, dtype)
    lengths = [len(row) for row in rows]
    values = [value for row in rows for value in row]
    columns = [j for length in lengths for j in range(length)]
    flat = raw(values, dtype, (len(values),))
    if batch.is_one:
        indices = np.array(columns, np.int64).reshape(-1, 1)
        return torch.from_numpy(indices), flat, torch.tensor(lengths, dtype=torch.int64)
    numbers = np.repeat(np.arange(len(rows)), lengths)
    indices = np.stack([numbers, np.array(columns, np.int64)], 1).astype(np.int64)
    shape = torch.tensor([len(rows), max(lengths, default=0)], dtype=torch.int64)
    return torch.from_numpy(indices), flat, shape


def ragged_of(batch: ExampleBatch, key: str, dtype: DType, split_type: DType) -> tuple[Any, Any]:
    """Values and row splits of a feature of any number of values."""
    rows = _rows(batch, key, dtype)
    values = [value for row in rows for value in row]
    splits = np.cumsum([0, *map(len, rows)]).astype(split_type.as_numpy_dtype)
    return raw(values, dtype, (len(values),)), torch.from_numpy(splits)


def dense_of(batch: ExampleBatch, key: str, default: Any, dims: Dims) -> Any:
    """A feature of as many values in every example, or padded to the longest."""
    dtype = dtypes.string if isinstance(default, np.ndarray) else dtypes.as_dtype(default.dtype)
    given = default.reshape(-1).tolist()
    mismatch = f"Data types don't match. Data type: {{found}} but expected type: {dtype.name}"
    mismatch = mismatch.replace("float32", "float")
    rows: list[Any] = [batch.get(i, key, dtype, mismatch) for i in range(batch.count)]
    if dims and dims[0] is None:
        return _padded(batch, key, rows, given, dtype, dims)
    size = math.prod(each or 0 for each in dims)
    for i, row in enumerate(rows):
        if row is None:
            if not given:
                raise batch.missing(i, key, dtype)
            rows[i] = given * size if len(given) == 1 else given
        elif len(row) != size:
            raise invalid_argument(
                f"{batch.where(i, key)}Number of {runtime_name(dtype)} values != expected.  Values "
                f"size: {len(row)} but output shape: {runtime_text(dims)}"
            )
    whole = dims if batch.is_one else (batch.count, *dims)
    return raw([value for row in rows for value in row], dtype, whole)  # type: ignore[arg-type]


def _padded(
    batch: ExampleBatch, key: str, rows: list[Any], given: list[Any], dtype: DType, dims: Dims
) -> Any:
    """Rows filled up to the longest one."""
    inner = tuple(size for size in dims[1:] if size is not None)
    stride = math.prod(inner)
    rows = [row or [] for row in rows]
    for i, row in enumerate(rows):
        if stride and len(row) % stride:
            raise invalid_argument(
                f"{batch.where(i, key)}Number of {runtime_name(dtype)} values is not a multiple of "
                f"stride length. Saw {len(row)} values but output shape is: "
                f"[{','.join(['?', *map(str, inner)])}]"
            )
    longest = max(map(len, rows), default=0)
    filler = given[0] if given else (b"" if dtype is dtypes.string else 0)
    values = [value for row in rows for value in row + [filler] * (longest - len(row))]
    whole = (longest // stride if stride else 0, *inner)
    return raw(values, dtype, whole if batch.is_one else (batch.count, *whole))


def parse_example_kernel(
    serialized: Any,
    names: Any,
    *dense_defaults: Any,
    sparse_keys: tuple[str, ...],
    dense_keys: tuple[str, ...],
    ragged_keys: tuple[str, ...],
    sparse_types: tuple[DType, ...],
    ragged_value_types: tuple[DType, ...],
    ragged_split_types: tuple[DType, ...],
    dense_shapes: tuple[Dims, ...],
) -> tuple[Any, ...]:
    """The features of examples as tensors."""
    batch = ExampleBatch(serialized, names)
    dense = [
        dense_of(batch, *each)
        for each in zip(dense_keys, dense_defaults, dense_shapes, strict=True)
    ]
    sparse = [sparse_of(batch, *each) for each in zip(sparse_keys, sparse_types, strict=True)]
    ragged = [
        ragged_of(batch, *each)
        for each in zip(ragged_keys, ragged_value_types, ragged_split_types, strict=True)
    ]
    parts = [[each[k] for each in sparse] for k in range(3)]
    parts += [dense, [each[0] for each in ragged], [each[1] for each in ragged]]
    return tuple(value for part in parts for value in part)


def _parse_example_spec(
    serialized: Spec,
    names: Spec,
    *dense_defaults: Spec,
    sparse_types: tuple[DType, ...],
    ragged_value_types: tuple[DType, ...],
    ragged_split_types: tuple[DType, ...],
    dense_shapes: tuple[Dims, ...],
    **keys: Any,
) -> tuple[Spec, ...]:
    batch = serialized.dims
    if batch is not None and len(batch) > 1:
        raise invalid_argument(
            f"Expected serialized to be a scalar or vector, got shape: {runtime_text(batch)}"
        )
    rank = None if batch is None else len(batch) + 1
    splits: Dims = (None,) if not batch or batch[0] is None else (batch[0] + 1,)
    specs = [Spec((None, rank), dtypes.int64) for _ in sparse_types]
    specs += [Spec((None,), dtype) for dtype in sparse_types]
    specs += [Spec((rank,), dtypes.int64) for _ in sparse_types]
    for default, dims in zip(dense_defaults, dense_shapes, strict=True):
        inner = (None, *dims[1:]) if dims and dims[0] is None else dims
        specs.append(Spec(None if batch is None else (*batch, *inner), default.dtype))
    specs += [Spec((None,), dtype) for dtype in ragged_value_types]
    specs += [Spec(splits, dtype) for dtype in ragged_split_types]
    return tuple(specs)


PARSE_EXAMPLE = op(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: host, dense_keys: host, ragged_keys: host, "
    "dense_defaults: N * any -> sparse_indices: N * int64, sparse_values: N * any, "
    "sparse_shapes: N * int64, dense_values: N * any, ragged_values: N * any, "
    "ragged_row_splits: N * any",
    parse_example_kernel, _parse_example_spec, device_types=CPU_ONLY,
)  # fmt: skip
