"""The example with replicas: it learns what one GPU learns, saves, goes on with more GPUs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import programs
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures in CIFAR-10's format."""
    place = tmp_path_factory.mktemp("cifar10")
    code = f"import cifar10_data; cifar10_data.make({str(place / 'data')!r}, 200)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=EXAMPLES)
    return place


def run(folder: Path, gpus: int, steps: int, name: str) -> tuple[list[int], list[float]]:
    """The steps and the mean losses that the example prints: of 32 pictures a step."""
    done = programs.emplace(
        "run", "--gpus", "4", EXAMPLES / "cifar10_strategy.py", "--num_gpus", gpus,
        "--max_steps", steps, "--batch_size", 32 // gpus, "--log_every", "4",
        f"--data_dir={folder / 'data'}", f"--train_dir={folder / name}", OMP_NUM_THREADS="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    found = re.findall(r"step ([0-9]+): mean loss ([0-9.]+)", done.stdout)
    assert re.search(r"test accuracy 0\.[0-9]+", done.stdout)
    return [int(step) for step, _ in found], [float(loss) for _, loss in found]


@pytest.mark.slow
def test_replicas_learn_what_one_gpu_learns_and_go_on_with_it(folder):
    expected = run(folder, 1, 8, "one")
    found = run(folder, 4, 8, "four")
    assert found[0] == expected[0] == [4, 8]
    assert found[1] == pytest.approx(expected[1], abs=2e-3)
    further = run(folder, 4, 12, "one")
    assert further[0] == [12]
    assert further[1][0] < expected[1][0]
