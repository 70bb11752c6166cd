"""What raw ops want as one number, and say of a list of one, which the public functions take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..core.context import executing_eagerly
from .convert import is_tensor_like

_ALGORITHM = {"alg": "input 3 (0-based) must have shape [], not {shape}"}
_DIMENSION = {"dimension": "dim must be a scalar, but received tensor of shape: {shape}"}
_SIZES = {name: f"{name} must be a scalar" for name in ("num_rows", "num_cols")}
_BOXES = {
    name: f"{name} must be 0-D, got shape {{shape}}"
    for name in ("max_output_size", "iou_threshold", "score_threshold")
}

_DROP = {"drop_remainder": "drop_remainder must be a scalar"}
_SLOPPY = {"sloppy": "sloppy must be a scalar"}
_CSV = {name: f"{name} must be a scalar" for name in ("header", "use_quote_delim")}
_FILES = {
    name: f"{name} must be a scalar, got shape {{shape}}"
    for name in ("basename", "shard", "num_shards")
}
_INDEX = {"index": "TensorArray index must be scalar, but had shape: {shape}"}
_OF_ACCUMULATORS = "Argument {name} must be scalar, but had bad shape {{shape}}"

# Op -> argument -> what its kernel says.
_NUMBERS: dict[str, dict[str, str]] = {
    "AnonymousSeedGenerator": {"reshuffle": "reshuffle must be a scalar"},
    "ArgMax": _DIMENSION, "ArgMin": _DIMENSION,
    "Assert": {"condition": "In[0] should be a scalar: {shape}"},
    "BatchDatasetV2": _DROP,
    "CSVDataset": _CSV, "CSVDatasetV2": _CSV, "ExperimentalCSVDataset": _CSV,
    "DecodePaddedRaw": {"fixed_length": "k must be scalar, got shape {shape}"},
    "ExperimentalMapAndBatchDataset": _DROP,
    "ExperimentalParallelInterleaveDataset": _SLOPPY,
    "For": {
        name: f"{name} must be a scalar, but {{shape}}" for name in ("start", "limit", "delta")
    },
    "LinSpace": {
        name: f"{name} must be a scalar, not shape {{shape}}" for name in ("start", "stop")
    },
    "MapAndBatchDataset": _DROP,
    "MatrixDiagV2": _SIZES, "MatrixDiagV3": _SIZES,
    "NonMaxSuppression": _BOXES, "NonMaxSuppressionV2": _BOXES, "NonMaxSuppressionV3": _BOXES,
    "NonMaxSuppressionV4": _BOXES, "NonMaxSuppressionV5": _BOXES,
    "NthElement": {"n": "N must be scalar but has rank {rank}"},
    "OneHot": {
        name: f"{name} must be a scalar, but got: {{shape}}"
        for name in ("depth", "on_value", "off_value")
    },
    "PaddedBatchDatasetV2": _DROP, "ParallelBatchDataset": _DROP,
    "ParallelInterleaveDataset": _SLOPPY,
    "ParallelMapDataset": {"num_parallel_calls": "num_parallel_calls must be a scalar"},
    "QuantizeAndDequantizeV3": {
        "num_bits": "Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: "
        "{rank}"
    },
    "RebatchDatasetV2": _DROP,
    "ResourceAccumulatorApplyGradient": {"local_step": _OF_ACCUMULATORS.format(name="local_step")},
    "ResourceAccumulatorSetGlobalStep": {
        "new_global_step": _OF_ACCUMULATORS.format(name="num_required")
    },
    "ResourceAccumulatorTakeGradient": {
        "num_required": _OF_ACCUMULATORS.format(name="num_required")
    },
    "ShardedFilename": _FILES, "ShardedFilespec": _FILES,
    "StackV2": {"max_size": "Stack size must be a scalar, but had shape: {shape}"},
    "StagePeek": {"index": "index must be scalar"},
    "StatelessRandomGammaV3": _ALGORITHM,
    "StatelessRandomNormalV2": _ALGORITHM, "StatelessRandomUniformFullIntV2": _ALGORITHM,
    "StatelessRandomUniformIntV2": _ALGORITHM, "StatelessRandomUniformV2": _ALGORITHM,
    "StatelessShuffle": _ALGORITHM, "StatelessTruncatedNormalV2": _ALGORITHM,
    "Switch": {"pred": "The second input must be a scalar, but it has shape {shape}"},
    "TensorArrayReadV3": _INDEX, "TensorArrayWriteV3": _INDEX,
    "TensorListSetItem": {"index": "Expected argument 1 to be a scalar. Received shape: {shape}"},
    "WindowDataset": _DROP,
}  # fmt: skip


def check_numbers(op: str, given: Mapping[str, Any]) -> None:
    """Refuses what is no number where the op wants one.

    Args:
        op: its name.
        given: the arguments of the call.

    Raises:
        InvalidArgumentError: (in a graph ValueError) one has a shape.
    """
    for name, text in _NUMBERS.get(op, {}).items():
        value: Any = given.get(name)
        dims = value.shape.sizes if is_tensor_like(value) else np.asarray(value).shape
        if not dims:
            continue
        if not executing_eagerly():
            raise ValueError(f"Shape must be rank 0 but is rank {len(dims)} for {op!r}")
        raise invalid_argument(text.format(shape=runtime_text(dims), rank=len(dims)))
