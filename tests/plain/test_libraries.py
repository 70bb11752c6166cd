"""The table of libraries, and the page that is made of what was found out about them."""

from __future__ import annotations

import re

import pytest

from scripts.libraries import outcomes, page
from scripts.libraries.reasons import REASONS
from scripts.libraries.table import COMMON, LIBRARIES

NAMES = [each.name for each in LIBRARIES]


def test_the_page_is_what_the_script_writes() -> None:
    assert page.PAGE.read_text() == page.page(), "run `python -m scripts.libraries --page`"


def test_every_package_is_pinned() -> None:
    for package in [*COMMON, *(p for each in LIBRARIES for p in each.packages)]:
        assert re.fullmatch(r"[\w-]+==[\w.]+", package), package


def test_libraries_have_names_of_their_own_and_need_those_of_the_table() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert {name for each in LIBRARIES for name in each.beside} <= set(NAMES)
    assert {library for library, _, _ in REASONS} <= {"", *NAMES}


def test_sources_are_repositories_at_a_tag_and_paths() -> None:
    for each in LIBRARIES:
        if each.source:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+@[\w.-]+", each.source[0]), each.name
            assert len(each.source) > 1, each.name


@pytest.mark.parametrize("name", sorted(outcomes.kept()))
def test_what_is_kept_adds_up(name: str) -> None:
    said = outcomes.kept()[name]
    assert name in NAMES
    assert said["here"] + len(said["failures"]) == said["there"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", said["made"])


def test_answers_agree_but_for_rounding() -> None:
    assert outcomes.agree({"a": [1.0, 2]}, {"a": [1.00001, 2]})
    assert outcomes.agree([float("nan"), "text", None], [float("nan"), "text", None])
    assert not outcomes.agree({"a": [1.0, 2]}, {"a": [1.1, 2]})
    assert not outcomes.agree([1.0], [1.0, 1.0])
    assert not outcomes.agree({"a": 1}, {"b": 1})
