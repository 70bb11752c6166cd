"""Everything about real hardware in one command: `make cuda`.

    python -m scripts.cuda                         all of it; needs a card
    python -m scripts.cuda --only hardware,copies  some stages; --list names them
    python -m scripts.cuda --dry strict            the same chain on strict virtual GPUs, in small

A stage that cannot run here says why and is left out; what each one said is kept in reports/cuda.
Figures go to benchmarks/results/*-cuda.json, what the tests found to checks-cuda.json beside them;
those of a dry run to reports/cuda. It ends with 1 if a stage fails, and with 2, in one line, where
there is no card or a package is missing that all stages need.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
LOGS = ROOT / "reports" / "cuda"

# What Emplace imports at its start, and what runs the stages: modules by the names of packages.
NEEDED = {
    "torch": "torch", "numpy": "numpy", "ml-dtypes": "ml_dtypes", "psutil": "psutil",
    "typer": "typer", "safetensors": "safetensors", "protobuf": "google.protobuf",
    "google-crc32c": "google_crc32c", "pillow": "PIL", "tensorboard": "tensorboard",
    "absl-py": "absl", "diastatic-malt": "malt", "cloudpickle": "cloudpickle", "pytest": "pytest",
    "pytest-timeout": "pytest_timeout",
}  # fmt: skip
KERAS = ("keras", "h5py", "optree")
DRY = ("virtual", "strict")


class Stage(NamedTuple):
    """One part: a command, what it is about, which modules it needs besides, and about how many
    minutes a card of 2025 takes. `dry` is what a dry run adds to make it small.
    """

    name: str
    about: str
    command: Sequence[str]
    needs: Sequence[str] = ()
    minutes: int = 1
    dry: Sequence[str] = ()


def _has(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a package around it is missing
        return False


def on_the_card(*files: str, chosen: str = "") -> list[str]:
    """A run of pytest on the card; in several processes where that is possible."""
    several = ["-n", str(min(8, os.cpu_count() or 1))] if _has("xdist") else []
    few = several if (os.cpu_count() or 1) > 2 else []
    return ["-m", "pytest", "-q", "-o", "addopts=-ra", *few, *(["-k", chosen] if chosen else []),
            *files]  # fmt: skip


def benchmark(suite: str, *more: str) -> list[str]:
    """A run of a suite of benchmarks."""
    return ["-m", "benchmarks", "--suite", suite, *more]


_SMALL = ("--launches", "1", "--rounds", "1", "--starts", "0", "--seconds", "0.002")
_CASES = "tests/contract/test_ops_oracle.py"
STAGES = (
    Stage("hardware", "facts about the card: tests/cuda",
          ["-m", "pytest", "-q", "-o", "addopts=-ra", "tests/cuda"], minutes=3),
    Stage("copies", "host to card, card to host, card to card, by size",
          benchmark("copies", "--launches", "2"), ["rich"], 2,
          (*_SMALL, "--rows", "to the GPU 4 KiB")),
    Stage("memory", "what allocations cost",
          benchmark("memory", "--launches", "2"), ["rich"], 1, (*_SMALL, "--rows", "zeros 4 KiB")),
    Stage("eager", "the benchmarks of single ops",
          benchmark("eager", "--launches", "2", "--starts", "0"), ["rich"], 2,
          (*_SMALL, "--rows", "add,matmul")),
    Stage("networks", "the benchmarks of training steps",
          benchmark("networks", "--launches", "2"), ["rich"], 2, (*_SMALL, "--rows", "mlp step")),
    Stage("keras", "the benchmarks of Keras's fit",
          benchmark("keras", "--launches", "1", "--rounds", "5", "--starts", "1"), ["rich", *KERAS],
          5, (*_SMALL, "--rows", "mlp step", "--peers", "emplace")),
    Stage("oracle", "TensorFlow's answers to all recorded cases, on the card",
          on_the_card("--cards", _CASES, chosen="GPU"), [], 8,
          ("-k", "GPU and bitwise")),
    Stage("gradients", "gradients on the card",
          on_the_card("--cards", "tests/contract/test_gradients.py"), [], 5,
          ("-k", "Relu")),
    Stage("graphs", "the recorded cases in tf.function, on the card",
          on_the_card("--cards", "tests/contract/test_graph_oracle.py"), [], 4,
          ("-k", "bitwise")),
    Stage("keras-sample", "a sample of Keras's own tests, on the card",
          ["-m", "scripts.keras_suite", "--sample", "--gpus", "1x6GB"], [*KERAS, "xdist"], 10),
)  # fmt: skip


def missing() -> str:
    """One sentence: what is missing for any stage to run; empty if nothing is."""
    absent = [package for package, module in NEEDED.items() if not _has(module)]
    return f"not installed: {', '.join(absent)}. Install them first." if absent else ""


def no_card() -> str:
    """One sentence: why there is no card here; empty if there is one."""
    from emplace.devices.cuda import CudaBackend

    return CudaBackend().why_unavailable()


def why_skipped(stage: Stage, dry: str) -> str:
    """Why a stage cannot run here; empty if it can."""
    absent = [module for module in stage.needs if not _has(module)]
    if absent:
        return f"{', '.join(absent)} {'is' if len(absent) == 1 else 'are'} not installed"
    if dry and stage.name in ("hardware", "keras-sample"):
        return "a dry run has no hardware to state facts about" if stage.name == "hardware" else (
            "`make keras-sample` runs it on virtual GPUs"
        )  # fmt: skip
    return ""


def environment(dry: str) -> dict[str, str]:
    """What a stage finds in its environment: float32 as the recorded answers have it."""
    dropped = ("EMPLACE_", "BENCH_DEVICE")
    env = {name: text for name, text in os.environ.items() if not name.startswith(dropped)}
    return {**env, "BENCH_DEVICE": dry or "cuda", "NVIDIA_TF32_OVERRIDE": "0"}


def command_of(stage: Stage, dry: str) -> list[str]:
    """The command of a stage, made small for a dry run."""
    command = [sys.executable, *stage.command]
    if not dry:
        return command
    if dry == "strict":
        command = ["--strict-gpus" if each == "--cards" else each for each in command]
    if "benchmarks" in command:
        return [*command, *stage.dry, "--output", str(LOGS / f"{stage.name}-dry.json")]
    if "-k" in stage.dry and "-k" in command:
        command = command[: command.index("-k")] + command[command.index("-k") + 2 :]
    return [*command, *stage.dry]


def run(stage: Stage, dry: str) -> dict[str, Any]:
    """Runs a stage and says how it went: "passed", "failed" or "skipped", and why."""
    why = why_skipped(stage, dry)
    if why:
        return {"outcome": "skipped", "why": why}
    log = LOGS / f"{stage.name}.log"
    start = time.perf_counter()
    with log.open("w") as file:
        done = subprocess.run(
            command_of(stage, dry), cwd=ROOT, env=environment(dry), stdout=file,
            stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
    found: dict[str, Any] = {"seconds": round(time.perf_counter() - start, 1), **counts(log)}
    if done.returncode:
        return {"outcome": "failed", "why": f"exit {done.returncode}, see {_short(log)}", **found}
    return {"outcome": "passed", **found}


def counts(log: Path) -> dict[str, int]:
    """What pytest counted, by its last line."""
    last = "".join(log.read_text(errors="replace").splitlines()[-1:])
    return {
        what: int(number) for number, what in re.findall(r"(\d+) (passed|failed|skipped)", last)
    }


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT))


def facts(dry: str) -> dict[str, Any]:
    """On what this was run."""
    import torch

    there = "" if dry else torch.cuda.get_device_name(0)
    return {
        "device": there or f"{dry} GPUs in host memory",
        "torch": torch.__version__, "cuda": torch.version.cuda or torch.version.hip,
        "python": platform.python_version(),
        "keras": importlib.metadata.version("keras") if _has("keras") else None,
    }  # fmt: skip


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="", help="some stages: hardware,copies")
    parser.add_argument("--list", action="store_true", help="the stages, and what they are about")
    parser.add_argument("--dry", choices=DRY, default="", help="on what stands for a card")
    given = parser.parse_args()
    if given.list:
        for stage in STAGES:
            print(f"{stage.name:13} {stage.about} (about {stage.minutes} min)")
        return 0
    wanted = [name.strip() for name in given.only.split(",") if name.strip()]
    unknown = set(wanted) - {stage.name for stage in STAGES}
    if unknown:
        parser.error(f"there is no stage {', '.join(sorted(unknown))}; --list names them")
    why = missing() or ("" if given.dry else no_card())
    if why:
        print(f"[make cuda] {why}", file=sys.stderr)
        return 2
    return run_all([s for s in STAGES if not wanted or s.name in wanted], given.dry)


def run_all(stages: Sequence[Stage], dry: str) -> int:
    """Runs stages one after the other, tells of each, and keeps what they found."""
    LOGS.mkdir(parents=True, exist_ok=True)
    found = {**facts(dry), "stages": {}}
    print(f"[make cuda] {found['device']}, torch {found['torch']}, Python {found['python']}")
    for stage in stages:
        print(f"  {stage.name:13} {stage.about} ...", flush=True)
        outcome = found["stages"][stage.name] = run(stage, dry)
        told = ", ".join(f"{value} {name}" for name, value in outcome.items() if name not in
                         ("outcome", "why"))  # fmt: skip
        why = f": {outcome['why']}" if "why" in outcome else ""
        print(f"  {'':13} {outcome['outcome']}{why}{f' ({told})' if told else ''}", flush=True)
    kept = LOGS / "checks-dry.json" if dry else RESULTS / "checks-cuda.json"
    kept.write_text(json.dumps(found, indent=2) + "\n")
    failed = [name for name, each in found["stages"].items() if each["outcome"] == "failed"]
    print(f"[make cuda] {_short(kept)}: " + (f"failed: {', '.join(failed)}" if failed else "ok"))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
