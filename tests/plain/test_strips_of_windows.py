"""What windows see along an axis, and strips of columns: codegen/depthwise/strips.py."""

from __future__ import annotations

import itertools

import pytest

from emplace.codegen.depthwise.strips import Axis, strips

AXES = [
    Axis(image, result, taps, step, before)
    for image, taps, step, before in itertools.product((1, 6, 7, 23), (2, 3, 5), (1, 2), (0, 1, 2))
    for result in {(image + 2 * before - taps) // step + 1} if result > 0
]  # fmt: skip


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: "-".join(map(str, axis)))
def test_the_gradient_sees_what_was_seen(axis: Axis) -> None:
    seen = {(i, place, tap) for i, each in enumerate(axis.forward()) for place, tap in each}
    back = {
        (place, i, axis.taps - 1 - tap)
        for i, each in enumerate(axis.backward())
        for place, tap in each
    }
    assert seen == back
    assert all(0 <= place < axis.image for _, place, _ in seen)


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: "-".join(map(str, axis)))
def test_strips_are_all_columns_once(axis: Axis) -> None:
    for columns, step, apart in (
        (axis.forward(), axis.step, 1), (axis.backward(), 1, axis.step)
    ):  # fmt: skip
        found = {}
        for strip in strips(columns, step, apart):
            for begin, origin in strip.places:
                for column, seen in enumerate(strip.pattern, begin):
                    assert column not in found
                    found[column] = tuple((place + origin, tap) for place, tap in seen)
        assert [found[i] for i in range(len(columns))] == columns


@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("size", [24, 48, 56, 112])
def test_a_row_has_a_pattern_for_its_ends_and_one_for_the_rest(size: int, step: int) -> None:
    axis = Axis(size, size // step, 3, step, 1 if step == 1 else 0)
    assert len(strips(axis.forward(), step, 1)) <= 3
    assert len(strips(axis.backward(), 1, step)) <= 3


def test_rows_of_other_lengths_share_their_patterns() -> None:
    short, long = (
        {strip.pattern for strip in strips(Axis(size, size, 3, 1, 1).forward(), 1, 1)}
        for size in (12, 48)
    )
    assert short < long
    one, other = Axis(24, 24, 3, 1, 1).forward(), Axis(24, 24, 3, 1, 1).backward()
    assert one == other, "the gradient of the image is the same text"


def test_short_rows_are_one_strip() -> None:
    assert [len(strip.pattern) for strip in strips(Axis(7, 7, 3, 1, 1).forward(), 1, 1)] == [7]
