"""`tf.nn`."""

from ..distribute.strategies.loss import (
    compute_average_loss as compute_average_loss,
    scale_regularization_loss as scale_regularization_loss,
)
from ..ops.array.space import (
    depth_to_space as depth_to_space,
    space_to_batch as space_to_batch,
    space_to_depth as space_to_depth,
)
from ..ops.array.top_k import (
    approx_max_k as approx_max_k,
    approx_min_k as approx_min_k,
    in_top_k as in_top_k,
    top_k as top_k,
)
from ..ops.math.elementwise import (
    sigmoid as sigmoid,
    tanh as tanh,
)
from ..ops.math.statistics import (
    zero_fraction as zero_fraction,
)
from ..ops.nn.activation import (
    bias_add as bias_add,
    crelu as crelu,
    elu as elu,
    gelu as gelu,
    leaky_relu as leaky_relu,
    log_softmax as log_softmax,
    relu as relu,
    relu6 as relu6,
    selu as selu,
    silu as silu,
    softmax as softmax,
    softplus as softplus,
    softsign as softsign,
)
from ..ops.nn.convolution import (
    atrous_conv2d as atrous_conv2d,
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    conv1d as conv1d,
    conv1d_transpose as conv1d_transpose,
    conv2d as conv2d,
    conv2d_transpose as conv2d_transpose,
    conv3d as conv3d,
    conv3d_transpose as conv3d_transpose,
    conv_transpose as conv_transpose,
    convolution as convolution,
    depthwise_conv2d as depthwise_conv2d,
    depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
    separable_conv2d as separable_conv2d,
)
from ..ops.nn.ctc import (
    collapse_repeated as collapse_repeated,
    ctc_beam_search_decoder as ctc_beam_search_decoder,
    ctc_greedy_decoder as ctc_greedy_decoder,
    ctc_loss as ctc_loss,
)
from ..ops.nn.ctc_unique import ctc_unique_labels as ctc_unique_labels
from ..ops.nn.dropout import (
    dropout as dropout,
)
from ..ops.nn.embedding import (
    embedding_lookup as embedding_lookup,
)
from ..ops.nn.local_response import (
    local_response_normalization as local_response_normalization,
)
from ..ops.nn.loss import (
    l2_loss as l2_loss,
    log_poisson_loss as log_poisson_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from ..ops.nn.moments import (
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    batch_normalization as batch_normalization,
    l2_normalize as l2_normalize,
    moments as moments,
    normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
)
from ..ops.nn.morphology import (
    dilation2d as dilation2d,
    erosion2d as erosion2d,
)
from ..ops.nn.pooling import (
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    max_pool_with_argmax as max_pool_with_argmax,
    pool as pool,
)
from ..ops.sampling.candidates import (
    all_candidate_sampler as all_candidate_sampler,
    compute_accidental_hits as compute_accidental_hits,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
)
from ..ops.sampling.losses import (
    nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss,
)
from ..ops.sparse.rows import (
    embedding_lookup_sparse as embedding_lookup_sparse,
    safe_embedding_lookup_sparse as safe_embedding_lookup_sparse,
)
from . import (
    nn_experimental as _experimental,
)

# Names that differ from ours, as type checkers want them said.
experimental = _experimental

lrn = local_response_normalization
swish = silu
