"""`tf.compat.v1.nn`: what has other arguments there; the rest is that of TF 2."""

from __future__ import annotations

import importlib
from typing import Any

from ....classic.functions.arrays import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from ....classic.functions.conv_gradients import (
    conv2d_backprop_filter as conv2d_backprop_filter,
    conv2d_backprop_input as conv2d_backprop_input,
    conv3d_backprop_filter as _conv3d_backprop_filter_v2,
    conv3d_backprop_filter as conv3d_backprop_filter,
)
from ....classic.functions.embeddings import (
    embedding_lookup as embedding_lookup,
    embedding_lookup_sparse as embedding_lookup_sparse,
    nce_loss as nce_loss,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
    sampled_softmax_loss as sampled_softmax_loss,
)
from ....classic.functions.nn import (
    avg_pool as _avg_pool2d,
    avg_pool as avg_pool,
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    conv1d as conv1d,
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    convolution_v1 as _convolution,
    crelu as crelu,
    depthwise_conv2d as depthwise_conv2d,
    dropout as dropout,
    in_top_k as in_top_k,
    log_softmax as log_softmax,
    max_pool as max_pool,
    moments_v1 as _moments,
    pool as pool,
    relu_layer as relu_layer,
    separable_conv2d as separable_conv2d,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax as softmax,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    sufficient_statistics as sufficient_statistics,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
    weighted_moments as weighted_moments,
    xw_plus_b as xw_plus_b,
)
from ....classic.functions.windows import (
    conv3d_transpose as conv3d_transpose,
    depthwise_conv2d_native as depthwise_conv2d_native,
    dilation2d as dilation2d,
    erosion2d as erosion2d,
    max_pool_with_argmax as max_pool_with_argmax,
)
from ....classic.models.rnn import (
    bidirectional_dynamic_rnn as bidirectional_dynamic_rnn,
    dynamic_rnn as dynamic_rnn,
    static_bidirectional_rnn as static_bidirectional_rnn,
    static_rnn as static_rnn,
)
from ....ops.nn.convolution import (
    depthwise_conv2d_backprop_filter as _depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_backprop_input as _depthwise_conv2d_native_backprop_input,
)
from ....ops.nn.ctc import (
    ctc_beam_search_decoder as _ctc_beam_search_decoder_v2,
    ctc_beam_search_decoder_v1 as _ctc_beam_search_decoder,
    ctc_loss as _ctc_loss_v2,
    ctc_loss_v1 as _ctc_loss,
)
from ....ops.nn.normalization import (
    fused_batch_norm as fused_batch_norm,
)
from ....ops.nn.pooling import (
    avg_pool as _avg_pool_v2,
    max_pool as _max_pool_v2,
)
from ....ops.sampling.candidates import (
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from . import (
    rnn_cell as rnn_cell,
)

# Names that differ from ours, as type checkers want them said.
avg_pool2d = _avg_pool2d
convolution = _convolution
moments = _moments
depthwise_conv2d_native_backprop_filter = _depthwise_conv2d_native_backprop_filter
depthwise_conv2d_native_backprop_input = _depthwise_conv2d_native_backprop_input
ctc_beam_search_decoder_v2 = _ctc_beam_search_decoder_v2
ctc_beam_search_decoder = _ctc_beam_search_decoder
ctc_loss_v2 = _ctc_loss_v2
ctc_loss = _ctc_loss
conv3d_backprop_filter_v2 = _conv3d_backprop_filter_v2
avg_pool_v2 = _avg_pool_v2
max_pool_v2 = _max_pool_v2


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.nn"), name)
