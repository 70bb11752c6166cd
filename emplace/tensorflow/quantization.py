"""`tf.quantization`."""

from ..ops.quantization.fake import (
    fake_quant_with_min_max_args,
    fake_quant_with_min_max_args_gradient,
    fake_quant_with_min_max_vars,
    fake_quant_with_min_max_vars_gradient,
    fake_quant_with_min_max_vars_per_channel,
    fake_quant_with_min_max_vars_per_channel_gradient,
)
from ..ops.quantization.round_trip import (
    quantize_and_dequantize,
    quantize_and_dequantize_v2,
)
from ..ops.quantization.scales import dequantize, quantize, quantized_concat
