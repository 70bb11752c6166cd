"""Exchange of tensors with other libraries, without a copy (DLPack)."""

from __future__ import annotations

from typing import Any

import torch

from ...base.errors import invalid_argument
from ...core.tensor import Tensor
from ..convert import to_tensor


def to_dlpack(tf_tensor: Any) -> Any:
    """A DLPack capsule that shares the tensor's memory (`tf.experimental.dlpack.to_dlpack`).

    The importer must not write to it: tensors never change.

    Raises:
        InvalidArgumentError: it is neither a tensor nor a variable, whose memory would be shared.
    """
    if not isinstance(tf_tensor, Tensor) and not hasattr(tf_tensor, "handle"):
        raise invalid_argument(
            "The argument to `to_dlpack` must be a TF tensor, not Python object "
            f"(got {type(tf_tensor).__name__}). Make one by tf.constant."
        )
    tensor: Any = to_tensor(tf_tensor)
    return tensor.__dlpack__()


def from_dlpack(dlcapsule: Any) -> Tensor:
    """A tensor that shares the memory of a DLPack capsule or of an object that exports one
    (`tf.experimental.dlpack.from_dlpack`).

    Raises:
        TypeError: it is neither.
        InvalidArgumentError: the capsule was imported before, or holds what tensors cannot.
    """
    if not hasattr(dlcapsule, "__dlpack__") and type(dlcapsule).__name__ != "PyCapsule":
        raise TypeError(
            f"[from_dlpack] takes a DLPack capsule or an object with `__dlpack__`, "
            f"got {type(dlcapsule).__name__}."
        )
    if '"used_' in repr(dlcapsule):
        raise invalid_argument(
            'DLPack tensor must be a capsule with name "dltensor", got "used_dltensor". Note that '
            "a DLPack tensor may be consumed at most once."
        )
    return to_tensor(torch.utils.dlpack.from_dlpack(dlcapsule))
