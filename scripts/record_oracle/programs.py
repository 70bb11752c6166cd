"""Runs random programs on TensorFlow, for `python -m scripts.programs_beside_tensorflow`.

    python scripts/record_oracle/programs.py FILE FIRST COUNT eager|function

needs a Python that has TensorFlow 2.21 (not Emplace's) and writes what each program left, by seed.
"""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "contract")]

import tensorflow as tf  # noqa: E402
from random_programs.generator import make_program  # noqa: E402
from random_programs.world import World, runs_of, with_tensors  # noqa: E402

from scripts.time_limit import OutOfTime, limited  # noqa: E402

SECONDS = 60
"""For a program: TensorFlow takes long to trace some."""


def outcome(seed: int, way: str) -> Any:
    """The runs of a program, an error as its class's name and text, and its variables; None if it
    had no time.
    """
    tf.random.set_seed(1)
    world = World(tf, make_program(seed))
    call = world.differentiated
    if way == "function":
        call = tf.function(call, autograph=False)
    try:
        with limited(SECONDS):
            left = runs_of(world, with_tensors(tf, call))
    except OutOfTime:
        return None
    runs = [
        (type(run).__name__, str(run)) if isinstance(run, Exception) else run for run in left.runs
    ]
    return runs, left.variables


def main() -> None:
    path, first, count, way = sys.argv[1:]
    tf.config.set_soft_device_placement(True)
    seeds = range(int(first), int(first) + int(count))
    with open(path, "wb") as file:
        pickle.dump({seed: outcome(seed, way) for seed in seeds}, file)


if __name__ == "__main__":
    main()
