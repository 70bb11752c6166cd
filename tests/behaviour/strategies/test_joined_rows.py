"""The rows of several replicas become those of one batch: ops/collective/sums.py."""

from __future__ import annotations

import torch

from emplace.ops.collective.sums import replica_join_kernel


def test_rows_that_lie_one_behind_the_other_are_not_copied():
    x = torch.arange(24.0).reshape(6, 4)
    joined = replica_join_kernel(x[:2], x[2:3], x[3:])
    assert joined.data_ptr() == x.data_ptr()
    assert torch.equal(joined, x)
    for parts in ((x[2:], x[:2]), (x[:2], x[3:]), (x[:3, :2], x[3:, :2]), (x[:2], x[2:].clone())):
        assert torch.equal(replica_join_kernel(*parts), torch.cat(parts))
