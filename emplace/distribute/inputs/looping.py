"""Functions of Python on distributed datasets in converted code: there is no end to see in a graph.

Without these they would go on for ever while a function is traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.context import LOCAL
from ...graph.autograph.settings import BUILTINS
from .inputs import DistributedDataset, DistributedIterator

_INSTEAD: dict[Callable[..., Any], str] = {
    enumerate: "Use a for loop over the dataset and keep a separate counter instead.",
    zip: "Zip the datasets with tf.data.Dataset.zip before they are distributed.",
    map: "Call the function in a for loop over the dataset.",
    filter: "Filter the dataset before it is distributed.",
    any: "Use a for loop over the dataset.",
    all: "Use a for loop over the dataset.",
}


def _refused(function: Callable[..., Any], kind: type) -> Callable[..., Any]:
    """What answers instead of a function of Python; in eager mode that function."""

    def answer(*args: Any, **kwargs: Any) -> Any:
        if LOCAL.state.target.is_eager:
            return function(*args, **kwargs)
        raise NotImplementedError(
            f"{function.__name__} not supported with {kind.__name__} types within tf.functions. "
            f"{_INSTEAD[function]}"
        )

    return answer


for _function in _INSTEAD:
    for _kind in (DistributedDataset, DistributedIterator):
        BUILTINS.setdefault(_function, {})[_kind] = _refused(_function, _kind)
