"""What a saver of TF 1 writes of an iterator."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...base.dtypes import DType, string
from ...core.tensor import Tensor
from ...ops.op import apply
from ..dataset.options import ExternalStatePolicy
from ..iteration.iterator import DESERIALIZE, SERIALIZE, Iterator


class SaveSpec(NamedTuple):
    """A tensor that a saver writes.

    Fields:
        tensor: the tensor.
        name: its name in a checkpoint.
        dtype: its dtype.
        slice_spec: empty: it is written whole.
        device: where it is; empty for the host.
    """

    tensor: Any
    name: str
    dtype: DType = string
    slice_spec: str = ""
    device: str = ""


class IteratorSaveable:
    """An iterator as what a saver can write (`tf.compat.v1.train.Saver`).

    Attributes:
        op: the handle.
        name: the name of the handle.
        specs: the tensors that are written.
    """

    def __init__(self, handle: Tensor, policy: ExternalStatePolicy) -> None:
        self.op, self.name = handle, handle.name
        state = apply(SERIALIZE, (handle,), {"external_state_policy": policy.value})
        self.specs = [SaveSpec(state, f"{handle.name}_STATE")]

    def restore(self, restored_tensors: Any, restored_shapes: Any = None) -> Any:
        """The operation that lets the iterator go on where it was saved."""
        return apply(DESERIALIZE, (self.op, restored_tensors[0]))


def make_saveable_from_iterator(
    iterator: Iterator, external_state_policy: str | ExternalStatePolicy | None = None
) -> IteratorSaveable:
    """An iterator of a graph as what `tf.compat.v1.train.Saver` writes and reads
    (`tf.data.experimental.make_saveable_from_iterator`). Add it to the collection
    `tf.compat.v1.GraphKeys.SAVEABLE_OBJECTS`, or hand it to the saver. In TF 2 use
    `tf.train.Checkpoint`, which takes iterators as they are.

    Args:
        iterator: the iterator.
        external_state_policy: what to do where a function of the dataset has a state that is
            elsewhere: "fail", "warn" or "ignore", or an `ExternalStatePolicy`; "fail" if None.

    Raises:
        ValueError: it is no policy.
        AttributeError: it is an iterator of eager mode, which has no name.
    """
    policy = external_state_policy
    if policy is None:
        policy = "fail"
    if not isinstance(policy, ExternalStatePolicy):
        if policy not in ("warn", "ignore", "fail"):
            raise ValueError(
                "Invalid `ExternalStatePolicy.` Supported values include 'warn', 'ignore', and "
                f"'fail.' Received {policy}."
            )
        policy = ExternalStatePolicy[policy.upper()]
    return IteratorSaveable(iterator._handle, policy)
