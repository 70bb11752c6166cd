"""Runs programs in processes of their own, with this checkout of Emplace."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
Done = subprocess.CompletedProcess[str]


def python(*arguments: object, folder: Path = REPOSITORY, **environment: str) -> Done:
    """Runs `python` with these arguments in `folder`; variables of ours come only from here."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("EMPLACE_", "TF_"))}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env={**clean, "PYTHONPATH": str(REPOSITORY), **environment},
        capture_output=True,
        text=True,
        timeout=550,  # it hangs
    )


def emplace(*arguments: object, folder: Path = REPOSITORY, **environment: str) -> Done:
    """Runs the program `emplace`."""
    return python("-m", "emplace", *arguments, folder=folder, **environment)
