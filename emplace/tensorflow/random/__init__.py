"""`tf.random`."""

from ...eager.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from ...ops.random.distributions import (
    stateless_binomial,
    stateless_gamma,
    stateless_parameterized_truncated_normal,
    stateless_poisson,
)
from ...ops.random.stateful import (
    categorical,
    gamma,
    normal,
    poisson,
    set_seed,
    shuffle,
    truncated_normal,
    uniform,
)
from ...ops.random.stateless import (
    Algorithm,
    fold_in,
    split,
    stateless_categorical,
    stateless_normal,
    stateless_truncated_normal,
    stateless_uniform,
)
from ...ops.sampling.candidates import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from . import experimental
