"""Records what Python may ask of tensors and variables of graphs, into
tests/oracle/python_asks.json.

Run it with a Python that has TensorFlow.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "behaviour" / "graphs"))

from python_asks import answers  # noqa: E402

(ROOT / "tests" / "oracle" / "python_asks.json").write_text(
    json.dumps(answers(tf), indent=1) + "\n"
)
