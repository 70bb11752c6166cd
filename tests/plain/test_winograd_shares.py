"""How threads share convolutions by tiles: codegen/winograd/shares.py."""

from __future__ import annotations

import itertools

import pytest

from emplace.codegen.winograd.shares import TileShare, shares


@pytest.mark.parametrize("lanes", [8, 16])
@pytest.mark.parametrize("threads", [1, 2, 3, 7, 64])
def test_all_is_made_once(threads: int, lanes: int) -> None:
    for tiles, vectors in itertools.product((1, 8, 32, 72, 289), (1, 2, 3, 8)):
        made = [
            (tile, vector)
            for each in shares(threads, tiles, vectors, lanes)
            for tile in range(*each.tiles)
            for vector in range(*each.vectors)
        ]
        assert len(made) == len(set(made)) == tiles * vectors


def test_few_tiles_are_shared_by_their_channels() -> None:
    """Tiles would have each thread make the points of the whole filter."""
    assert shares(2, 32, 8, 16) == [TileShare((0, 4), (0, 32)), TileShare((4, 8), (0, 32))]


def test_many_tiles_are_shared_themselves() -> None:
    assert shares(2, 288, 2, 16) == [TileShare((0, 2), (0, 144)), TileShare((0, 2), (144, 288))]


def test_many_threads_share_both() -> None:
    found = shares(16, 288, 16, 16)
    assert {each.size for each in found} == {4}
    assert {each.tiles for each in found} == {(0, 72), (72, 144), (144, 216), (216, 288)}
