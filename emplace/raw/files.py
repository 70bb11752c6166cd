"""Rows of raw ops that make texts, summaries and checkpoints, print, and check."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..base import dtypes
from ..base.dtypes import DType
from ..base.errors import invalid_argument
from ..base.shapes import TensorShape
from ..core.tensor import Tensor
from ..ops.arguments import host_value, wrong_argument
from ..ops.array.making import constant
from ..ops.debugging.checks import NO_OP
from ..ops.infer import Spec, nothing
from ..ops.op import apply_any
from ..ops.strings.basic import join
from ..ops.strings.numbers import as_string
from ..state.save_ops import RESTORE, SAVE
from ..summary import ops as summaries
from .rows import Row, composed, kernel

Raw = Any


def _text(value: Tensor) -> str:
    """A scalar string that is known by now."""
    return str(np.asarray(host_value(value)).item().decode())


def _texts(value: Tensor) -> list[str]:
    return [each.decode() for each in np.asarray(host_value(value)).reshape(-1).tolist()]


def _histogram(tag: Tensor, values: Tensor) -> Any:
    return apply_any(summaries.HISTOGRAM, (values,), {"tag": _text(tag)})


def scalars_kernel(tags: Raw, values: Raw) -> Raw:
    """A summary of numbers, each with a tag."""
    if tags.shape != tuple(values.shape):
        raise invalid_argument(
            f"tags and values are not the same shape: {list(tags.shape)} != {list(values.shape)}"
        )
    pairs = zip(tags.reshape(-1).tolist(), values.reshape(-1), strict=True)
    parts = [summaries.scalar_kernel(value, tag=tag.decode()) for tag, value in pairs]
    return summaries.merge_kernel(*parts)


def _audio(tag: Tensor, tensor: Tensor, sample_rate: Tensor, max_outputs: int) -> Any:
    attrs = {"tag": _text(tag), "max_outputs": max_outputs}
    return apply_any(summaries.AUDIO, (tensor, sample_rate), attrs)


def _tensor(tag: Tensor, tensor: Tensor, serialized_summary_metadata: Tensor) -> Any:
    attrs = {
        "tag": _text(tag),
        "metadata": np.asarray(host_value(serialized_summary_metadata)).item(),
    }
    return apply_any(summaries.TENSOR, (tensor,), attrs)


def _sharded(basename: Tensor, shard: Tensor, num_shards: Tensor) -> Any:
    """The name of one part of several files."""
    numbers = [as_string(each, width=5, fill="0") for each in (shard, num_shards)]
    return join([basename, constant("-"), numbers[0], constant("-of-"), numbers[1]])


def _shards(basename: Tensor, num_shards: Tensor) -> Any:
    return join([basename, constant("-?????-of-"), as_string(num_shards, width=5, fill="0")])


def _slices(slices: Tensor) -> dict[str, Any]:
    """The attribute that says which parts of tensors are meant, unless all are whole."""
    specs = tuple(_texts(slices))
    return {"slices": specs} if any(specs) else {}


def _part_shape(spec: str) -> TensorShape:
    """The shape of a part: [1, 16] of "4 16 0,1:-". Nothing is known of a whole tensor, ""."""
    if not spec:
        return TensorShape(None)
    *sizes, part = spec.split()
    taken = zip(sizes, part.split(":"), strict=False)
    return TensorShape([int(size if each == "-" else each.split(",")[1]) for size, each in taken])


def _save(
    prefix: Tensor, tensor_names: Tensor, shape_and_slices: Tensor, tensors: Sequence[Tensor]
) -> Any:
    """Writes a checkpoint."""
    names = _texts(tensor_names)
    if len(names) != len(tensors):
        raise invalid_argument(f"Got {len(names)} tensor names but {len(tensors)} tensors.")
    return apply_any(
        SAVE, (prefix, *tensors), {"tensor_names": tuple(names), **_slices(shape_and_slices)}
    )


def _restore(
    prefix: Tensor, tensor_names: Tensor, shape_and_slices: Tensor, dtypes: Sequence[DType]
) -> Any:
    """Reads tensors of a checkpoint."""
    names = tuple(_texts(tensor_names))
    if len(names) != len(_texts(shape_and_slices)):
        raise wrong_argument(
            "tensor_names and shape_and_slices have different number of elements: "
            f"{len(names)} vs. {len(_texts(shape_and_slices))} [Op:RestoreV2]",
            "Dimension 0 in both shapes must be equal, but are "
            f"{len(names)} and {len(_texts(shape_and_slices))}: names and slices.",
        )
    attrs = {
        "tensor_names": names, "dtypes": tuple(dtypes), "reshape": False,
        "shapes": tuple(map(_part_shape, _texts(shape_and_slices))), **_slices(shape_and_slices),
    }  # fmt: skip
    found = apply_any(RESTORE, (prefix,), attrs)
    return found if isinstance(found, (list, tuple)) else [found]


def print_kernel(input: Raw, *, output_stream: str, end: str) -> None:
    """Prints a text."""
    streams = {"stdout": sys.stdout, "stderr": sys.stderr}
    if output_stream.startswith("file://"):
        with open(output_stream.removeprefix("file://"), "a") as file:
            file.write(input.item().decode() + end)
        return
    if output_stream not in streams:
        raise NotImplementedError(
            f"tf.raw_ops.PrintV2: Emplace prints to stdout, stderr and file://, got "
            f"{output_stream!r}."
        )
    print(input.item().decode(), end=end, file=streams[output_stream], flush=True)


def timestamp_kernel() -> Raw:
    """The seconds since 1970."""
    return torch.tensor(time.time(), dtype=torch.float64)


ROWS: dict[str, Row] = {
    "AudioSummaryV2": composed(_audio),
    "HistogramSummary": composed(_histogram),
    "MergeSummary": composed(lambda inputs: apply_any(summaries.MERGE, tuple(inputs))),
    "NoOp": composed(lambda: apply_any(NO_OP, ())),
    "PrintV2": kernel(print_kernel, nothing, on_host=True),
    "RestoreV2": composed(_restore),
    "SaveV2": composed(_save),
    "ScalarSummary": kernel(scalars_kernel, lambda *specs: Spec((), dtypes.string), on_host=True),
    "ShardedFilename": composed(_sharded),
    "ShardedFilespec": composed(_shards),
    "TensorSummaryV2": composed(_tensor),
    "Timestamp": kernel(timestamp_kernel, lambda: Spec((), dtypes.float64), on_host=True),
}
