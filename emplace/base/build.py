"""What this build of the runtime contains (`tf.sysconfig`)."""

from __future__ import annotations

from typing import Any


def get_build_info() -> dict[str, Any]:
    """A dictionary of TensorFlow's entries (`tf.sysconfig.get_build_info`).

    Emplace has no compiled code of its own, for CUDA or anything else: torch has. Programs that
    look for TensorFlow's own GPU kernels are told that there are none.

    >>> get_build_info()["is_cuda_build"]
    False
    """
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}
