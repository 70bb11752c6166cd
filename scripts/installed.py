"""What an installed Emplace takes: MiB on disk and seconds to import, per dependency.

Run it with the Python of an environment that holds Emplace and nothing else, from anywhere:

    python scripts/installed.py

The table in docs/INSTALL.md is what it prints. Sizes are of the files that pip has put there,
compiled ones included, first of the dependency, then with what comes for its sake alone. Times are
those of the processor, which other work on the machine changes least, the best of five processes
less what Python takes to start; a dependency imports what it needs itself, such as NumPy.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata

MODULES = {
    "absl-py": "absl.app", "diastatic-malt": "malt.impl.api", "google-crc32c": "google_crc32c",
    "llvmlite": "llvmlite.binding", "ml-dtypes": "ml_dtypes", "pillow": "PIL.Image",
    "protobuf": "google.protobuf.message", "tensorboard": "tensorboard.compat.proto.event_pb2",
    "safetensors": "safetensors.numpy",
}  # fmt: skip
STATEMENTS = {project: f"import {module}" for project, module in MODULES.items()}
STATEMENTS["keras"] = "import emplace; emplace.install(); import keras"
OURS = ("emplace", "emplace.cli", "emplace.tensorflow", "emplace.v1")
PROCESSES = 5


def name_of(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def needs(project: str) -> list[str]:
    """The installed projects that one asks for, extras left out."""
    asked = metadata.requires(project) or []
    names = [name_of(each) for each in asked if "extra ==" not in each]
    return [name for name in names if is_installed(name)]


def is_installed(project: str) -> bool:
    try:
        metadata.distribution(project)
    except metadata.PackageNotFoundError:
        return False
    return True


def reached(roots: list[str], without: str = "") -> set[str]:
    """The projects that are needed for these, if one of them were not."""
    found: set[str] = set()
    waiting = [root for root in roots if root != without]
    while waiting:
        project = waiting.pop()
        if project not in found:
            found.add(project)
            waiting += [each for each in needs(project) if each != without]
    return found


def mebibytes(project: str) -> float:
    files = metadata.files(project) or []
    paths = {file.locate() for file in files}
    return sum(path.stat().st_size for path in paths if path.exists()) / 2**20


def seconds(statement: str) -> float:
    return min(_once(statement) for _ in range(PROCESSES))


def _once(statement: str) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-c", statement], check=True, cwd="/")
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])  # of children: in the program and in the system


def main() -> None:
    direct = sorted(needs("emplace"))
    every = reached(direct)
    nothing = seconds("pass")
    print("| dependency | version | MiB | MiB with its own | seconds to import |")
    print("|---|---|---|---|---|")
    rows = []
    for project in direct:
        alone = mebibytes(project)
        own = sum(mebibytes(each) for each in every - reached(direct, without=project))
        took = seconds(STATEMENTS.get(project, f"import {project}")) - nothing
        row = f"| {project} | {metadata.version(project)} | {alone:.1f} | {own:.1f} | {took:.2f} |"
        rows.append((-own, row))
    print("\n".join(row for _, row in sorted(rows)))
    total = sum(mebibytes(each) for each in every)
    print(f"| all {len(every)} projects | | {total:.0f} | | |")
    for module in OURS:
        print(f"| `import {module}` | | | | {seconds(f'import {module}') - nothing:.2f} |")
    print(f"| emplace itself | {metadata.version('emplace')} | {mebibytes('emplace'):.1f} | | |")


if __name__ == "__main__":
    main()
