"""Sparse tensors as texts: three per tensor, its indices, its values and its shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from google.protobuf.message import DecodeError

from ...base import dtypes
from ...base.dtypes import DType, as_dtype, runtime_name
from ...base.errors import invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor import Tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..sparse.places import as_sparse
from ..sparse.tensor import SparseTensor
from ..strings.basic import as_texts, text_array
from .tensor_proto import message_bytes, parsed_proto

Raw = Any
_PARTS = 3


def _as_bytes(part: Raw) -> bytes:
    return message_bytes(part, in_one_piece=True)


def _check(indices: Raw, values: Raw, shape: Raw) -> None:
    for name, part, rank, kind in (
        ("indices", indices, 2, "matrix"), ("values", values, 1, "vector"),
        ("shape", shape, 1, "vector"),
    ):  # fmt: skip
        if part.ndim != rank:
            raise invalid_argument(
                f"Input {name} should be a {kind} but received shape {runtime_text(part.shape)}"
            )


def _only_texts(out_type: DType) -> None:
    if out_type is not dtypes.string:
        raise NotImplementedError(
            f"[SerializeSparse] Emplace writes sparse tensors as strings alone, got {out_type}."
        )


def serialize_one_kernel(indices: Raw, values: Raw, shape: Raw, *, out_type: DType) -> Raw:
    """Indices, values and shape as three texts."""
    _only_texts(out_type)
    _check(indices, values, shape)
    return text_array([_as_bytes(part) for part in (indices, values, shape)], (_PARTS,))


def serialize_rows_kernel(indices: Raw, values: Raw, shape: Raw, *, out_type: DType) -> Raw:
    """The same of each row along the first axis."""
    _only_texts(out_type)
    _check(indices, values, shape)
    if shape.numel() < 2:
        raise invalid_argument(
            f"Rank of input SparseTensor should be > 1, but saw rank: {shape.numel()}"
        )
    if len(indices) != len(values):
        raise invalid_argument(
            "indices and values rows (indexing dimension) must match. (indices = "
            f"{len(indices)}, values = {len(values)})"
        )
    _check_order(indices, shape)
    count, ends = int(shape[0]), []
    rest = _as_bytes(shape[1:].contiguous())
    if count:
        ends = torch.searchsorted(
            indices[:, 0].contiguous(), torch.arange(count), right=True
        ).tolist()
    texts: list[bytes] = []
    for begin, end in zip([0, *ends], ends, strict=False):
        own = indices[begin:end, 1:].contiguous()
        texts += [_as_bytes(own), _as_bytes(values[begin:end]), rest]
    return text_array(texts, (count, _PARTS))


def _check_order(indices: Raw, shape: Raw) -> None:
    """Raises InvalidArgumentError unless places are inside and one after the other."""
    places, sizes = indices.tolist(), shape.tolist()
    before = None
    for i, place in enumerate(places):
        shown = f"indices[{i}] = {runtime_text(place)}"
        if any(not 0 <= each < size for each, size in zip(place, sizes, strict=True)):
            raise invalid_argument(
                f"{shown} is out of bounds: need 0 <= index < {runtime_text(sizes)}"
            )
        if before is not None and place <= before:
            why = "repeated" if place == before else "out of order"
            advice = (
                "" if place == before
                else " Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
                "create a correctly ordered copy.\n\n"
            )  # fmt: skip
            raise invalid_argument(f"{shown} is {why}{advice and '.'}{advice}")
        before = place


def deserialize_kernel(serialized: Raw, *, dtype: DType) -> tuple[Raw, Raw, Raw]:
    """The parts of one sparse tensor, or of several as rows of one."""
    shape = runtime_text(serialized.shape)
    if not serialized.ndim:
        raise invalid_argument(f"Serialized sparse should have non-zero rank {shape}")
    if serialized.shape[-1] != _PARTS:
        raise invalid_argument(f"Serialized sparse should have 3 as the last dimension {shape}")
    outer = serialized.shape[:-1]
    if 0 in outer:
        raise invalid_argument(
            "Serialized sparse should have at least 1 serialized tensor, but has a zero "
            f"dimension {shape}"
        )
    found = [_parsed(i, row, dtype) for i, row in enumerate(serialized.reshape(-1, _PARTS))]
    for i, (_, _, sizes) in enumerate(found):
        if len(sizes) != len(found[0][2]):
            raise invalid_argument(
                "Inconsistent shape across SparseTensors: rank prior to "
                f"SparseTensor[{i}] was: {len(found[0][2])} but rank of SparseTensor[{i}] is: "
                f"{len(sizes)}"
            )
    if not outer:
        return found[0]
    return _joined(found, outer)


def _joined(found: list[tuple[Raw, Raw, Raw]], outer: tuple[int, ...]) -> tuple[Raw, Raw, Raw]:
    """Several tensors as rows of one, which is as large as the largest."""
    counts = torch.tensor([len(indices) for indices, _, _ in found])
    rows = torch.arange(math.prod(outer)).repeat_interleave(counts)
    prefix = torch.stack(torch.unravel_index(rows, outer), 1)
    indices = torch.cat([prefix, torch.cat([indices for indices, _, _ in found])], 1)
    parts = [values for _, values, _ in found]
    is_text = isinstance(parts[0], np.ndarray)
    values = np.concatenate(parts) if is_text else torch.cat(parts)
    largest = torch.stack([sizes for _, _, sizes in found]).amax(0)
    return indices, values, torch.cat([torch.tensor(outer), largest])


def _parsed(number: int, row: Raw, dtype: DType) -> tuple[Raw, Raw, Raw]:
    try:
        parts = [parsed_proto(text) for text in row]
    except DecodeError:
        raise invalid_argument("Could not parse serialized proto") from None
    (_, indices), (of, values), (_, sizes) = parts
    for i, (part, rank, what) in enumerate(
        ((indices, 2, "an index matrix"), (values, 1, "a values vector"),
         (sizes, 1, "a shape vector"))
    ):  # fmt: skip
        if part.ndim != rank:
            raise invalid_argument(
                f"Expected serialized_sparse[{number}, {i}] to represent {what} but received "
                f"shape {runtime_text(part.shape)}"
            )
    if of is not dtype:
        raise invalid_argument(
            f"Requested SparseTensor of type {runtime_name(dtype)} but "
            f"SparseTensor[{number}].values.dtype() == {runtime_name(of)}"
        )
    if indices.shape[1] != len(sizes):
        raise invalid_argument(
            f"Expected column counts of SparseTensor[{number}].indices to match size of "
            f"SparseTensor[{number}].shape but they do not: {indices.shape[1]} vs. {len(sizes)}"
        )
    return indices, values, sizes


def _one_spec(indices: Spec, values: Spec, shape: Spec, *, out_type: DType) -> Spec:
    return Spec((_PARTS,), out_type)


def _rows_spec(indices: Spec, values: Spec, shape: Spec, *, out_type: DType) -> Spec:
    return Spec((None, _PARTS), out_type)


def _parts_spec(serialized: Spec, *, dtype: DType) -> tuple[Spec, Spec, Spec]:
    return Spec((None, None), dtypes.int64), Spec((None,), dtype), Spec((None,), dtypes.int64)


SERIALIZE_SPARSE = op(
    "SerializeSparse",
    "sparse_indices: int64, sparse_values: T, sparse_shape: int64 -> serialized_sparse: out_type",
    serialize_one_kernel, _one_spec, device_types=CPU_ONLY, T=dtypes.ANY,
)  # fmt: skip
SERIALIZE_MANY_SPARSE = op(
    "SerializeManySparse",
    "sparse_indices: int64, sparse_values: T, sparse_shape: int64 -> serialized_sparse: out_type",
    serialize_rows_kernel, _rows_spec, device_types=CPU_ONLY, T=dtypes.ANY,
)  # fmt: skip
DESERIALIZE_SPARSE = op(
    "DeserializeSparse",
    "serialized_sparse: string -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    deserialize_kernel, _parts_spec, device_types=CPU_ONLY,
)  # fmt: skip
DESERIALIZE_MANY_SPARSE = op(
    "DeserializeManySparse",
    "serialized_sparse: string -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    deserialize_kernel, _parts_spec, device_types=CPU_ONLY,
)  # fmt: skip


def serialized(indices: Tensor, values: Tensor, shape: Tensor, by_row: bool) -> Tensor:
    """A sparse tensor as three texts, or three for each row along its first axis."""
    record = SERIALIZE_MANY_SPARSE if by_row else SERIALIZE_SPARSE
    return apply(record, (indices, values, shape), {"out_type": dtypes.string})


def deserialized(texts: Tensor, dtype: DType) -> tuple[Tensor, Tensor, Tensor]:
    """The parts of the sparse tensor whose rows such texts tell of."""
    indices, values, shape = apply(DESERIALIZE_MANY_SPARSE, (texts,), {"dtype": dtype})
    return indices, values, shape


def serialize_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """A sparse tensor as three texts (`tf.io.serialize_sparse`): TensorFlow's bytes of its indices,
    its values and its shape.

    Args:
        sp_input: a sparse tensor of any shape and dtype.
        out_type: tf.string.
        name: a name in graphs.

    Returns:
        Strings of shape (3,).

    Raises:
        TypeError: `sp_input` is not sparse.
        NotImplementedError: `out_type` is tf.variant.

    >>> serialize_sparse(SparseTensor([[1]], [2.0], [3])).shape
    TensorShape([3])
    """
    return _written(sp_input, out_type, by_row=False)


def serialize_many_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """Each row of a sparse tensor along its first axis as three texts
    (`tf.io.serialize_many_sparse`).

    Args:
        sp_input: a sparse tensor of rank 2 or more, in order.
        out_type: tf.string.
        name: a name in graphs.

    Returns:
        Strings of shape (rows, 3).

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: its rank is below 2, or its places are not in order.
        NotImplementedError: `out_type` is tf.variant.

    >>> serialize_many_sparse(SparseTensor([[1, 0]], [2.0], [4, 3])).shape
    TensorShape([4, 3])
    """
    return _written(sp_input, out_type, by_row=True)


def _written(sparse: Any, out_type: DTypeLike, by_row: bool) -> Tensor:
    given = as_sparse(sparse)
    wanted = as_dtype(out_type)
    if wanted not in (dtypes.string, dtypes.variant):
        raise invalid_argument(
            f"Value for attr 'out_type' of {wanted.name} is not in the list of allowed values: "
            "string, variant"
        )
    _only_texts(wanted)
    return serialized(given.indices, given.values, given.dense_shape, by_row)


def deserialize_many_sparse(
    serialized_sparse: TensorLike, dtype: DTypeLike, rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:  # fmt: skip
    """Reads the sparse tensor whose rows such texts tell of (`tf.io.deserialize_many_sparse`).

    Args:
        serialized_sparse: strings of shape (rows, 3), as `serialize_many_sparse` writes them or
            several results of `serialize_sparse` stacked.
        dtype: of the values.
        rank: of the rows, where a graph is to know it.
        name: a name in graphs.

    Returns:
        A sparse tensor with one axis more than the rows have, as large as the largest of them.

    Raises:
        InvalidArgumentError: the texts are not of sparse tensors of that dtype and of one rank.

    >>> rows = serialize_many_sparse(SparseTensor([[1, 0]], [2.0], [4, 3]))
    >>> deserialize_many_sparse(rows, dtypes.float32).dense_shape.numpy().tolist()
    [4, 3]
    """
    indices, values, shape = deserialized(as_texts(serialized_sparse), as_dtype(dtype))
    if rank is not None:
        indices.set_shape([None, rank])
        shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
