"""Kernels that go through many steps which are alike: a rehearsal takes a few of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from emplace.devices.meter import Meter
from emplace.eager.scratch import rehearsed
from emplace.ops.math.integrals import betainc_kernel, fresnel_cos_kernel, igamma_grad_a_kernel

CASES = [(betainc_kernel, 3), (igamma_grad_a_kernel, 2), (fresnel_cos_kernel, 1)]


class Calls(TorchDispatchMode):
    """Counts calls of torch."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("kernel", "inputs"), CASES)
def test_a_rehearsal_of_many_steps_is_short_and_takes_what_the_kernel_takes(
    kernel: Callable[..., Any], inputs: int
) -> None:
    values = [torch.rand(2**14, generator=torch.Generator().manual_seed(i)) for i in range(inputs)]
    with Calls() as calls:
        peak = rehearsed(kernel, values, {})
    assert calls.count < 250
    with Meter(values) as real:
        made = kernel(*values)
    assert peak == real.peak - real.bytes_of([made])
