"""Rows of raw ops that are one cell of a recurrent network, or all steps of one, and their
gradients.
"""

from __future__ import annotations

from typing import Any

import torch

from ..base.errors import invalid_argument
from ..base.shapes import runtime_text
from ..base.typing import TensorLike
from ..ops.array.making import fill
from ..ops.array.shaping import shape
from ..ops.infer import Spec
from ..ops.raw import raw_op
from .recurrent_checks import check_gru, check_lstm, check_ranks
from .rows import HOST_NUMBERS, Composed, Row, composed, kernel

Tensor = torch.Tensor
Cell = tuple[Tensor, ...]
_NAMES = "x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"


def _gates(x: Tensor, h_prev: Tensor, w: Tensor, b: Tensor, order: str) -> dict[str, Tensor]:
    """What goes into each gate: input i, cell c, forget f, output o."""
    found = torch.cat([x, h_prev], 1) @ w + b
    return dict(zip(order, found.chunk(4, 1), strict=True))


def lstm_cell(
    x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor,
    b: Tensor, *, forget_bias: float = 1.0, cell_clip: float = 3.0, use_peephole: bool = False,
    order: str = "icfo",
) -> Cell:  # fmt: skip
    """(i, cs, f, o, ci, co, h) of one step."""
    into = _gates(x, h_prev, w, b, order)
    seen, kept = into["i"], into["f"] + forget_bias
    if use_peephole:
        seen, kept = seen + cs_prev * wci, kept + cs_prev * wcf
    i, f, ci = torch.sigmoid(seen), torch.sigmoid(kept), torch.tanh(into["c"])
    cs = ci * i + cs_prev * f
    if cell_clip > 0:
        cs = cs.clamp(-cell_clip, cell_clip)
    o = torch.sigmoid(into["o"] + cs * wco if use_peephole else into["o"])
    co = torch.tanh(cs)
    return i, cs, f, o, ci, co, co * o


def lstm_cell_kernel(
    x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor,
    b: Tensor, *, forget_bias: float = 1.0, cell_clip: float = 3.0, use_peephole: bool = False,
) -> Cell:  # fmt: skip
    """One step."""
    check_lstm(
        [f"{name}_tensor" for name in _NAMES], (x, cs_prev, h_prev, w, wci, wcf, wco, b),
        "{name} must be rank {rank} but is rank {found}.", False,
    )  # fmt: skip
    if not cs_prev.numel():
        text = runtime_text(cs_prev.shape)[1:-1]
        raise invalid_argument(f"cs_prev_tensor is empty, has shape: ({text}).")
    return lstm_cell(
        x, cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=forget_bias, cell_clip=cell_clip,
        use_peephole=use_peephole,
    )  # fmt: skip


def _cell_back(
    cs_prev: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor, cell: Cell, cs_grad: Tensor,
    h_grad: Tensor, use_peephole: bool,
) -> tuple[Tensor, dict[str, Tensor]]:  # fmt: skip
    """The gradient of the state before, and of what went into each gate."""
    i, _, f, o, ci, co = cell[:6]
    do = o * (1 - o) * h_grad * co
    dcs = (1 - co * co) * h_grad * o + cs_grad
    if use_peephole:
        dcs = dcs + do * wco
    dci = (1 - ci * ci) * dcs * i
    df = f * (1 - f) * dcs * cs_prev
    di = i * (1 - i) * dcs * ci
    before = dcs * f
    if use_peephole:
        before = before + di * wci + df * wcf
    return before, {"i": di, "c": dci, "f": df, "o": do}


def _peephole_grads(
    cs_prev: Tensor, cs: Tensor, into: dict[str, Tensor], wci: Tensor, use_peephole: bool
) -> tuple[Tensor, ...]:
    if not use_peephole:
        zero = torch.zeros_like(wci)
        return zero, zero.clone(), zero.clone()
    return (
        (into["i"] * cs_prev).sum(0), (into["f"] * cs_prev).sum(0), (into["o"] * cs).sum(0)
    )  # fmt: skip


