"""Recurrent layers in one op, as GPUs have them: cuDNN's LSTM and GRU."""

from __future__ import annotations

from typing import Any

import torch

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.shapes import Dims, runtime_text
from ..infer import Spec
from ..op import op
from .sequences import Cell, run_sequences

# How many matrices a cell has for its input, and as many for its state. Their order is torch's.
_GATES = {"lstm": 4, "gru": 3, "rnn_tanh": 1, "rnn_relu": 1}
_NUMBER = {"unidirectional": 1, "bidirectional": 2}


def _check(input: Dims, input_h: Dims, rnn_mode: str, input_mode: str, num_proj: int) -> None:
    if len(input) != 3 or len(input_h) != 3:
        raise invalid_argument(
            f"RNN input and state must be 3-D, got {runtime_text(input)} and "
            f"{runtime_text(input_h)}"
        )
    if rnn_mode not in _GATES or input_mode not in ("linear_input", "auto_select") or num_proj:
        raise invalid_argument(
            f"CudnnRNNV3 has no rnn_mode {rnn_mode!r} with input_mode {input_mode!r} and num_proj "
            f"{num_proj} here. Use one of {', '.join(_GATES)}, 'linear_input' and 0."
        )


def weights_of(
    params: torch.Tensor, layers: int, directions: int, units: int, inputs: int, gates: int
) -> list[torch.Tensor]:
    """Views of cuDNN's one vector as torch's list: per layer and direction the matrices of the
    input and the state, and both biases. In the vector all biases come last.

    Raises:
        InvalidArgumentError: the vector has another length.
    """
    shapes = []
    for layer in range(layers):
        width = inputs if layer == 0 else units * directions
        shapes += [(gates * units, width), (gates * units, units)] * directions
    biases = [(gates * units,)] * (2 * layers * directions)
    needed = sum(rows * columns for rows, columns in shapes) + len(biases) * gates * units
    if params.numel() != needed:
        raise invalid_argument(f"params should hold {needed} numbers, got {params.numel()}")
    sizes = [rows * columns for rows, columns in shapes] + [gates * units] * len(biases)
    parts = torch.ops.aten.split_with_sizes.default(params, sizes)
    matrices = [part.view(shape) for part, shape in zip(parts, shapes, strict=False)]
    rest = list(parts[len(shapes) :])
    found: list[torch.Tensor] = []
    for cell in range(layers * directions):
        found += [*matrices[2 * cell : 2 * cell + 2], *rest[2 * cell : 2 * cell + 2]]
    return found


def cudnn_rnn_kernel(
    input: torch.Tensor,
    input_h: torch.Tensor,
    input_c: torch.Tensor,
    params: torch.Tensor,
    sequence_lengths: torch.Tensor,
    *,
    rnn_mode: str = "lstm",
    input_mode: str = "linear_input",
    direction: str = "unidirectional",
    dropout: float = 0,
    seed: int = 0,
    seed2: int = 0,
    num_proj: int = 0,
    is_training: bool = True,
    time_major: bool = True,
) -> tuple[torch.Tensor, ...]:
    """(outputs, last h, last c, nothing, nothing); zeros behind the end of a sequence."""
    _check(tuple(input.shape), tuple(input_h.shape), rnn_mode, input_mode, num_proj)
    has_c = rnn_mode == "lstm"  # others take anything there, such as a number
    if not time_major:
        input, input_h = input.transpose(0, 1), input_h.transpose(0, 1)
        input_c = input_c.transpose(0, 1) if has_c else input_c
    directions, gates = _NUMBER[direction], _GATES[rnn_mode]
    layers, units = input_h.shape[0] // directions, input_h.shape[2]
    nothing = input.new_empty((0,))
    if not input.shape[1]:  # no examples, which torch refuses: a replica may have none
        y, states = input.new_empty((input.shape[0], 0, units * directions)), [input_h, input_h]
        if not time_major:
            y, states = y.transpose(0, 1), [input_h.transpose(0, 1)] * 2
        return y, *[last_state.clone() for last_state in states], nothing, nothing.to(torch.int8)
    weights = weights_of(params, layers, directions, units, input.shape[2], gates)
    cell = Cell(rnn_mode, weights, layers, directions, dropout, is_training)
    y, last_h, last_c = run_sequences(
        cell, input, input_h, input_c if has_c else None, sequence_lengths
    )
    last_c = torch.zeros_like(last_h) if last_c is None else last_c
    if not time_major:
        y, last_h, last_c = (result.transpose(0, 1) for result in (y, last_h, last_c))
    return y, last_h, last_c, nothing, nothing.to(torch.int8)


