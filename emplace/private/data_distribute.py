"""`tensorflow.python.data.experimental.ops.distribute`: how large the batches of a dataset are."""

from ..data.library.batch_sizes import batch_sizes_for_worker, compute_batch_size

__all__ = ["batch_sizes_for_worker", "compute_batch_size"]
