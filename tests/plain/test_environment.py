"""Every environment variable stands in one table, from which help and docs are made."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from emplace.base import flags
from scripts import environment_table

REPOSITORY = Path(__file__).resolve().parents[2]
NAMES = {flag.name for flag in flags.TABLE}
OURS = re.compile(r"\bEMPLACE_[A-Z][A-Z_]*")

# What only tests and scripts read.
OF_TESTS = {
    "EMPLACE_ACCOUNTING", "EMPLACE_COMPILED_PROGRAMS", "EMPLACE_FIRST_PROGRAM",
    "EMPLACE_GRAPH_AUDIT", "EMPLACE_GROWN_PROGRAMS",
    "EMPLACE_INDUCTOR_PROGRAMS", "EMPLACE_PROGRAMS", "EMPLACE_REFUSALS", "EMPLACE_SOAK_S",
    "EMPLACE_WORKSPACES",
    "EMPLACE_KERAS_IDS", "EMPLACE_KERAS_ON", "EMPLACE_KERAS_RESULTS",
}  # fmt: skip
# What launchers tell the processes that they start, and what is said to torch and Keras for them.
OF_LAUNCHERS = re.compile(
    r"RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT|TORCHELASTIC_\w+|SLURM_\w+|"
    r"TORCH_CPP_LOG_LEVEL|TP_SOCKET_IFNAME|OMP_NUM_THREADS|KERAS_BACKEND"
)


def texts(*patterns: str) -> Iterator[tuple[Path, str]]:
    for pattern in patterns:
        for path in sorted(REPOSITORY.glob(pattern)):
            yield path, path.read_text()


def test_the_package_and_its_docs_speak_of_variables_in_the_table_only() -> None:
    for path, text in texts("emplace/**/*.py", "docs/*.md", "README.md", "examples/*.py"):
        assert set(OURS.findall(text)) <= NAMES, path


def test_tests_and_scripts_read_no_others_but_their_own() -> None:
    read: set[str] = set()
    for path, text in texts("tests/**/*.py", "scripts/**/*.py", "benchmarks/**/*.py", "Makefile"):
        if path not in (Path(__file__), REPOSITORY / "tests/behaviour/program/test_cli.py"):
            read |= set(OURS.findall(text))
    assert read - NAMES == OF_TESTS


def test_what_is_read_by_name_stands_in_the_table() -> None:
    for path, text in texts("emplace/**/*.py"):
        if "environ" not in text and "getenv" not in text:
            continue
        for name in read_by_name(ast.parse(text)):
            assert name in NAMES or OF_LAUNCHERS.fullmatch(name), f"{path} reads {name}"


def read_by_name(tree: ast.Module) -> Iterator[str]:
    """The texts in `os.environ["X"]`, `os.environ.get("X")`, `os.getenv("X")`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            spoken, key = ast.unparse(node.value), node.slice
        elif isinstance(node, ast.Call) and node.args:
            spoken, key = ast.unparse(node.func), node.args[0]
        else:
            continue
        is_read = spoken in ("os.getenv", "os.environ") or spoken.startswith("os.environ.")
        if is_read and isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def test_the_page_of_the_docs_is_made_of_the_table() -> None:
    assert environment_table.PAGE.read_text() == environment_table.page(), (
        "run `python -m scripts.environment_table --write`"
    )


def test_a_switch_means_what_the_environment_says_now(monkeypatch: pytest.MonkeyPatch) -> None:
    flag = flags.Flag("EMPLACE_KEEP_MEMORY", "1", "nothing", flags.MACHINE_CODE.reads)
    switch = flags.Switch(flag)
    assert switch.is_on()
    for text, is_on in (("0", False), ("on", True), ("", True), ("off", False), ("1", True)):
        monkeypatch.setenv(flag.name, text)
        assert switch.is_on() is flag.value() is is_on
    monkeypatch.setenv(flag.name, "maybe")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"\[EMPLACE_KEEP_MEMORY='maybe'\] must be 1 "):
            switch.is_on()
    monkeypatch.delenv(flag.name)
    assert switch.is_on()
