"""Records what programs that replace gradients compute, into tests/oracle/gradient_registry.json.

Run it with a Python that has TensorFlow.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "behaviour" / "libraries"))

from registry_programs import PROGRAMS  # noqa: E402

answers = {program.__name__: program(tf) for program in PROGRAMS}
path = ROOT / "tests" / "oracle" / "gradient_registry.json"
path.write_text(
    json.dumps(answers, indent=None, separators=(",", ":")).replace('],"', '],\n"') + "\n"
)
