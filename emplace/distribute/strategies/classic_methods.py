"""What strategies of TF 1 have besides: iterators that sessions start, and steps on them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ...base.typing import Axis
from ...data.dataset.dataset import Dataset
from ...data.library.v1 import DatasetV1
from ..inputs.classic_inputs import CallableIterator, checked, iterator_of
from ..inputs.inputs import InputContext, InputReplicationMode, in_turn, on_devices
from ..replicas.values import ReduceOp


class Iterators:
    """The iterators of TF 1's strategies, which those of TF 2 have too, though nobody tells."""

    def make_dataset_iterator(self: Any, dataset: Dataset) -> Any:
        """An iterator whose elements are batches for all replicas: each batch of `dataset` is cut
        into as many parts. `initialize()` is the operation that starts it.

        Args:
            dataset: a dataset of batches of the global size.
        """
        splits = self.num_replicas_in_sync > 1
        return iterator_of(on_devices(dataset, self, splits=splits, options=None))

    def make_input_fn_iterator(
        self: Any, input_fn: Callable[..., Any],
        replication_mode: InputReplicationMode = InputReplicationMode.PER_WORKER,
    ) -> Any:  # fmt: skip
        """An iterator over what a function makes. `initialize()` is the operation that starts it.

        Args:
            input_fn: takes an `InputContext`; returns a dataset of batches of a replica's size, of
                which each replica gets one in turn, or a function, which is called for each.
            replication_mode: one pipeline for all replicas.

        Raises:
            ValueError: another mode, or the function returns something else.
        """
        if replication_mode is not InputReplicationMode.PER_WORKER:
            raise ValueError(
                f"Input replication mode not supported: {replication_mode}. Use "
                "tf.distribute.InputReplicationMode.PER_WORKER."
            )
        context = InputContext(num_replicas_in_sync=self.num_replicas_in_sync)
        dataset, function = checked(input_fn(context))
        if dataset is None:
            return CallableIterator(function, self)
        return iterator_of(in_turn(dataset, self, None))


class ClassicMethods(Iterators):
    """The methods of `tf.compat.v1.distribute.Strategy` that `tf.distribute.Strategy` lacks."""

    def reduce(self, reduce_op: ReduceOp | str, value: object, axis: Axis | None = None) -> Any:
        """Reduces a value as `Strategy.reduce` does; the axis may be left out.

        Args:
            reduce_op: "SUM", "MEAN" or a `ReduceOp`.
            value: a distributed value, or a structure of them.
            axis: what is reduced in each replica besides; None for nothing.
        """
        return super().reduce(reduce_op, value, axis)  # type: ignore[misc]

    def experimental_make_numpy_dataset(self, numpy_input: Any, session: object = None) -> Any:
        """A dataset of the rows of arrays.

        Args:
            numpy_input: arrays, or a structure of them.
            session: not needed.
        """
        return DatasetV1.from_tensor_slices(numpy_input)

    def configure(
        self, session_config: Any = None, cluster_spec: Any = None, task_type: str | None = None,
        task_id: Any = None,
    ) -> None:  # fmt: skip
        """Does nothing: there is one machine.

        Args:
            session_config: not used.
            cluster_spec: not used.
            task_type: not used.
            task_id: not used.
        """

    def update_config_proto(self, config_proto: Any) -> Any:
        """A copy of a session's config for this strategy."""
        made = copy.deepcopy(config_proto)
        made.isolate_session_state = True
        return made

    def colocate_vars_with(self: Any, colocate_with_variable: Any) -> Any:
        """A scope whose variables are where another one is."""
        return self.extended.colocate_vars_with(colocate_with_variable)
