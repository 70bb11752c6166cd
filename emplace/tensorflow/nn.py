"""`tf.nn`."""

from ..distribute.strategies.loss import (
    compute_average_loss,
    scale_regularization_loss,
)
from ..ops.array.space import (
    depth_to_space,
    space_to_batch,
    space_to_depth,
)
from ..ops.array.top_k import (
    approx_max_k,
    approx_min_k,
    in_top_k,
    top_k,
)
from ..ops.math.elementwise import (
    sigmoid,
    tanh,
)
from ..ops.math.statistics import (
    zero_fraction,
)
from ..ops.nn.activation import (
    bias_add,
    crelu,
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    silu,
    softmax,
    softplus,
    softsign,
)
from ..ops.nn.convolution import (
    atrous_conv2d,
    atrous_conv2d_transpose,
    conv1d,
    conv1d_transpose,
    conv2d,
    conv2d_transpose,
    conv3d,
    conv3d_transpose,
    conv_transpose,
    convolution,
    depthwise_conv2d,
    depthwise_conv2d_backprop_filter,
    depthwise_conv2d_backprop_input,
    separable_conv2d,
)
from ..ops.nn.ctc import (
    collapse_repeated,
    ctc_beam_search_decoder,
    ctc_greedy_decoder,
    ctc_loss,
)
from ..ops.nn.dropout import (
    dropout,
)
from ..ops.nn.embedding import (
    embedding_lookup,
)
from ..ops.nn.local_response import (
    local_response_normalization,
)
from ..ops.nn.loss import (
    l2_loss,
    log_poisson_loss,
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits,
)
from ..ops.nn.moments import (
    batch_norm_with_global_normalization,
    batch_normalization,
    l2_normalize,
    moments,
    normalize_moments,
    sufficient_statistics,
    weighted_moments,
)
from ..ops.nn.morphology import (
    dilation2d,
    erosion2d,
)
from ..ops.nn.pooling import (
    avg_pool,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    max_pool,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_pool_with_argmax,
    pool,
)
from ..ops.sampling.candidates import (
    all_candidate_sampler,
    compute_accidental_hits,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
)
from ..ops.sampling.losses import (
    nce_loss,
    sampled_softmax_loss,
)
from ..ops.sparse.rows import (
    embedding_lookup_sparse,
    safe_embedding_lookup_sparse,
)
from . import (
    nn_experimental as experimental,
)

lrn = local_response_normalization
swish = silu
