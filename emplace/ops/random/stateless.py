"""Random numbers that depend on their seed and on nothing else (`tf.random.stateless_*`).

Uniform, normal, truncated normal and categorical numbers and shuffles, TensorFlow's own on every
device. The other distributions are in `distributions.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import DType, as_dtype
from ...base.errors import UnimplementedError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import DTypeLike, IntLike, ShapeLike, TensorLike
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import Tensor
from ...devices.constants import bring
from ...devices.device import Device
from .. import infer
from ..arguments import is_symbolic, known_int, one_number, static_ints, wrong_argument
from ..array.joining import stack
from ..convert import to_tensor
from ..infer import Spec, shape_only
from ..math.elementwise import add, multiply, subtract
from ..op import Op, apply, op
from . import draws
from .seeds import check_seed, key_of, key_or_seed, seeded

UNIFORM_TYPES = (
    dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64,
    dtypes.uint32, dtypes.uint64,
)  # fmt: skip
_FLOATS = UNIFORM_TYPES[:4]


def sized(shape: ShapeLike | None, op_name: str) -> tuple[int, ...]:
    """A shape of random numbers.

    Raises:
        InvalidArgumentError: a size is negative; in graphs a ValueError.
    """
    sizes = static_ints(shape, "a shape")
    if isinstance(sizes, SymbolicValue):  # not even how many there are is known
        return sizes
    known = [size for size in sizes if not isinstance(size, SymbolicValue)]
    wrong = next((size for size in known if size < 0), None)
    if wrong is not None:
        raise wrong_argument(
            f"Dimension {wrong} must be >= 0 [Op:{op_name}] name: ",
            f"Invalid value in tensor used for shape: {wrong}",
        )
    return sizes


_MADE = "shape: host, key: host, counter: host, alg: host -> output: dtype"


def _drawing(draw: Callable[..., Any]) -> Any:
    def kernel(
        *, shape: Sequence[int], key: int, counter: int, alg: int, dtype: DType, device: Device
    ) -> Any:
        count = math.prod(shape)
        return draw(key, counter, count, dtype, device.torch_device).reshape(shape)

    kernel.__doc__ = draw.__doc__
    return kernel


UNIFORM = op(
    "StatelessRandomUniformV2", _MADE, _drawing(draws.uniform), infer.made, is_factory=True
)
NORMAL = op("StatelessRandomNormalV2", _MADE, _drawing(draws.normal), infer.made, is_factory=True)
TRUNCATED = op(
    "StatelessTruncatedNormalV2",
    _MADE,
    _drawing(draws.truncated_normal),
    infer.made,
    is_factory=True,
)
FULL_INT = op(
    "StatelessRandomUniformFullIntV2", _MADE, _drawing(draws.full_int), infer.made, is_factory=True
)


def _drawing_of_seed(draw: Callable[..., Any]) -> Any:
    def kernel(seed: torch.Tensor, *, shape: Sequence[int], dtype: DType) -> Any:
        count, (key, counter) = math.prod(shape), key_of(seed)
        return draw(key, counter, count, dtype, seed.device).reshape(shape)

    kernel.__doc__ = draw.__doc__
    return kernel


def uniform_int_of_seed_kernel(
    seed: torch.Tensor, *, shape: Sequence[int], minval: int, maxval: int, dtype: DType
) -> torch.Tensor:
    """Integers from minval up to, not including, maxval."""
    check_bounds(minval, maxval, shape)
    count, (key, counter) = math.prod(shape), key_of(seed)
    made = draws.uniform_int(key, counter, count, dtype, seed.device, minval, maxval)
    return made.reshape(shape)


def _of_seed_spec(seed: Spec, *, shape: Any, dtype: DType, **bounds: Any) -> Spec:
    check_seed(seed.dims)
    return infer.made(shape=shape, dtype=dtype)


def _of_seed(record: Op, kernel: Callable[..., Any]) -> Op:
    """The same op where only the device knows the seed: it is an input then."""
    hosts = "".join(f", {arg.name}: host" for arg in record.inputs if arg.name.endswith("val"))
    return op(
        record.name, f"seed: Tseed, shape: host{hosts} -> output: dtype", kernel, _of_seed_spec,
        is_listed=False, Tseed=dtypes.INDICES,
    )  # fmt: skip


def uniform_int_kernel(
    *,
    shape: Sequence[int],
    key: int,
    counter: int,
    alg: int,
    minval: int,
    maxval: int,
    dtype: DType,
    device: Device,
) -> torch.Tensor:
    """Integers from minval up to, not including, maxval."""
    check_bounds(minval, maxval, shape)
    count, where = math.prod(shape), device.torch_device
    return draws.uniform_int(key, counter, count, dtype, where, minval, maxval).reshape(shape)


UNIFORM_INT = op(
    "StatelessRandomUniformIntV2",
    "shape: host, key: host, counter: host, alg: host, minval: host, maxval: host "
    "-> output: dtype",
    uniform_int_kernel, infer.made, is_factory=True,
)  # fmt: skip


UNIFORM_OF_SEED = _of_seed(UNIFORM, _drawing_of_seed(draws.uniform))
NORMAL_OF_SEED = _of_seed(NORMAL, _drawing_of_seed(draws.normal))
TRUNCATED_OF_SEED = _of_seed(TRUNCATED, _drawing_of_seed(draws.truncated_normal))
FULL_INT_OF_SEED = _of_seed(FULL_INT, _drawing_of_seed(draws.full_int))
UNIFORM_INT_OF_SEED = _of_seed(UNIFORM_INT, uniform_int_of_seed_kernel)
OF_SEED = {
    UNIFORM: UNIFORM_OF_SEED, NORMAL: NORMAL_OF_SEED, TRUNCATED: TRUNCATED_OF_SEED,
    FULL_INT: FULL_INT_OF_SEED, UNIFORM_INT: UNIFORM_INT_OF_SEED,
}  # fmt: skip


def made(record: Op, shape: tuple[int, ...], key: Any, dtype: DType, **more: Any) -> Tensor:
    """Applies an op that makes numbers of a key and a counter, or of a seed on a device."""
    if isinstance(key, Tensor):
        return apply(OF_SEED[record], (key,), {"shape": shape, "dtype": dtype, **more})
    attrs = {"shape": shape, "key": key[0], "counter": key[1], "alg": 1, "dtype": dtype, **more}
    return apply(record, (), attrs)


def scaled(numbers: Tensor, low: TensorLike, high: TensorLike | None, dtype: DType) -> Tensor:
    """Numbers between 0 and 1 as such between low and high."""
    if high is None and isinstance(low, (int, float)) and low == 0:
        return numbers
    low = to_tensor(low, hint=dtype)
    width = subtract(to_tensor(1 if high is None else high, hint=dtype), low)
    return add(multiply(numbers, width), low)


def moved(numbers: Any, mean: TensorLike, stddev: TensorLike, dtype: DType) -> Tensor:
    """Numbers with mean 0 and deviation 1 as such with others.

    Raises:
        TypeError: the dtype is not floating.
    """
    mean, stddev = to_tensor(mean, hint=dtype), to_tensor(stddev, hint=dtype)
    return add(multiply(numbers, stddev), mean)


def check_floating(dtype: DType, number: object = 0.0) -> None:
    """Raises TypeError unless `dtype` is one of normal numbers."""
    if dtype not in _FLOATS:
        raise TypeError(f"Cannot convert {number} to EagerTensor of dtype {dtype.name}")


def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike | None = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: TensorLike = "auto_select",
) -> Any:
    """Returns numbers spread evenly from minval up to, not including, maxval
    (`tf.random.stateless_uniform`).

    Args:
        shape: the shape.
        seed: two integers.
        minval: the smallest number; for integers None, with maxval, for all of them.
        maxval: the end; 1 for floats by default.
        dtype: float16, bfloat16, float32, float64, int32, int64, uint32 or uint64.
        name: a name in graphs.
        alg: the algorithm: "philox" or "auto_select".

    Returns:
        The same numbers for the same seed, on every device: TensorFlow's.

    Raises:
        ValueError: the dtype is another one, or only one end of integers is given.
        InvalidArgumentError: the seed is not two integers, or minval is not below maxval.

    >>> stateless_uniform([2], seed=[1, 2], maxval=100, dtype="int32").numpy().tolist()
    [40, 49]
    """
    out_dtype = as_dtype(dtype)
    if out_dtype not in UNIFORM_TYPES:
        allowed = ", ".join(f"tf.{allowed_dtype.name}" for allowed_dtype in UNIFORM_TYPES)
        raise ValueError(
            f"Argument `dtype` got invalid value {out_dtype!r}. Accepted dtypes are ({allowed})."
        )
    if not out_dtype.is_integer:
        key, sizes = key_or_seed(seed, alg), sized(shape, "StatelessRandomUniformV2")
        if minval is None or (maxval is None and minval is None):
            raise ValueError(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) "
                "to a Tensor."
            )
        return scaled(made(UNIFORM, sizes, key, out_dtype), minval, maxval, out_dtype)
    return integers(shape, lambda: key_or_seed(seed, alg), minval, maxval, out_dtype)


def integers(shape: ShapeLike | None, key: Any, minval: Any, maxval: Any, wanted: DType) -> Tensor:
    """Integers between two ends, or of all bits; `key` is called for the key and counter."""
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {wanted!r}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is None:
        return made(FULL_INT, sized(shape, FULL_INT.name), key(), wanted)
    if wanted in (dtypes.uint32, dtypes.uint64):
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted!r} when argument `minval` is not None. "
            "Please don't use unsigned integers in this case."
        )
    sizes = sized(shape, UNIFORM_INT.name)
    low, high = bounds(minval, maxval, wanted, UNIFORM_INT.name, sizes)
    return made(UNIFORM_INT, sizes, key(), wanted, minval=low, maxval=high)


def bounds(
    minval: TensorLike, maxval: Any, wanted: DType, op_name: str, sizes: Any
) -> tuple[Any, Any]:
    """The two ends as ints, or as `SymbolicValue`s where a graph does not know them yet.

    Raises:
        TypeError, ValueError: an end is a fraction, or a tensor of another dtype.
        InvalidArgumentError: an end is no scalar (in graphs a ValueError), or there are no numbers
            between them, and some are wanted.
    """
    low = _bound(minval, wanted, "min", op_name)
    high = _bound(maxval, wanted, "max", op_name)
    if not (isinstance(low, SymbolicValue) or isinstance(high, SymbolicValue)):
        check_bounds(low, high, sizes, f" [Op:{op_name}] name: ")
    return low, high


def _bound(value: TensorLike, wanted: DType, name: str, op_name: str) -> Any:
    if type(value) is int and wanted.min <= value <= wanted.max:
        return value
    try:
        tensor = to_tensor(value, wanted)
    except ValueError as error:
        raise ValueError(f"{name}: {error}" if isinstance(value, Tensor) else str(error)) from None
    if tensor.shape.rank:
        sizes = tensor.shape.as_list()
        raise wrong_argument(
            f"{name}val must be 0-D, got shape {sizes} [Op:{op_name}] name: ",
            f"{name}val must be a scalar; got a tensor of shape {sizes}",
        )
    return known_int(tensor) if is_symbolic(tensor) else int(tensor.numpy())


def check_bounds(low: int, high: int, sizes: Any, where: str = "") -> None:
    """Raises InvalidArgumentError unless there are numbers between two ends, or none is wanted."""
    if low >= high and not _is_empty(sizes):
        raise invalid_argument(f"Need minval < maxval, got {low} >= {high}{where}")


def _is_empty(sizes: Any) -> bool:
    """Whether it is known that a shape holds no numbers."""
    return isinstance(sizes, (tuple, list)) and any(type(n) is int and n == 0 for n in sizes)


def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: TensorLike = "auto_select",
) -> Tensor:
    """Returns numbers with a mean and a standard deviation (`tf.random.stateless_normal`).

    Args:
        shape: the shape.
        seed: two integers.
        mean: the mean, a number or tensor that broadcasts.
        stddev: the standard deviation, likewise.
        dtype: a floating dtype.
        name: a name in graphs.
        alg: the algorithm: "philox" or "auto_select".

    Raises:
        InvalidArgumentError: the seed is not two integers.
        TypeError: the dtype is not floating.
    """
    wanted = as_dtype(dtype)
    check_floating(wanted)
    numbers = made(NORMAL, sized(shape, NORMAL.name), key_or_seed(seed, alg), wanted)
    return moved(numbers, mean, stddev, wanted)


def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: TensorLike = "auto_select",
) -> Tensor:
    """Does as `stateless_normal`, but no number is farther than two deviations from the mean
    (`tf.random.stateless_truncated_normal`).

    Args:
        shape: the shape of the result.
        seed: two integers: the same ones give the same numbers.
        mean: the mean.
        stddev: the deviation.
        dtype: a float dtype.
        name: a name in graphs.
        alg: the algorithm: "philox", "threefry" or "auto_select".
    """
    wanted = as_dtype(dtype)
    check_floating(wanted)
    numbers = made(TRUNCATED, sized(shape, TRUNCATED.name), key_or_seed(seed, alg), wanted)
    return moved(numbers, mean, stddev, wanted)


def split(seed: TensorLike, num: TensorLike = 2, alg: TensorLike = "auto_select") -> Any:
    """Returns seeds made of a seed (`tf.random.split`).

    Args:
        seed: two integers.
        num: how many.
        alg: the algorithm.

    Returns:
        A tensor of shape (num, 2).
    """
    seed = to_tensor(seed)
    counts = static_ints(num, "num")
    return stateless_uniform((*counts, 2), seed, None, None, seed.dtype, alg=alg)


def fold_in(seed: TensorLike, data: TensorLike, alg: TensorLike = "auto_select") -> Tensor:
    """Returns a seed made of a seed and a number (`tf.random.fold_in`).

    Args:
        seed: two integers.
        data: an integer.
        alg: the algorithm: "philox", "threefry" or "auto_select".
    """
    data = to_tensor(data)
    first = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    return stack([first, data])


def categorical_kernel(
    logits: torch.Tensor, *, num_samples: int, key: int, counter: int, output_dtype: DType
) -> torch.Tensor:
    """Classes drawn with the probabilities that logits give."""
    check_logits(shape_only(logits), num_samples)
    if logits.shape[1] < 1:  # TF: a graph says so when it runs
        raise invalid_argument(f"num_classes should be positive, got {logits.shape[1]}")
    wide = logits.to(torch.float64)
    finite = torch.isfinite(wide)
    largest = torch.where(finite, wide, -torch.inf).amax(-1, keepdim=True)
    shares = torch.where(finite, torch.exp(wide - largest), 0.0)
    sums = torch.cumsum(shares, -1)
    count = logits.shape[0] * num_samples
    points = draws.uniform(key, counter, count, dtypes.float64, logits.device)
    points = points.reshape(logits.shape[0], num_samples) * sums[:, -1:]
    return torch.searchsorted(sums, points, right=True).to(output_dtype.torch)


def class_dtype(dtype: DTypeLike | None) -> DType:
    """The dtype of classes that are drawn: int64 where nothing is said.

    Raises:
        ValueError: it is neither int32 nor int64.
    """
    wanted = dtypes.int64 if dtype is None else as_dtype(dtype)
    if wanted not in dtypes.INDICES:
        raise ValueError(
            f"Argument `dtype` got invalid value {wanted!r}. Accepted dtypes are (tf.int32, "
            "tf.int64)."
        )
    return wanted


def check_logits(logits: Spec, num_samples: int) -> None:
    """Raises InvalidArgumentError unless these are rows of classes and a number of samples."""
    dims = infer.known_dims(logits)
    if len(dims) != 2:
        raise invalid_argument(f"logits should be a matrix, got shape {runtime_text(dims)}")
    if num_samples < 0:
        raise invalid_argument(f"num_samples should be non-negative, got {num_samples}")


def _categorical_spec(
    logits: Spec, *, num_samples: int, key: int, counter: int, output_dtype: DType
) -> Spec:
    check_logits(logits, num_samples)
    return Spec((infer.known_dims(logits)[0], num_samples), output_dtype)


CATEGORICAL = op(
    "StatelessMultinomial", "logits: T, num_samples: host -> output: output_dtype",
    categorical_kernel, _categorical_spec, T=dtypes.REALS,
)  # fmt: skip


def stateless_categorical(
    logits: TensorLike,
    num_samples: IntLike,
    seed: TensorLike,
    dtype: DTypeLike | None = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """Returns classes drawn at random (`tf.random.stateless_categorical`).

    Args:
        logits: logarithms of the classes' shares, shape (rows, classes).
        num_samples: how many for each row.
        seed: two integers.
        dtype: int32 or int64, which is meant by None too.
        name: a name in graphs.

    Returns:
        A tensor of shape (rows, num_samples).

    Raises:
        InvalidArgumentError: logits is no matrix, or has no classes.
        ValueError: the dtype is another one.
    """
    classes = class_dtype(dtype)
    key, counter = seeded(seed)
    attrs = {
        "num_samples": one_number(num_samples, "num_samples"),
        "key": key, "counter": counter, "output_dtype": classes,
    }  # fmt: skip
    return apply(CATEGORICAL, (to_tensor(logits),), attrs)


def reorder_kernel(value: np.ndarray[Any, Any] | torch.Tensor, *, key: int, counter: int) -> Any:
    """The rows in a random order; a scalar as it is."""
    if not value.ndim:
        return value
    order = np.array(draws.order(key, counter, value.shape[0]), np.int64)
    if isinstance(value, torch.Tensor):
        return value[bring(torch.from_numpy(order), value.device)]
    return value[order]


def _reorder_spec(value: Spec, *, key: int, counter: int) -> Spec:
    return value


SHUFFLE = op(
    "StatelessShuffle", "value: T -> output: T", reorder_kernel, _reorder_spec, T=dtypes.ANY
)


def stateless_shuffle(
    value: TensorLike, seed: TensorLike, alg: TensorLike = "auto_select", name: str | None = None
) -> Tensor:
    """Returns the rows of a tensor in an order that a seed gives
    (`tf.random.experimental.stateless_shuffle`).

    Args:
        value: the tensor.
        seed: two integers: the same ones give the same order.
        alg: the algorithm: "philox", "threefry" or "auto_select".
        name: a name in graphs.

    >>> stateless_shuffle([1, 2, 3, 4], seed=[1, 2]).shape
    TensorShape([4])
    """
    key, counter = seeded(seed, alg)
    return apply(SHUFFLE, (to_tensor(value),), {"key": key, "counter": counter})


def threefry() -> UnimplementedError:
    """The error for a generator with the algorithm ThreeFry."""
    return UnimplementedError(
        None,
        None,
        "Non-XLA devices don't support the ThreeFry algorithm. [Op:RngReadAndSkip] name: ",
    )
