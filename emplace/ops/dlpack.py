"""Exchange of tensors with other libraries, without a copy (DLPack)."""

from __future__ import annotations

from typing import Any

import torch

from ..core.tensor import EagerTensor
from .convert import to_tensor


def to_dlpack(tf_tensor: Any) -> Any:
    """A DLPack capsule that shares the tensor's memory (`tf.experimental.dlpack.to_dlpack`).

    The importer must not write to it: tensors never change.
    """
    tensor: EagerTensor = to_tensor(tf_tensor)
    return tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> Any:
    """A tensor that shares the memory of a DLPack capsule or of an object that exports one
    (`tf.experimental.dlpack.from_dlpack`).
    """
    return to_tensor(torch.utils.dlpack.from_dlpack(dlcapsule))
