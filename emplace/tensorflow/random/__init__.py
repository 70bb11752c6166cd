"""`tf.random`."""

from ...eager.generator import (
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from ...ops.random.distributions import (
    stateless_binomial as stateless_binomial,
    stateless_gamma as stateless_gamma,
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    stateless_poisson as stateless_poisson,
)
from ...ops.random.seeds import Algorithm as Algorithm
from ...ops.random.stateful import (
    categorical as categorical,
    gamma as gamma,
    normal as normal,
    poisson as poisson,
    set_seed as set_seed,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from ...ops.random.stateless import (
    fold_in as fold_in,
    split as split,
    stateless_categorical as stateless_categorical,
    stateless_normal as stateless_normal,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)
from ...ops.sampling.candidates import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from . import (
    experimental as experimental,
)
