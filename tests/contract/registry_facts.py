"""What is missing around the op records: the facts behind test_registry.py.

`scripts/registry_gaps.py` writes them to tests/data/registry_gaps.json, the list of known gaps,
which may only become shorter, and to tests/data/op_witnesses.json: one case that runs each op.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import op_cases
from bad_facts import with_other_errors
from gradient_samples import is_differentiable, samples_of
from op_cases.values import evaluate
from raw_facts import differing
from whose import is_ours

import emplace.tensorflow as tf
from emplace.core.context import LOCAL, AppliesAlike
from emplace.grads.rules import NOT_DIFFERENTIABLE, RULES
from emplace.names import late
from emplace.ops.op import REGISTRY, Op

DATA = Path(__file__).resolve().parents[1] / "data"
GAPS, WITNESSES = DATA / "registry_gaps.json", DATA / "op_witnesses.json"

# How large their outputs are depends on values, so that no shape rule can tell.
DATA_DEPENDENT = {
    "Where", "Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2", "ListDiff",
    "DynamicPartition", "DynamicStitch", "ParallelDynamicStitch", "Bincount", "DenseBincount",
    "RaggedBincount", "SparseBincount", "DecodeJpeg", "DecodePng", "DecodeBmp", "DecodeGif",
    "DecodeImage", "DecodeWebP", "DecodeAndCropJpeg", "ExtractJpegShape", "DecodeRaw",
    "ParseTensor", "NonMaxSuppression", "NonMaxSuppressionV2",
    "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5",
    "NonMaxSuppressionWithOverlaps", "CTCGreedyDecoder", "CTCBeamSearchDecoder", "StringSplit",
    "StringSplitV2", "UnicodeDecode", "UnicodeDecodeWithOffsets", "StringNGrams", "SparseSlice",
    "SerializeManySparse", "DeserializeSparse", "DeserializeManySparse",
    "SparseConcat", "SparseSplit", "SparseAdd", "SparseSparseMaximum", "SparseSparseMinimum",
    "SparseReduceSumSparse", "SparseReduceMaxSparse", "SparseFillEmptyRows", "SparseCross",
    "SparseCrossV2", "SparseCrossHashed", "SparseSegmentSum", "SparseSegmentMean",
    "SparseSegmentSqrtN", "_SparseCount", "DenseToDenseSetOperation", "DenseToSparseSetOperation",
    "SparseToSparseSetOperation", "RaggedRange", "RaggedGather", "RaggedTensorToSparse",
    "_CollapseRepeated", "RaggedCross", "SampleDistortedBoundingBox", "MatchingFiles",
    "SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin",
    "_StringBytes", "RaggedTensorToTensor",
}  # fmt: skip


# Some ops are declared when a name that uses them is first asked for.
for _names in late.NAMES.values():
    for _where, _ in _names.values():
        importlib.import_module(_where)


def records() -> list[Op]:
    """The ops that are declared, not those made on the fly by the generic gradient rule."""
    return [op for name, op in REGISTRY.items() if not name.endswith("Grad_")]


def without_shape_rule() -> set[str]:
    """Ops whose outputs' shapes nobody can tell beforehand, though one could.

    Ops on variables are left out: what they return is stored, or nothing.
    """
    unknown = {op.name for op in records() if op.infer is None and not touches_state(op)}
    return unknown - DATA_DEPENDENT


def touches_state(op: Op) -> bool:
    """True for ops on variables."""
    return any(arg.type == "resource" for arg in (*op.inputs, *op.outputs))


def without_gradient() -> set[str]:
    """Ops on floats without a rule, without a word that there is none, and without samples on
    which torch's gradient of their kernel is checked.
    """
    return {
        op.name
        for op in records()
        if is_differentiable(op)
        and op.name not in (*RULES, *NOT_DIFFERENTIABLE, "_EagerConst")
        and not samples_of(op)
    }


def without_docstring() -> set[str]:
    """Public functions and classes of the facade that do not say what they are."""
    return {name for name, value in public_names(tf, "tf", set()) if not inspect.getdoc(value)}


def public_names(module: ModuleType, name: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Everything of ours that can be called, by dotted name."""
    seen.add(id(module))
    for key, value in vars(module).items():
        if key.startswith("_"):
            continue
        if isinstance(value, ModuleType):
            if id(value) not in seen and value.__name__.startswith("emplace.tensorflow"):
                yield from public_names(value, f"{name}.{key}", seen)
        elif callable(value) and is_ours(value):
            yield f"{name}.{key}", value


