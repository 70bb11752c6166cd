"""`tf.estimator.inputs`: batches of arrays."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...base.dtypes import as_dtype
from ...base.errors import OutOfRangeError
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from ...graph.function.python_functions import numpy_function

Array = np.ndarray[Any, Any]


def numpy_input_fn(
    x: TensorLike, y: TensorLike | None = None, batch_size: int = 128, num_epochs: int | None = 1,
    shuffle: bool | None = None, queue_capacity: int = 1000, num_threads: int = 1,
) -> Callable[[], Any]:  # fmt: skip
    """A function that returns batches of arrays as tensors (`tf.estimator.inputs.numpy_input_fn`).

    Args:
        x: an array, or arrays by name; rows are examples.
        y: the labels: the same, or None.
        batch_size: examples per batch; the last one of all epochs may have fewer.
        num_epochs: how often the rows are gone through; None for ever.
        shuffle: whether in random order.
        queue_capacity: without effect: batches are cut when they are asked for.
        num_threads: without effect.

    Returns:
        An `input_fn`: it returns features, or (features, labels).

    Raises:
        ValueError: `shuffle` is not said, `x` is empty, or lengths differ.
        TypeError: `x` is neither an array nor a dictionary.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it "
            f"as True for training); got {shuffle}"
        )
    if not isinstance(x, (dict, np.ndarray)):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    if isinstance(x, dict) and not x:
        raise ValueError("x cannot be an empty dict")
    arrays = _arrays(x) + ([] if y is None else _arrays(y))
    if len({len(one_array) for one_array in arrays}) > 1:
        raise ValueError(
            "Length of tensors in x and y is mismatched. All elements in x and y must have the "
            f"same length.\nShapes: {[one_array.shape for one_array in arrays]}"
        )

    def input_fn() -> Any:
        batches = _Batches(arrays, batch_size, num_epochs, shuffle)
        types = [as_dtype(one_array.dtype) for one_array in arrays]
        tensors = numpy_function(batches.next, [], types)
        for tensor, array in zip(tensors, arrays, strict=True):
            tensor.set_shape([None, *array.shape[1:]])
        features = _like(x, tensors)
        return features if y is None else (features, _like(y, tensors[len(_arrays(x)) :]))

    return input_fn


def _arrays(value: TensorLike) -> list[Array]:
    return [np.asarray(each) for each in (value.values() if isinstance(value, dict) else [value])]


def _like(value: object, tensors: Tensor) -> Any:
    return dict(zip(value, tensors, strict=False)) if isinstance(value, dict) else tensors[0]


class _Batches:
    """Cuts batches; batches may be of two epochs."""

    def __init__(self, arrays: list[Array], size: int, epochs: int | None, shuffles: bool) -> None:
        self._arrays, self._size = arrays, size
        self._rows = _rows(len(arrays[0]), epochs, shuffles)
        self._lock = threading.Lock()

    def next(self) -> list[Array]:
        """The next batch of each array.

        Raises:
            OutOfRangeError: there is none.
        """
        with self._lock:
            rows = [row for _, row in zip(range(self._size), self._rows, strict=False)]
        if not rows:
            raise OutOfRangeError(None, None, "[numpy_input_fn] all epochs have been gone through.")
        return [each[rows] for each in self._arrays]


def _rows(count: int, epochs: int | None, shuffles: bool) -> Iterator[int]:
    rng = np.random.default_rng()
    epoch = 0
    while count and (epochs is None or epoch < epochs):
        yield from rng.permutation(count).tolist() if shuffles else range(count)
        epoch += 1
