"""Threads of torch's kernels fall asleep soon when they wait, and its large blocks ask for huge
pages: see docs/DECISIONS.md.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from programs import new_emplace, python

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="torch's OpenMP there is another")

# What libgomp has read is what it shows when it is loaded.
SHOWN = {"OMP_DISPLAY_ENV": "verbose", "OMP_NUM_THREADS": "2"}
USE = "import emplace.tensorflow as tf; tf.zeros([]) + 1.0"
TELL = "import os; print(os.environ.get('GOMP_SPINCOUNT'))"


@pytest.fixture(autouse=True)
def _nothing_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith(("OMP_", "GOMP_"))]:
        monkeypatch.delenv(name)


def test_threads_of_kernels_spin_for_a_moment_and_the_environment_is_as_it_was() -> None:
    done = python("-c", f"{USE}; {TELL}", **SHOWN)
    assert "GOMP_SPINCOUNT = '8000'" in done.stderr, done.stderr
    assert done.stdout == "None\n"


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({"GOMP_SPINCOUNT": "5000"}, "5000"),
        pytest.param({"OMP_WAIT_POLICY": "passive"}, "0", marks=pytest.mark.slow),
    ],
)
def test_what_the_user_chose_stays(chosen: dict[str, str], found: str) -> None:
    done = python("-c", f"import emplace, torch; {TELL}", **SHOWN, **chosen)
    assert f"GOMP_SPINCOUNT = '{found}'" in done.stderr, done.stderr
    assert done.stdout == f"{chosen.get('GOMP_SPINCOUNT')}\n"


@pytest.mark.slow
def test_a_program_that_loads_torch_first_is_told() -> None:
    done = python("-c", f"import torch; {USE}", OMP_NUM_THREADS="2")
    assert "torch was imported before emplace" in done.stderr
    assert "set GOMP_SPINCOUNT=8000 in the environment" in done.stderr


@pytest.mark.slow
def test_programs_and_tests_load_torch_after_emplace(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import torch")
    done = new_emplace("run", tmp_path / "program.py", **SHOWN)
    assert "GOMP_SPINCOUNT = '8000'" in done.stderr, done.stderr
    (tmp_path / "test_it.py").write_text("import torch\ndef test_it(): pass\n")
    done = python("-m", "pytest", "-s", tmp_path / "test_it.py", folder=tmp_path, **SHOWN)
    assert "GOMP_SPINCOUNT = '8000'" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("chosen", "found"),
    [
        ({}, "1 None"),
        pytest.param({"THP_MEM_ALLOC_ENABLE": "0"}, "0 0", marks=pytest.mark.slow),
        pytest.param({"OMP_WAIT_POLICY": "passive"}, "1 None", marks=pytest.mark.slow),
    ],
)
def test_torch_is_told_to_ask_for_huge_pages(
    chosen: dict[str, str], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    name = "os.environ.get('THP_MEM_ALLOC_ENABLE')"
    done = python("-c", f"import os, emplace; x = {name}; {USE}; print(x, {name})", **chosen)
    assert done.stdout.split("\n")[0] == found, done.stderr
