"""Whether kernels of machine code may compute with tensors."""

from __future__ import annotations

import torch

from ..base import flags
from ..codegen.code import lanes


def serves(*tensors: torch.Tensor) -> bool:
    """Whether machine code computes with these. What a kernel takes is told by a rehearsal on
    "meta".
    """
    for x in tensors:
        if x.dtype is not torch.float32 or not (x.is_cpu or x.is_meta) or x.requires_grad:
            return False
    return not torch.compiler.is_compiling() and flags.MACHINE_CODE_SWITCH.is_on() and lanes() > 0
