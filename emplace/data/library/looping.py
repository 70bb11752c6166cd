"""Datasets and iterators in converted code: `for` loops and functions of Python on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base import nest
from ...base.dtypes import bool_, int64
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.tensor_spec import TensorSpec
from ...graph.autograph.entry import part_on_converter
from ...graph.autograph.settings import BUILTINS, FOR_LOOPS
from ...ops.array.barrier import stop_gradient
from ...ops.convert import to_tensor
from ...ops.debugging.checks import Assert
from ...ops.math.elementwise import (
    abs as tensor_abs,
    greater_equal,
    logical_and,
    logical_not,
    logical_or,
)
from ...ops.strings.basic import join
from ...ops.strings.numbers import as_string
from ..dataset.dataset import Dataset
from ..iteration.iterator import Iterator


def for_dataset(iter_: Dataset, *arguments: Any) -> None:
    """A loop over the elements of a dataset. TF: it is a reduction, which relaxes shapes and knows
    no `maximum_iterations`.
    """
    *rest, options = arguments
    options = {key: value for key, value in options.items() if key != "maximum_iterations"}
    made = iter(iter_)
    for_elements(made, made.get_next, *rest, options, True)


def _for_constants(
    iter_: Dataset, extra_test: Any, body: Callable[[Any], None], get_state: Callable[[], Any],
    set_state: Callable[[Any], None], *rest: Any,
) -> None:  # fmt: skip
    """The same loop, through which no gradient passes. TF: reductions of datasets have none; loops
    over iterators and over distributed datasets do.
    """
    for_dataset(iter_, extra_test, body, get_state, set_state, *rest)
    symbols, state = part_on_converter("symbols"), get_state()
    constants = [stop_gradient(each) for each in symbols.carried(state)]
    set_state(tuple(symbols.packed(state, constants)))


def _for_iterator(iter_: Iterator, *arguments: Any) -> None:
    """A loop over the elements that are left."""
    for_elements(iter_, iter_.get_next, *arguments)


def for_elements(
    iter_: Iterator, get_next: Callable[[], Any], extra_test: Callable[[], Any] | None,
    body: Callable[[Any], None], *rest: Any,
) -> None:  # fmt: skip
    """A loop over the elements that an iterator has left. It looks for the next one before it
    takes it, so that one that ends early leaves it there.

    Args:
        iter_: the iterator.
        get_next: takes its next element.
        extra_test: whether to go on besides.
        body: what to do with an element.
        rest: of the loop.
    """

    def test() -> Any:
        if extra_test is None:
            return iter_.has_next()
        return logical_and(to_tensor(extra_test()), iter_.has_next())

    def once() -> None:
        body(get_next())

    part_on_converter("loops").staged(test, once, *rest)


FOR_LOOPS[Dataset] = _for_constants
FOR_LOOPS[Iterator] = _for_iterator


def _len(dataset: Dataset) -> Any:
    if LOCAL.state.target.is_eager:
        return len(dataset)
    count = dataset.cardinality()
    told = join(["len requires dataset with definitive cardinality, got ", as_string(count)])
    Assert(greater_equal(count, to_tensor(0, int64)), [told])
    return count


def _zip(*datasets: Any, strict: bool = False) -> Any:
    return Dataset.zip(datasets)


def _enumerate(dataset: Any, start: TensorLike | None = 0) -> Any:
    return dataset.enumerate(start)


def _map(function: Callable[..., Any], *datasets: Any) -> Any:
    return (datasets[0] if len(datasets) == 1 else Dataset.zip(datasets)).map(function)


def _filter(function: Callable[..., Any], dataset: Any) -> Any:
    return dataset.filter(function)


def _abs(dataset: Any) -> Any:
    def of_each(*element: Any) -> Any:
        return nest.map_structure(tensor_abs, element if len(element) > 1 else element[0])

    return dataset.map(of_each)


def _any(dataset: Any) -> Any:
    if LOCAL.state.target.is_eager:
        return any(dataset)
    return (
        _of_bools(dataset, "any").filter(lambda x: x).take(1).reduce(to_tensor(False), logical_or)
    )


def _all(dataset: Any) -> Any:
    if LOCAL.state.target.is_eager:
        return all(dataset)
    wrong = _of_bools(dataset, "all").map(logical_not).filter(lambda x: x)
    return logical_not(wrong.take(1).reduce(to_tensor(False), logical_or))


def _of_bools(dataset: Any, name: str) -> Any:
    spec = dataset.element_spec
    if not isinstance(spec, TensorSpec) or spec.dtype is not bool_:
        raise ValueError(
            f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; '
            f"got: {spec}"
        )
    return dataset


for _function, _answer in (
    (len, _len), (zip, _zip), (enumerate, _enumerate), (map, _map), (filter, _filter),
    (abs, _abs), (any, _any), (all, _all),
):  # fmt: skip
    BUILTINS.setdefault(_function, {})[Dataset] = _answer
