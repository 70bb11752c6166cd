"""Annotations that say something: few parameters are `Any`."""

from __future__ import annotations

from scripts.any_share import share

# The share of parameters that are `Any`, in percent. It may only fall.
MOST_ANY = 14.9


def test_few_parameters_are_any() -> None:
    found = share()
    assert found <= MOST_ANY, (
        f"{found:.2f} % of the parameters are Any, at most {MOST_ANY} % may be: give new ones a "
        "type of emplace/base/typing.py (`python scripts/any_share.py` counts by folder)"
    )
    assert found > MOST_ANY - 1, f"it has fallen: set MOST_ANY to {found + 0.1:.1f}"
