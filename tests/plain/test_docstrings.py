"""Public functions say what they do and what they take. Those that do not yet are listed in
`tests/data/docstring_gaps.txt`, which may only shrink.
"""

from __future__ import annotations

import pytest
from docstring_facts import count_of_parameters, gaps, known_gaps, lacks


@pytest.fixture(scope="module")
def found() -> set[str]:
    return set(gaps())


def test_no_docstring_lacks_more_than_the_list_says(found: set[str]) -> None:
    new = sorted(found - set(known_gaps()))
    assert not new, (
        f"describe the parameters under `Args:`, and begin with what the function does: {new}"
    )


def test_the_list_has_no_line_that_is_settled(found: set[str]) -> None:
    settled = sorted(set(known_gaps()) - found)
    assert not settled, f"run `python scripts/docstring_gaps.py --write`: {settled}"


def test_a_docstring_that_says_it_all_lacks_nothing() -> None:
    def moved(value, by, back, name=None):
        """Returns a value that is somewhere else.

        Args:
            value: any tensor.
        """

    assert lacks(moved) == []
    assert count_of_parameters(moved) == 3


def test_a_docstring_without_a_verb_and_without_parameters_lacks_both() -> None:
    def moved(value, by, back):
        """The value, somewhere else."""

    assert lacks(moved) == ["Args", "verb"]
