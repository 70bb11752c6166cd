"""`tf.random.experimental`."""

from ...eager.generator import (
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from ...ops.random.index_shuffle import index_shuffle as index_shuffle
from ...ops.random.seeds import Algorithm as Algorithm
from ...ops.random.stateless import (
    fold_in as _stateless_fold_in,
    split as _stateless_split,
    stateless_shuffle as stateless_shuffle,
)

# Names that differ from ours, as type checkers want them said.
stateless_fold_in = _stateless_fold_in
stateless_split = _stateless_split
