"""The methods that make datasets of something else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base import dtypes
from ...base.dtypes import as_dtype
from ...base.shapes import TensorShape
from ...base.typing import DTypeLike, TensorLike
from ...core.tensor_spec import TensorSpec
from ...ops.random.stateful import host_seeds
from ..elements import nesting
from ..elements.structure import Structure, one_tensor, to_element
from ..iteration.node import parameter
from ..nodes.generating import converter
from ..nodes.listing import names_that_match
from ..nodes.mixing import Chances, Directed
from ..nodes.selecting import Shuffle
from ..nodes.sources import Counter, Generated, Random, Range, Slices, Tensors
from ..nodes.storing import Load
from ..nodes.transforms import Zip
from .base import DatasetBase


class Creating(DatasetBase):
    """Makes datasets."""

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Any:
        """A dataset of one element (`tf.data.Dataset.from_tensors`).

        Args:
            tensors: the element: a tensor, or tuples and dictionaries of tensors.
            name: not used.

        >>> [x.numpy().tolist() for x in Creating.from_tensors([1, 2])]
        [[1, 2]]
        """
        return cls._made(Tensors(to_element(tensors)))

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Any:
        """A dataset of the rows of tensors (`tf.data.Dataset.from_tensor_slices`).

        Args:
            tensors: a tensor, or tuples and dictionaries of tensors with as many rows.
            name: not used.

        Raises:
            ValueError: a tensor has no rows, or they have different numbers of rows.

        >>> [int(x) for x in Creating.from_tensor_slices([1, 2])]
        [1, 2]
        """
        return cls._made(Slices(to_element(tensors)))

    @classmethod
    def range(cls, *args: Any, **kwargs: Any) -> Any:
        """A dataset of numbers in equal steps (`tf.data.Dataset.range`).

        Args:
            args: the end; or the start and the end; or those and the step.
            kwargs: `output_type`, int64 unless given; `name`.

        Raises:
            ValueError: there are no numbers, or more than three.
            InvalidArgumentError: the step is 0.

        >>> [int(x) for x in Creating.range(1, 6, 2)]
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
        return cls._made(Range(start, stop, step, dtype))

    @classmethod
    def counter(
        cls, start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64, name: str | None = None
    ) -> Any:
        """A dataset of numbers without an end (`tf.data.Dataset.counter`).

        >>> [int(x) for x in Creating.counter(5, -2).take(3)]
        [5, 3, 1]
        """
        wanted = as_dtype(dtype)
        return cls._made(Counter(_number(start, wanted), _number(step, wanted), wanted))

    @classmethod
    def random(
        cls, seed: int | None = None, rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """A dataset of random integers without an end (`tf.data.Dataset.random`): int64, from 0
        up to 2 ** 32.

        Args:
            seed: makes the numbers repeatable.
            rerandomize_each_iteration: whether each pass has other numbers.
            name: not used.

        >>> ds = Creating.random(seed=4).take(2)
        >>> [int(x) for x in ds] == [int(x) for x in ds]
        True
        """
        return cls._made(Random(host_seeds(seed), bool(rerandomize_each_iteration), dtypes.int64))

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Any:
        """A dataset of elements side by side (`tf.data.Dataset.zip`); it ends with the shortest.

        Args:
            args: datasets, or one structure of datasets.
            datasets: the same, by its old name.
            name: not used.

        Raises:
            TypeError: something is no dataset.

        >>> [(int(x), int(y)) for x, y in Creating.zip(Creating.range(2), Creating.range(5, 9))]
        [(0, 5), (1, 6)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        given = (args[0] if len(args) == 1 else args) if args else datasets
        nodes = [_checked(each) for each in nesting.flatten(given)]
        return cls._made(Zip(nodes, given))

    @classmethod
    def list_files(
        cls, file_pattern: Any, shuffle: bool | None = None, seed: int | None = None,
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """A dataset of the names of files that match patterns (`tf.data.Dataset.list_files`).

        Args:
            file_pattern: a pattern, or several.
            shuffle: whether the names come in another order in each pass; they do if None.
            seed: makes the orders repeatable.
            name: not used.

        Raises:
            InvalidArgumentError: no file matches.
        """
        names = Slices(to_element(names_that_match(file_pattern)))
        if not _is_true(shuffle):
            return cls._made(names)
        return cls._made(Shuffle(names, names.cardinality, host_seeds(seed), True))

    @classmethod
    def choose_from_datasets(
        cls, datasets: Sequence[Any], choice_dataset: Any, stop_on_empty_dataset: bool = True
    ) -> Any:
        """Elements of several datasets, in turns that another dataset tells
        (`tf.data.Dataset.choose_from_datasets`).

        Args:
            datasets: the datasets.
            choice_dataset: their numbers: scalars of int64.
            stop_on_empty_dataset: end with the first dataset that ends; else pass it over.

        Raises:
            TypeError: the numbers are something else, or elements are of different kinds.
            ValueError: there are no datasets.

        >>> turns = Creating.from_generator(lambda: [1, 0, 1], output_types="int64",
        ...                                 output_shapes=())
        >>> datasets = [Creating.range(3), Creating.range(5, 9)]
        >>> [int(x) for x in Creating.choose_from_datasets(datasets, turns)]
        [5, 0, 6]
        """
        if not isinstance(choice_dataset, DatasetBase):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        spec = choice_dataset.element_spec
        if spec != TensorSpec((), dtypes.int64):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` "
                f"tensors but are {spec}."
            )
        nodes = _several(datasets)
        return cls._made(Directed(choice_dataset._node, nodes, bool(stop_on_empty_dataset)))

    @classmethod
    def sample_from_datasets(
        cls, datasets: Sequence[Any], weights: TensorLike | None = None, seed: Any = None,
        stop_on_empty_dataset: bool = False, rerandomize_each_iteration: bool | None = None,
    ) -> Any:  # fmt: skip
        """Elements of several datasets, drawn by chance (`tf.data.Dataset.sample_from_datasets`).

        Args:
            datasets: the datasets.
            weights: how likely each is, or a dataset of one such vector; all alike if None.
            seed: makes the draws repeatable.
            stop_on_empty_dataset: end with the first dataset that ends; else pass it over.
            rerandomize_each_iteration: whether each pass draws anew.

        Raises:
            TypeError: elements are of different kinds.
            ValueError: there are no datasets, or not as many weights.
        """
        nodes = _several(datasets)
        if isinstance(weights, DatasetBase):
            weights = next(iter(weights))
        shares = [1.0] * len(nodes) if weights is None else _weights(weights)
        if len(shares) != len(nodes):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(shares)}` vs. `len(datasets)={len(nodes)}`."
            )
        kept = [(node, share) for node, share in zip(nodes, shares, strict=True) if share > 0]
        nodes, shares = [node for node, _ in kept], [share for _, share in kept]
        if len(nodes) == 1:
            return cls._made(nodes[0])
        chances = Chances(shares, host_seeds(seed), bool(rerandomize_each_iteration))
        return cls._made(Directed(chances, nodes, bool(stop_on_empty_dataset)))

    @classmethod
    def load(
        cls, path: str, element_spec: Any = None, compression: str | None = None,
        reader_func: Callable[..., Any] | None = None, wait: bool = False,
    ) -> Any:  # fmt: skip
        """A dataset that was saved by `save` (`tf.data.Dataset.load`).

        Args:
            path: the folder.
            element_spec: not needed.
            compression: "GZIP" if it was saved so.
            reader_func: makes a dataset of elements of a dataset of datasets; there is one.
            wait: not needed.

        Raises:
            NotFoundError: there is none.
        """
        made = cls._made(Load(str(path), compression or "", element_spec))
        if reader_func is None:
            return made
        return read_by(reader_func, cls._made(Tensors(made)))

    @classmethod
    def from_generator(
        cls, generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None,
        args: Sequence[Any] | None = None, output_signature: Any = None, name: str | None = None,
    ) -> Any:  # fmt: skip
        """A dataset of what a Python generator yields (`tf.data.Dataset.from_generator`).

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
        >>> [int(x) for x in Creating.from_generator(lambda: [1, 2], output_signature=spec)]
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
        spec = _old_signature(output_types, output_shapes) if is_old else output_signature
        structure = Structure(spec)
        arguments = [to_element(each) for each in args] if args is not None else []
        convert = converter(structure, output_types if is_old else None)
        return cls._made(Generated(generator, convert, structure, arguments))


def _several(datasets: Sequence[Any]) -> list[Any]:
    listed = list(datasets)
    if not listed:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    for each in listed:
        if not isinstance(each, DatasetBase):
            raise TypeError(
                "Invalid `datasets`. `datasets` should be a list of `tf.data.Dataset` objects but "
                f"has one of {type(each)}."
            )
    return [each._node for each in listed]


def _weights(value: TensorLike) -> list[float]:
    tensor = one_tensor(value)
    if not tensor.dtype.is_floating and not tensor.dtype.is_integer:
        raise TypeError(f"Invalid `weights`. `weights` should be numbers but is {value!r}.")
    found: list[float] = tensor.numpy().reshape(-1).tolist()
    return found


def _number(value: object, dtype: DTypeLike) -> Any:
    return one_tensor(value, dtype).static_value()[()].item()


def _checked(value: TensorLike) -> Any:
    if isinstance(value, DatasetBase):
        return value._node
    if isinstance(value, list):
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
            "`tf.data.Dataset` objects. Python `list` is not supported and you should use `tuple` "
            "instead."
        )
    raise TypeError(
        "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
        f"`tf.data.Dataset` objects but encountered object of type {type(value)}."
    )


def _old_signature(types: DTypeLike | Sequence[DTypeLike], shapes: Sequence[Any] | None) -> Any:
    """The specs that `output_types` and `output_shapes` say."""
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


def read_by(reader_func: Callable[..., Any], files: Any) -> Any:
    """What the program's function makes of the datasets that files hold.

    Raises:
        TypeError: it is no dataset.
    """
    made = reader_func(files)
    if not isinstance(made, DatasetBase):
        raise TypeError(f"`reader_func` must return a `Dataset` object. Got {type(made)}.")
    return made
