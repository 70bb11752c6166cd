"""Records under which public name TensorFlow's private modules have what they export.

run_on_tensorflow scripts/record_oracle/private_names.py

It writes `emplace/private/public_names.json.gz`: from each module below `tensorflow.python` to a
dictionary from a name in it to the public name, that of TF 2 where there is one. Functions of
generated modules, which take an op's arguments in their order, are under "raw": from a name to the
op and the names of its arguments. Modules without public names are there with none, so that the
import hook knows that they exist. `emplace/private/modules.py` reads it.
"""

from __future__ import annotations

import gzip
import importlib
import inspect
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import tensorflow as tf

PATH = Path(__file__).resolve().parents[2] / "emplace" / "private" / "public_names.json.gz"
LINE = re.compile(r"^from (tensorflow\.[\w.]+) import (\w+)(?: as (\w+))?", re.MULTILINE)
PLAIN = (int, float, str, bool, tuple, type(None))
# Loaded by those who ask only.
MORE = (
    "tensorflow.python.framework.test_util", "tensorflow.python.platform.test",
    "tensorflow.python.platform.googletest", "tensorflow.python.ops.gradient_checker_v2",
    "tensorflow.python.ops.numpy_ops.np_config", "tensorflow.python.ops.nn_grad",
)  # fmt: skip


def exports() -> list[tuple[str, str, str]]:
    """(module, name in it, public name), as the files of the API import them."""
    root = Path(tf.__file__).parent / "_api" / "v2"
    found = []
    for file in sorted([root / "v2.py", *root.rglob("__init__.py")]):
        below = ".".join(file.parent.relative_to(root).parts)
        if below.startswith(("compat.v2", "compat.v1.compat")):
            continue
        prefix = f"tf.{below}." if below else "tf."
        for module, name, public in LINE.findall(file.read_text()):
            if not module.startswith("tensorflow._api"):
                found.append((module, name, prefix + (public or name)))
    return found


def rank(name: str) -> tuple[Any, ...]:
    """TF 2's names first, raw ops last, short ones before long ones."""
    inner = "__internal__" in name or "__operators__" in name
    return "raw_ops" in name, ".compat.v1." in name, inner, ".experimental." in name, len(name)


def generated(module: ModuleType) -> dict[str, Any]:
    """The functions of a generated module that are raw ops in other clothes."""
    members = vars(module)
    ops = {
        name.lower(): name
        for name, each in members.items()
        if name[:1].isupper() and callable(each)
    }
    raw = {}
    for name, each in members.items():
        op = ops.get(name.replace("_", ""))
        if name.islower() and op is not None and callable(each):
            raw[name] = [op, [p for p in inspect.signature(each).parameters if p != "ctx"]]
    return raw


def main() -> None:
    for name in MORE:
        importlib.import_module(name)
    by_module: dict[str, dict[str, list[str]]] = {}
    by_object: dict[int, list[str]] = {}
    for module, name, public in exports():
        by_module.setdefault(module, {}).setdefault(name, []).append(public)
        value = getattr(importlib.import_module(module), name, None)
        if not isinstance(value, PLAIN):
            by_object.setdefault(id(value), []).append(public)
    table: dict[str, Any] = {}
    for module_name, module in sorted(sys.modules.items()):
        if module is None or not module_name.startswith("tensorflow.python."):
            continue
        names = dict(by_module.get(module_name, {}))
        for name, value in list(vars(module).items()):
            if not isinstance(value, (ModuleType, *PLAIN)) and id(value) in by_object:
                names.setdefault(name, by_object[id(value)])
        members: dict[str, Any] = {name: min(public, key=rank) for name, public in names.items()}
        if ".gen_" in module_name:
            members = {"raw": generated(module)}
        table[module_name.removeprefix("tensorflow.python.")] = members
    root = Path(tf.__file__).parent / "python"
    for file in root.rglob("*.py"):  # what is loaded by those who ask only
        parts = file.relative_to(root).with_suffix("").parts
        if "keras" not in parts[:1] and file.stem != "__init__":
            table.setdefault(".".join(parts), {})
    with gzip.GzipFile(PATH, "wb", mtime=0) as file:
        file.write(json.dumps(table, sort_keys=True).encode())
    print(
        len(table), "modules", sum(map(len, table.values())), "names", PATH.stat().st_size, "bytes"
    )


if __name__ == "__main__":
    main()
