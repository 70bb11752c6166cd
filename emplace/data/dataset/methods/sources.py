"""The methods that make datasets of something else: tensors, numbers, generators, file names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ....base import dtypes
from ....base.dtypes import as_dtype
from ....base.shapes import TensorShape
from ....base.typing import DTypeLike
from ....core.tensor_spec import TensorSpec
from ....ops.array.shaping import size as size_of
from ...elements import nesting
from ...elements.structure import Structure, one_tensor, to_element
from ...iteration.node import parameter
from ...iteration.seeds import given_seeds
from ...nodes.generating import converter
from ...nodes.listing import names_that_match
from ...nodes.selecting import Shuffle
from ...nodes.sources import Counter, Generated, Random, Range, Slices, Tensors
from ..base import DatasetBase

if TYPE_CHECKING:
    from ..dataset import Dataset


class Sources(DatasetBase):
    """Makes datasets of something else."""

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Dataset:
        """Makes a dataset of one element (`tf.data.Dataset.from_tensors`).

        Args:
            tensors: the element: a tensor, or tuples and dictionaries of tensors.
            name: not used.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.from_tensors([1, 2])]
        [[1, 2]]
        """
        return cls.of_node(Tensors(to_element(tensors)))

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Dataset:
        """Makes a dataset of the rows of tensors (`tf.data.Dataset.from_tensor_slices`).

        Args:
            tensors: a tensor, or tuples and dictionaries of tensors with as many rows.
            name: not used.

        Raises:
            ValueError: a tensor has no rows, or they have different numbers of rows.

        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2])]
        [1, 2]
        """
        return cls.of_node(Slices(to_element(tensors)))

    @classmethod
    def from_generator(
        cls, generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None,
        args: Sequence[Any] | None = None, output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Makes a dataset of what a Python generator yields
        (`tf.data.Dataset.from_generator`).

        Args:
            generator: returns something to iterate over; called anew for each pass.
            output_types: the dtypes of the elements' parts, without `output_signature`.
            output_shapes: their shapes; any, if None.
            args: tensors, which `generator` is given as NumPy values.
            output_signature: the specs of the elements' parts.
            name: not used.

        Raises:
            TypeError: `generator` cannot be called, or nothing says what the elements are.

        >>> spec = TensorSpec([], "int32")
        >>> [int(x) for x in tf.data.Dataset.from_generator(lambda: [1, 2], output_signature=spec)]
        [1, 2]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is None and output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` "
                "argument or the `output_types` argument."
            )
        if output_signature is not None and (output_types is not None or output_shapes is not None):
            raise TypeError(
                "The `output_types` and `output_shapes` arguments can not be used together with "
                "the `output_signature` argument."
            )
        is_old = output_signature is None
        spec = spec_of_parts(output_types, output_shapes) if is_old else output_signature
        structure = Structure(spec)
        arguments = [to_element(argument) for argument in args] if args is not None else []
        convert = converter(structure, output_types if is_old else None)
        return cls.of_node(Generated(generator, convert, structure, arguments))

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Dataset:
        """Makes a dataset of numbers in equal steps (`tf.data.Dataset.range`).

        Args:
            args: the end; or the start and the end; or those and the step.
            kwargs: `output_type`, int64 unless given; `name`.

        Raises:
            ValueError: there are no numbers, or more than three.
            InvalidArgumentError: the step is 0.

        >>> [int(x) for x in tf.data.Dataset.range(1, 6, 2)]
        [1, 3, 5]
        """
        if not 1 <= len(args) <= 3:
            raise ValueError(
                "Invalid `args`. The length of `args` should be between 1 and 3 but was "
                f"{len(args)}."
            )
        numbers = [parameter(each) for each in args]
        start, stop = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
        step = numbers[2] if len(numbers) == 3 else 1
        dtype = as_dtype(kwargs.get("output_type", dtypes.int64))
        return cls.of_node(Range(start, stop, step, dtype))

    @classmethod
    def counter(
        cls, start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """Makes a dataset of numbers without an end (`tf.data.Dataset.counter`).

        Args:
            start: the first number.
            step: how far the next one is.
            dtype: of the numbers.
            name: not used.

        >>> [int(x) for x in tf.data.Dataset.counter(5, -2).take(3)]
        [5, 3, 1]
        """
        wanted = as_dtype(dtype)
        return cls.of_node(Counter(_number(start, wanted), _number(step, wanted), wanted))

    @classmethod
    def random(
        cls, seed: int | None = None, rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Makes a dataset of random integers without an end (`tf.data.Dataset.random`): int64,
        from 0 up to 2 ** 32.

        Args:
            seed: makes the numbers repeatable.
            rerandomize_each_iteration: whether each pass has other numbers.
            name: not used.

        >>> ds = tf.data.Dataset.random(seed=4).take(2)
        >>> [int(x) for x in ds] == [int(x) for x in ds]
        True
        """
        return cls.of_node(
            Random(given_seeds(seed), bool(rerandomize_each_iteration), dtypes.int64)
        )

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: int | None = None,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """Makes a dataset of the names of files that match patterns
        (`tf.data.Dataset.list_files`).

        Args:
            file_pattern: a pattern, or several.
            shuffle: whether the names come in another order in each pass; they do if None.
            seed: makes the orders repeatable.
            name: not used.

        Raises:
            InvalidArgumentError: no file matches.
        """
        found = to_element(names_that_match(file_pattern))
        names = Slices(found)
        if not _is_true(shuffle):
            return cls.of_node(names)
        there = names.cardinality
        count = there if there >= 0 else size_of(found, out_type=dtypes.int64)
        return cls.of_node(Shuffle(names, count, given_seeds(seed), True))


def _number(value: object, dtype: DTypeLike) -> Any:
    return one_tensor(value, dtype).static_value()[()].item()


def spec_of_parts(types: DTypeLike | Sequence[DTypeLike], shapes: Sequence[Any] | None) -> Any:
    """The specs of elements that TF 1 told by dtypes and shapes apart; any shapes if None."""
    dtypes_ = [as_dtype(each) for each in nesting.flatten(types)]
    if shapes is None:
        listed: list[Any] = [None] * len(dtypes_)
    else:
        listed = nesting.leaves_up_to(types, shapes)
    return nesting.pack_as(
        types,
        [TensorSpec(TensorShape(s), t) for s, t in zip(listed, dtypes_, strict=True)],
    )


def _is_true(value: object) -> bool:
    return True if value is None else bool(value)
