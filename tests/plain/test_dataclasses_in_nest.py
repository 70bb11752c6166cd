"""Dataclasses that say how they are taken apart, as structures of `tf.nest`."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from emplace.base import nest


@dataclasses.dataclass
class Masked:
    mask: bool
    value: Any

    def __tf_flatten__(self) -> Any:
        return (self.mask,), (self.value,)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, components: Any) -> Masked:
        return cls(metadata[0], components[0])


class Other(Masked):
    """Another kind of the same."""


@dataclasses.dataclass
class Opaque:
    value: Any


def test_they_have_parts() -> None:
    masked = Masked(True, [1, 2])
    assert nest.is_nested(masked)
    assert nest.flatten({"a": masked, "b": 3}) == [1, 2, 3]
    assert nest.pack_sequence_as([masked, 0], [5, 6, 7]) == [Masked(True, [5, 6]), 7]
    assert nest.map_structure(lambda x, y: x + y, masked, Masked(False, [3, 4])) == Masked(
        True, [4, 6]
    )
    assert not nest.is_nested(Opaque([1]))


def test_their_kinds_are_compared_and_what_they_say_besides_is_not() -> None:
    masked = Masked(True, [1, 2])
    nest.assert_same_structure(masked, Masked(False, [3, 4]))
    nest.assert_same_structure(masked, Other(True, [1, 2]), check_types=False)
    with pytest.raises(TypeError, match="don't have the same sequence type"):
        nest.assert_same_structure(masked, Other(True, [1, 2]))
    with pytest.raises(ValueError, match="don't have the same number of elements"):
        nest.assert_same_structure(masked, Masked(True, [1]))
    with pytest.raises(ValueError, match="is a sequence, while"):
        nest.assert_same_structure(masked, 3)
