"""What the tests of this folder share."""

import sys
from collections.abc import Iterator

import pytest

import emplace


@pytest.fixture
def installed() -> Iterator[None]:
    """Serves the name `tensorflow`, and takes it out of the process again."""
    finders = list(sys.meta_path)
    emplace.install()
    yield
    sys.meta_path[:] = finders
    for name in [each for each in sys.modules if each.split(".")[0] == "tensorflow"]:
        del sys.modules[name]
