"""What this build of the runtime contains (`tf.sysconfig`)."""

from __future__ import annotations

from typing import Any


def get_build_info() -> dict[str, Any]:
    """A dictionary of TensorFlow's entries (`tf.sysconfig.get_build_info`).

    Programs ask it how to lay out the parameters of GPU layers: cuDNN's order of gates, or that of
    ROCm. Ops for GPUs take cuDNN's here, whatever torch was built for and on virtual GPUs too; for
    what torch was built see `tf.test.is_built_with_cuda`.

    >>> get_build_info()["is_cuda_build"]
    True
    """
    return {"is_cuda_build": True, "is_rocm_build": False, "is_tensorrt_build": False}
