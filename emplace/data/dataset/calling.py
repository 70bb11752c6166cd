"""The methods that call a function of the program for each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...base.errors import invalid_argument
from ...base.typing import IntLike, TensorLike
from ...ops.random.stateful import host_seeds
from ..elements.structure import Structure, spec_of, to_element
from ..functions.traced import Traced
from ..iteration.node import AUTOTUNE, parameter
from ..nodes.mixing import IgnoreErrors, Resample
from ..nodes.threads import ParallelMap
from ..nodes.transforms import Filter, Map, Scan, TakeWhile
from .choosing import Choosing
from .reductions import reduced


class Calling(Choosing):
    """Calls functions for elements."""

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Any:  # fmt: skip
        """What a function makes of each element (`tf.data.Dataset.map`).

        The function is traced once, as by `tf.function`, and runs on the host.

        Args:
            map_func: takes an element; the parts of a tuple as several arguments.
            num_parallel_calls: how many threads may call it; `tf.data.AUTOTUNE` leaves that to
                us. Elements keep their order.
            deterministic: not needed.
            synchronous: not needed.
            use_unbounded_threadpool: not needed.
            name: not used.

        >>> [int(x) for x in Choosing.range(3).map(lambda x: x * 2)]
        [0, 2, 4]
        """
        function = traced(map_func, [self._node.structure], "Map")
        if not function.structure.components:
            raise invalid_argument(
                "Length for attr 'output_shapes' of 0 must be at least minimum 1: the function "
                "passed to `map` must return a tensor. [Op:MapDataset] name: "
            )
        if num_parallel_calls is None:
            return self._made(Map(self._node, function))
        calls = parameter(num_parallel_calls)
        if isinstance(calls, int) and calls < 1 and calls != AUTOTUNE:
            raise invalid_argument(
                "num_parallel_calls must be greater than zero. [Op:ParallelMapDatasetV2] name: "
            )
        return self._made(ParallelMap(self._node, function, calls))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements for which a function is true (`tf.data.Dataset.filter`).

        Raises:
            ValueError: `predicate` does not return one bool.

        >>> [int(x) for x in Choosing.range(4).filter(lambda x: x > 1)]
        [2, 3]
        """
        function = traced(predicate, [self._node.structure], "Filter")
        return self._made(Filter(self._node, function))

    def take_while(self, predicate: Callable[..., Any], name: str | None = None) -> Any:
        """The elements before the first for which a function is false
        (`tf.data.Dataset.take_while`).

        >>> [int(x) for x in Choosing.range(9).take_while(lambda x: x < 2)]
        [0, 1]
        """
        function = traced(predicate, [self._node.structure], "TakeWhile")
        return self._made(TakeWhile(self._node, function))

    def scan(
        self, initial_state: TensorLike, scan_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """What a function makes of a state and of each element (`tf.data.Dataset.scan`).

        Args:
            initial_state: the first state.
            scan_func: takes the state and an element, returns the next state and what to give.
            name: not used.

        Raises:
            TypeError: it returns something else.

        >>> import numpy as np
        >>> [int(x) for x in Choosing.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))]
        [0, 1, 3, 6]
        """
        state = to_element(initial_state)
        before = Structure(spec_of(state))
        function = traced(scan_func, [before, self._node.structure], "Scan")
        made = function.element
        if not isinstance(made, tuple) or len(made) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and "
                f"the output value but its return type is {function.structure.spec}."
            )
        check_state(before, Structure(spec_of(made[0])), "Scan")
        node = Scan(self._node, before.tensors(state), function, Structure(spec_of(made[1])))
        return self._made(node)

    def rejection_resample(
        self, class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None,
        seed: int | None = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """Pairs of a class and an element, of which some are left out by chance
        (`tf.data.Dataset.rejection_resample`).

        Args:
            class_func: tells the class of an element: a scalar of int32.
            target_dist: the share that each class is to have.
            initial_dist: the share that it has; None to count on the way.
            seed: makes the chances repeatable.
            name: not used.
        """
        function = traced(class_func, [self._node.structure], "RejectionResample")
        shares = [None if x is None else to_element(x).numpy() for x in (target_dist, initial_dist)]
        return self._made(Resample(self._node, function, shares, host_seeds(seed)))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Any:
        """The elements that do not fail (`tf.data.Dataset.ignore_errors`).

        Args:
            log_warning: say which fail.
            name: not used.

        >>> [int(x) for x in Choosing.range(3).map(lambda x: 2 // x).ignore_errors()]
        [2, 1]
        """
        return self._made(IgnoreErrors(self._node, bool(log_warning)))

    def reduce(
        self, initial_state: TensorLike, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The state that is left when a function has taken all elements
        (`tf.data.Dataset.reduce`).

        Args:
            initial_state: the first state.
            reduce_func: takes the state and an element, returns the next state.
            name: not used.

        Raises:
            TypeError: it returns another kind of state.

        >>> import numpy as np
        >>> int(Choosing.range(4).reduce(np.int64(0), lambda state, x: state + x))
        6
        """
        state = to_element(initial_state)
        before = Structure(spec_of(state))
        function = traced(reduce_func, [before, self._node.structure], "Reduce")
        check_state(before, function.structure, "Reduce")
        return reduced(self, state, function, before)


def traced(function: Callable[..., Any], arguments: list[Structure], who: str) -> Traced:
    """A function of the program, traced.

    Raises:
        ValueError: it cannot be called.
    """
    if not callable(function):
        raise ValueError(
            f"Argument `func` must be a callable. Received func={function!r} (of type "
            f"{type(function)})"
        )
    return Traced(function, arguments, f"{who}Dataset")


def check_state(before: Structure, after: Structure, who: str) -> None:
    """Raises TypeError unless a state has become one of the same kind."""
    if len(before.components) != len(after.components):
        raise invalid_argument(
            "The number of components of the initial state and the reduce function output does "
            f"not match. (initial_state={len(before.components)}, "
            f"output={len(after.components)})."
        )
    for old, new in zip(before.components, after.components, strict=True):
        if old.dtype is not new.dtype:
            raise TypeError(
                "The element types for the new state must match the initial state. Expected "
                f"{old.dtype} but got {new.dtype}."
            )
