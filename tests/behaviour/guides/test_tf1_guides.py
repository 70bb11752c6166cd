"""The TF 1 guides "Using GPUs" hold under `emplace run --tf1`: values, mapping, places, errors.

Device names are the modern ones, and a node's line tells its type: see docs/DIFFERENCES.md.
"""

from __future__ import annotations

from pathlib import Path

import programs
import pytest
import tf1_guide_cells as cells

FULL = "/job:localhost/replica:0/task:0/device:"
PRODUCT = ["[[22. 28.]", " [49. 64.]]"]


def run(folder: Path, cell: str, gpus: str | None) -> programs.Done:
    """A cell as a program of its own."""
    script = folder / "cell.py"
    script.write_text(f"import tensorflow as tf\n{cell}")
    return programs.emplace("run", "--tf1", "--gpus", gpus or "0", script)


def mapping(count: int) -> list[str]:
    names = [f"{FULL}GPU:{i} -> device: {i}, name: Virtual GPU (host memory)" for i in range(count)]
    return ["Device mapping:", *names] if names else ["Device mapping: no known devices."]


def placed(*nodes: str) -> list[str]:
    """The lines for 'MatMul MatMul GPU:0' and so on."""
    return [f"{name}: ({kind}): {FULL}{at}" for name, kind, at in (n.split() for n in nodes)]


@pytest.mark.parametrize(
    ("cell", "gpus", "lines"),
    [
        (cells.LOGGED, 4, placed("MatMul MatMul GPU:0", "a Const GPU:0", "b Const GPU:0")),
        (cells.LOGGED, 0, placed("MatMul MatMul CPU:0", "a Const CPU:0", "b Const CPU:0")),
        (cells.BY_HAND, 4, placed("MatMul MatMul GPU:0", "a Const CPU:0", "b Const CPU:0")),
        (cells.THIRD_GPU, 4, placed("MatMul MatMul GPU:2", "a Const GPU:2", "b Const GPU:2")),
        (cells.SOFT, 4, placed("MatMul MatMul GPU:2", "a Const GPU:2", "b Const GPU:2")),
        (cells.SOFT, 2, placed("MatMul MatMul GPU:0", "a Const GPU:0", "b Const GPU:0")),
        (cells.SOFT, 0, placed("MatMul MatMul CPU:0", "a Const CPU:0", "b Const CPU:0")),
    ],
)
def test_a_cell_prints_the_mapping_the_places_and_the_product(tmp_path, cell, gpus, lines):
    done = run(tmp_path, cell, str(gpus))
    assert done.stdout.splitlines() == [*mapping(gpus), *lines, *PRODUCT], done.stderr


def test_two_towers_add_up(tmp_path):
    done = run(tmp_path, cells.TOWERS, "4")
    lines = placed(
        "MatMul MatMul GPU:2", "MatMul_1 MatMul GPU:3", "AddN AddN CPU:0", "Const Const GPU:2",
        "Const_1 Const GPU:2", "Const_2 Const GPU:3", "Const_3 Const GPU:3",
    )  # fmt: skip
    product = ["[[ 44.  56.]", " [ 98. 128.]]"]
    assert done.stdout.splitlines() == [*mapping(4), *lines, *product], done.stderr


@pytest.mark.parametrize("gpus", ["2", "0"])
def test_a_missing_gpu_is_an_error_that_names_the_node(tmp_path, gpus):
    done = run(tmp_path, cells.THIRD_GPU, gpus)
    assert done.returncode == 1
    assert "InvalidArgumentError" in done.stderr
    wanted = (
        "Cannot assign a device to node 'b': Could not satisfy explicit device specification "
        "'/device:GPU:2'"
    )
    assert wanted in done.stderr


def test_growth_and_fractions_are_taken(tmp_path):
    assert run(tmp_path, cells.GROWTH, "2").stdout == "2.0\n"
    done = run(tmp_path, cells.FRACTION, "2x1000MB")
    assert done.stdout == f"[{400 << 20}, {400 << 20}]\n", done.stderr
