"""TF 1's dimensions: sums, comparisons and errors as TensorFlow 2.21 has them."""

import copy
import pickle

import pytest

from emplace.base.dimensions import Dimension

unknown = Dimension(None)
TWELVE = Dimension(12)


def test_a_dimension_computes_from_both_sides():
    assert TWELVE + 2 == 14
    assert 2 + TWELVE == 14
    assert TWELVE - 2 == 10
    assert 20 - TWELVE == 8
    assert 2 * TWELVE == 24
    assert TWELVE // 5 == 2
    assert 30 // TWELVE == 2
    assert TWELVE % 5 == 2
    assert 5 % TWELVE == 5
    assert [4] * TWELVE == [4] * 12
    assert isinstance(20 - TWELVE, Dimension)


def test_what_an_unknown_dimension_takes_part_in_is_unknown():
    for value in (TWELVE + None, unknown - 1, 2 * unknown, unknown // TWELVE, 7 % unknown):
        assert value.value is None


def test_comparisons_with_an_unknown_dimension_are_none():
    for other in (unknown, TWELVE, 12, None):
        for answer in (
            unknown == other, unknown != other, unknown < other, unknown <= other,
            unknown > other, unknown >= other,
        ):  # fmt: skip
            assert answer is None
    assert Dimension(None) != 12.99
    assert TWELVE != (12,)
    assert TWELVE < 13 <= Dimension(13)


def test_zero_and_unknown_are_false():
    assert Dimension(1)
    assert not Dimension(0)
    assert not unknown


def test_merging_keeps_what_is_known():
    assert TWELVE.merge_with(None) == 12
    assert unknown.merge_with(12) == 12
    assert TWELVE.is_compatible_with(unknown)
    with pytest.raises(ValueError, match="Dimensions 12 and 13 are not compatible"):
        TWELVE.merge_with(13)
    with pytest.raises(ValueError, match="Dimension -1 must be >= 0"):
        TWELVE.is_compatible_with(-1)
    with pytest.raises(TypeError, match="must be integer or None"):
        TWELVE.merge_with([])


def test_a_true_quotient_says_which_operator_to_use():
    for left, right, names in (
        (TWELVE, TWELVE, "'Dimension' and 'Dimension'"),
        (TWELVE, 2, "'Dimension' and 'int'"),
        (6, TWELVE, "'int' and 'Dimension'"),
    ):
        with pytest.raises(TypeError, match=f"for /: {names}, please use // instead"):
            left / right


def test_a_dimension_is_copied_and_pickled():
    for dimension in (TWELVE, Dimension(0)):
        assert copy.copy(dimension) == dimension
        assert pickle.loads(pickle.dumps(dimension)) == dimension
