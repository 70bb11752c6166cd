"""Strings that hold a `tf.train.SequenceExample` as tensors: the op ParseSequenceExampleV2.

The context of an example is read as the features of an `Example` are. A feature of its lists has
values at each point in time: it is dense (as many at each, padded to the longest time), sparse, or
ragged. The op returns what ParseExampleV2 does for the context, and then, laid flat: indices,
values and shapes of the sparse lists, values and lengths of the dense ones, values, outer and inner
row splits of the ragged ones.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ..infer import Spec
from ..op import CPU_ONLY, op
from .examples import SequenceExample
from .parse_example import Dims, ExampleBatch, dense_of, ragged_of, raw, sparse_of, values_of

Times = list[list[Any]]


def _times(batch: ExampleBatch, i: int, key: str, dtype: DType) -> Times | None:
    """The values of a list at each point in time; None where the example lacks the list."""
    lists = batch.messages[i].feature_lists.feature_list
    if key not in lists:
        return None
    found = []
    for j, feature in enumerate(lists[key].feature):
        refusal = (
            f"Name: {batch.name(i)}, Feature list: {key}, Index: {j}.  Data types don't match. "
            f"Expected type: {runtime_name(dtype)}"
        )
        found.append(values_of(feature, dtype, refusal.replace("{", "{{")) or [])
    return found


def _all_times(batch: ExampleBatch, key: str, dtype: DType) -> list[Times]:
    return [_times(batch, i, key, dtype) or [] for i in range(batch.count)]


def _flat(examples: list[Times]) -> list[Any]:
    return [value for times in examples for values in times for value in values]


def _list_sparse(batch: ExampleBatch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    examples = _all_times(batch, key, dtype)
    values = _flat(examples)
    places = [
        (i, j, k)
        for i, times in enumerate(examples)
        for j, row in enumerate(times)
        for k in range(len(row))
    ]
    longest = max(map(len, examples), default=0)
    widest = max((len(row) for times in examples for row in times), default=0)
    indices = np.array(places, np.int64).reshape(-1, 3)
    shape = [len(examples), longest, widest]
    start = 1 if batch.is_one else 0
    return (
        torch.from_numpy(np.ascontiguousarray(indices[:, start:])),
        raw(values, dtype, (len(values),)),
        torch.tensor(shape[start:], dtype=torch.int64),
    )


def _list_dense(
    batch: ExampleBatch, key: str, dtype: DType, dims: Dims, may_lack: bool
) -> tuple[Any, Any]:
    size = math.prod(each or 0 for each in dims)
    examples = []
    for i in range(batch.count):
        times = _times(batch, i, key, dtype)
        if times is None and not may_lack:
            raise invalid_argument(
                f"Name: {batch.name(i)}, Feature list '{key}' is required but could not be found.  "
                "Did you mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults?"
            )
        for j, row in enumerate(times or []):
            if len(row) != size:
                raise invalid_argument(
                    f"Name: {batch.name(i)}, Key: {key}, Index: {j}.  Number of values != "
                    f"expected.  values size: {len(row)} but output shape: {runtime_text(dims)}"
                )
        examples.append(times or [])
    lengths = [len(times) for times in examples]
    longest = max(lengths, default=0)
    filler = b"" if dtype is dtypes.string else 0
    values: list[Any] = []
    for times in examples:
        values += itertools.chain.from_iterable(times)
        values += [filler] * (size * (longest - len(times)))
    whole = (longest, *dims) if batch.is_one else (batch.count, longest, *dims)
    counts = torch.tensor(lengths[0] if batch.is_one else lengths, dtype=torch.int64)
    return raw(values, dtype, whole), counts  # type: ignore[arg-type]


def _list_ragged(
    batch: ExampleBatch, key: str, dtype: DType, split_type: DType
) -> tuple[Any, Any, Any]:
    examples = _all_times(batch, key, dtype)
    values = _flat(examples)
    outer = np.cumsum([0, *map(len, examples)])
    inner = np.cumsum([0, *(len(row) for times in examples for row in times)])
    kind = split_type.as_numpy_dtype
    splits = [torch.from_numpy(each.astype(kind)) for each in (outer, inner)]
    return raw(values, dtype, (len(values),)), splits[0], splits[1]


def parse_sequence_kernel(
    serialized: Any,
    names: Any,
    *context_defaults: Any,
    context_sparse: tuple[tuple[str, DType], ...],
    context_dense: tuple[tuple[str, Dims], ...],
    context_ragged: tuple[tuple[str, DType, DType], ...],
    list_sparse: tuple[tuple[str, DType], ...],
    list_dense: tuple[tuple[str, DType, Dims, bool], ...],
    list_ragged: tuple[tuple[str, DType, DType], ...],
) -> tuple[Any, ...]:
    """The context and the lists of examples as tensors."""
    batch = ExampleBatch(serialized, names, SequenceExample, "context")
    dense = [
        dense_of(batch, key, default, dims)
        for (key, dims), default in zip(context_dense, context_defaults, strict=True)
    ]
    return (
        *_turned([sparse_of(batch, *each) for each in context_sparse]),
        *dense,
        *_turned([ragged_of(batch, *each) for each in context_ragged]),
        *_turned([_list_sparse(batch, *each) for each in list_sparse]),
        *_turned([_list_dense(batch, *each) for each in list_dense]),
        *_turned([_list_ragged(batch, *each) for each in list_ragged]),
    )


def _turned(rows: Sequence[Sequence[Any]]) -> list[Any]:
    """All first parts, then all second ones."""
    return [part for column in zip(*rows, strict=True) for part in column]


def _rule(
    serialized: Spec,
    names: Spec,
    *context_defaults: Spec,
    context_sparse: tuple[tuple[str, DType], ...],
    context_dense: tuple[tuple[str, Dims], ...],
    context_ragged: tuple[tuple[str, DType, DType], ...],
    list_sparse: tuple[tuple[str, DType], ...],
    list_dense: tuple[tuple[str, DType, Dims, bool], ...],
    list_ragged: tuple[tuple[str, DType, DType], ...],
) -> tuple[Spec, ...]:
    batch = serialized.dims
    dense = [
        Spec(None if batch is None else (*batch, *dims), default.dtype)
        for (_, dims), default in zip(context_dense, context_defaults, strict=True)
    ]
    lists = [
        (Spec(None if batch is None else (*batch, None, *dims), dtype), Spec(batch, dtypes.int64))
        for _, dtype, dims, _ in list_dense
    ]
    splits = Spec((None,), dtypes.int64)
    return (
        *_turned([_sparse_specs(batch, 1, dtype) for _, dtype in context_sparse]),
        *dense,
        *_turned([(Spec((None,), a), splits._replace(dtype=b)) for _, a, b in context_ragged]),
        *_turned([_sparse_specs(batch, 2, dtype) for _, dtype in list_sparse]),
        *_turned(lists),
        *_turned([(Spec((None,), a), *[splits._replace(dtype=b)] * 2) for _, a, b in list_ragged]),
    )


def _sparse_specs(batch: Dims | None, more: int, dtype: DType) -> tuple[Spec, Spec, Spec]:
    rank = None if batch is None else len(batch) + more
    return Spec((None, rank), dtypes.int64), Spec((None,), dtype), Spec((rank,), dtypes.int64)


PARSE_SEQUENCE = op(
    "ParseSequenceExampleV2",
    "serialized: string, debug_name: string, context_dense_defaults: N * any -> outputs: N * any",
    parse_sequence_kernel, _rule, device_types=CPU_ONLY, is_listed=False,
)  # fmt: skip
