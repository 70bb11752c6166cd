"""Datasets and iterators in converted code: `for` loops and functions of Python on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...graph.autograph.entry import part_on_converter
from ...graph.autograph.settings import BUILTINS, FOR_LOOPS
from ...ops.convert import to_tensor
from ...ops.math.elementwise import logical_and
from ..dataset.dataset import Dataset
from ..iteration.iterator import Iterator


def for_dataset(iter_: Dataset, *arguments: Any) -> None:
    """A loop over the elements of a dataset. TF: it is a reduction, which relaxes shapes."""
    _for_iterator(iter(iter_), *arguments, True)


def _for_iterator(
    iter_: Iterator, extra_test: Callable[[], Any] | None, body: Callable[[Any], None],
    *rest: Any,
) -> None:  # fmt: skip
    """A loop over the elements that are left. It looks for the next one before it takes it, so
    that one that ends early leaves it there.
    """

    def test() -> Any:
        if extra_test is None:
            return iter_.has_next()
        return logical_and(to_tensor(extra_test()), iter_.has_next())

    def once() -> None:
        body(iter_.get_next())

    part_on_converter("loops").staged(test, once, *rest)


FOR_LOOPS[Dataset] = for_dataset
FOR_LOOPS[Iterator] = _for_iterator


def _len(dataset: Dataset) -> Any:
    return len(dataset) if LOCAL.state.target.is_eager else dataset.cardinality()


def _zip(*datasets: Any, strict: bool = False) -> Any:
    return Dataset.zip(datasets)


def _enumerate(dataset: Any, start: TensorLike | None = 0) -> Any:
    return dataset.enumerate(start)


def _map(function: Callable[..., Any], *datasets: Any) -> Any:
    return (datasets[0] if len(datasets) == 1 else Dataset.zip(datasets)).map(function)


def _filter(function: Callable[..., Any], dataset: Any) -> Any:
    return dataset.filter(function)


for _function, _answer in (
    (len, _len), (zip, _zip), (enumerate, _enumerate), (map, _map), (filter, _filter),
):  # fmt: skip
    BUILTINS.setdefault(_function, {})[Dataset] = _answer
