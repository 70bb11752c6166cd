"""The functions as written for torch."""

import torch

from .inputs import BATCH, BIAS, KERNEL, RECURRENT, ROW, SEQUENCE, UNITS

kernel, recurrent, bias = (
    torch.from_numpy(each).requires_grad_() for each in (KERNEL, RECURRENT, BIAS)
)
sequence, row = torch.from_numpy(SEQUENCE), torch.from_numpy(ROW)


def small():
    return torch.matmul(row, row) * 2.0 + 1.0


def lstm():
    h = c = torch.zeros(BATCH, UNITS)
    outputs = []
    for x in sequence.unbind(0):
        i, f, g, o = (x @ kernel + h @ recurrent + bias).chunk(4, 1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        outputs.append(h)
    loss = (torch.stack(outputs) ** 2).mean()
    return torch.autograd.grad(loss, [kernel, recurrent, bias])


ROWS = {"small function call": "small()", "lstm loop step": "lstm()"}
