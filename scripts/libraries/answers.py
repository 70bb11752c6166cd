"""What programs compute, as lines that can be compared."""

from __future__ import annotations

import importlib
import json
import traceback
from typing import Any

import numpy as np


def main(name: str) -> None:
    """Runs each program of a file: functions whose names begin with `program_`."""
    module = importlib.import_module(f"scripts.libraries.programs.{name}")
    for title, program in list(vars(module).items()):  # calls add to them
        if title.startswith("program_"):
            print("ANSWER " + json.dumps([title, _answer(program)]), flush=True)


def _answer(program: Any) -> Any:
    try:
        return {"values": _plain(program())}
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def _plain(value: Any) -> Any:
    """A result as JSON has it."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, str | bool | None.__class__):
        return value
    return np.asarray(value).tolist()
