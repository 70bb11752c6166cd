"""`tf.test`: what hardware there is."""

from ..observe.hardware import (
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_built_with_gpu_support as is_built_with_gpu_support,
    is_built_with_rocm as is_built_with_rocm,
    is_gpu_available as is_gpu_available,
)
