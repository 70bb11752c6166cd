"""Kernels on bounded devices: what an op will take is told from shapes, asked for, and charged.
With the results goes what the kernel takes while it runs (`scratch.py`).

Where no rule tells what an op will take (`infer` is None), what came back is charged all the
same, and dropped if it does not fit. Ops on variables pay for themselves: see
`ops/variables/resource.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any, NoReturn

import torch

from ..base import dtypes
from ..base.errors import OpError, invalid_argument
from ..base.shapes import num_elements, overflow_text
from ..base.typing import TensorLike
from ..core.places import made_here
from ..core.tensor import EagerTensor, raw_bytes
from ..devices.memory import MOST_YOUNG_BYTES, Budget, Claim, OutOfBudget, round_up
from ..holders.names import locals_of
from ..holders.walkers import SetAside, sets_aside
from ..ops.infer import Spec, as_specs
from ..ops.variables.resource import Storage
from .failure import exhausted, fail, specs, with_op
from .route import Route
from .scratch import Unrehearsable, is_small, rehearsed, run_metered

TorchTensor = torch.Tensor

# How many shapes a route remembers: rules cost more than kernels.
_MOST_SIZES = 256
# Sizes, each the same object wherever it was asked for: routes compare them at every op.
_DIMS: dict[Any, Any] = {}
_MOST_DIMS = 4096


def same_dims(dims: Any) -> Any:
    """Sizes, as the object that stands for them everywhere."""
    if len(_DIMS) >= _MOST_DIMS:
        _DIMS.clear()
    return _DIMS.setdefault(dims, dims)


class OutputNeed(Claim):
    """What an op takes for inputs of certain shapes: the bytes of all its outputs and of its
    scratch, how many of them are scratch, and the largest output. `is_steady` turns True when a
    result has been seen that was new and of this size; then `shape` is that of the only output.
    `key` is where routes remember it, None for nowhere.
    """

    __slots__ = ("is_steady", "key", "largest", "scratch")

    def __init__(self, nbytes: int, largest: Spec, scratch: int = 0) -> None:
        dims = largest.dims or ()
        super().__init__(nbytes, same_dims(tuple([size or 0 for size in dims])))
        self.largest = largest
        self.scratch = scratch
        self.is_steady = False
        self.key: Any = None


_NOTHING = OutputNeed(0, Spec((), dtypes.float32))
# How many functions of ours are between who asks for the program's line and the first that may be
# the program's: who asks, the door to torch, the target, the function of an op.
_DEPTH = 5


def run_steady(
    route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None
) -> EagerTensor | None:
    """The result of an op that has been seen to make one new small tensor of inputs of these sizes,
    which is most of what small programs do; None if that is not known, or does not fit.

    Raises:
        OpError: the kernel's failure; nothing stays charged.
    """
    need: OutputNeed
    try:
        if attrs is None and len(inputs) == 2:
            x, y = inputs
            known_x, known_y, need = route.latest
            if x._dims is not known_x or y._dims is not known_y:
                need = route.steady[x._dims, y._dims]
                route.latest = x._dims, y._dims, need
        else:
            key: Any = tuple([x._dims for x in inputs])
            need = route.steady[(key, *attrs.items()) if attrs else key]
    except (AttributeError, KeyError, TypeError):
        return None
    budget: Any = route.budget  # there is one: a need is known
    try:
        budget.reserve(need.nbytes)
    except OutOfBudget:
        return None  # the long way says so
    try:
        if attrs is None and len(inputs) == 2:
            value = route.kernel(x._value, y._value)
        else:
            value = route.kernel(*[x._value for x in inputs], **(attrs or {}))
    except BaseException as error:  # also when the user interrupts a long kernel
        _give_up(budget, need, error, route, inputs, attrs)
    budget.settle_later((value, need, made_here(route.maker, _DEPTH)))
    tensor = EagerTensor()
    tensor._value = value
    tensor._kind = route.kinds[value.dtype]
    tensor._origin = route
    tensor._dims = need.shape
    return tensor


def run_stored(route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None) -> Any:
    """What a kernel returns that belongs to the program's state, which pays for it.

    Raises:
        OpError: the kernel's failure, also where the state may not take more.
    """
    try:
        if len(inputs) == 1 and attrs is None:
            return route.kernel(inputs[0]._value)
        return route.kernel(*[x._value for x in inputs], **(attrs or {}))
    except Exception as error:
        fail(error, route, inputs, attrs)


def run_bounded(
    route: Route,
    inputs: tuple[EagerTensor, ...],
    attrs: dict[str, Any] | None,
    values: Sequence[Any] | None = None,
) -> Any:
    """What the kernel makes, within the budget of its device.

    Args:
        route: how to run it.
        inputs: the tensors.
        attrs: the attributes by name, or None.
        values: the raw values of the inputs on the device, where they are copies.

    Returns:
        The raw value.

    Raises:
        ResourceExhaustedError: it does not fit. Where a rule tells the size, nothing was run.
        OpError: every other failure; nothing stays charged.
    """
    budget = route.budget
    assert budget is not None
    if values is None:
        if len(inputs) == 2:
            x, y = inputs
            values = x._value, y._value
        else:
            values = [x._value for x in inputs]
    need = _NOTHING
    if route.is_sized:
        need = _find(route, inputs, values, attrs)
        try:
            budget.reserve(need.nbytes)
        except OutOfBudget as refusal:
            refusal.scratch = need.scratch
            raise exhausted(
                route.device, route.op.name, need.largest, refusal, route.maker
            ) from None
    is_metered = route.is_metered and not is_small(values, need.nbytes)
    try:
        if is_metered:
            value = run_metered(budget, need.nbytes, route.kernel, values, attrs or {})
        else:
            value = route.kernel(*values) if attrs is None else route.kernel(*values, **attrs)
    except BaseException as error:  # also when the user interrupts a long kernel
        _give_up(budget, need, error, route, inputs, attrs)
    if need.is_steady:
        budget.settle_later((value, need, made_here(route.maker, _DEPTH + 1)))
        return value
    if route.is_stored:
        return value
    try:
        if type(value) is not TorchTensor:
            budget.settle(need.nbytes, _tensors_in(value), route.maker)
        elif budget.settle_one(need.nbytes, value, route.maker):
            _learn(route, need, value, is_metered)
    except OutOfBudget as refusal:
        largest = max(_tensors_in(value), key=raw_bytes)
        spec = Spec(tuple(largest.shape), dtypes.as_dtype(largest.dtype))
        raise exhausted(route.device, route.op.name, spec, refusal, route.maker) from None
    return value


def _give_up(
    budget: Budget, need: OutputNeed, error: BaseException,
    route: Route, inputs: tuple[EagerTensor, ...], attrs: dict[str, Any] | None,
) -> NoReturn:  # fmt: skip
    """Raises what the failure of a kernel means, and gives back what was set aside for it."""
    budget.cancel(need.nbytes)
    if isinstance(error, Exception):
        fail(error, route, inputs, attrs)
    raise error


@sets_aside(run_steady)
@sets_aside(run_bounded)
def set_aside_for_op(frame: FrameType) -> Iterator[SetAside]:
    """What is reserved for an op that runs now, in any thread."""
    found = locals_of(frame)
    budget, route, need = (found.get(name) for name in ("budget", "route", "need"))
    if not isinstance(need, OutputNeed) or "value" in found:
        return
    if isinstance(budget, Budget) and isinstance(route, Route):
        yield SetAside(budget, need.nbytes, f"{route.op.name}, which runs now", route.op.name)


def _learn(route: Route, need: OutputNeed, value: TorchTensor, is_metered: bool) -> None:
    """Notes that a result was what it had to be: the next ones of small size may be young, and
    those of ops that never make views need no more questions.
    """
    assert route.budget is not None
    can_be_young = 0 < need.nbytes <= MOST_YOUNG_BYTES and route.budget.parent is None
    need.is_steady = can_be_young and not need.scratch and value.shape == need.shape
    if need.is_steady and need.key is not None and route.aliases is None and not is_metered:
        route.steady[need.key] = need


def _tensors_in(value: TensorLike | None) -> Sequence[TorchTensor]:
    made = value if isinstance(value, (tuple, list)) else (value,)
    return [each for each in made if isinstance(each, TorchTensor)]


def _find(
    route: Route,
    inputs: tuple[EagerTensor, ...],
    values: Sequence[Any],
    attrs: dict[str, Any] | None,
) -> OutputNeed:
    """What the outputs of an op take."""
    if route.aliases is not None and route.aliases(*values, **(attrs or {})):
        return _NOTHING
    key: Any
    try:
        if len(inputs) == 2:
            x, y = inputs
            key = x._dims, y._dims
        else:
            key = tuple([x._dims for x in inputs])
    except AttributeError:  # some have not been asked yet
        key = tuple([_dims(x) for x in inputs])
    if attrs:
        key = key, *attrs.items()
    try:
        need: OutputNeed | None = route.needs.get(key)
    except TypeError:  # an attribute that is no key, such as an array
        key = need = None
    return need or _projected(route, values, attrs, key)


def _dims(x: EagerTensor) -> Any:
    """The sizes of a tensor, which remembers them."""
    value = x._value
    if type(value) is TorchTensor:  # lists change theirs
        x._dims = dims = same_dims(value.shape)
        return dims
    return value.value_shape if isinstance(value, Storage) else value.shape


def _projected(
    route: Route, values: Sequence[Any], attrs: dict[str, Any] | None, key: Sequence[Any] | None
) -> OutputNeed:
    """What shapes tell, remembered under `key`."""
    need = _results(route, values, attrs) if route.op.infer is not None else _NOTHING
    if need is None:
        return _NOTHING
    if route.takes_more and not route.is_metered and not is_small(values, need.nbytes):
        _check_room(route, need)  # a kernel whose results do not fit is not called
        try:
            scratch = rehearsed(route.bare_kernel, values, attrs or {})
        except Unrehearsable:
            route.is_metered = True
        else:
            need = OutputNeed(need.nbytes + scratch, need.largest, scratch)
    if key is not None:
        if len(route.needs) >= _MOST_SIZES:
            route.needs.clear()
            route.steady.clear()
        route.needs[key] = need
        if need is not _NOTHING:
            need.key = key
    return need


def _check_room(route: Route, need: OutputNeed) -> None:
    """Refuses results that do not fit."""
    assert route.budget is not None
    try:
        route.budget.reserve(need.nbytes)
    except OutOfBudget as refusal:
        raise exhausted(route.device, route.op.name, need.largest, refusal, route.maker) from None
    route.budget.cancel(need.nbytes)


def _results(
    route: Route, values: Sequence[Any], attrs: dict[str, Any] | None
) -> OutputNeed | None:
    """What the outputs take; None where the rule cannot tell."""
    assert route.op.infer is not None
    try:
        outputs = as_specs(route.op.infer(*specs(route, values), **(attrs or {})))
        for spec in outputs:
            _check_countable(spec)
    except OpError as error:
        raise with_op(error, route) from None
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError):
        return None  # the kernel will say what is wrong
    if not outputs:
        return _NOTHING
    # A NumPy scalar among the sizes would make NumPy's numbers, of 32 bits, of all sums.
    sizes = [round_up(int(num_elements(spec.dims)) * spec.dtype.size) for spec in outputs]
    return OutputNeed(sum(sizes), outputs[sizes.index(max(sizes))])


def _check_countable(spec: Spec) -> None:
    """Refuses shapes that no number of elements stands for: no device is too small for them."""
    text = overflow_text(spec.dims or ())
    if text is not None:
        raise invalid_argument(text)
