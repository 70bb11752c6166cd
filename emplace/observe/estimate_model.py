"""What one step of a Keras model holds: its training step, or that of `predict`.

A model is known by what it has; Keras itself is not imported here. The step is traced once, for
batches of any size, and projected for each size that is asked for. An optimizer that has no slots
yet gets them on phantom devices: the step is traced with another one like it. Under a strategy each
replica gets its part of the batch.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..base import nest
from ..base.dtypes import as_dtype
from ..core.tensor import EagerTensor
from ..core.tensor_spec import TensorSpec
from ..devices.device import Device
from ..devices.memory import Budget
from ..distribute.reductions.cross_device import copied_to
from ..distribute.replicas.values import regroup
from ..graph.function.calling import ConcreteFunction
from ..graph.function.function import Function
from ..graph.plan.phantom_world import World
from ..graph.plan.projection import MOST_KERNELS, PlanSources
from ..holders.values import address, nbytes_of
from ..ops.array.joining import concat
from ..ops.infer import Spec
from ..ops.variables.resource import Storage


def is_trainer(x: Any) -> bool:
    """Whether something trains as models of Keras do."""
    return all(hasattr(x, name) for name in ("train_step", "predict_step", "trainable_variables"))


class ModelStep:
    """One step of a model, traced.

    Args:
        model: the model.
        given: specs or values of the data: x, y and weights; what the model says where there is
            none.
        is_training: whether it is a training step, or one of `predict`.
        devices: the devices to trace it for.
        places_anew: whether these are others than the program has.

    Raises:
        ValueError: the model is not built or not compiled, or nobody knows what its data is like.
    """

    def __init__(
        self, model: Any, given: Sequence[Any], is_training: bool, devices: Sequence[Device],
        places_anew: bool = False,
    ) -> None:  # fmt: skip
        self.model = model
        self.is_training = is_training
        _check(model, is_training)
        specs = [nest.map_structure(_spec_of, each) for each in given] or _data_of(model)
        if len(specs) == 1 and is_training:
            specs += _data_of(model)[1:]
        self._specs = specs if is_training else specs[:1]
        self.name = str(getattr(model, "name", "model"))
        #: What the model is distributed by; None where it is not.
        self._strategy = getattr(model, "_distribute_strategy", None)
        self._world = World(devices, MOST_KERNELS, places_anew=places_anew)
        self.traced = self._traced()

    def prepare(self, world: World, batch_size: int) -> tuple[PlanSources, list[EagerTensor]]:
        """What a step on so many examples is made of, and its data, on the host."""
        host = world.devices[0]
        tensors: list[EagerTensor] = []
        for count in self._parts(batch_size):
            for leaf in nest.flatten(self._specs):
                dims = tuple(count if size is None else size for size in leaf.shape.sizes or ())
                tensors.append(world.unknown(Spec(dims, leaf.dtype), host))
        return PlanSources(*self.traced.sources(tensors)), tensors

    def kinds(self) -> dict[int, str]:
        """What the model's variables are, by the ids of their storages."""
        slots = [] if self._optimizer is None else self._optimizer.variables
        found = {id(storage): "slots" for storage in _storages(slots)}
        found |= {id(storage): "parameters" for storage in _storages(self.model.variables)}
        return found

    def held(self, budget: Budget) -> int:
        """The bytes that a budget counts for the model's variables now."""
        slots = [] if self._optimizer is None else self._optimizer.variables
        held: dict[int, int] = {}
        for storage in _storages((*slots, *self.model.variables)):
            if storage.budget is budget and storage.value is not None:
                held[address(storage.value)] = nbytes_of(storage.value)
        return sum(held.values())

    def paths(self) -> dict[int, str]:
        """What the model's variables are called, by the ids of their storages."""
        slots = [] if self._optimizer is None else self._optimizer.variables
        return {
            id(storage): str(getattr(variable, "path", variable.name))
            for variable in (*slots, *self.model.variables)
            for storage in _storages([variable])
        }

    def _parts(self, batch_size: int) -> list[int]:
        """How many examples each replica takes of a batch, as datasets are distributed."""
        if self._strategy is None:
            return [batch_size]
        share = -(-batch_size // self._strategy.num_replicas_in_sync)
        starts = [i * share for i in range(len(self._strategy.replica_devices))]
        return [max(0, min(share, batch_size - start)) for start in starts]

    def _traced(self) -> ConcreteFunction:
        model, strategy = self.model, self._strategy
        step = model.train_step if self.is_training else model.predict_step

        def one_step(*parts: Any) -> Any:
            if strategy is None:
                return step(parts[0])
            here = [
                nest.map_structure(functools.partial(copied_to, name), part)
                for name, part in zip(strategy.replica_devices, parts, strict=True)
            ]
            made = strategy.experimental_local_results(strategy.run(step, (regroup(here),)))
            return made[0] if self.is_training else nest.map_structure(_joined, *made)

        function = Function(one_step, autograph=False, name=f"{self.name}_step")
        specs = tuple(nest.map_structure(_open, self._specs))
        count = len(self._parts(1))
        with self._with_slots():
            found: ConcreteFunction = function.get_concrete_function(*[specs] * count)
        return found

    @contextmanager
    def _with_slots(self) -> Iterator[None]:
        """A scope in which the model has an optimizer with slots."""
        model = self.model
        optimizer = self._optimizer = getattr(model, "optimizer", None)
        if not self.is_training or optimizer is None or getattr(optimizer, "built", True):
            yield
            return
        config = optimizer.get_config()  # which reads its numbers
        with self._world.standing(), _scope_of(model):
            self._optimizer = type(optimizer).from_config(config)
            model.__dict__["optimizer"] = self._optimizer
            try:
                self._optimizer.build(model.trainable_variables)
                yield
            finally:
                model.__dict__["optimizer"] = optimizer


def _check(model: Any, is_training: bool) -> None:
    name = getattr(model, "name", "model")
    if not getattr(model, "built", True):
        raise ValueError(
            f"[estimate] the model {name} is not built: its variables come with its first call. "
            "Call it on a batch, or `model.build(input_shape)`, first."
        )
    if is_training and not getattr(model, "compiled", False):
        raise ValueError(
            f"[estimate] the model {name} is not compiled: a training step needs an optimizer and "
            "a loss. Call `model.compile(...)` first, or ask for `training=False`."
        )
    if is_training:
        for part in ("_compile_metrics", "_compile_loss"):
            if getattr(getattr(model, part, None), "built", True) is False:
                _build_losses(model)
                return


def _scope_of(model: Any) -> AbstractContextManager[Any]:
    """The scope of what the model is distributed by, in which its variables are made."""
    strategy = getattr(model, "_distribute_strategy", None)
    return nullcontext() if strategy is None else strategy.scope()


def _build_losses(model: Any) -> None:
    """Lets the loss and the metrics make their variables, as `fit` does before its first step."""
    data = [nest.map_structure(_open, each) for each in _data_of(model)]
    optimizer = model.optimizer
    model.__dict__["optimizer"] = None  # whose slots would be made as well
    try:
        with _scope_of(model):
            model._symbolic_build(data_batch=tuple(data))
    finally:
        model.__dict__["optimizer"] = optimizer


def _data_of(model: Any) -> list[Any]:
    """Specs of x and y, as the model says what it takes and what its losses compare."""
    inputs, outputs = getattr(model, "inputs", None), getattr(model, "outputs", None)
    if not inputs or not outputs:
        raise ValueError(
            f"[estimate] nobody knows what data {getattr(model, 'name', 'the model')} takes. Give "
            "specs of it: `emplace.estimate(model, tf.TensorSpec([None, 28, 28]), "
            "tf.TensorSpec([None], tf.int64), batch_size=32)`."
        )
    x = [TensorSpec(each.shape, as_dtype(each.dtype)) for each in inputs]
    y = [_label_of(each, loss) for each, loss in zip(outputs, _losses(model, outputs), strict=True)]
    structure = getattr(model, "_inputs_struct", None)
    if structure is not None and len(nest.flatten(structure)) == len(x):
        packed = nest.pack_sequence_as(structure, x)
    else:
        packed = x if len(x) > 1 else x[0]
    return [packed, y if len(y) > 1 else y[0]]


def _losses(model: Any, outputs: Sequence[Any]) -> list[Any]:
    loss = getattr(model, "loss", None)
    if isinstance(loss, dict):
        loss = list(loss.values())
    if isinstance(loss, (list, tuple)):
        return list(loss) if len(loss) == len(outputs) else [None] * len(outputs)
    return [loss] * len(outputs)


def _label_of(output: Any, loss: Any) -> TensorSpec:
    """What a loss compares an output with."""
    name = loss if isinstance(loss, str) else getattr(loss, "name", getattr(loss, "__name__", ""))
    if "sparse" in str(name).lower():
        return TensorSpec(output.shape[:-1], as_dtype("int64"))
    return TensorSpec(output.shape, as_dtype(output.dtype))


def _spec_of(value: Any) -> TensorSpec:
    """The spec of data, of which the first axis is that of the batch."""
    if isinstance(value, TensorSpec):
        return value
    dims = getattr(value, "shape", None)
    if dims is None:
        raise TypeError(
            f"[estimate] got {type(value).__name__} for data of the model; it takes a "
            "tf.TensorSpec, a tensor or an array."
        )
    return TensorSpec([None, *list(dims)[1:]], as_dtype(value.dtype))


def _open(spec: Any) -> TensorSpec:
    sizes = list(spec.shape.sizes or ())
    return TensorSpec([None, *sizes[1:]] if sizes else [], spec.dtype)


def _joined(*parts: Any) -> Any:
    """What replicas predict, as one batch."""
    return concat(parts, 0)


def _storages(variables: Sequence[Any]) -> Iterator[Storage]:
    """The memory of variables of Keras or of TensorFlow, of each replica."""
    for variable in variables:
        inner = getattr(variable, "value", variable)
        inner = variable if callable(inner) else inner
        for each in getattr(inner, "values", None) or (inner,):
            value = getattr(getattr(each, "handle", None), "_value", None)
            if isinstance(value, Storage):
                yield value
