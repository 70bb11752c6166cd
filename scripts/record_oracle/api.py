"""Records what TensorFlow exports: its public names, what each is, and what the functions take.

run_on_tensorflow scripts/record_oracle/api.py

It writes `tests/oracle/api.json.gz`, a dictionary per facade: from the name below `tf.` (or
`tf.compat.v1.`) to its kind ("module", "class", "function" or "value") and, for functions and
classes, the parameters. A parameter is its name, with "=" and the default if it has a plain one,
"=?" if it has another, and with the stars of Python's where it takes many or a keyword only.

Left out are Keras, whose names are its own, what is for TPUs, XLA, DTensor, TensorFlow Lite, MLIR
and TensorRT, and raw ops, which `tests/oracle/raw_ops.json.gz` has.
"""

from __future__ import annotations

import gzip
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import tensorflow as tf

PATH = Path(__file__).resolve().parents[2] / "tests" / "oracle" / "api.json.gz"

LEFT_OUT = {
    "keras", "python", "core", "compiler", "tools", "security", "proto", "estimator",
    "raw_ops", "tpu", "xla", "dtensor", "lite", "mlir", "tensorrt", "tf_decorator",
    "v1", "v2",
}  # fmt: skip
# What begins with an underline and is public all the same.
DUNDERS = {"__internal__", "__operators__", "__version__", "__compiler_version__"}
PLAIN = (type(None), bool, int, float, str)


def parameter(each: inspect.Parameter) -> str:
    """One parameter as text."""
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    text = stars + each.name
    if each.default is not each.empty:
        text += f"={each.default!r}" if isinstance(each.default, PLAIN) else "=?"
    return f"{text} !" if each.kind == each.KEYWORD_ONLY else text


def described(value: Any) -> list[Any]:
    """Its kind, and its parameters where it has some that Python can tell."""
    if isinstance(value, ModuleType):
        return ["module"]
    if not callable(value):
        return ["value"]
    kind = "class" if isinstance(value, type) else "function"
    if not (isinstance(value, type) or inspect.isroutine(value) or hasattr(value, "__wrapped__")):
        return ["value"]
    try:
        taken = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return [kind]
    return [kind, [parameter(each) for each in taken]]


def is_public(name: str) -> bool:
    return name in DUNDERS or not name.startswith("_")


def is_ours(value: ModuleType) -> bool:
    """Whether a module is one of TensorFlow's, and loaded: the lazy ones are Keras's."""
    try:
        return "tensorflow" in value.__name__
    except AttributeError:
        return False


def exported(module: ModuleType, prefix: str, above: frozenset[int]) -> dict[str, list[Any]]:
    """All names below a module."""
    found: dict[str, list[Any]] = {}
    for name in sorted(dir(module)):
        if not is_public(name) or name in LEFT_OUT:
            continue
        try:
            value = getattr(module, name)
        except Exception:
            continue
        if isinstance(value, ModuleType) and (not is_ours(value) or id(value) in above):
            continue
        found[prefix + name] = described(value)
        if isinstance(value, ModuleType):
            found |= exported(value, f"{prefix}{name}.", above | {id(value)})
    return found


def main() -> None:
    facades = {"tf": tf, "tf.compat.v1": tf.compat.v1}
    made = {name: exported(facade, "", frozenset()) for name, facade in facades.items()}
    with gzip.GzipFile(PATH, "wb", mtime=0) as file:
        file.write(json.dumps(made, sort_keys=True).encode())
    print({name: len(found) for name, found in made.items()}, PATH.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
