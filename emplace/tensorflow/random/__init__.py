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
from . import experimental
