"""`tf.compat.v1.nn`: what has other arguments there; the rest is that of TF 2."""

from __future__ import annotations

import importlib
from typing import Any

from ....classic.functions.nn import (
    avg_pool,
    conv1d,
    conv2d,
    conv2d_transpose,
    conv3d,
    depthwise_conv2d,
    dropout,
    embedding_lookup,
    embedding_lookup_sparse,
    in_top_k,
    log_softmax,
    max_pool,
    nce_loss,
    pool,
    relu_layer,
    sampled_softmax_loss,
    separable_conv2d,
    sigmoid_cross_entropy_with_logits,
    softmax,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
    weighted_moments,
    xw_plus_b,
)
from ....classic.functions.nn import convolution_v1 as convolution
from ....classic.functions.nn import moments_v1 as moments
from ....classic.models.rnn import (
    bidirectional_dynamic_rnn,
    dynamic_rnn,
    static_bidirectional_rnn,
    static_rnn,
)
from ....ops.nn.convolution import (
    depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter,
)
from ....ops.nn.convolution import (
    depthwise_conv2d_backprop_input as depthwise_conv2d_native_backprop_input,
)
from ....ops.nn.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder_v2
from ....ops.nn.ctc import ctc_beam_search_decoder_v1 as ctc_beam_search_decoder
from ....ops.nn.ctc import ctc_loss as ctc_loss_v2
from ....ops.nn.ctc import ctc_loss_v1 as ctc_loss
from ....ops.nn.normalization import fused_batch_norm
from ....ops.nn.pooling import avg_pool as avg_pool_v2
from ....ops.nn.pooling import max_pool as max_pool_v2
from ....ops.sampling.candidates import (
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from . import rnn_cell


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("emplace.tensorflow.nn"), name)
