"""Which replica runs, as a plain number that Python can branch by."""

from __future__ import annotations

from emplace import tensorflow as tf


def number_of_replica() -> int:
    """The number of the replica that runs, eagerly or while a function or a graph is recorded."""
    number = tf.distribute.get_replica_context().replica_id_in_sync_group
    return int(tf.get_static_value(number))
