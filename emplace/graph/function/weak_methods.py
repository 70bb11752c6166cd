"""What stands for an object that a method outlives."""

from __future__ import annotations

from typing import Any

from ...base.typing import TensorLike


class ReleasedObject:
    """What a method gets for an object that is gone."""

    def __init__(self, method: str) -> None:
        object.__setattr__(self, "_method", method)

    def __getattr__(self, name: str) -> Any:
        raise ReferenceError(
            f"{object.__getattribute__(self, '_method')}() is a method of an object that is gone: "
            "a tf.function does not keep alive the object that it is a method of. Hold the object "
            f"in a variable. (It was asked for {name!r}.)"
        )

    def __setattr__(self, name: str, value: TensorLike) -> None:
        self.__getattr__(name)
