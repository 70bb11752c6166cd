"""TensorFlow's "Use a GPU" guides hold: their cells print what the guides list.

Left out is the cell about MirroredStrategy. The cells are in `guide_cells.py`.
"""

from __future__ import annotations

import builtins
import re
from pathlib import Path

import guide_cells
import programs
import pytest

import emplace
import emplace.tensorflow as tf

FULL = "/job:localhost/replica:0/task:0/device:"
PLACER_LINE = re.compile(r"\w+: \(\w+\): /job:")

PRODUCT = ["tf.Tensor(", "[[22. 28.]", " [49. 64.]], shape=(2, 2), dtype=float32)"]


def executed(*ops: str) -> list[str]:
    """The lines of the log for 'MatMul GPU:0' and so on."""
    return [f"Executing op {op} in device {FULL}{at}" for op, at in (each.split() for each in ops)]


def tower(gpu: int) -> list[str]:
    return executed(f"_EagerConst GPU:{gpu}", f"_EagerConst GPU:{gpu}", f"MatMul GPU:{gpu}")


LISTED: dict[str, list[str]] = {
    "count": ["Num GPUs Available:  4"],
    "product": [*tower(0), *PRODUCT],
    "product_of_host_constants": [*executed("MatMul GPU:0"), *PRODUCT],
    "one_visible_gpu": ["Visible devices cannot be modified after being initialized"],
    "growth": ["Physical devices cannot be modified after being initialized"],
    "one_bounded_gpu": ["Virtual devices cannot be modified after being initialized"],
    "one_bounded_gpu_by_its_older_name": [
        "Virtual devices cannot be modified after being initialized"
    ],
    "third_gpu": tower(2),
    "soft_placement": [*tower(0), *PRODUCT],
    "two_bounded_gpus": ["Virtual devices cannot be modified after being initialized"],
    "towers": [
        *tower(0), *tower(1), *tower(2), *tower(3), *executed("AddN CPU:0"),
        "tf.Tensor(", "[[ 88. 112.]", " [196. 256.]], shape=(2, 2), dtype=float32)",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def done() -> programs.Done:
    """The notebook of the TF 2 guide, run from the command line with four GPUs."""
    return programs.emplace("run", "--gpus", "4", guide_cells.__file__)


@pytest.fixture(scope="module")
def printed(done: programs.Done) -> dict[str, list[str]]:
    """What each cell printed."""
    cells = [part.splitlines() for part in done.stdout.split("# ")[1:]]
    return {name: [line for line in lines if not PLACER_LINE.match(line)] for name, *lines in cells}


@pytest.mark.parametrize("cell", [cell.__name__ for cell in guide_cells.TF2])
def test_a_cell_of_the_tf2_guide_prints_what_is_listed(
    printed: dict[str, list[str]], cell: str
) -> None:
    assert printed[cell] == LISTED[cell]


def test_the_notebook_runs_to_its_end_in_silence(done: programs.Done) -> None:
    assert (done.returncode, done.stderr) == (0, "")


def test_the_kernels_are_listed_in_the_guides_order(done: programs.Done) -> None:
    """The beginning of the block that the guide's C standard output shows in one piece."""
    lines = [line for line in done.stdout.splitlines() if PLACER_LINE.match(line)]
    expected = [
        line
        for gpu in (0, 2)
        for line in (
            f"input: (_Arg): {FULL}GPU:{gpu}",
            f"_EagerConst: (_EagerConst): {FULL}GPU:{gpu}",
            f"output_RetVal: (_Retval): {FULL}GPU:{gpu}",
            f"a: (_Arg): {FULL}GPU:{gpu}",
            f"b: (_Arg): {FULL}GPU:{gpu}",
            f"MatMul: (MatMul): {FULL}GPU:{gpu}",
            f"product_RetVal: (_Retval): {FULL}GPU:{gpu}",
        )
    ]
    assert lines[:14] == expected


# Each cell as the first of its process


@pytest.mark.parametrize(
    ("cell", "gpus", "expected"),
    [
        ("one_visible_gpu", 4, "4 Physical GPUs, 1 Logical GPU"),
        ("growth", 4, "4 Physical GPUs, 4 Logical GPUs"),
        ("one_bounded_gpu", 4, "4 Physical GPUs, 4 Logical GPUs"),
        ("one_bounded_gpu_by_its_older_name", 4, "4 Physical GPUs, 4 Logical GPUs"),
        ("two_bounded_gpus", 4, "4 Physical GPU, 5 Logical GPUs"),
        ("two_bounded_gpus", 1, "1 Physical GPU, 2 Logical GPUs"),
    ],
)
def test_a_configuration_made_first_is_accepted(
    cell: str, gpus: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    emplace.virtual_gpus(gpus)
    getattr(guide_cells, cell)(tf)
    assert capsys.readouterr().out == f"{expected}\n"


def test_the_same_in_a_process_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import sys\n"
        f"sys.path.append({str(Path(guide_cells.__file__).parent)!r})\n"
        "import tensorflow, guide_cells\n"
        "guide_cells.two_bounded_gpus(tensorflow)\n"
    )
    done = programs.emplace("run", "--gpus", "1", "script.py", folder=tmp_path)
    assert done.stdout == "1 Physical GPU, 2 Logical GPUs\n"


@pytest.mark.gpus(2)
def test_a_bounded_gpu_of_the_guide_holds_its_limit() -> None:
    guide_cells.one_bounded_gpu(tf)
    assert [row.limit_bytes for row in emplace.devices()][1] == 1024 << 20


@pytest.mark.gpus(2)
def test_a_missing_gpu_is_a_runtime_error_with_the_guides_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    guide_cells.third_gpu(tf)
    assert f"{FULL}GPU:2 unknown device" in capsys.readouterr().out


# TF 2.0 alpha: its listings show no constants, so they are compared as a subsequence


def notebook(
    cell: guide_cells.Cell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """What a cell prints in a notebook."""
    monkeypatch.setattr(builtins, "get_ipython", lambda: None, raising=False)
    cell(tf)
    return capsys.readouterr().out.splitlines()


def is_subsequence(listed: list[str], lines: list[str]) -> bool:
    rest = iter(lines)
    return all(line in rest for line in listed)


@pytest.mark.parametrize(
    "cell", [guide_cells.alpha_product, guide_cells.alpha_product_of_host_constants]
)
@pytest.mark.parametrize(("gpus", "device"), [(0, "CPU:0"), (4, "GPU:0")])
def test_the_alpha_guides_product_prints_what_is_listed(
    cell: guide_cells.Cell,
    gpus: int,
    device: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emplace.virtual_gpus(gpus)
    lines = notebook(cell, capsys, monkeypatch)
    listed = [*executed(f"MatMul {device}"), *PRODUCT]
    assert is_subsequence(listed, lines)
    assert [line for line in lines if line not in listed] == [
        line for line in lines if "_EagerConst" in line
    ]


@pytest.mark.gpus(4)
def test_the_alpha_guides_third_gpu_and_towers_print_what_is_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = notebook(guide_cells.alpha_third_gpu, capsys, monkeypatch)
    assert is_subsequence([*executed("MatMul GPU:2"), *PRODUCT], lines)
    # The listing names GPU:0 and GPU:1, its code asks for GPU:2 and GPU:3.
    listed = [
        *executed("MatMul GPU:2", "MatMul GPU:3", "AddN CPU:0"),
        "tf.Tensor(", "[[ 44.  56.]", " [ 98. 128.]], shape=(2, 2), dtype=float32)",
    ]  # fmt: skip
    assert is_subsequence(listed, notebook(guide_cells.alpha_towers, capsys, monkeypatch))


@pytest.mark.parametrize("cell", [guide_cells.alpha_third_gpu, guide_cells.alpha_towers])
def test_without_gpus_the_alpha_guides_runtime_error_comes(cell: guide_cells.Cell) -> None:
    with pytest.raises(RuntimeError) as raised:
        cell(tf)
    assert f"{FULL}GPU:2 unknown device" in str(raised.value)


@pytest.mark.parametrize(("gpus", "device"), [(0, "CPU:0"), (2, "GPU:0"), (4, "GPU:2")])
def test_with_soft_placement_the_alpha_guides_third_gpu_is_replaced(
    gpus: int,
    device: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    emplace.virtual_gpus(gpus)
    lines = notebook(guide_cells.alpha_soft_placement, capsys, monkeypatch)
    assert is_subsequence([*executed(f"MatMul {device}"), *PRODUCT], lines)


@pytest.mark.gpus(2, memory="10MB")
def test_the_alpha_guides_memory_policies_are_kept() -> None:
    guide_cells.alpha_growth(tf)
    guide_cells.alpha_fraction(tf)
    assert tf.config.gpu.get_per_process_memory_growth() is True
    assert [row.limit_bytes for row in emplace.devices()][1:] == [4 << 20, 4 << 20]
    for cell in (guide_cells.alpha_growth, guide_cells.alpha_fraction):
        with pytest.raises(RuntimeError, match="must be set at program startup"):
            cell(tf)
