"""The methods that gather elements to groups: windows, keys, lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.shapes import TensorShape
from ....base.typing import IntLike, IntsLike, TensorLike
from ....core.tensor import Tensor
from ....graph.autograph.entry import converted
from ....graph.autograph.settings import do_not_convert
from ....ops.array.gathering import gather
from ....ops.array.joining import stack
from ....ops.convert import to_tensor
from ....ops.debugging.checks import Assert
from ....ops.math.elementwise import cast, greater_equal, less
from ....ops.math.reduction import reduce_sum
from ...elements import nesting
from ...elements.structure import Structure
from ...functions.traced import traced
from ...iteration.node import parameter
from ..base import DatasetBase, DatasetSpec
from ..nested import GroupByWindow, Window

if TYPE_CHECKING:
    from ..dataset import Dataset


class Grouping(DatasetBase):
    """Gathers elements to groups."""

    def window(
        self,
        size: TensorLike,
        shift: TensorLike | None = None,
        stride: IntsLike = 1,
        drop_remainder: IntLike = False,
        name: str | None = None,
    ) -> Dataset:
        """Gathers so many elements in a row to datasets, one for each part of the elements
        (`tf.data.Dataset.window`).

        Args:
            size: how many elements a window has.
            shift: how far the next window is; `size` if None.
            stride: how far the elements of a window are from each other.
            drop_remainder: leave windows out that are not full.
            name: not used.

        Raises:
            InvalidArgumentError: a number is not positive.

        >>> [[int(x) for x in w] for w in tf.data.Dataset.range(5).window(2)]
        [[0, 1], [2, 3], [4]]
        """
        counts = [
            parameter(value, 1, f"Window {what} must be greater than zero.")
            for what, value in (("size", size), ("shift", shift or size), ("stride", stride))
        ]
        return self.of_node(Window(self.node, counts, bool(drop_remainder)))

    def group_by_window(
        self, key_func: Callable[..., Any], reduce_func: Callable[..., Any],
        window_size: Any = None, window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Gathers elements by a key, and joins what a function makes of each group
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

        >>> numbers = tf.data.Dataset.range(5)
        >>> ds = numbers.group_by_window(lambda x: x % 2, lambda k, w: w.batch(9), 2)
        >>> [x.numpy().tolist() for x in ds]
        [[0, 2], [1, 3], [4]]
        """
        if (window_size is None) == (window_size_func is None):
            both = "" if window_size is None else ", but not both"
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be "
                f"specified{both}."
            )
        structure = self.node.structure
        key = traced(converting(key_func), [structure], "GroupByWindow")
        if key.structure.components[0].dims not in ((), None):
            raise ValueError(
                "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but "
                f"its return type is {key.structure.spec}."
            )

        def size(key: Any) -> Any:
            window = window_size if window_size_func is None else window_size_func(key)
            return cast(window, dtypes.int64)

        windows = Structure(DatasetSpec(structure.spec))
        reduce = traced(reduce_func, [key.structure, windows], "GroupByWindow")
        sizes = traced(size, [key.structure], "GroupByWindow")
        return self.of_node(GroupByWindow(self.node, key, reduce, sizes))

    def bucket_by_sequence_length(
        self, element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int], padded_shapes: Any = None, padding_values: Any = None,
        pad_to_bucket_boundary: bool = False, no_padding: bool = False,
        drop_remainder: bool = False, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Makes batches of elements of similar length
        (`tf.data.Dataset.bucket_by_sequence_length`).

        Args:
            element_length_func: tells the length of an element: int32.
            bucket_boundaries: the lengths at which another bucket begins.
            bucket_batch_sizes: how many elements a batch of each bucket has; one more.
            padded_shapes: as for `padded_batch`.
            padding_values: as for `padded_batch`.
            pad_to_bucket_boundary: fill up to one less than where the next bucket begins.
            no_padding: stack elements as they are.
            drop_remainder: leave batches out that are not full.
            name: not used.

        Raises:
            ValueError: there are not as many sizes as buckets.
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
                f"`len(bucket_batch_sizes)={len(bucket_batch_sizes)}` and "
                f"`len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        length_of = converted(element_length_func, None)
        bounds = [int(number) for number in bucket_boundaries]
        sizes = [int(number) for number in bucket_batch_sizes]
        spec = self.node.structure.spec

        @do_not_convert
        def bucket(*element: Any) -> Any:
            length = cast(length_of(*element), dtypes.int64)
            reached = greater_equal(length, to_tensor(bounds, dtypes.int64))
            return reduce_sum(cast(reached, dtypes.int64))

        @do_not_convert
        def size(key: Any) -> Any:
            return gather(to_tensor(sizes, dtypes.int64), key)

        @do_not_convert
        def batches(key: Any, window: Any) -> Any:
            if no_padding:
                return window.batch(size(key), drop_remainder)
            filler: Any = -1
            if pad_to_bucket_boundary:
                check = less(key, to_tensor(len(bounds), dtypes.int64))
                Assert(check, ["elements must have length < max(bucket_boundaries)."])
                filler = gather(to_tensor(bounds, dtypes.int64), key) - 1
            shapes = _bucket_shapes(spec, padded_shapes, filler)
            return window.padded_batch(size(key), shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket, batches, window_size_func=size)


def _bucket_shapes(spec: object, shapes: Sequence[Any], filler: Any) -> Any:
    """Shapes in which unknown sizes are `filler`."""
    own = [each.shape for each in nesting.flatten(spec)]
    given = own if shapes is None else nesting.leaves_up_to(spec, shapes)
    listed = [TensorShape(each).as_list() for each in given]
    filled = [
        stack([to_tensor(filler if size is None else size, dtypes.int64) for size in sizes])
        if sizes
        else TensorShape([])
        for sizes in listed
    ]
    if isinstance(filler, Tensor):
        return nesting.pack_as(spec, filled)
    return nesting.pack_as(spec, [TensorShape(sizes) for sizes in listed])


def converting(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose result must be of int64."""
    run = converted(function, None)
    made: Callable[..., Any] = do_not_convert(lambda *values: to_tensor(run(*values), dtypes.int64))
    return made
