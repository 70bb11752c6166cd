"""Records what TensorFlow's tf.data does, into tests/oracle/data.json.

Run it with a Python that has TensorFlow.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "behaviour" / "data"))

from data_cases import CASES, ERROR_TYPES, ERRORS, answer, lines  # noqa: E402

answers = {line: answer(tf, line) for line in lines(CASES + ERRORS + ERROR_TYPES)}
text = ",\n".join(f"{json.dumps(line)}: {json.dumps(found)}" for line, found in answers.items())
# Tracebacks name files: without the folders of whoever records.
for folder in (f"{Path(tf.__file__).parents[1]}/", f"{ROOT}/"):
    text = text.replace(folder, "")
(ROOT / "tests" / "oracle" / "data.json").write_text(f"{{\n{text}\n}}\n")
