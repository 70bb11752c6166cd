"""Each library in a folder of its own, and never in an environment."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from .table import COMMON, LIBRARIES, Library

_BY_NAME = {each.name: each for each in LIBRARIES}


def search_path(library: Library, folder: Path, python: str, repositories: str) -> list[str]:
    """The folders that a library is imported from, which are made where they are missing."""
    needed = [library]
    for each in needed:  # grows while it is gone through
        needed += [_BY_NAME[name] for name in each.beside if _BY_NAME[name] not in needed]
    found = [str(installed(each, folder, python, repositories)) for each in needed]
    return [*found, str(_made(folder / "common", COMMON, python))]


def installed(library: Library, folder: Path, python: str, repositories: str) -> Path:
    """The folder of a library, with the files of its repository that its packages lack."""
    target = folder / library.packages[0].replace("==", "-")
    if not target.exists():
        made = _made(target.with_name(target.name + ".new"), library.packages, python)
        if library.source:
            _add_sources(made, library.source, folder, repositories)
        made.rename(target)
    return target


def _made(target: Path, packages: tuple[str, ...], python: str) -> Path:
    if not target.exists():
        new = target.with_name(target.name + ".part")
        shutil.rmtree(new, ignore_errors=True)
        command = [python, "-m", "pip", "install", "-q", "--no-deps", "--target", str(new)]
        subprocess.run([*command, *packages], check=True, timeout=900)
        new.rename(target)
    return target


def _add_sources(target: Path, source: tuple[str, ...], folder: Path, repositories: str) -> None:
    """Unpacks paths of a repository, except files that are there already."""
    name, _, tag = source[0].partition("@")
    git = ["git", f"--git-dir={_repository(name, folder, repositories)}"]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", tag, "--", *source[1:]],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    wanted = [path for path in listed if path.endswith((".py", ".json", ".txt"))]
    packed = subprocess.run(
        [*git, "archive", tag, "--", *wanted], capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            if not (target / member.name).exists():
                archive.extract(member, target, filter="data")


def _repository(name: str, folder: Path, repositories: str) -> Path:
    """The git directory of a repository: one of those that are there, or a clone."""
    if repositories:
        return Path(repositories) / name.replace("/", "+") / "repo"
    clone = folder / "repositories" / name.replace("/", "+")
    if not clone.exists():
        address = f"https://github.com/{name}"
        subprocess.run(["git", "clone", "-q", "--bare", address, str(clone)], check=True)
    return clone
