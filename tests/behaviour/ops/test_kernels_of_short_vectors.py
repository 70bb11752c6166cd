"""Machine code for vectors of 8 numbers, made and tested where the processor has longer ones, too.

What is written for 16 numbers and fails for 8 is left to torch, which no result tells: the tests of
the kernels do, but they run with the vectors of the machine at hand. (Kernels of each channel have
tests for both; those of large products are for 16 alone.)
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from emplace.codegen import code

ROOT = Path(__file__).resolve().parents[3]
FILES = [
    "ops/test_conv_winograd.py",
    "ops/test_cross_entropy_machine_code.py",
    "ops/test_machine_adam.py",
    "ops/test_narrow_products.py",
    "plans/test_moments_of_columns.py",
]
WITH_SHORT_VECTORS = """
import sys, pytest
from emplace.codegen import code
code._host().width = 8
rewritten = "ignore::pytest.PytestAssertRewriteWarning"
sys.exit(pytest.main(["-q", "-W", rewritten, "-p", "no:cacheprovider", *sys.argv[1:]]))
"""


@pytest.mark.slow
@pytest.mark.skipif(code.lanes() <= 8, reason="this processor's own vectors are as short")
def test_kernels_of_short_vectors():
    files = [str(ROOT / "tests" / "behaviour" / name) for name in FILES]
    ended = subprocess.run(
        [sys.executable, "-c", WITH_SHORT_VECTORS, *files], capture_output=True, text=True, cwd=ROOT
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
