"""`emplace.estimate(x, ...)`: what a call will hold, without running it."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..base import nest
from ..base.sizes import parse_bytes, parse_gpus
from ..base.typing import Structure
from ..core.context import LOCAL, is_soft
from ..core.tensor import EagerTensor, make_tensor
from ..core.tensor_spec import TensorSpec
from ..devices.device import Device
from ..devices.inventory import INVENTORY
from ..devices.phantom import Moment, PhantomBackend, PhantomDevice, Unprojectable
from ..eager.place import place
from ..graph.function.calling import ConcreteFunction
from ..graph.function.function import Function
from ..graph.plan.phantom_world import World
from ..graph.plan.projection import (
    ITERATIONS,
    MOST_KERNELS,
    PlanSources,
    Projection,
    Question,
    peaks,
    project,
)
from ..graph.session.session import BaseSession
from ..ops.array.shaping import EAGER_CONST
from ..ops.infer import Spec
from ..ops.op import kernel_types
from .estimate_model import ModelStep, is_trainer
from .estimated import Estimate, estimated

# `largest_batch` looks no further.
_MOST_EXAMPLES = 1 << 24


def estimate(
    x: Any,
    *args: Any,
    batch_size: int | None = None,
    training: bool = True,
    devices: str | None = None,
    links: Mapping[str, float] | None = None,
    iterations: int = ITERATIONS,
    **kwargs: Any,
) -> Estimate:
    """Tells what a call will hold on each device at most, and where, without running it.

    The plan of the call is gone through operation by operation, with its copies, views and
    variables as they will be, on tensors without elements. So nothing is computed, and nothing is
    allocated or changed: what is counted is what a limited device would count.

    Args:
        x: a `tf.function`, or a Python function, which is traced as one; a compiled model of Keras;
            or a session.
        args: the arguments of the call: values, or a `tf.TensorSpec` for a tensor that need not
            exist, which then is where `tf.zeros` would be. Of a session its fetches and feeds; of a
            model its data, where the model does not say what that is like.
        batch_size: of a model, how many examples a step takes; 32 if it is not told.
        training: of a model, whether it is a training step, or one of `predict`.
        devices: "4x24GB": GPUs to suppose in the place of those that there are, as in
            `EMPLACE_GPUS`. Variables are taken to be where they would have been made.
        links: bandwidths in bytes per second by "GPU-GPU", "CPU-GPU" or "GPU:0-GPU:1": copies are
            told with the seconds that they take.
        iterations: how often to take a loop to run whose end depends on values.
        kwargs: the arguments of the call by name.

    Returns:
        An Estimate: prints as text; `to_dict()["devices"]["GPU:0"]["peak_bytes"]`.

    Raises:
        TypeError: `x` is something else.
        ValueError: the size of a result depends on values, so that only running it tells.

    >>> import emplace.tensorflow as tf
    >>> step = tf.function(lambda x: tf.reduce_sum(tf.matmul(x, x) + 1.0))
    >>> found = estimate(step, tf.TensorSpec([1000, 1000]), devices="1x1GB")
    >>> found.to_dict()["devices"]["GPU:0"]["peak_bytes"]
    12000256
    """
    world = _supposed(devices)
    if isinstance(x, BaseSession):
        question, what = _of_session(x, world, iterations, *args, **kwargs)
        return _answer(question, what, world, links, {})
    if is_trainer(x) and not isinstance(x, (Function, ConcreteFunction)):
        return _of_model(x, args, batch_size or 32, training, world, links, iterations)
    if not callable(x):
        raise TypeError(
            f"[estimate] got {type(x).__name__}; it takes a function, a compiled model of Keras or "
            "a session."
        )
    question, what = _of_function(x, world, iterations, args, kwargs)
    return _answer(question, what, world, links, {})


def largest_batch(
    model: Any, limit: str | int | None = None, *data: Any, training: bool = True
) -> int:
    """Finds the most examples that a step of a model can take within a limit, by `estimate`.

    Args:
        model: a compiled model of Keras.
        limit: how much memory the model may have on each GPU: "8GB", or bytes. None means what each
            has left. Where there is no GPU, one of that size is supposed.
        data: specs of its data, where the model does not say what that is like.
        training: whether it is a training step, or one of `predict`.

    Returns:
        The number of examples, 0 if not even one fits. One more does not.

    Raises:
        ValueError: there is no limit.

    See `docs/ESTIMATES.md` for an example.
    """
    gpus = [device for device in INVENTORY.devices() if device.type == "GPU"]
    bounded = [device for device in gpus if device.budget is not None]
    if limit is None and not bounded:
        raise ValueError(
            "[largest_batch] there is no limited GPU, and no limit was given: "
            "largest_batch(model, '8GB')."
        )
    nbytes = None if limit is None else parse_bytes(limit)
    supposed = _supposed(None if gpus else f"1x{nbytes}B")
    step = ModelStep(model, data, training, supposed.devices, supposed.is_other)
    if nbytes is None:
        room = _left(bounded, step, supposed)
    else:
        room = {gpu.short_name: nbytes for gpu in supposed.devices if gpu.type == "GPU"}
    return _largest(lambda count: _fits(step, supposed, count, room))


def _left(gpus: Sequence[Device], step: ModelStep, supposed: _Supposed) -> dict[str, int]:
    """The bytes that a model may have on each GPU: what is free, and what its variables hold."""
    found = {}
    for device in gpus:
        assert device.budget is not None
        free = device.budget.free_bytes()
        if free is not None:
            found[device.short_name] = free + step.held(device.budget)
    return found


def _fits(step: ModelStep, supposed: _Supposed, count: int, room: Mapping[str, int]) -> bool:
    found = peaks(_question(step, supposed, count)).devices
    return all(found[name].peak <= nbytes for name, nbytes in room.items())


def _largest(fits: Callable[[int], bool]) -> int:
    """The largest number that fits: what is larger holds more."""
    if not fits(1):
        return 0
    low, high = 1, 2
    while fits(high):
        low, high = high, high * 2
        if high > _MOST_EXAMPLES:
            return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


# -- devices ---------------------------------------------------------------------------------------


class _Supposed:
    """The devices that are asked about: those that there are, or others."""

    def __init__(self, devices: Sequence[Device], limits: dict[str, int | None], other: bool):
        self.devices = devices
        self.limits = limits
        self.is_other = other


def _supposed(text: str | None) -> _Supposed:
    present = INVENTORY.devices()
    if text is None:
        limits = {x.short_name: _limit_of(x) for x in present if x.type != "CPU"}
        return _Supposed(present, limits, False)
    sizes = parse_gpus(text).sizes
    backend, moment = PhantomBackend("GPU"), Moment(MOST_KERNELS)
    gpus = [PhantomDevice("GPU", i, backend, moment) for i in range(len(sizes))]
    cpus = [each for each in present if each.type == "CPU"]
    named = {f"GPU:{i}": size for i, size in enumerate(sizes)}
    return _Supposed([*cpus, *gpus], named, True)


def _limit_of(device: Device) -> int | None:
    return None if device.budget is None else device.budget.limit_bytes


# -- questions -------------------------------------------------------------------------------------


def _question(
    step: ModelStep, supposed: _Supposed, batch_size: int, iterations: int = ITERATIONS
) -> Question:
    return Question(
        functools.partial(step.prepare, batch_size=batch_size),
        supposed.devices, step.kinds(), iterations, supposed.is_other,
    )  # fmt: skip


def _of_model(
    model: Any, data: Sequence[Any], batch_size: int, training: bool, supposed: _Supposed,
    links: Mapping[str, float] | None, iterations: int,
) -> Estimate:  # fmt: skip
    step = ModelStep(model, data, training, supposed.devices, supposed.is_other)
    kind = "a training step" if training else "a step of predict"
    what = f"{kind} of {step.name} on {batch_size} examples"
    question = _question(step, supposed, batch_size, iterations)
    return _answer(question, what, supposed, links, step.paths())


def _of_function(
    x: Any, supposed: _Supposed, iterations: int, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Question, str]:
    if isinstance(x, ConcreteFunction):
        traced = x
    elif isinstance(x, Function):
        traced = x.get_concrete_function(*args, **kwargs)
    else:  # what it makes is made on phantoms: nobody else has traced it
        world = World(supposed.devices, MOST_KERNELS, places_anew=supposed.is_other)
        name = str(getattr(x, "__name__", "function"))
        with world.standing():
            traced = _TracedOnce(x, name=name).get_concrete_function(*args, **kwargs)

    def prepare(world: World) -> tuple[PlanSources, list[EagerTensor]]:
        given, named = nest.map_structure(
            lambda leaf: _argument(leaf, world), (tuple(args), dict(kwargs))
        )
        tensors = [
            world.tensor(each, "inputs") for each in traced.tensors_of(*given, **named)
        ]  # fmt: skip
        return PlanSources(*traced.sources(tensors)), tensors

    what = f"function {traced._name}"
    return Question(prepare, supposed.devices, {}, iterations, supposed.is_other), what


class _TracedOnce(Function):
    """A function that is asked about once: what it makes, it may make in each call."""

    def _trace(
        self, names: Sequence[str], structure: Sequence[Any], specs: Sequence[Any]
    ) -> ConcreteFunction:
        return self._trace_once(names, structure, specs, self._variables)


def _argument(leaf: Any, world: World) -> Any:
    """What is given for a spec."""
    if not isinstance(leaf, TensorSpec):
        return leaf
    types = kernel_types(EAGER_CONST, [leaf.dtype])
    found = place(
        EAGER_CONST.name, types, [leaf.dtype], None, LOCAL.state.scope, world.devices, is_soft()
    )
    return world.unknown(Spec(leaf.shape.sizes, leaf.dtype), found.device)


def _of_session(
    session: BaseSession, supposed: _Supposed, iterations: int, fetches: Structure,
    feed_dict: Mapping[Any, Any] | None = None,
) -> tuple[Question, str]:  # fmt: skip
    plan, values = session.planned(fetches, feed_dict)

    def prepare(world: World) -> tuple[PlanSources, list[EagerTensor]]:
        host = world.devices[0]
        tensors = [
            make_tensor(world.value(raw, host), host.kind(x.dtype))
            for raw, x in zip(values, plan.sources[0], strict=True)
        ]
        return PlanSources(*plan.sources), tensors

    return Question(prepare, supposed.devices, {}, iterations, supposed.is_other), "Session.run"


def _answer(
    question: Question, what: str, supposed: _Supposed, links: Mapping[str, float] | None,
    paths: Mapping[int, str],
) -> Estimate:  # fmt: skip
    try:
        projection = project(question)
    except Unprojectable as unknown:
        raise ValueError(
            f"[estimate] {what} cannot be told before it runs: {unknown.why}. `with "
            "emplace.watch()` tells what a run of it holds."
        ) from None
    limits: dict[str, int | None] = dict(supposed.limits)
    return estimated(what, projection, limits, links, _places(projection, paths))


def _places(projection: Projection, paths: Mapping[int, str]) -> dict[str, str]:
    """The devices of variables, by their names."""
    found: dict[str, str] = {}
    for number, name, device in projection.variables:
        told = paths.get(number) or re.sub(r"/\d+$", "", name) or "variable"
        key, count = told, 1
        while key in found:
            count += 1
            key = f"{told} ({count})"
        found[key] = device
    return found
