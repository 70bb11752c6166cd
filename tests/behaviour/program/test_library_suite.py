"""The rows of the benchmark suite `library` run on Emplace, so that none drops out unnoticed."""

from __future__ import annotations

import programs

SCRIPT = """
import emplace
emplace.install()
from benchmarks.library import tf_program
for row, statement in tf_program.ROWS.items():
    if not row.endswith("large"):
        eval(statement, vars(tf_program))
        print(row)
"""


def test_every_row_runs() -> None:
    done = programs.code(SCRIPT)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 2 * 81
