"""Each library in a folder of its own, and never in an environment."""

from __future__ import annotations

import io
import re
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
            _add_sources(made, library, folder, repositories)
        if "tests" in library.tests:  # else a package in it hides the library of its name
            (made / "tests" / "__init__.py").touch()
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


def _add_sources(target: Path, library: Library, folder: Path, repositories: str) -> None:
    """Unpacks paths of a repository, except files that are there already."""
    name, _, tag = library.source[0].partition("@")
    git = ["git", f"--git-dir={_repository(name, folder, repositories)}"]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "--name-only", tag, "--", *library.source[1:]],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    wanted = [path for path in listed if path.endswith((".py", ".json", ".txt"))]
    packed = subprocess.run(
        [*git, "archive", tag, "--", *wanted], capture_output=True, check=True
    ).stdout
    before, after = library.moved
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        for member in archive:
            path = target / member.name.replace(before, after, 1)
            content = archive.extractfile(member)
            if content is not None and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(_imports_moved(content.read(), before, after))


def _imports_moved(source: bytes, before: str, after: str) -> bytes:
    """A file whose imports of modules in a folder that was moved follow it."""
    if not before:
        return source
    old, new = (re.escape(before.replace("/", ".")), after.replace("/", "."))
    pattern = rf"^(\s*(?:from|import) ){old}(?=[. ])(?!\.(?:src|api|protobuf)\b)"
    return re.sub(pattern, rf"\1{new}", source.decode(), flags=re.MULTILINE).encode()


def _repository(name: str, folder: Path, repositories: str) -> Path:
    """The git directory of a repository: one of those that are there, or a clone."""
    if repositories:
        there = Path(repositories) / name.replace("/", "+") / "repo"
        return there / ".git" if (there / ".git").is_dir() else there
    clone = folder / "repositories" / name.replace("/", "+")
    if not clone.exists():
        address = f"https://github.com/{name}"
        subprocess.run(["git", "clone", "-q", "--bare", address, str(clone)], check=True)
    return clone
