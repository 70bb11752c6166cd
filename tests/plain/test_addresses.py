"""Tables of addresses for machine code: what a call fills in, and that two calls share none."""

import ctypes

import numpy as np
import pytest

from emplace.codegen.addresses import Addresses


def test_a_table_has_an_address_per_memory_and_iteration():
    where = Addresses(np.array([[0, 32, 64], [0, 0, 20], [0, 0, 0]]))
    with where.filled([1000, 2000, 3000]) as table:
        assert table.by_iteration.tolist() == [
            [1000, 1032, 1064], [2000, 2000, 2020], [3000, 3000, 3000],
        ]  # fmt: skip
        assert list((ctypes.c_int64 * 3).from_address(table.table)) == [1000, 1032, 1064]


def test_a_table_serves_one_call_at_a_time():
    where = Addresses(np.array([[0, 16]]))
    with where.filled([16]) as one, where.filled([64]) as other:
        assert other is not one
        assert one.by_iteration.tolist() == [[16, 32]]
        assert other.by_iteration.tolist() == [[64, 80]]
    with where.filled([128]) as again:
        assert again in (one, other)


def test_a_table_that_machine_code_may_still_read_is_not_used_again():
    where = Addresses(np.array([[0, 48]]))
    with pytest.raises(KeyboardInterrupt), where.filled([16]) as left:
        raise KeyboardInterrupt
    with where.filled([32]) as next_one:
        assert next_one is not left