class Listener(AppliesAlike):
    """Stands before the thread's target and notes the name of every op."""

    def __init__(self, target: Any, heard: set[str]) -> None:
        self._target, self._heard = target, heard

    def apply(self, state: Any, op: Op, inputs: tuple[Any, ...], attrs: Any) -> Any:
        self._heard.add(op.name)
        return self._target.apply(state, op, inputs, attrs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


def ops_of(expression: str) -> set[str]:
    """The ops that evaluating an expression ran, whether it ends in an error or not."""
    heard: set[str] = set()
    state, before = LOCAL.state, LOCAL.state.target
    state.target = Listener(before, heard)
    try:
        evaluate(expression, tf)
    except Exception:
        pass  # the replay of the cases judges errors; here it only matters what ran
    finally:
        state.target = before
    return heard


def find_witnesses(wanted: set[str]) -> dict[str, str]:
    """For each of these ops a case that runs it, as far as there are cases that do."""
    found: dict[str, str] = {}
    for family in op_cases.families():
        for case in op_cases.cases_of(family):
            if wanted <= found.keys():
                return found
            for name in ops_of(case.expression) & wanted:
                found.setdefault(name, case.expression)
    return found


# TensorFlow 2.21 declares them and has no kernel for CPUs, so that nothing could be recorded;
# tests/behaviour/ops/test_transforms.py compares them with NumPy.
NO_KERNEL_IN_TENSORFLOW = {"FFTND", "IFFTND", "RFFTND", "IRFFTND"}
# Only programs with graphs can use TF 1's readers; tests/behaviour/tf1/test_tf1_readers.py does.
IN_GRAPHS_ONLY = {
    "FixedLengthRecordReaderV2", "IdentityReaderV2", "TFRecordReaderV2", "TextLineReaderV2",
    "WholeFileReaderV2", "ReaderNumRecordsProducedV2", "ReaderNumWorkUnitsCompletedV2",
    "ReaderReadUpToV2", "ReaderReadV2", "ReaderResetV2", "ReaderRestoreStateV2",
    "ReaderSerializeStateV2",
}  # fmt: skip


def cased() -> set[str]:
    """The ops that cases should run: all but those that only the runtime itself applies, those that
    TensorFlow has for GPUs alone, where nothing was recorded, and those that graphs alone have.
    """
    names = {
        op.name for op in records() if not op.name.startswith("_") and "CPU" in op.device_types
    }
    return names - NO_KERNEL_IN_TENSORFLOW - IN_GRAPHS_ONLY


def of_the_runtime() -> set[str]:
    """The ops that only the runtime itself applies: public functions reach them, raw ops do not."""
    names = {op.name for op in records() if op.name.startswith("_") and "CPU" in op.device_types}
    return names - {"_EagerConst"}  # constants are kept: what made one before makes it no more


@functools.cache
def witnesses() -> dict[str, str]:
    """The recorded case of each op."""
    return dict(json.loads(WITNESSES.read_text()))


def without_case() -> set[str]:
    """Ops that no case runs. Only ops without a recorded case are searched for, for speed."""
    wanted = cased() - witnesses().keys()
    return wanted - find_witnesses(wanted).keys()


KINDS: dict[str, Callable[[], set[str]]] = {
    "raw arguments": lambda: set(differing()),
    "no shape rule": without_shape_rule,
    "no gradient": without_gradient,
    "no case": without_case,
    "no docstring": without_docstring,
    "other error": with_other_errors,
}


@functools.cache
def known_gaps() -> dict[str, list[str]]:
    """The recorded gaps by kind."""
    return dict(json.loads(GAPS.read_text()))
