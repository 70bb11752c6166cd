"""Writes docs/ENVIRONMENT.md from the table of environment variables: `--write`, or shows it.

python -m scripts.environment_table --write
"""

from __future__ import annotations

import sys
from pathlib import Path

from emplace.base import flags

PAGE = Path(__file__).resolve().parents[1] / "docs" / "ENVIRONMENT.md"
HEAD = """# Environment variables

Every variable that Emplace reads, made from [`emplace/base/flags.py`](../emplace/base/flags.py) by
`python -m scripts.environment_table --write`. `emplace --help` shows the same. They are read when
they are needed, not at import. One that begins with `EMPLACE_` and cannot be read is an error: a
command ends with one line and exit code 2, a program gets a `ValueError`. The others mean what they
mean to TensorFlow, to torch and to the CUDA driver.

| variable | default | what it does |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    rows = [
        f"| `{flag.name}` | {f'`{flag.default}`' if flag.default else ''} | {flag.does} |\n"
        for flag in flags.TABLE
    ]
    return HEAD + "".join(row.replace(" |  | ", " | | ") for row in rows)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page())
    else:
        print(page(), end="")
