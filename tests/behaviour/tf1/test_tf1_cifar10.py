"""The example with one tower per GPU: it learns, saves, goes on, and says so to TensorBoard."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import programs
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from emplace.tensorflow.compat.v1 import train

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pictures in CIFAR-10's format."""
    place = tmp_path_factory.mktemp("cifar10")
    code = f"import cifar10_data; cifar10_data.make({str(place / 'data')!r}, 200)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=EXAMPLES)
    return place


def run(folder: Path, *options: str) -> str:
    """What the example prints."""
    done = programs.emplace(
        "run", "--tf1", "--gpus", "2", EXAMPLES / "cifar10_multi_gpu.py", "--num_gpus", "2",
        "--batch_size", "16", f"--data_dir={folder / 'data'}", f"--train_dir={folder / 'train'}",
        *options, OMP_NUM_THREADS="1",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_files_have_cifar10s_format(folder):
    for name in [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]:
        records = np.fromfile(folder / "data" / name, np.uint8).reshape(200, 1 + 3072)
        assert records[:, 0].max() == 9


def test_towers_learn_save_and_go_on(folder):
    printed = run(folder, "--max_steps", "60", "--save_every", "30")
    losses = [float(each) for each in re.findall(r"mean loss ([0-9.]+)", printed)]
    assert len(losses) == 6
    # The threads draw differently in each run, and a late step may spoil what was learnt.
    assert min(losses) < losses[0] - 0.1
    assert re.search(r"test accuracy 0\.\d+", printed)
    checkpoint = train.latest_checkpoint(folder / "train")
    assert checkpoint is not None
    assert checkpoint.endswith("model.ckpt-60")
    names = [name for name, _ in train.list_variables(checkpoint)]
    assert "conv1/weights" in names
    assert "conv1/weights/ExponentialMovingAverage" in names
    more = run(folder, "--max_steps", "62", "--log_every", "1")
    assert re.findall(r"step (\d+)", more) == ["61", "62"]
    found = EventAccumulator(str(folder / "train")).Reload()
    assert "learning_rate" in found.Tags()["scalars"]
    assert "conv1/weights/gradients" in found.Tags()["histograms"]
    towers = {node.device for node in found.Graph().node if node.name.endswith("pool1")}
    assert {"/device:GPU:0", "/device:GPU:1"} <= towers
