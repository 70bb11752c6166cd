"""The examples in docstrings run, and print what they say. They find Emplace's `tf`."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

import emplace
from emplace import runtime, tensorflow as tf

FACADES = ("emplace.tensorflow", "emplace.v1")  # they hold names of other modules


def modules() -> list[str]:
    found = pkgutil.walk_packages(emplace.__path__, "emplace.", onerror=lambda name: None)
    names = [each.name for each in found if not each.name.endswith("__main__")]
    return [name for name in names if not name.startswith(FACADES)]


MODULES = modules()
ROOMS = sorted({name.split(".")[1] for name in MODULES})


def examples(module: ModuleType) -> list[doctest.DocTest]:
    names = {**vars(module), "tf": tf}
    names.pop(
        "annotations", None
    )  # else annotations are texts, as in the module, not as in a shell
    finder = doctest.DocTestFinder(exclude_empty=True)
    return [each for each in finder.find(module, globs=names) if each.examples]


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Takes the import hook that an example installs out of the process again."""
    finders = list(sys.meta_path)
    yield
    sys.meta_path[:] = finders
    for name in [name for name in sys.modules if name.split(".")[0] == "tensorflow"]:
        del sys.modules[name]


@pytest.mark.parametrize("room", ROOMS)
def test_the_examples_of_a_room_print_what_they_say(room: str) -> None:
    said: list[str] = []
    for name in (name for name in MODULES if name.split(".")[1] == room):
        for each in examples(importlib.import_module(name)):
            runtime.reset(virtual=True)
            doctest.DocTestRunner().run(each, out=said.append)
    assert not said, "".join(said)


def test_there_are_examples_of_most_methods_of_datasets() -> None:
    module = importlib.import_module("emplace.data.dataset.methods.selection")
    assert len(examples(module)) >= 8
