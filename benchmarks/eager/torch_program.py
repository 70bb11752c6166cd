"""The eager rows as written for torch."""

import torch

a = torch.rand(4, 4)
b = torch.rand(4, 4)
w = torch.rand(4, 4, requires_grad=True)
v = torch.rand(4, 4)
g = a * 1e-6


def gradient():
    loss = torch.relu(a @ w).sum()
    return torch.autograd.grad(loss, w)


ROWS = {
    "add": "torch.add(a, b)",
    "matmul": "torch.matmul(a, b)",
    "relu": "torch.relu(a)",
    "reduce_sum": "torch.sum(a)",
    "reduce_sum axis=0": "torch.sum(a, dim=0)",
    "a * 2": "a * 2.0",
    "a[0]": "a[0]",
    "constant": "torch.tensor([1.0, 2.0, 3.0])",
    "zeros": "torch.zeros((4, 4))",
    "assign_sub": "v.sub_(g)",
    "gradient": "gradient()",
    "device scope": "with torch.device('cpu'): torch.add(a, b)",
}
