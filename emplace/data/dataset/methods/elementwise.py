"""The methods that make something of each element, one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.errors import invalid_argument
from ....base.typing import IntLike, TensorLike
from ...elements.structure import Structure, spec_of, to_element
from ...functions.traced import check_state, traced, wider_state
from ...iteration.node import AUTOTUNE, parameter
from ...nodes.mixing import IgnoreErrors
from ...nodes.sources import Range
from ...nodes.threads import ParallelMap
from ...nodes.transforms import Map, Scan, Zip
from ..base import DatasetBase

if TYPE_CHECKING:
    from ..dataset import Dataset

_MOST = 2**63 - 1


class Elementwise(DatasetBase):
    """Makes something of each element."""

    def map(
        self, map_func: Callable[..., Any], num_parallel_calls: IntLike | None = None,
        deterministic: bool | None = None, synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Replaces each element by what a function makes of it (`tf.data.Dataset.map`).

        The function is traced once, as by `tf.function`, and runs on the host.

        Args:
            map_func: takes an element; the parts of a tuple as several arguments.
            num_parallel_calls: how many threads may call it; `tf.data.AUTOTUNE` leaves that to
                us. Elements keep their order.
            deterministic: not needed.
            synchronous: not needed.
            use_unbounded_threadpool: not needed.
            name: not used.

        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * 2)]
        [0, 2, 4]
        """
        function = traced(map_func, [self.node.structure], "Map")
        if not function.structure.components:
            raise invalid_argument(
                "Length for attr 'output_shapes' of 0 must be at least minimum 1: the function "
                "passed to `map` must return a tensor. [Op:MapDataset] name: "
            )
        if num_parallel_calls is None:
            return self.of_node(Map(self.node, function))
        calls = parameter(num_parallel_calls)
        if isinstance(calls, int) and calls < 1 and calls != AUTOTUNE:
            raise invalid_argument(
                "num_parallel_calls must be greater than zero. [Op:ParallelMapDatasetV2] name: "
            )
        return self.of_node(ParallelMap(self.node, function, calls))

    def scan(
        self, initial_state: TensorLike, scan_func: Callable[..., Any], name: str | None = None
    ) -> Dataset:
        """Replaces each element by what a function makes of it and of a state, which goes along
        (`tf.data.Dataset.scan`).

        Args:
            initial_state: the first state.
            scan_func: takes the state and an element, returns the next state and what to give.
            name: not used.

        Raises:
            TypeError: it returns something else.

        >>> import numpy as np
        >>> numbers = tf.data.Dataset.range(4)
        >>> [int(x) for x in numbers.scan(np.int64(0), lambda s, x: (s + x, s + x))]
        [0, 1, 3, 6]
        """
        state = to_element(initial_state)
        before = Structure(spec_of(state))
        function = traced(scan_func, [before, self.node.structure], "Scan")
        outputs = function.element
        if not isinstance(outputs, tuple) or len(outputs) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and "
                f"the output value but its return type is {function.structure.spec}."
            )
        after = Structure(spec_of(outputs[0]))
        check_state(before, after, "Scan")
        wider = wider_state(before, after)
        while wider is not None:  # TF: the shapes that all states share
            function = traced(scan_func, [wider, self.node.structure], "Scan")
            outputs = function.element
            wider = wider_state(wider, Structure(spec_of(outputs[0])))
        node = Scan(self.node, before.tensors(state), function, Structure(spec_of(outputs[1])))
        return self.of_node(node)

    def enumerate(self, start: TensorLike = 0, name: str | None = None) -> Dataset:
        """Gives the elements their numbers (`tf.data.Dataset.enumerate`).

        >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(5, 7).enumerate(start=1)]
        [(1, 5), (2, 6)]
        """
        numbers = Range(parameter(start), _MOST, 1, dtypes.int64)
        marks = (None, None)
        return self.of_node(Zip([numbers, self.node], marks))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """Drops the elements that fail (`tf.data.Dataset.ignore_errors`).

        Args:
            log_warning: say which fail.
            name: not used.

        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: 2 // x).ignore_errors()]
        [2, 1]
        """
        return self.of_node(IgnoreErrors(self.node, bool(log_warning)))
