"""Where the arguments of raw ops differ from those recorded from TensorFlow."""

from __future__ import annotations

import functools
import gzip
import json
from pathlib import Path
from typing import Any

from emplace.base.dtypes import DType
from emplace.ops.op import REGISTRY
from emplace.ops.raw import REQUIRED, arguments_of, has_raw_form

RECORDED = Path(__file__).resolve().parents[1] / "oracle" / "raw_ops.json.gz"


@functools.cache
def tensorflows() -> dict[str, list[list[Any]]]:
    """The arguments of TensorFlow's raw ops: [name] or [name, default]."""
    with gzip.open(RECORDED) as file:
        return dict(json.load(file)["ops"])


def as_text(arguments: dict[str, Any]) -> str:
    """Arguments in a fixed order, defaults as JSON."""
    shown = [
        name if default is REQUIRED else f"{name}={json.dumps(plain(default))}"
        for name, default in sorted(arguments.items())
    ]
    return ", ".join(shown)


def plain(default: Any) -> Any:
    """A default as the recording holds it."""
    if isinstance(default, DType):
        return f"tf.{default.name}"
    if isinstance(default, (list, tuple)):
        return [plain(each) for each in default]
    return default if default is None or isinstance(default, (int, float, str)) else repr(default)


def ours(name: str) -> str:
    """The arguments of our raw op, as text."""
    return as_text(arguments_of(REGISTRY[name]))


def theirs(name: str) -> str:
    """The arguments of TensorFlow's raw op, as text."""
    return as_text({arg[0]: arg[1] if len(arg) == 2 else REQUIRED for arg in tensorflows()[name]})


def differing() -> dict[str, str]:
    """Every op whose arguments are not TensorFlow's, with ours and theirs."""
    names = [name for name, op in REGISTRY.items() if has_raw_form(op) and name in tensorflows()]
    return {
        name: f"{ours(name)}  instead of  {theirs(name)}"
        for name in sorted(names)
        if ours(name) != theirs(name)
    }
