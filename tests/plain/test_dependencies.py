"""What the package imports of others is what its plain install brings."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]

# Modules whose project has another name.
PROJECTS = {
    "absl": "absl-py", "google.protobuf": "protobuf", "google_crc32c": "google-crc32c",
    "malt": "diastatic-malt", "ml_dtypes": "ml-dtypes", "PIL": "pillow",
}  # fmt: skip
# Who has tests has the first; the second is the name that the hook serves.
NOT_BROUGHT = {"pytest", "tensorflow", "emplace"}
IMPORT = re.compile(
    r"^\s*import ([\w.]+)(?: as \w+)?(?:,.*)?$"
    r"|^\s*from (\w[\w.]*) import "
    r"|import_module\(\"(\w[\w.]*)\"",
    re.MULTILINE,
)


def imported() -> set[str]:
    """The projects whose modules are imported anywhere in the package, late ones too."""
    found = set()
    for path in (REPOSITORY / "emplace").rglob("*.py"):
        for groups in IMPORT.findall(path.read_text()):
            module = "".join(groups)
            top = module.split(".")[0]
            name = "google.protobuf" if module.startswith("google.protobuf") else top
            if top not in sys.stdlib_module_names and top not in NOT_BROUGHT:
                found.add(PROJECTS.get(name, name))
    return found


def named(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=;\[ ]", each)[0] for each in requirements}


def test_the_plain_install_brings_what_is_imported_and_nothing_else() -> None:
    # Keras is loaded by a name that is put together; see emplace/keras.py.
    rare = named(PROJECT["optional-dependencies"]["cluster"])
    assert named(PROJECT["dependencies"]) == (imported() | {"keras"}) - rare


def test_an_extra_is_named_by_the_message_that_misses_it() -> None:
    texts = "".join(path.read_text() for path in (REPOSITORY / "emplace").rglob("*.py"))
    texts += "".join(path.read_text() for path in (REPOSITORY / "examples").rglob("*.py"))
    for extra in ("cluster", "demo"):
        assert f"pip install 'emplace[{extra}]'" in texts, extra


def test_pins_are_of_what_the_plain_install_and_the_extras_ask_for() -> None:
    lines = (REPOSITORY / "requirements" / "run.txt").read_text().splitlines()
    pinned = named([line for line in lines if line and not line.startswith("#")])
    assert pinned >= named(PROJECT["dependencies"])
    tests = "".join(
        (REPOSITORY / "requirements" / name).read_text() for name in ("check.txt", "test.txt")
    )
    for name in named(PROJECT["optional-dependencies"]["test"]):
        assert re.search(rf"^{re.escape(name)}==", tests, re.MULTILINE), name
