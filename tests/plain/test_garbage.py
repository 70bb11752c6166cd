"""Garbage is looked for later, and then it is."""

from __future__ import annotations

import gc

import pytest

from emplace.base.garbage import garbage_later


def test_the_collector_is_on_again_whatever_happens():
    with garbage_later():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), garbage_later():
        _ = 1 / 0
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off():
    gc.disable()
    try:
        with garbage_later():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
