"""The batch that would fit a step of Keras that was traced for batches of one size.

`fit` on arrays is traced so. The model's step is traced once more, for batches of any size, and
believed where it holds what the refused one would hold. The import hook hands the module in when
Keras loads it.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from ..devices.inventory import INVENTORY
from ..graph.plan.batches import WAYS, BatchNeeds, Refused, argument_bytes, most_taken
from ..graph.plan.projection import Question
from ..holders.names import locals_of
from .estimate_model import ModelStep, is_trainer

# The methods of models that run steps: whether those are training steps.
_STEPS = {"fit": True, "train_on_batch": True, "predict": False, "predict_on_batch": False}
# Tracing more than this takes too long.
_MOST_OPERATIONS = 1500
# How far the two may be apart.
_TOLERANCE = 0.02


def of_model_step(refused: Refused) -> BatchNeeds | None:
    """A way for the step of the model that is running, None where there is none."""
    running, count = _running_model(), _count_of(refused)
    if running is None or count is None or len(refused.operations()) > _MOST_OPERATIONS:
        return None
    step = ModelStep(*running, INVENTORY.devices())
    projected = functools.cache(functools.partial(_projected, refused, step))
    own, more = argument_bytes(refused, count), {}
    for name, nbytes in projected(count).items():
        needed = refused.projection.devices[name].extra + own.get(name, 0)
        more[name] = needed - nbytes
        if abs(more[name]) > _TOLERANCE * needed:
            return None

    def needs(examples: int) -> dict[str, int]:
        return {name: nbytes + more[name] for name, nbytes in projected(examples).items()}

    return BatchNeeds(count, needs)


def _projected(refused: Refused, step: ModelStep, examples: int) -> dict[str, int]:
    """What a step on so many examples takes, by device."""
    prepare = functools.partial(step.prepare, batch_size=examples)
    return most_taken(refused, Question(prepare, INVENTORY.devices(), deadline=refused.deadline))


def _count_of(refused: Refused) -> int | None:
    """How many examples the step takes: the rows of all that it is given."""
    given = [x.shape for x in refused.tensors if x.dtype.torch is not None]
    for operation in refused.operations():
        if operation.type == "IteratorGetNext":
            given += [y.shape for y in operation.outputs]
    counts = {shape[0] for shape in given if shape.rank}
    return counts.pop() if len(counts) == 1 else None


def _running_model() -> tuple[Any, tuple[()], bool] | None:
    """What `ModelStep` takes, for the model of Keras whose step this thread runs."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        is_training = _STEPS.get(frame.f_code.co_name)
        if is_training is not None:
            model = locals_of(frame).get("self")
            if is_trainer(model):
                return (model, (), is_training) if _is_known(model) else None
        frame = frame.f_back
    return None


def _is_known(model: Any) -> bool:
    """Whether the steps are Keras's own, on one device: others may do more than compute."""
    steps = (type(model).train_step, type(model).predict_step)
    is_own = all(each.__module__.startswith("keras.src.") for each in steps)
    return is_own and getattr(model, "_distribute_strategy", None) is None


def know_models(module: ModuleType) -> None:
    """Lets refusals ask for the steps of models, once there can be some."""
    if of_model_step not in WAYS:
        WAYS.append(of_model_step)


ADJUSTMENTS: dict[str, Callable[[ModuleType], None]] = {"keras.src.trainers.trainer": know_models}
