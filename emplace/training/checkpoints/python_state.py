"""Python objects in checkpoints (`tf.train.experimental.PythonState`)."""

from __future__ import annotations

from typing import Any

from ...base import dtypes
from ...core.context import LOCAL
from ...core.tracking import Trackable
from ...eager.target import eagerly
from ...graph.function.python_functions import numpy_function
from ...ops.convert import to_tensor

_NAME = "py_state"


class PythonState(Trackable):
    """Something of the program's own that a checkpoint saves as text or bytes. A subclass says
    how; it is asked whenever a checkpoint is saved or restored.

    >>> import emplace.tensorflow as tf
    >>> class Lines(PythonState):
    ...     lines = ()
    ...     def serialize(self):
    ...         return chr(10).join(self.lines)
    ...     def deserialize(self, string_value):
    ...         self.lines = string_value.decode().split(chr(10))
    """

    def serialize(self) -> str | bytes:
        """What is saved."""
        raise NotImplementedError

    def deserialize(self, string_value: bytes) -> None:
        """Takes what was saved."""
        raise NotImplementedError

    def _serialize_to_tensors(self) -> dict[str, Any]:
        target: Any = LOCAL.state.target
        if not target.is_eager and target.graph.is_function:
            # The object is asked whenever the function runs.
            return {_NAME: numpy_function(self.serialize, [], dtypes.string)}
        # A session's graph does not grow by what is saved.
        return {_NAME: eagerly(lambda: to_tensor(self.serialize(), dtypes.string))}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.deserialize(restored_tensors[_NAME].numpy())
