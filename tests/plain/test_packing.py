"""Packs: what comes out is what went in, whatever shapes and dtypes, and packs are of a size."""

from __future__ import annotations

import pytest
import torch

from emplace.ops.collective.packing import pack, packs_of, unpack

TENSORS = [
    torch.arange(6.0).reshape(2, 3),
    torch.tensor(7, dtype=torch.int64),
    torch.zeros(0, 4),
    torch.arange(8.0).reshape(2, 4).t(),
    torch.tensor([1.5], dtype=torch.float64),
    torch.tensor([True, False]),
    torch.tensor(2.5),
]


@pytest.mark.parametrize(
    ("sizes", "limit", "found"),
    [  # TensorFlow 2.21 tells as many packs
        ([40] * 5, 0, [[0, 1, 2, 3, 4]]),
        ([40] * 5, 1, [[0], [1], [2], [3], [4]]),
        ([40] * 5, 39, [[0], [1], [2], [3], [4]]),
        ([40] * 5, 40, [[0, 1], [2, 3], [4]]),
        ([40] * 5, 80, [[0, 1, 2], [3, 4]]),
        ([400, 4, 4, 4, 400], 40, [[0], [1, 2, 3, 4]]),
        ([], 40, []),
    ],
)
def test_a_pack_is_full_when_it_is_larger_than_the_limit(sizes, limit, found):
    assert packs_of(sizes, limit) == found


@pytest.mark.parametrize("limit", [0, 1, 10, 30, 1000])
@pytest.mark.parametrize("is_own", [False, True])
def test_what_is_unpacked_is_what_was_packed(limit, is_own):
    found = unpack(pack(TENSORS, limit, is_own))
    assert len(found) == len(TENSORS)
    for before, after in zip(TENSORS, found, strict=True):
        assert before.dtype is after.dtype
        assert before.shape == after.shape
        assert torch.equal(before, after)


def test_a_pack_holds_one_dtype_in_the_order_given():
    packs = pack(TENSORS)
    assert [each.flat.dtype for each in packs] == [
        torch.float32, torch.int64, torch.float64, torch.bool,
    ]  # fmt: skip
    assert packs[0].places == (0, 2, 3, 6)
    assert packs[0].flat.tolist() == [*range(6), 0, 4, 1, 5, 2, 6, 3, 7, 2.5]


def test_what_is_written_into_a_pack_is_in_the_unpacked():
    given = [torch.zeros(2), torch.ones(3)]
    packs = pack(given, is_own=True)
    packs[0].flat.add_(1)
    assert [each.tolist() for each in unpack(packs)] == [[1, 1], [2, 2, 2]]
    assert given[0].tolist() == [0, 0]


def test_a_pack_of_ones_own_is_a_copy_even_of_one_tensor():
    (given,) = alone = [torch.zeros(3)]
    pack(alone, is_own=True)[0].flat.add_(1)
    assert given.tolist() == [0, 0, 0]
    assert pack(alone)[0].flat.data_ptr() == given.data_ptr()


def test_nothing_makes_no_pack():
    assert pack([]) == []
    assert unpack([]) == []
