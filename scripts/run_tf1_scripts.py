"""Runs TF 1 programs as they are under `emplace run --tf1`, and prints a table of what came of it.

    python scripts/run_tf1_scripts.py LIST [--gpus 2] [--seconds 300]

Each line of LIST is `path | author | what it shows`; paths are taken from LIST's folder, which is
also where the programs run. The programs themselves are not part of the repository.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
import time
from pathlib import Path


def run(command: str, folder: Path, gpus: int, seconds: int) -> tuple[str, float]:
    """What came of one program: "passes", "still runs", or the last line of its error."""
    line = [sys.executable, "-m", "emplace", "run", "--tf1", "--gpus", str(gpus)]
    start = time.monotonic()
    try:
        done = subprocess.run(
            [*line, *shlex.split(command)], cwd=folder, capture_output=True, text=True,
            timeout=seconds, env={"MPLBACKEND": "Agg", **os.environ}, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "still runs", time.monotonic() - start
    if done.returncode == 0:
        return "passes", time.monotonic() - start
    last = [text for text in done.stderr.splitlines() if text.strip()]
    return f"fails: {last[-1][:150] if last else done.returncode}", time.monotonic() - start


def main() -> None:
    """Reads the list, runs everything, prints Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("list", type=Path)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=300)
    options = parser.parse_args()
    print("| program | author | what it shows | result | seconds |\n|---|---|---|---|---|")
    for text in options.list.read_text().splitlines():
        if not text.strip():
            continue
        command, author, shows = (part.strip() for part in text.split("|"))
        result, took = run(command, options.list.resolve().parent, options.gpus, options.seconds)
        name = shlex.split(command)[0]
        print(f"| `{name}` | {author} | {shows} | {result} | {took:.0f} |", flush=True)


if __name__ == "__main__":
    main()
