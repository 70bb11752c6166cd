"""What hardware there is, as programs ask for it (`tf.test`, `tf.sysconfig`)."""

from __future__ import annotations

import torch

from ..base import log
from ..devices.inventory import INVENTORY


def gpu_device_name() -> str:
    """'/device:GPU:0', or '' without GPUs (`tf.test.gpu_device_name`)."""
    return "/device:GPU:0" if any(d.device_type == "GPU" for d in INVENTORY.physical()) else ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether there is a GPU, real or virtual (`tf.test.is_gpu_available`, deprecated)."""
    log.warning(
        "tf.test.is_gpu_available is deprecated. "
        "Use tf.config.list_physical_devices('GPU') instead."
    )
    for device in INVENTORY.physical():
        if device.device_type != "GPU":
            continue
        found = INVENTORY.hardware(device).details.get("compute_capability")
        if cuda_only and found is None:
            continue
        if min_cuda_compute_capability is None or (found or (0, 0)) >= min_cuda_compute_capability:
            return True
    return False


def is_built_with_cuda() -> bool:
    """Whether torch was built for CUDA (`tf.test.is_built_with_cuda`)."""
    return torch.version.cuda is not None


def is_built_with_rocm() -> bool:
    """Whether torch was built for ROCm (`tf.test.is_built_with_rocm`)."""
    return torch.version.hip is not None


def is_built_with_gpu_support() -> bool:
    """Whether torch was built for some GPU (`tf.test.is_built_with_gpu_support`)."""
    return is_built_with_cuda() or is_built_with_rocm() or torch.backends.mps.is_built()
