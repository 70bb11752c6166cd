"""The networks as written for torch, in the layout that is the faster one for it on a CPU."""

import torch
from torch.nn import functional

from ..device import TORCH
from .inputs import (
    ALPHA,
    BETA,
    DECAY,
    DIGITS,
    IMAGES,
    LABELS,
    MLP_WEIGHTS,
    RADIUS,
    WEIGHTS,
)

channels_last = torch.channels_last
w = {}
for name, array in WEIGHTS.items():
    value = torch.from_numpy(array).to(TORCH)
    if value.ndim == 4:
        value = value.permute(3, 2, 0, 1).contiguous(memory_format=channels_last)
    w[name] = value.requires_grad_()
weights = list(w.values())
images = torch.from_numpy(IMAGES).to(TORCH).permute(0, 3, 1, 2)
labels = torch.from_numpy(LABELS).long().to(TORCH)
m = {
    name: torch.from_numpy(array).to(TORCH).requires_grad_() for name, array in MLP_WEIGHTS.items()
}
mlp_weights = list(m.values())
digits = torch.from_numpy(DIGITS).to(TORCH)


def normalized(x):
    return functional.local_response_norm(x, 2 * RADIUS + 1, ALPHA * (2 * RADIUS + 1), BETA, 1.0)


def logits():
    x = torch.relu(torch.conv2d(images, w["conv1"], w["bias1"], padding=2))
    x = normalized(torch.max_pool2d(x, 3, 2, ceil_mode=True))
    x = torch.relu(torch.conv2d(x, w["conv2"], w["bias2"], padding=2))
    x = torch.max_pool2d(normalized(x), 3, 2, ceil_mode=True)
    x = x.permute(0, 2, 3, 1).reshape(128, -1)
    x = torch.relu(x @ w["dense3"] + w["bias3"])
    x = torch.relu(x @ w["dense4"] + w["bias4"])
    return x @ w["dense5"] + w["bias5"]


def loss():
    entropy = functional.cross_entropy(logits(), labels)
    decay = (w["dense3"] ** 2).sum() / 2 + (w["dense4"] ** 2).sum() / 2
    return entropy + DECAY * decay


def step():
    return torch.autograd.grad(loss(), weights)


def mlp_loss():
    x = torch.relu(digits @ m["dense1"] + m["bias1"])
    x = torch.relu(x @ m["dense2"] + m["bias2"])
    return functional.cross_entropy(x @ m["dense3"] + m["bias3"], labels)


def mlp_step():
    return torch.autograd.grad(mlp_loss(), mlp_weights)


ROWS = {
    "cifar10 forward": "loss()",
    "cifar10 step": "step()",
    "mlp step": "mlp_step()",
    "cifar10 quiet": "step()",
    "cifar10 busy": "step()",
    "mlp quiet": "mlp_step()",
    "mlp busy": "mlp_step()",
}