def lstm_cell_grad_kernel(
    x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor, wcf: Tensor, wco: Tensor,
    b: Tensor, i: Tensor, cs: Tensor, f: Tensor, o: Tensor, ci: Tensor, co: Tensor,
    cs_grad: Tensor, h_grad: Tensor, *, use_peephole: bool,
) -> Cell:  # fmt: skip
    """(the state's gradient, the gates' side by side, the peepholes')."""
    cell = i, cs, f, o, ci, co
    before, into = _cell_back(cs_prev, wci, wcf, wco, cell, cs_grad, h_grad, use_peephole)
    joined = torch.cat([into[letter] for letter in "icfo"], 1)
    return before, joined, *_peephole_grads(cs_prev, cs, into, wci, use_peephole)


def _block(order: str) -> Any:
    def run(
        seq_len_max: Tensor, x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor,
        wcf: Tensor, wco: Tensor, b: Tensor, *, cell_clip: float, use_peephole: bool,
        forget_bias: float = 0.0,
    ) -> Cell:  # fmt: skip
        check_ranks(
            [("`seq_len_max_tensor`", seq_len_max, 0)],
            "{name} must be rank {rank} but is rank {found}",
        )
        check_lstm(
            _NAMES, (x, cs_prev, h_prev, w, wci, wcf, wco, b), "{name} must be {rank}D", True
        )
        if not len(x):
            return (cs_prev.new_zeros(0, *cs_prev.shape),) * 7
        steps: list[Cell] = []
        for t in range(int(seq_len_max)):
            cell = lstm_cell(
                x[t], cs_prev, h_prev, w, wci, wcf, wco, b, forget_bias=forget_bias,
                cell_clip=cell_clip, use_peephole=use_peephole, order=order,
            )  # fmt: skip
            cs_prev, h_prev = cell[1], cell[6]
            steps.append(cell)
        rest = torch.zeros_like(cs_prev)
        steps += [(rest,) * 7] * (len(x) - len(steps))
        return tuple(torch.stack(parts) for parts in zip(*steps, strict=True))

    return run


def block_kernel(
    seq_len_max: Tensor, x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor,
    wcf: Tensor, wco: Tensor, b: Tensor, *, forget_bias: float, cell_clip: float,
    use_peephole: bool,
) -> Cell:  # fmt: skip
    """All steps."""
    made: Cell = _block("icfo")(
        seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, cell_clip=cell_clip,
        use_peephole=use_peephole, forget_bias=forget_bias,
    )  # fmt: skip
    return made


def block_v2_kernel(
    seq_len_max: Tensor, x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor,
    wcf: Tensor, wco: Tensor, b: Tensor, *, cell_clip: float, use_peephole: bool,
) -> Cell:  # fmt: skip
    """All steps, with the gates in another order."""
    made: Cell = _block("ifco")(
        seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b, cell_clip=cell_clip,
        use_peephole=use_peephole,
    )  # fmt: skip
    return made


def _block_back(order: str) -> Any:
    def run(
        seq_len_max: Tensor, x: Tensor, cs_prev: Tensor, h_prev: Tensor, w: Tensor, wci: Tensor,
        wcf: Tensor, wco: Tensor, b: Tensor, i: Tensor, cs: Tensor, f: Tensor, o: Tensor,
        ci: Tensor, co: Tensor, h: Tensor, cs_grad: Tensor, h_grad: Tensor, *, use_peephole: bool,
    ) -> Cell:  # fmt: skip
        dx, dw, db = torch.zeros_like(x), torch.zeros_like(w), torch.zeros_like(b)
        peep = [torch.zeros_like(each) for each in (wci, wcf, wco)]
        dcs, dh = torch.zeros_like(cs_prev), torch.zeros_like(h_prev)
        for t in reversed(range(int(seq_len_max))):
            state, out = (cs[t - 1], h[t - 1]) if t else (cs_prev, h_prev)
            cell = tuple(each[t] for each in (i, cs, f, o, ci, co))
            dcs, into = _cell_back(
                state, wci, wcf, wco, cell, cs_grad[t] + dcs, h_grad[t] + dh, use_peephole
            )
            joined = torch.cat([into[letter] for letter in order], 1)
            both = joined @ w.T
            dx[t], dh = both[:, : x.shape[2]], both[:, x.shape[2] :]
            dw += torch.cat([x[t], out], 1).T @ joined
            db += joined.sum(0)
            for total, each in zip(
                peep, _peephole_grads(state, cs[t], into, wci, use_peephole), strict=True
            ):
                total += each
        return dx, dcs, dh, dw, *peep, db

    return run


