"""Modes of torch: blocks in which every operation of torch's passes through Python."""

from __future__ import annotations

from torch.utils._python_dispatch import TorchDispatchMode


class Mode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A mode that torch's compiler never meets: what runs in ours is not compiled.

    To keep its compiler away torch would load it at the first operation, which takes a second of
    every program, and ask it at each.
    """

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False
