"""Where the peers of a run compute: on the CPU, on a card, or on what stands for one.

It is said by the variable BENCH_DEVICE in the environment of a peer's process, and imports nothing,
for the peers' own environments run it.
"""

import os

CHOICES = ("cpu", "cuda", "virtual", "strict")
DEVICE = os.environ.get("BENCH_DEVICE", "cpu")
#: Where torch's programs keep their tensors.
TORCH = "cuda" if DEVICE == "cuda" else "cpu"


def finish() -> None:
    """Waits until the card has done what it was asked for."""
    if DEVICE == "cuda":
        import torch

        torch.cuda.synchronize()
