"""Waiting for what all workers do, a slice at a time."""

from __future__ import annotations

import pytest

from emplace.distribute.workers.processes.link import is_done


class Work:
    """A piece of work whose slice runs out, and that has ended by the time one looks."""

    def __init__(self, ended: bool, failure: str | None = None) -> None:
        self._ended, self._failure = ended, failure
        self.waits = 0

    def wait(self, _limit: object) -> None:
        self.waits += 1
        if self._failure is not None:
            raise RuntimeError(self._failure)
        if self.waits == 1:
            raise RuntimeError("Operation timed out!")

    def is_completed(self) -> bool:
        return self._ended


def test_work_that_ends_just_after_the_slice_is_done():
    assert is_done(Work(ended=True))


def test_work_that_goes_on_after_the_slice_is_not_done():
    assert not is_done(Work(ended=False))


def test_work_that_has_failed_says_so():
    with pytest.raises(RuntimeError, match="Connection closed by peer"):
        is_done(Work(ended=True, failure="Connection closed by peer"))
