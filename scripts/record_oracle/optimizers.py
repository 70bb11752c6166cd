"""Records what TensorFlow's TF 1 optimizers do, into tests/oracle/optimizers.json.

Run it with a Python that has TensorFlow.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "behaviour" / "training"))

from optimizer_problems import eagerly, in_session, optimizers  # noqa: E402

answers = {
    way.__name__: {name: way(tf, make) for name, make in optimizers(tf).items()}
    for way in (eagerly, in_session)
}
(ROOT / "tests" / "oracle" / "optimizers.json").write_text(json.dumps(answers, indent=1) + "\n")