def _rnn_spec(
    input: Spec, input_h: Spec, input_c: Spec, params: Spec, sequence_lengths: Spec, **attrs: Any
) -> tuple[Spec, ...]:
    nothing = Spec((0,), input.dtype), Spec((0,), dtypes.int8)
    if input.dims is None or input_h.dims is None:
        return Spec(None, input.dtype), input_h, input_c, *nothing
    mode, way = attrs.get("rnn_mode", "lstm"), attrs.get("input_mode", "linear_input")
    _check(input.dims, input_h.dims, mode, way, attrs.get("num_proj", 0))
    units = input_h.dims[2]
    wide = _NUMBER[attrs.get("direction", "unidirectional")]
    out = (*input.dims[:2], None if units is None else units * wide)
    return Spec(out, input.dtype), input_h, input_h, *nothing


_OUTPUTS = "output: T, output_h: T, output_c: T, reserve_space: T, host_reserved: int8"
CUDNN_RNN = op(
    "CudnnRNNV3",
    "input: T, input_h: T, input_c: T, params: T, sequence_lengths: int32 -> " + _OUTPUTS,
    cudnn_rnn_kernel, _rnn_spec, device_types=("GPU",),
    T=(dtypes.float16, dtypes.bfloat16, dtypes.float32),
)  # fmt: skip


def cudnn_rnn_backprop_kernel(
    input: torch.Tensor,
    input_h: torch.Tensor,
    input_c: torch.Tensor,
    params: torch.Tensor,
    sequence_lengths: torch.Tensor,
    output: torch.Tensor,
    output_h: torch.Tensor,
    output_c: torch.Tensor,
    output_backprop: torch.Tensor,
    output_h_backprop: torch.Tensor,
    output_c_backprop: torch.Tensor,
    reserve_space: torch.Tensor,
    host_reserved: torch.Tensor,
    *,
    rnn_mode: str = "lstm",
    input_mode: str = "linear_input",
    direction: str = "unidirectional",
    dropout: float = 0,
    seed: int = 0,
    seed2: int = 0,
    num_proj: int = 0,
    time_major: bool = True,
) -> tuple[torch.Tensor, ...]:
    """The gradients of input, h, c and parameters: the layer once more, under torch's tape."""
    if not input.numel():  # of no examples
        return tuple(torch.zeros_like(tensor) for tensor in (input, input_h, input_c, params))
    with torch.enable_grad():
        leaves = [tensor.detach().requires_grad_() for tensor in (input, input_h, input_c, params)]
        x, h, c, weights = leaves
        outputs = cudnn_rnn_kernel(
            x, h, c, weights, sequence_lengths, rnn_mode=rnn_mode, input_mode=input_mode,
            direction=direction, dropout=dropout, num_proj=num_proj, time_major=time_major,
        )  # fmt: skip
    backs = output_backprop, output_h_backprop, output_c_backprop
    pairs = [(y, dy) for y, dy in zip(outputs, backs, strict=False) if y.requires_grad]
    return torch.autograd.grad(
        [y for y, _ in pairs], leaves, [dy for _, dy in pairs], materialize_grads=True
    )


def _rnn_backprop_spec(
    input: Spec, input_h: Spec, input_c: Spec, params: Spec, *others: Spec, **attrs: Any
) -> tuple[Spec, ...]:
    return input, input_h, input_c, params


CUDNN_RNN_BACKPROP = op(
    "CudnnRNNBackpropV3",
    "input: T, input_h: T, input_c: T, params: T, sequence_lengths: int32, output: T, "
    "output_h: T, output_c: T, output_backprop: T, output_h_backprop: T, output_c_backprop: T, "
    "reserve_space: T, host_reserved: int8 -> input_backprop: T, input_h_backprop: T, "
    "input_c_backprop: T, params_backprop: T",
    cudnn_rnn_backprop_kernel, _rnn_backprop_spec, device_types=("GPU",),
    T=(dtypes.float16, dtypes.bfloat16, dtypes.float32),
)  # fmt: skip
