"""`tf.estimator.train_and_evaluate`: a training, with evaluations between."""

from __future__ import annotations

import time
from typing import Any

from ..monitored.saving_hooks import CheckpointSaverListener
from .estimator import Estimator
from .spec import EvalSpec, TrainSpec


class _Evaluations(CheckpointSaverListener):
    """Evaluates new checkpoints, not more often than asked for, and the last one."""

    def __init__(self, estimator: Estimator, spec: EvalSpec) -> None:
        self._estimator, self._spec = estimator, spec
        self._last: float | None = None
        self._evaluated: int | None = None
        self.found: dict[str, Any] | None = None

    def begin(self) -> None:
        """Starts the clock."""
        self._last = time.monotonic()

    def after_save(self, session: object, global_step_value: int) -> None:
        """Evaluates, if it is time."""
        assert self._last is not None
        is_first = self._evaluated is None and global_step_value == 0
        if is_first or time.monotonic() - self._last < self._spec.throttle_secs:
            return
        self.evaluate(global_step_value)

    def end(self, session: object, global_step_value: int) -> None:
        """Evaluates the last checkpoint."""
        if self._evaluated != global_step_value:
            self.evaluate(global_step_value)

    def evaluate(self, step: int | None = None) -> None:
        """Evaluates the latest checkpoint."""
        spec = self._spec
        self.found = self._estimator.evaluate(spec.input_fn, spec.steps, spec.hooks, name=spec.name)
        self._last, self._evaluated = time.monotonic(), step


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict[str, Any] | None, list[Any]]:
    """Trains, and evaluates checkpoints meanwhile (`tf.estimator.train_and_evaluate`).

    Args:
        estimator: the estimator.
        train_spec: the training.
        eval_spec: the evaluations.

    Returns:
        What the last evaluation found, and an empty list: nothing is exported.

    Raises:
        TypeError: an argument is of another type.
    """
    for value, kind, name in (
        (estimator, Estimator, "estimator"), (train_spec, TrainSpec, "train_spec"),
        (eval_spec, EvalSpec, "eval_spec"),
    ):  # fmt: skip
        if not isinstance(value, kind):
            raise TypeError(
                f"`{name}` must have type `tf.estimator.{kind.__name__}`, given {type(value)}"
            )
    evaluations = _Evaluations(estimator, eval_spec)
    listeners = [*train_spec.saving_listeners, evaluations]
    estimator.train(
        train_spec.input_fn, train_spec.hooks, max_steps=train_spec.max_steps,
        saving_listeners=listeners,
    )  # fmt: skip
    if evaluations.found is None:
        evaluations.evaluate()
    return evaluations.found, []
