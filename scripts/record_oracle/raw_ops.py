"""Records the arguments of TensorFlow's raw ops: names, and defaults of those that have one.

Run it with a Python that has TensorFlow 2.21 (not Emplace's):

    python scripts/record_oracle/raw_ops.py

It writes tests/oracle/raw_ops.json.gz, which holds for each op its arguments in order, each as
[name] or [name, default].
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import tensorflow as tf

PATH = Path(__file__).resolve().parents[2] / "tests" / "oracle" / "raw_ops.json.gz"


def plain(default: Any) -> Any:
    """A default as JSON can hold it: dtypes by their names."""
    if isinstance(default, tf.DType):
        return f"tf.{default.name}"
    if isinstance(default, (list, tuple)):
        return [plain(each) for each in default]
    if default is None or isinstance(default, (bool, int, float, str)):
        return default
    return default.decode() if isinstance(default, bytes) else repr(type(default).__name__)


def arguments(function: Any) -> list[list[Any]]:
    found = []
    for each in inspect.signature(function).parameters.values():
        has_default = each.default is not inspect.Parameter.empty
        found.append([each.name, plain(each.default)] if has_default else [each.name])
    return [each for each in found if each[0] != "name"]


def main() -> None:
    names = [name for name in dir(tf.raw_ops) if not name.startswith("_")]
    ops = {name: arguments(getattr(tf.raw_ops, name)) for name in names}
    text = json.dumps({"tensorflow": tf.__version__, "ops": ops}, separators=(",", ":"))
    with open(PATH, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.encode())
    print(f"{len(ops)} ops")


if __name__ == "__main__":
    main()