def gru_cell_kernel(
    x: Tensor, h_prev: Tensor, w_ru: Tensor, w_c: Tensor, b_ru: Tensor, b_c: Tensor
) -> Cell:
    """(r, u, c, h) of one step."""
    check_gru(x, h_prev, w_ru, w_c, b_ru, b_c)
    r, u = torch.sigmoid(torch.cat([x, h_prev], 1) @ w_ru + b_ru).chunk(2, 1)
    c = torch.tanh(torch.cat([x, h_prev * r], 1) @ w_c + b_c)
    return r.contiguous(), u.contiguous(), c, u * h_prev + (1 - u) * c


def gru_cell_grad_kernel(
    x: Tensor, h_prev: Tensor, w_ru: Tensor, w_c: Tensor, b_ru: Tensor, b_c: Tensor, r: Tensor,
    u: Tensor, c: Tensor, d_h: Tensor,
) -> Cell:  # fmt: skip
    """The gradients of the input, of the state before, and of what went into the gates."""
    width = x.shape[1]
    d_c_bar = d_h * (1 - u) * (1 - c * c)
    d_u_bar = d_h * (h_prev - c) * u * (1 - u)
    inner = d_c_bar @ w_c.T
    d_hr = inner[:, width:]
    gates = torch.cat([d_hr * h_prev * r * (1 - r), d_u_bar], 1)
    outer = gates @ w_ru.T
    d_h_prev = d_h * u + d_hr * r + outer[:, width:]
    return inner[:, :width] + outer[:, :width], d_h_prev, d_c_bar, gates


def _cells(x: Spec, cs_prev: Spec, *rest: Spec, **attrs: Any) -> tuple[Spec, ...]:
    return (cs_prev,) * 7


def _cudnn(count: int) -> Composed:
    """All steps of all sequences, by the third version: so many of its outputs."""

    def run(input: TensorLike, **given: Any) -> Any:
        sizes = shape(input)
        lengths = fill([sizes[1]], sizes[0])
        made = raw_op("CudnnRNNV3")(
            input=input, sequence_lengths=lengths,
            **{name: value for name, value in given.items() if name != "T"},
        )  # fmt: skip
        return made[:count]

    return composed(run)


ROWS: dict[str, Row] = {
    "BlockLSTM": kernel(block_kernel, None, wait_reason=HOST_NUMBERS),
    "BlockLSTMGrad": kernel(_block_back("icfo"), None, wait_reason=HOST_NUMBERS),
    "BlockLSTMGradV2": kernel(_block_back("ifco"), None, wait_reason=HOST_NUMBERS),
    "BlockLSTMV2": kernel(block_v2_kernel, None, wait_reason=HOST_NUMBERS),
    "CudnnRNN": _cudnn(4),
    "CudnnRNNV2": _cudnn(5),
    "GRUBlockCell": kernel(gru_cell_kernel, lambda x, h_prev, *rest: (h_prev,) * 4),
    "GRUBlockCellGrad": kernel(gru_cell_grad_kernel),
    "LSTMBlockCell": kernel(lstm_cell_kernel, _cells),
    "LSTMBlockCellGrad": kernel(lstm_cell_grad_kernel),
}
