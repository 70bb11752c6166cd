"""Records the definitions of TensorFlow's raw ops: inputs, outputs, attributes, gradients.

Run it with a Python that has TensorFlow 2.21 (not Emplace's):

    python scripts/record_oracle/raw_definitions.py

It writes emplace/raw/definitions.json.gz, which `emplace/raw/definitions.py` reads. For each op:

    inputs, outputs   as "name: T", "name: N * T", "name: [] Tlist", "name: ref T"
    attributes        name to [type] or [type, {"default": ..., "allowed": [...], "minimum": n}]
    arguments         the names of its arguments in order, without `name`
    gradient          "rule", "none" (not differentiable) or "unknown" (no entry)
    kernels           the types of devices that have one
    is_stateful
    removed           since which version of graphs it is gone, or 0, and what to use instead
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from tensorflow.python.framework import dtypes, kernels, op_def_registry, ops

PATH = Path(__file__).resolve().parents[2] / "emplace" / "raw" / "definitions.json.gz"


def value(held: Any) -> Any:
    """The value of an attribute, as JSON can hold it."""
    kind = held.WhichOneof("value")
    if kind != "list":
        return plain(kind, getattr(held, kind))
    for each in ("s", "i", "f", "b", "type", "shape"):
        found = list(getattr(held.list, each))
        if found:
            return [plain(each, item) for item in found]
    return []


def plain(kind: str, held: Any) -> Any:
    if kind == "s":
        return held.decode("latin1")
    if kind == "type":
        return dtypes.as_dtype(held).name
    if kind == "shape":
        return None if held.unknown_rank else [dim.size for dim in held.dim]
    if kind in ("func", "tensor"):
        return None
    return held


def argument(arg: Any) -> str:
    kind = arg.type_attr or arg.type_list_attr or dtypes.as_dtype(arg.type).name
    many = f"{arg.number_attr} * " if arg.number_attr else "[] " if arg.type_list_attr else ""
    return f"{arg.name}: {many}{'ref ' if arg.is_ref else ''}{kind}"


def attribute(attr: Any) -> list[Any]:
    more: dict[str, Any] = {}
    if attr.HasField("default_value"):
        more["default"] = value(attr.default_value)
    if attr.HasField("allowed_values"):
        more["allowed"] = value(attr.allowed_values)
    if attr.has_minimum:
        more["minimum"] = attr.minimum
    return [attr.type, more] if more else [attr.type]


def gradient(name: str) -> str:
    try:
        rule = ops.gradient_registry.lookup(name)
    except LookupError:
        return "unknown"
    return "none" if rule is None else "rule"


def definition(name: str) -> dict[str, Any]:
    found = op_def_registry.get(name)
    signature = inspect.signature(getattr(tf.raw_ops, name))
    registered = kernels.get_registered_kernels_for_op(name).kernel
    return {
        "inputs": [argument(each) for each in found.input_arg],
        "outputs": [argument(each) for each in found.output_arg],
        "attributes": {each.name: attribute(each) for each in found.attr},
        "arguments": [each for each in signature.parameters if each != "name"],
        "gradient": gradient(name),
        "kernels": sorted({each.device_type for each in registered} & {"CPU", "GPU"}),
        "is_stateful": found.is_stateful,
        "removed": [found.deprecation.version, found.deprecation.explanation],
    }


def main() -> None:
    names = [name for name in dir(tf.raw_ops) if not name.startswith("_")]
    found = {"tensorflow": tf.__version__, "ops": {name: definition(name) for name in names}}
    text = json.dumps(found, separators=(",", ":"))
    with open(PATH, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(text.encode())
    print(f"{len(names)} ops")


if __name__ == "__main__":
    main()
