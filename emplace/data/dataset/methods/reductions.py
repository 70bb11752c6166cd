"""The methods that make one value of all elements, now or as ops of a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....base.errors import invalid_argument
from ....base.typing import TensorLike
from ....core.context import LOCAL
from ....ops.infer import Spec
from ....ops.op import CPU_ONLY, apply, op
from ...elements.structure import Element, Structure, spec_of, to_element
from ...functions.traced import Traced, traced_over_states
from ...iteration.bound import BoundDataset
from ...iteration.node import Run
from ..base import DatasetBase


def reduce_kernel(
    dataset: BoundDataset, *values: Any, function: Traced, count: int, structure: Structure
) -> Element:
    """The state that is left when a function has taken all elements.

    Args:
        dataset: the elements.
        values: the first state, and what the function takes from outside.
        function: makes the next state of a state and an element.
        count: how many values the state is.
        structure: of the state.
    """
    state: Element = values[:count]
    bindings = dict(zip(map(id, function.captures), values[count:], strict=True))
    call = function.caller(Run(bindings))
    for index, element in enumerate(dataset.start()):
        state = function.called(call, (*state, *element), index)
    return state


def single_kernel(dataset: BoundDataset, *, structure: Structure) -> Element:
    """The only element."""
    items = dataset.start()
    first = next(items, None)
    if first is None:
        raise invalid_argument("Dataset was empty.")
    if next(items, None) is not None:
        raise invalid_argument("Dataset had more than one element.")
    return first


def _components(*inputs: Spec, structure: Structure, **attrs: Any) -> tuple[Spec, ...]:
    return structure.components


REDUCE = op(
    "ReduceDataset", "dataset: variant, state: N * any -> components: N * any", reduce_kernel,
    _components, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip
SINGLE = op(
    "DatasetToSingleElement", "dataset: variant -> components: N * any", single_kernel,
    _components, device_types=CPU_ONLY, stateful=True, is_listed=False,
)  # fmt: skip


def reduced(dataset: DatasetBase, state: TensorLike, function: Traced, before: Structure) -> Any:
    """What is left of a state when a function has taken all elements."""
    tensors = before.tensors(state)
    if not LOCAL.state.target.is_eager:
        attrs = {"function": function, "count": len(tensors), "structure": before}
        inputs = (dataset.variant_tensor(), *tensors, *function.captures)
        return before.value(_listed(apply(REDUCE, inputs, attrs)))
    run = Run()
    made = reduce_kernel(
        dataset.bound_dataset(), *map(run.raw, tensors), function=function, count=len(tensors),
        structure=before,
    )  # fmt: skip
    return before.packer()(made)


def single(dataset: DatasetBase) -> Any:
    """The only element of a dataset."""
    structure = dataset.node.structure
    if not LOCAL.state.target.is_eager:
        made = apply(SINGLE, (dataset.variant_tensor(),), {"structure": structure})
        return structure.value(_listed(made))
    return structure.packer()(single_kernel(dataset.bound_dataset(), structure=structure))


def _listed(made: object) -> list[Any]:
    return made if isinstance(made, list) else [made]


class Reductions(DatasetBase):
    """Makes one value of all elements."""

    def reduce(
        self, initial_state: TensorLike, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """Returns the state that is left when a function has taken all elements
        (`tf.data.Dataset.reduce`).

        Args:
            initial_state: the first state.
            reduce_func: takes the state and an element, returns the next state.
            name: not used.

        Raises:
            TypeError: it returns another kind of state.

        >>> import numpy as np
        >>> int(tf.data.Dataset.range(4).reduce(np.int64(0), lambda state, x: state + x))
        6
        """
        state = to_element(initial_state)
        before = Structure(spec_of(state))
        function, all_states = traced_over_states(
            reduce_func, before, self.node.structure, "Reduce"
        )
        return reduced(self, state, function, all_states)

    def get_single_element(self, name: str | None = None) -> Any:
        """Returns the only element (`tf.data.Dataset.get_single_element`).

        Raises:
            InvalidArgumentError: there is none, or more than one.

        >>> int(tf.data.Dataset.from_tensors(7).get_single_element())
        7
        """
        return single(self)
