"""The sums of a budget, on its own: whatever happens in whatever order, they add up."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from emplace.base.sizes import parse_bytes
from emplace.devices.memory import Budget, OutOfBudget, format_bytes, round_up

KB = 1 << 10
sizes = st.integers(0, 20 * KB)
children = st.integers(0, 1)


class Accounts(RuleBasedStateMachine):
    """Two logical devices with 32 KiB each on hardware of 48 KiB, and a model of both."""

    def __init__(self) -> None:
        super().__init__()
        self.parent = Budget(48 * KB)
        self.budgets = [Budget(32 * KB, parent=self.parent) for _ in range(2)]
        self.reserved: list[list[int]] = [[], []]
        self.living: list[list[tuple[Any, int]]] = [[], []]

    def held(self, i: int) -> int:
        return sum(self.reserved[i]) + sum(nbytes for _, nbytes in self.living[i])

    def fits(self, i: int, nbytes: int) -> bool:
        return nbytes == 0 or (
            self.held(i) + nbytes <= 32 * KB and self.held(0) + self.held(1) + nbytes <= 48 * KB
        )

    @rule(i=children, size=sizes)
    def reserve(self, i: int, size: int) -> None:
        nbytes = round_up(size)
        if self.fits(i, nbytes):
            self.budgets[i].reserve(nbytes)
            self.reserved[i].append(nbytes)
        else:
            with pytest.raises(OutOfBudget):
                self.budgets[i].reserve(nbytes)

    @rule(i=children)
    def cancel(self, i: int) -> None:
        if self.reserved[i]:
            self.budgets[i].cancel(self.reserved[i].pop())

    @rule(i=children, size=sizes, views=st.integers(0, 2))
    def settle(self, i: int, size: int, views: int) -> None:
        reserved = self.reserved[i].pop() if self.reserved[i] else 0
        storage = torch.empty(size, dtype=torch.uint8)
        values = [storage, *[storage[:1] for _ in range(views)]]
        nbytes = round_up(size)
        if self.fits(i, max(0, nbytes)):
            self.budgets[i].settle(reserved, values, "Test")
            self.living[i].append((storage, nbytes))
        else:
            with pytest.raises(OutOfBudget):
                self.budgets[i].settle(reserved, values, "Test")

    @rule(i=children)
    def settle_again(self, i: int) -> None:
        for value, _ in self.living[i]:
            self.budgets[i].settle(0, [value[:1]], "Test")

    @rule(i=children)
    def free(self, i: int) -> None:
        if self.living[i]:
            del self.living[i][0]

    @rule(i=children)
    def forget_the_peak(self, i: int) -> None:
        self.budgets[i].reset_peak()
        assert self.budgets[i].usage().peak == self.held(i)

    @invariant()
    def the_sums_are_right(self) -> None:
        for i, budget in enumerate(self.budgets):
            usage = budget.usage()
            assert usage.in_use == self.held(i) <= usage.peak <= 32 * KB
            assert sorted(c.nbytes for c in budget.biggest(100)) == sorted(
                nbytes for _, nbytes in self.living[i]
            )
        assert self.parent.usage().in_use == self.held(0) + self.held(1) <= 48 * KB


@pytest.fixture(autouse=True)
def little_garbage() -> Iterator[None]:
    """A refusal collects garbage, which would take long among all that pytest has made."""
    gc.freeze()
    yield
    gc.unfreeze()


TestAccounts = Accounts.TestCase
TestAccounts.settings = settings(max_examples=50, stateful_step_count=30, deadline=None)


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [("1GB", 1 << 30), ("1 GiB", 1 << 30), ("1.5kb", 1536), ("512", 512), (7, 7), ("2T", 2 << 40)],
)
def test_sizes_are_read_as_people_write_them(text: Any, nbytes: int) -> None:
    assert parse_bytes(text) == nbytes


@pytest.mark.parametrize("text", ["", "1XB", "-1", -1, "GB", True, None])
def test_what_is_no_size_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="is not a memory size"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1536, "1.50 KiB"),
        (1 << 30, "1.00 GiB"),
        (3 << 40, "3.00 TiB"),
    ],
)
def test_sizes_are_written_as_people_read_them(nbytes: int, text: str) -> None:
    assert format_bytes(nbytes) == text


def test_sizes_are_rounded_up_to_256_bytes() -> None:
    assert [round_up(n) for n in (0, 1, 256, 257)] == [0, 256, 256, 512]
