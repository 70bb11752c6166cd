"""`pytest --family linalg` runs the recorded cases of one family of ops, and nothing else."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import op_cases
import property_examples
import pytest

OF_FAMILIES = {"test_ops_oracle.py", "test_graph_oracle.py"}


def pytest_configure(config: pytest.Config) -> None:
    """Leaves the cases of other families out before they are collected, and chooses how many
    examples properties make.
    """
    property_examples.choose(config.getoption("--quick"))
    try:
        op_cases.choose(config.getoption("--family"))
    except LookupError as error:
        pytest.exit(f"--family: {error}", returncode=pytest.ExitCode.USAGE_ERROR)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves all other tests out."""
    if not config.getoption("--family"):
        return
    chosen = [item for item in items if is_of_family(item)]
    config.hook.pytest_deselected(items=[item for item in items if not is_of_family(item)])
    items[:] = chosen


def is_of_family(item: pytest.Item) -> bool:
    """Whether a test is one of a recorded case."""
    call = getattr(item, "callspec", None)
    return (
        item.path.name in OF_FAMILIES
        and call is not None
        and not call.params.keys().isdisjoint(("family", "case"))
    )


@pytest.fixture
def all_objects() -> Iterator[None]:
    """Shows `gc.get_objects` what makes up the tests, too, which pytest's start hid from it."""
    gc.unfreeze()
    yield
    gc.collect()
    gc.freeze()
