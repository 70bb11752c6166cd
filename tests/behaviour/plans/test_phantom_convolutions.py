"""Convolutions on phantom devices leave their results in the order in which the host does."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from emplace.eager.phantom_kernel import _channels_last
from emplace.ops.nn.conv_kernels import CONV2D, DEPTHWISE

SIZES = list(itertools.product([1, 5], [1, 3, 12], [1, 3], [1, 8], [1, 3], [1, 2]))


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("kind", [CONV2D, DEPTHWISE], ids=["dense", "depthwise"])
def test_results_are_laid_out_as_on_the_host(kind: Any, layout: str) -> None:
    for batch, size, channels, out, window, step in SIZES:
        is_last = layout == "NHWC"
        x = torch.zeros((batch, size, size, channels) if is_last else (batch, channels, size, size))
        weights = torch.zeros(window, window, channels, out)
        strides = (1, step, step, 1) if is_last else (1, 1, step, step)
        attrs = {"strides": strides, "padding": "SAME", "data_format": layout}

        def made(*values: torch.Tensor, attrs: Any = attrs) -> torch.Tensor:
            return kind.forward.kernel(*values, **attrs)

        real, phantoms = made(x, weights), (x.to("meta"), weights.to("meta"))
        told = _channels_last(made(*phantoms), phantoms)
        assert told.is_contiguous() == real.is_contiguous(), (x.shape, weights.shape, step)
        assert told.untyped_storage().nbytes() == real.untyped_storage().nbytes()
