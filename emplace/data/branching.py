"""The methods that make datasets of elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import dtypes
from ..base.errors import invalid_argument
from ..graph.autograph.settings import do_not_convert
from ..graph.function import AUTOGRAPH
from ..ops.convert import to_tensor
from ..ops.math.elementwise import cast
from .base import DatasetSpec
from .calling import traced
from .grouping import Grouping
from .nested import FlatMap, GroupByWindow, Interleave, Window
from .node import AUTOTUNE, parameter
from .structure import Structure


class Branching(Grouping):
    """Makes datasets of elements."""

    def flat_map(self, map_func: Callable[..., Any], name: str | None = None) -> Any:
        """The elements of the datasets that a function makes of elements
        (`tf.data.Dataset.flat_map`).

        Raises:
            TypeError: it returns something else.

        >>> [int(x) for x in Grouping.range(3).flat_map(lambda x: Grouping.range(x))]
        [0, 0, 1]
        """
        return self._made(FlatMap(self._node, traced(map_func, [self._node.structure], "FlatMap")))

    def interleave(
        self, map_func: Callable[..., Any], cycle_length: Any = None, block_length: Any = None,
        num_parallel_calls: Any = None, deterministic: bool | None = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """The elements of the datasets that a function makes of elements, in turns
        (`tf.data.Dataset.interleave`).

        Args:
            map_func: makes a dataset of an element.
            cycle_length: how many datasets are open at a time.
            block_length: how many elements each gives before it is the next one's turn.
            num_parallel_calls: whether the open ones make elements in threads of their own.
            deterministic: not needed: elements come in the same order in any case.
            name: not used.

        Raises:
            InvalidArgumentError: a length is not positive.
            TypeError: `map_func` returns no dataset.

        >>> ds = Grouping.range(1, 3).interleave(
        ...     lambda x: Grouping.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
        >>> [int(x) for x in ds]
        [1, 1, 2, 2, 1, 2]
        """
        function = traced(map_func, [self._node.structure], "Interleave")
        cycle = parameter(AUTOTUNE if cycle_length is None else cycle_length)
        if isinstance(cycle, int) and cycle < 1 and cycle != AUTOTUNE:
            raise invalid_argument(
                "cycle_length must be greater than zero. [Op:InterleaveDataset] name: "
            )
        block = parameter(
            1 if block_length is None else block_length, 1,
            "block_length must be greater than zero. [Op:InterleaveDataset] name: ",
        )  # fmt: skip
        calls = None if num_parallel_calls is None else parameter(num_parallel_calls)
        return self._made(Interleave(self._node, function, cycle, block, calls))

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """So many elements in a row as datasets, one for each part of the elements
        (`tf.data.Dataset.window`).

        Args:
            size: how many elements a window has.
            shift: how far the next window is; `size` if None.
            stride: how far the elements of a window are from each other.
            drop_remainder: leave windows out that are not full.
            name: not used.

        Raises:
            InvalidArgumentError: a number is not positive.

        >>> [[int(x) for x in w] for w in Grouping.range(5).window(2)]
        [[0, 1], [2, 3], [4]]
        """
        counts = [
            parameter(value, 1, f"Window {what} must be greater than zero.")
            for what, value in (("size", size), ("shift", shift or size), ("stride", stride))
        ]
        return self._made(Window(self._node, counts, bool(drop_remainder)))

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any],
        window_size: Any = None, window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """Elements gathered by a key, and what a function makes of each group
        (`tf.data.Dataset.group_by_window`).

        Args:
            key_func: tells the key of an element: a scalar of int64.
            reduce_func: makes a dataset of a key and of the dataset of the elements with it.
            window_size: how many elements make a group; or
            window_size_func: a function of the key that tells it.
            name: not used.

        Raises:
            ValueError: there are both or neither of the sizes, or a key is no scalar.
            TypeError: `reduce_func` returns no dataset, or a key is of another type.

        >>> ds = Grouping.range(5).group_by_window(lambda x: x % 2, lambda k, w: w.batch(9), 2)
        >>> [x.numpy().tolist() for x in ds]
        [[0, 2], [1, 3], [4]]
        """
        if (window_size is None) == (window_size_func is None):
            both = "" if window_size is None else ", but not both"
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                f"specified{both}."
            )
        structure = self._node.structure
        key = traced(converting(key_func), [structure], "GroupByWindow")
        if key.structure.components[0].dims != ():
            raise ValueError(
                "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but "
                f"its return type is {key.structure.spec}."
            )

        def size(key: Any) -> Any:
            wanted = window_size if window_size_func is None else window_size_func(key)
            return cast(wanted, dtypes.int64)

        windows = Structure(DatasetSpec(structure.spec))
        reduce = traced(reduce_func, [key.structure, windows], "GroupByWindow")
        sizes = traced(size, [key.structure], "GroupByWindow")
        return self._made(GroupByWindow(self._node, key, reduce, sizes))


def converting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose result must be of int64."""
    run = AUTOGRAPH[0](function, None)
    made: Callable[..., Any] = do_not_convert(lambda *values: to_tensor(run(*values), dtypes.int64))
    return made
