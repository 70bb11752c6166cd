"""Sequences of several lengths through torch's recurrent layers, in one of three ways.

Sequences that are all as long as there are steps, as far as the host knows, go through as they are.
Others are packed in the host's memory. On a GPU packing would make the host wait: there all steps
are run, and what is behind the end of a sequence is not looked at. An LSTM holds its cells' state
there, by one more input that closes and opens gates.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

from ...devices.known import known

# An input of a gate at which it is exactly closed or open, in all floating dtypes.
_FAR = 1e4

Sequences = tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]


class Cell(NamedTuple):
    """A recurrent layer: its kind ("lstm"), torch's list of weights, and how often it is there."""

    mode: str
    weights: list[torch.Tensor]
    layers: int
    directions: int
    dropout: float
    is_training: bool

    def run(self, *inputs: Any) -> Any:
        """Torch's layer: the outputs, the last h, and the last c of an LSTM."""
        layer: Any = getattr(torch, self.mode)
        is_both = self.directions == 2
        how = True, self.layers, self.dropout, self.is_training, is_both
        return layer(*inputs, *how) if len(inputs) == 4 else layer(*inputs, *how, False)


def run_sequences(
    cell: Cell, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor | None, lengths: torch.Tensor
) -> Sequences:
    """(outputs, last h, last c or None); outputs are zero behind the end of a sequence.

    Args:
        cell: the layer.
        x: inputs of shape (steps, examples, features).
        h: the state at first, of shape (layers times directions, examples, units).
        c: the same of an LSTM's cells; None for others.
        lengths: how many steps each example has.
    """
    is_here = lengths.device.type == "cpu"
    on_host = lengths if is_here else known(lengths)
    if on_host is not None and bool((on_host == x.shape[0]).all()):
        return _named(*cell.run(x, _states(h, c), cell.weights))
    if not is_here and cell.layers == cell.directions == 1:
        return _looked_at_until(lengths, cell, x, h, c)
    return _packed(cell, x, h, c, lengths.cpu() if on_host is None else on_host)


def _states(h: torch.Tensor, c: torch.Tensor | None) -> Any:
    return h.contiguous() if c is None else (h.contiguous(), c.contiguous())


def _named(y: torch.Tensor, h: torch.Tensor, c: torch.Tensor | None = None) -> Sequences:
    return y, h, c


def _packed(
    cell: Cell, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor | None, lengths: torch.Tensor
) -> Sequences:
    pack = torch.nn.utils.rnn.pack_padded_sequence
    packed = pack(x, lengths.long(), enforce_sorted=False)
    order, back = packed.sorted_indices, packed.unsorted_indices
    assert order is not None
    assert back is not None
    h = h.index_select(1, order)
    c = None if c is None else c.index_select(1, order)
    data, *last = cell.run(packed.data, packed.batch_sizes, _states(h, c), cell.weights)
    sequences = torch.nn.utils.rnn.PackedSequence(data, packed.batch_sizes, order, back)
    y = torch.nn.utils.rnn.pad_packed_sequence(sequences, total_length=x.shape[0])[0]
    return _named(y, *[state.index_select(1, back) for state in last])


def _looked_at_until(
    lengths: torch.Tensor, cell: Cell, x: torch.Tensor, h: torch.Tensor, c: torch.Tensor | None
) -> Sequences:
    steps = x.shape[0]
    ended = (torch.arange(steps, device=x.device)[:, None] >= lengths)[..., None]
    zero = x.new_zeros(())
    x = torch.where(ended, zero, x)
    if c is not None:
        x = torch.cat((x, ended.to(x.dtype).expand(steps, x.shape[1], 1)), -1)
        cell = cell._replace(weights=[_with_hold(cell.weights[0]), *cell.weights[1:]])
    y, _, last_c = _named(*cell.run(x, _states(h, c), cell.weights))
    last = (lengths.long() - 1).clamp(0, steps - 1)[None, :, None].expand(1, *y.shape[1:])
    last_h = torch.where((lengths > 0)[:, None], y.gather(0, last), h)
    return torch.where(ended, zero, y), last_h, last_c


def _with_hold(weights: torch.Tensor) -> torch.Tensor:
    """An LSTM's matrix of the inputs, and one more input that holds the state of its cells: torch
    has the gates in the order input, forget, cell, output.
    """
    units = weights.shape[0] // 4
    column = weights.new_zeros((4 * units, 1))
    column[:units].fill_(-_FAR)
    column[units : 2 * units].fill_(_FAR)
    return torch.cat((weights, column), 1)
