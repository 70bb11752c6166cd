"""Gradients of `ops/nn/conv_kernels.py`. Each of the three ops of a convolution is linear in both
its inputs, and differentiates into the other two.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor
from ...ops.nn.conv_kernels import CONV2D, CONV3D, DEPTHWISE, Records
from ...ops.op import apply
from ..rules import Recorded, gradient


def _sizes(value: Any) -> tuple[int, ...]:
    return tuple(value.shape.as_list())


def _without(attrs: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in attrs.items() if key != name}


def _register(records: Records) -> None:
    def for_input(
        sizes: Sequence[int], filter: Tensor, dy: Tensor, attrs: dict[str, Any]
    ) -> Tensor:
        return apply(records.input_gradient, (filter, dy), {**attrs, "input_sizes": sizes})

    def for_filter(
        input: Tensor, sizes: Sequence[int], dy: Tensor, attrs: dict[str, Any]
    ) -> Tensor:
        return apply(records.filter_gradient, (input, dy), {**attrs, "filter_sizes": sizes})

    @gradient(records.forward)
    def forward_grad(call: Recorded, dy: Tensor) -> Any:
        input, filter = call.inputs
        return (
            for_input(_sizes(input), filter, dy, call.attrs) if call.needs(0) else None,
            for_filter(input, _sizes(filter), dy, call.attrs) if call.needs(1) else None,
        )

    @gradient(records.input_gradient)
    def input_gradient_grad(call: Recorded, dy: Tensor) -> Any:
        filter, back = call.inputs
        attrs = _without(call.attrs, "input_sizes")
        return (
            for_filter(dy, _sizes(filter), back, attrs) if call.needs(0) else None,
            apply(records.forward, (dy, filter), attrs) if call.needs(1) else None,
        )

    @gradient(records.filter_gradient)
    def filter_gradient_grad(call: Recorded, dy: Tensor) -> Any:
        input, back = call.inputs
        attrs = _without(call.attrs, "filter_sizes")
        return (
            for_input(_sizes(input), dy, back, attrs) if call.needs(0) else None,
            apply(records.forward, (input, dy), attrs) if call.needs(1) else None,
        )


for _each in (CONV2D, CONV3D, DEPTHWISE):
    _register(_each)
