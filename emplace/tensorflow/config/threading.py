"""`tf.config.threading`."""

from ...devices.config import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
