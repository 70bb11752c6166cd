"""`tf.random.experimental`."""

from ...eager.generator import (
    Generator,
    create_rng_state,
    get_global_generator,
    set_global_generator,
)
from ...ops.random.stateless import Algorithm, stateless_shuffle
from ...ops.random.stateless import fold_in as stateless_fold_in
from ...ops.random.stateless import split as stateless_split
