"""`emplace run` runs scripts, modules and code as Python does: Python is asked, and must agree."""

from __future__ import annotations

from pathlib import Path

import programs
import pytest

TELL = """
import sys
import __main__
of_itself = {name: globals().get(name) for name in ("__name__", "__file__", "__package__")}
print(sys.argv, repr(sys.path[0]), of_itself, __spec__ and (__spec__.name, __spec__.origin))
print(type(__loader__).__name__, __main__.__dict__ is globals(), __doc__)
"""
FAIL = "def f():\n    raise ValueError('no')\n\nf()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "package").mkdir()
    (folder / "empty").mkdir()
    (folder / "package" / "__init__.py").write_text("import sys\nprint('above', sys.argv)\n")
    for name in ("tell.py", "package/__main__.py", "package/tell.py"):
        (folder / name).write_text(TELL)
    (folder / "fail.py").write_text(FAIL)
    (folder / "package" / "broken.py").write_text("if\n")
    (folder / "stumbles").mkdir()
    (folder / "stumbles" / "__init__.py").write_text("import not_there\n")
    return folder


PROGRAMS = {
    "a script": ["tell.py", "-x", "--", "--gpus", "7"],
    "a script of another folder": ["package/tell.py"],
    "a folder": ["package", "1"],
    "a module": ["-m", "tell", "-m", "--help"],
    "a module in one word": ["-mtell", "a"],
    "a module of a package": ["-m", "package.tell"],
    "a package": ["-m", "package", "--gpus", "2"],
    "code": ["-c", TELL, "-c", "--report", "x"],
    "code that exits": ["-c", "import sys; sys.exit('that is all')"],
    "a module with a code of its own": ["-c", "raise SystemExit(7)"],
}


@pytest.mark.parametrize("words", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_program_finds_what_python_gives_it(words: list[str], folder: Path) -> None:
    plain = programs.python(*words, folder=folder)
    ours = programs.emplace("run", "--gpus", "2", *words, folder=folder)
    assert (ours.returncode, ours.stdout, ours.stderr) == (
        plain.returncode, plain.stdout, plain.stderr,
    )  # fmt: skip


def test_without_a_folder_of_its_own_on_the_path_as_python_says_it(folder: Path) -> None:
    for words in (["tell.py"], ["package"]):
        plain = programs.python("-P", *words, folder=folder)
        ours = programs.python("-P", "-m", "emplace", "run", *words, folder=folder)
        # What PYTHONPATH says is first on both paths.
        assert (ours.stdout, ours.stderr) == (plain.stdout, plain.stderr)


@pytest.mark.parametrize(
    "words", [["fail.py"], ["-m", "fail"], ["-c", FAIL], ["-c", "if"], ["-m", "package.broken"]]
)
def test_an_error_is_shown_from_the_programs_first_line_on(words: list[str], folder: Path) -> None:
    plain = programs.python(*words, folder=folder).stderr.splitlines()
    ours = programs.emplace("run", *words, folder=folder)
    told = [
        line for i, line in enumerate(plain)
        if "<frozen" not in line and not (i and "<frozen" in plain[i - 1] and "    " in line[:4])
    ]  # fmt: skip
    if "SyntaxError" in told[-1]:  # one that the import system has found has its lines above it
        told = [line for line in told if line != "Traceback (most recent call last):"]
    assert (ours.returncode, ours.stderr.splitlines()) == (1, told)


def test_tensorflow_is_emplace_in_modules_and_code(folder: Path) -> None:
    code = "import tensorflow as tf; print(tf.__name__, tf.config.list_logical_devices('GPU'))"
    done = programs.new_emplace("run", "--gpus=1", "-c", code, folder=folder)
    assert done.stdout.startswith("emplace.tensorflow [LogicalDevice(name='/device:GPU:0'")


MISSING = {
    "-m nowhere": "there is no module 'nowhere'. It is looked for in this folder and where Python "
    "imports from.",
    "-m package.nowhere": "there is no module 'package.nowhere'. It is looked for in this folder "
    "and where Python imports from.",
    "-m nowhere.at.all": "there is no module 'nowhere.at.all'. It is looked for in this folder and "
    "where Python imports from.",
    "-m empty": "-m empty: this package has no module __main__ to run.",
    "-m .tell": "-m '.tell': write the module's whole name, from its top package on.",
    "-m math": "-m math: this module holds no Python code to run.",
    "-m": "Argument expected for the -m option. See `python -m emplace run --help`.",
    "-c": "Argument expected for the -c option. See `python -m emplace run --help`.",
    "nowhere.py": "there is no file 'nowhere.py'. Name a Python script; options stand before it.",
    "-- -m": "there is no file '-m'. Name a Python script; options stand before it.",
    "--gpu 4 tell.py": "No such option: --gpu (Possible options: --gpus). See "
    "`python -m emplace run --help`.",
    "": "Missing argument 'SCRIPT'. See `python -m emplace run --help`.",
}


@pytest.mark.parametrize("words", MISSING)
def test_a_program_that_is_not_there_is_told_in_one_line(words: str, folder: Path) -> None:
    done = programs.emplace("run", *words.split(), folder=folder)
    told = [line for line in done.stderr.splitlines() if line]
    assert (done.returncode, told) == (2, [f"[emplace] {MISSING[words]}"])


def test_no_report_is_made_of_a_module_that_is_not_there(folder: Path) -> None:
    done = programs.emplace("run", "--report", "no.txt", "-m", "nowhere", folder=folder)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert not (folder / "no.txt").exists()


def test_a_package_that_fails_above_a_module_shows_its_own_lines(folder: Path) -> None:
    done = programs.emplace("run", "-m", "stumbles.module", folder=folder)
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Traceback (most recent call last):",
        f'  File "{folder / "stumbles" / "__init__.py"}", line 1, in <module>',
        "    import not_there",
        "ModuleNotFoundError: No module named 'not_there'",
    ]


@pytest.mark.slow
def test_workers_run_modules_and_code(folder: Path) -> None:
    code = "import json, os, sys; print(json.loads(os.environ['TF_CONFIG'])['task'], sys.argv)"
    done = programs.emplace("launch", "--workers", "2", "-c", code, "-m", "--gpus", folder=folder)
    assert done.returncode == 0, done.stderr
    told = "[worker {0}] {{'type': 'worker', 'index': {0}}} ['-c', '-m', '--gpus']"
    assert sorted(done.stdout.splitlines()) == [told.format(0), told.format(1)]
    done = programs.emplace("launch", "-m", "package.tell", "1", folder=folder)
    assert f"[worker 0] ['{folder / 'package' / 'tell.py'}', '1']" in done.stdout
