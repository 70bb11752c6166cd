"""Every op that says it has a GPU kernel runs on a GPU with a memory of its own, in CI too: by the
case that is its witness in tests/data/op_witnesses.json.
"""

from __future__ import annotations

import pytest
from op_cases.values import evaluate
from registry_facts import records, witnesses

import emplace.tensorflow as tf
from emplace.core.events import Call, Observer, observed_by
from emplace.ops.op import Op

_UNARY = (
    "Abs", "Reciprocal", "Round", "Rint", "Erfinv", "Ndtri", "Dawsn", "Expint", "FresnelCos",
    "FresnelSin", "Spence",
)  # fmt: skip
_BINARY = (
    "Add", "AddV2", "Sub", "Mul", "RealDiv", "FloorDiv", "TruncateMod", "Equal", "NotEqual", "Less",
    "LessEqual", "Greater", "GreaterEqual",
)  # fmt: skip
# Where the witness of an op is refused, or is of a type that only the CPU has.
CASES = {
    **{name: f"tf.raw_ops.{name}(x=f32(2, 3))" for name in _UNARY},
    **{name: f"tf.raw_ops.{name}(x=f32(2, 3), y=f32(2, 3))" for name in _BINARY},
    "All": "tf.reduce_all(f32(2, 3) > 0.0)",
    "BatchMatMulV3": "tf.raw_ops.BatchMatMulV3(x=f32(2, 2, 3), y=f32(2, 3, 2), Tout=tf.float32)",
    "Bitcast": "tf.bitcast(f32(2, 3), tf.int32)",
    "CheckNumerics": "tf.debugging.check_numerics(f32(2, 3), 'm')",
    "Fill": "tf.fill([2, 3], 1.0)",
    "IdentityN": "tf.identity_n([f32(2, 3)])",
    "Range": "tf.range(3.0)",
    "TensorScatterMax": "tf.tensor_scatter_nd_max(f32(4), [[1]], f32(1))",
}
ON_GPUS = [op for op in records() if "GPU" in op.device_types and op.name in witnesses()]


class _Runs(Observer):
    """Where the kernels of an op ran."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.devices: set[str] = set()

    def executed(self, call: Call) -> None:
        if call.op.name == self.name:
            self.devices.add(call.device.short_name)


@pytest.mark.gpus(1, memory="1GB", strict=True)
@pytest.mark.parametrize("op", ON_GPUS, ids=lambda op: op.name)
def test_an_op_that_has_a_gpu_kernel_runs_where_memories_are_apart(op: Op) -> None:
    seen = _Runs(op.name)
    with observed_by(seen), tf.device("/GPU:0"):
        evaluate(CASES.get(op.name) or witnesses()[op.name], tf)
    assert seen.devices == {"GPU:0"}


# Only the runtime or Keras's layers apply them; their own tests run on strict GPUs, too.
APPLIED_INSIDE = {
    "_CheckRowPartition", "_CheckSameRows", "_CheckScalar", "_CheckUniformRows", "_EagerConst",
    "_FractionalWindows", "_PadOne",
    "_TakeAlongAxis", "CudnnRNNBackpropV3", "CudnnRNNV3", "FFTND", "IFFTND", "IRFFTND", "RFFTND",
}  # fmt: skip


def test_every_op_that_has_a_gpu_kernel_is_tried_there() -> None:
    named = {op.name for op in records() if "GPU" in op.device_types}
    assert named - {op.name for op in ON_GPUS} == APPLIED_INSIDE
