"""Seeds of stateless random ops: which algorithm, and the key and counter that Philox starts at."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import torch

from ...base import dtypes
from ...base.dtypes import runtime_name
from ...base.errors import InvalidArgumentError, invalid_argument
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.context import LOCAL
from ...core.symbolic_value import SymbolicValue
from ...core.tensor import EagerTensor, Tensor
from ...devices.known import known
from ..arguments import is_symbolic, told_here, wrong_argument
from ..convert import is_tensor_like, to_tensor
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from .philox import BITS64, key_and_counter, words_of_seed

Key = tuple[int, int]


class Algorithm(enum.Enum):
    """The algorithms of random numbers (`tf.random.Algorithm`)."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_BY_NAME = {each.name.lower(): each for each in Algorithm}


def algorithm(alg: Any) -> Algorithm:
    """An algorithm by its name, number or member; the one of choice for None.

    Raises:
        ValueError: there is none of that name.
    """
    if alg is None:
        return Algorithm.AUTO_SELECT
    if isinstance(alg, Algorithm):
        return alg
    if isinstance(alg, str) and alg.lower() in _BY_NAME:
        return _BY_NAME[alg.lower()]
    number = alg if isinstance(alg, (int, np.integer)) else None
    if hasattr(alg, "numpy"):
        number = int(alg.numpy())
    if number is not None and int(number) in (1, 2, 3):
        return Algorithm(int(number))
    raise ValueError(
        f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox "
        "algorithm, threefry for the ThreeFry algorithm, and auto_select for auto-selection."
    )


def seeded(seed: TensorLike, alg: TensorLike | None = "auto_select") -> tuple[Any, Any]:
    """The key and counter of a seed.

    Raises:
        InvalidArgumentError: it is not two integers, or the algorithm is ThreeFry.
    """
    chosen = algorithm(alg)
    if chosen is not Algorithm.THREEFRY and LOCAL.state.target.is_eager and _is_plain(seed):
        return key_and_counter(*seed)  # as a tensor it would be copied to a GPU
    array = checked_seed(seed, alg)
    if is_symbolic(array):
        key, counter = apply(KEY_COUNTER, (array,))
        return SymbolicValue(key, 0), SymbolicValue(counter, "counter")
    first, second = array.numpy().tolist()
    return key_and_counter(first, second)


def key_or_seed(seed: TensorLike, alg: TensorLike | None) -> Any:
    """The key and counter of a seed, or the seed itself where only a device knows it, or running
    the graph tells it: the numbers are drawn there without a look at it.

    Raises:
        InvalidArgumentError: it is not two integers, or the algorithm is ThreeFry.
    """
    if _is_plain(seed):
        return seeded(seed, alg)
    array = checked_seed(seed, alg)
    if is_symbolic(array):
        return array if array.static_value() is None else seeded(array, alg)
    is_here = isinstance(array, EagerTensor) and array._kind.device.type == "CPU"
    return seeded(array, alg) if is_here else array


def key_of(seed: torch.Tensor) -> tuple[Any, int]:
    """The key and counter of a seed while a kernel runs, for `draws`: numbers where the host has
    the seed, else words on the device.
    """
    check_seed(tuple(seed.shape))
    elements = seed if seed.device.type == "cpu" else known(seed)
    if elements is None:
        return words_of_seed(seed), 0
    first, second = elements.tolist()
    return key_and_counter(first, second)


def checked_seed(seed: TensorLike, alg: TensorLike | None) -> Any:
    """A seed as a tensor; raises as `seeded` does."""
    chosen = algorithm(alg)
    array = _integers(seed)
    try:
        check_seed(array.shape.sizes)
    except InvalidArgumentError as error:
        raise told_here(error) from None
    if chosen is Algorithm.THREEFRY:
        raise invalid_argument(
            "counter must be a vector with length at least 2; got shape: [1]. (Note that batched "
            "counters are not supported yet.) ThreeFry has no kernel: use philox."
        )
    return array


def _integers(seed: TensorLike) -> Tensor:
    """A seed as a tensor of int32 or int64, which arrays of other dtypes are made, as TensorFlow
    does: one of uint64 keeps its bits.
    """
    array = to_tensor(seed)
    if array.dtype not in dtypes.INDICES and not is_tensor_like(seed):
        array = to_tensor(seed, hint=dtypes.int64)
    if array.dtype not in dtypes.INDICES:
        raise wrong_argument(
            f"Value for attr 'Tseed' of {runtime_name(array.dtype)} is not in the list of allowed "
            "values: int32, int64 [Op:StatelessRandomGetKeyCounter] name: ",
            f"Value passed to parameter 'seed' has DataType {array.dtype.name} not in list of "
            "allowed values: int32, int64",
            TypeError,
        )
    return array


def _is_plain(seed: object) -> TypeGuard[Sequence[int]]:
    return (
        isinstance(seed, (list, tuple))
        and len(seed) == 2
        and all(type(each) is int and -(2**31) <= each < 2**31 for each in seed)
    )


def check_seed(dims: Sequence[int | None] | None) -> None:
    """Raises InvalidArgumentError if a seed cannot be two numbers."""
    if dims is not None and (len(dims) != 1 or dims[0] not in (2, None)):
        raise invalid_argument(
            f"seed must have shape [2], not {runtime_text(dims)} "
            "[Op:StatelessRandomGetKeyCounter] name: "
        )


def key_counter_kernel(seed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The key and counter of a seed, as words of 64 bits."""
    check_seed(tuple(seed.shape))
    first, second = seed.tolist()
    key, counter = key_and_counter(first, second)
    words = torch.from_numpy(np.array([key, counter & BITS64, counter >> 64], np.uint64))
    return words[:1], words[1:]


def _key_counter_spec(seed: Spec) -> tuple[Spec, Spec]:
    check_seed(seed.dims)
    return Spec((1,), dtypes.uint64), Spec((2,), dtypes.uint64)


KEY_COUNTER = op(
    "StatelessRandomGetKeyCounter", "seed: Tseed -> key: uint64, counter: uint64",
    key_counter_kernel, _key_counter_spec, device_types=CPU_ONLY, Tseed=dtypes.INDICES,
)  # fmt: skip
