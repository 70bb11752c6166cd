"""Garbage is looked for later, and then it is."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref

import pytest

from emplace.base.garbage import garbage_after_import, garbage_later, garbage_seldom


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


def test_the_collector_is_seldom_asked_for_and_then_as_often_as_before():
    before = gc.get_threshold()
    with garbage_seldom():
        assert gc.isenabled()
        seldom = gc.get_threshold()
        assert seldom[0] > before[0]
        with garbage_seldom():
            assert gc.get_threshold() == seldom
        assert gc.get_threshold() == seldom
    assert gc.get_threshold() == before
    with pytest.raises(ZeroDivisionError), garbage_seldom():
        _ = 1 / 0
    assert gc.get_threshold() == before


def test_how_often_a_program_wants_garbage_looked_for_is_left_to_it():
    before = gc.get_threshold()
    try:
        with garbage_seldom():
            gc.set_threshold(123, 4, 5)
        assert gc.get_threshold() == (123, 4, 5)
        gc.set_threshold(0)
        with garbage_seldom():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


def test_an_import_is_not_interrupted_and_leaves_the_thresholds_as_they_were() -> None:
    program = (
        "import gc; before = gc.get_threshold()\n"
        "import emplace.tensorflow\n"
        "print(gc.get_threshold() == before, gc.get_stats()[2]['collections'])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "0"], done.stderr


class Loop:
    """What only a look for garbage lets go of."""

    def __init__(self) -> None:
        self.own = self


def test_what_an_import_leaves_counts_as_old_and_garbage_of_it_is_found():
    gc.unfreeze()  # what the tests have frozen would stay so
    gc.collect()
    before, collections = gc.get_threshold(), []
    gc.callbacks.append(lambda phase, info: collections.append(info))
    try:
        with garbage_after_import():
            stays = [Loop() for _ in range(10 * before[0])]
            gone = weakref.ref(Loop())
            assert not collections
        assert gc.get_threshold() == before
        old = {id(x) for x in gc.get_objects(generation=2)}
    finally:
        gc.callbacks.pop()
    assert old >= set(map(id, stays))
    gc.collect(1)
    assert gone() is not None
    gc.collect()
    assert gone() is None
    gc.freeze()


def test_what_a_program_has_frozen_stays_frozen():
    gc.freeze()
    frozen = gc.get_freeze_count()
    with garbage_after_import():
        pass
    assert gc.get_freeze_count() == frozen > 0
