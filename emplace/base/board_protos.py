"""Protocol buffers of TensorFlow as TensorBoard brings them along, loaded when somebody asks."""

from __future__ import annotations

import importlib
from typing import Any


def board_proto(module: str, name: str) -> Any:
    """The message `name` of TensorBoard's file `module`, such as 'tensor_shape_pb2'."""
    return getattr(importlib.import_module(f"tensorboard.compat.proto.{module}"), name)
