"""Samples of numbers that are rounded to few bits: their gradients are as if they were not."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from .makers import Sample, real

LOW, HIGH = np.array(-1.0), np.array(1.5)


def passed(input: torch.Tensor, low: torch.Tensor, high: torch.Tensor, **attrs: Any) -> Any:
    """The gradient passes everywhere."""
    return input.clone()


def passed_within(input: torch.Tensor, low: torch.Tensor, high: torch.Tensor, **attrs: Any) -> Any:
    """The gradient passes within the range."""
    within = (input >= low.detach()) & (input <= high.detach())
    return input * within


SAMPLES: dict[str, list[Sample]] = {
    "QuantizeAndDequantizeV2": [Sample((real(3, 4), LOW, HIGH), {"range_given": True})],
    "QuantizeAndDequantizeV3": [Sample((real(3, 4), LOW, HIGH), {"num_bits": 5})],
    "QuantizeAndDequantizeV4": [
        Sample((real(3, 4), LOW, HIGH), {"range_given": given}) for given in (True, False)
    ],
}
FOR_AUTOGRAD = {
    "QuantizeAndDequantizeV2": passed,
    "QuantizeAndDequantizeV3": passed,
    "QuantizeAndDequantizeV4": passed_within,
}
