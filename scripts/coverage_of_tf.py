"""Which names that Keras 3.15's TensorFlow backend uses exist in the facade, and what the missing
ones wait for. Fails if one is missing that waits for nothing.

    python scripts/coverage_of_tf.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import emplace.tensorflow as tf

NAMES = Path(__file__).resolve().parents[1] / "tests" / "data" / "keras_backend_symbols.txt"

# What missing names wait for: the part of Emplace that brings them.
WAITS_FOR: dict[str, set[str]] = {
    "functions and control flow": {
        "tf.Assert", "tf.TensorSpec", "tf.TensorSpec.from_tensor", "tf.__internal__.FuncGraph",
        "tf.__internal__.smart_cond.smart_cond", "tf.autodiff.ForwardAccumulator",
        "tf.autograph.experimental.do_not_convert", "tf.cond", "tf.custom_gradient",
        "tf.function", "tf.init_scope", "tf.map_fn", "tf.name_scope", "tf.recompute_grad",
        "tf.scan", "tf.switch_case", "tf.vectorized_map", "tf.while_loop",
    },
    "TensorFlow, which has no such name in 2.21": {"tf.is_nan", "tf.sparse.reduce_any"},
    "graphs (TF 1)": {
        "tf.compat.v1.placeholder", "tf.compat.v1.sparse_placeholder",
    },
    "data": {
        "tf.data.Iterator", "tf.experimental.Optional", "tf.experimental.Optional.empty",
        "tf.experimental.Optional.from_value",
    },
    "distribution": {
        "tf.VariableAggregation.MEAN", "tf.VariableAggregation.NONE",
        "tf.VariableAggregation.ONLY_FIRST_REPLICA", "tf.VariableAggregation.SUM",
        "tf.VariableSynchronization.AUTO", "tf.VariableSynchronization.NONE",
        "tf.VariableSynchronization.ON_READ", "tf.VariableSynchronization.ON_WRITE",
        "tf.__internal__.distribute.interim.maybe_merge_call", "tf.distribute",
        "tf.distribute.DistributedDataset", "tf.distribute.DistributedIterator",
        "tf.distribute.DistributedValues", "tf.distribute.MultiWorkerMirroredStrategy",
        "tf.distribute.ReduceOp.SUM", "tf.distribute.Strategy", "tf.distribute.Strategy.run",
        "tf.distribute.TPUStrategy", "tf.distribute.get_replica_context",
        "tf.distribute.get_strategy", "tf.distribute.has_strategy", "tf.dtensor.Layout",
        "tf.dtensor.Mesh",
    },
    "Keras": {
        "tf.__internal__.tracking.AutoTrackable", "tf.__internal__.tracking.Trackable",
        "tf.__internal__.tracking.no_automatic_dependency_tracking",
        "tf.lite.TFLiteConverter.from_keras_model", "tf.profiler.experimental.Trace",
        "tf.profiler.experimental.start", "tf.profiler.experimental.stop",
        "tf.sysconfig.get_build_info",
    },
}  # fmt: skip


def find(name: str) -> Any:
    """What a dotted name such as "tf.nn.relu" stands for; None if there is no such thing."""
    value: Any = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part, _MISSING)
        if value is _MISSING:
            return _MISSING
    return value


_MISSING = object()


def main() -> int:
    names = NAMES.read_text().split()
    missing = [name for name in names if find(name) is _MISSING]
    print(f"{len(names) - len(missing)} of {len(names)} names are present")
    explained: set[str] = set()
    for part, waiting in WAITS_FOR.items():
        here = [name for name in missing if name in waiting]
        explained.update(here)
        if here:
            print(f"\nwaiting for {part}: {len(here)}\n  " + "  ".join(here))
    left = [name for name in missing if name not in explained]
    if left:
        print(f"\nmissing: {len(left)}\n  " + "  ".join(left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
