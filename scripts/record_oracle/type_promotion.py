"""Records TensorFlow's type promotion, the modes "safe" and "all", for all pairs of types.

    python scripts/record_oracle/type_promotion.py    with a Python that has TensorFlow 2.21

It asks the questions of tests/contract/type_promotion_cases.py, in a process per mode, and writes
tests/oracle/type_promotion.json.gz.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "tests" / "oracle" / "type_promotion.json.gz"
sys.path.insert(0, str(ROOT / "tests" / "contract"))

from type_promotion_cases import MODES, answers  # noqa: E402


def main() -> None:
    if len(sys.argv) > 1:
        import tensorflow as tf
        from tensorflow.python.framework.weak_tensor import WeakTensor

        tf.get_logger().setLevel("ERROR")
        tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode=sys.argv[1])
        found = answers(tf, WeakTensor.from_tensor, lambda x: isinstance(x, WeakTensor))
        print(json.dumps(found))
        return
    made = {}
    for mode in MODES:
        told = subprocess.run(
            [sys.executable, __file__, mode], check=True, stdout=subprocess.PIPE, text=True
        )
        made[mode] = json.loads(told.stdout.splitlines()[-1])
    with open(PATH, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(json.dumps(made, sort_keys=True).encode())
    print({mode: sum(map(len, found.values())) for mode, found in made.items()})


if __name__ == "__main__":
    main()
