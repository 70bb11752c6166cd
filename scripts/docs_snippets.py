"""The programs of the README and of the pages below docs, and what they print.

A page shows a program as a block of Python with a title, which names its file, and what it prints
as a block `console`: lines that begin with `$ ` are commands, the others their output. `...` stands
for any text, as in doctests. Every program of a page lies in one folder, in which the commands run.

    python -m scripts.docs_snippets                 # check all pages
    python -m scripts.docs_snippets --write PAGE    # put what the commands print now into a page
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import warm

ROOT = Path(__file__).resolve().parents[1]
_FENCE = re.compile(r"^```(\w*)([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its language, the title if it has one, and its text."""

    language: str
    title: str | None
    text: str


@dataclass(frozen=True)
class Command:
    """A command of a page and what the page says that it prints."""

    line: str
    listed: str

    def agrees(self, printed: str) -> bool:
        """Whether this is what the page says, apart from what it leaves out."""
        return doctest.OutputChecker().check_output(self.listed, printed, doctest.ELLIPSIS)


def pages() -> list[Path]:
    """The README and all pages below docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, in their order."""
    return [
        Block(language, title[1] if (title := _TITLE.search(rest)) else None, body)
        for language, rest, body in _FENCE.findall(text)
    ]


def commands(block: Block) -> list[Command]:
    """The commands of a block `console`."""
    parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)[1:]
    return [Command(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)]


class Runner:
    """Runs commands of pages, in forks of a process that has loaded Emplace."""

    def __init__(self) -> None:
        self._warm = warm.Warm()

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *exc: object) -> None:
        self._warm.close()

    def run(self, command: str, folder: Path) -> str:
        """What a command prints, errors among it, in the order of writing."""
        words = shlex.split(command)
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("EMPLACE_", "TF_"))}
        environment = clean | {"COLUMNS": "100"}
        while "=" in words[0]:
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        if words[0] not in ("emplace", "python", "pytest"):
            return subprocess.run(words, cwd=folder, capture_output=True, text=True).stdout
        printed = self._warm.run(words, folder, environment, is_apart=False).stdout
        return printed.replace(f"{folder}{os.sep}", "")


def ran(runner: Runner, page: Path, folder: Path) -> Iterator[tuple[Command, str]]:
    """Every command of a page with what it printed, in the folder with the page's programs."""
    for block in blocks(page.read_text()):
        if block.language == "python" and block.title:
            (folder / block.title).write_text(block.text)
        if block.language == "console":
            for command in commands(block):
                yield command, runner.run(command.line, folder)


def _write(runner: Runner, page: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        text = page.read_text()
        for command, printed in ran(runner, page, Path(folder)):
            if not command.agrees(printed):
                old = f"$ {command.line}\n{command.listed}"
                text = text.replace(old, f"$ {command.line}\n{printed}", 1)
        page.write_text(text)


def _check(runner: Runner, page: Path) -> int:
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for command, printed in ran(runner, page, Path(folder)):
            if not command.agrees(printed):
                wrong += 1
                print(f"{page}: $ {command.line}\n{printed}")
    return wrong


def main(arguments: list[str]) -> int:
    writes = arguments[:1] == ["--write"]
    chosen = [Path(name).resolve() for name in arguments[writes:]] or pages()
    with Runner() as runner:
        if writes:
            for page in chosen:
                _write(runner, page)
            return 0
        return 1 if sum(_check(runner, page) for page in chosen) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
