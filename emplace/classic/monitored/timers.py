"""When something that is done now and then is due."""

from __future__ import annotations

import time
from typing import Any

from ...base.typing import IntLike
from ...training.global_step import get_global_step


class SecondOrStepTimer:
    """Says whether something is due, by seconds or by steps
    (`tf.compat.v1.train.SecondOrStepTimer`).

    Args:
        every_secs: due when so many seconds have passed.
        every_steps: due when so many steps have passed.

    Raises:
        ValueError: both are given, or none.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets when it was due last."""
        self._last_step: Any = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: IntLike) -> bool:
        """Whether it is due at this step: always the first time, never twice for one step."""
        if self._last_step is None or self._last_time is None:
            return True
        if step == self._last_step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        assert self._every_steps is not None
        return bool(step >= self._last_step + self._every_steps)

    def update_last_triggered_step(self, step: IntLike) -> tuple[float | None, Any]:
        """Notes that it was done at this step.

        Returns:
            The seconds and the steps since the last time; None for both at the first.
        """
        now = time.time()
        seconds = steps = None
        if self._last_step is not None and self._last_time is not None:
            seconds, steps = now - self._last_time, step - self._last_step
        self._last_step, self._last_time = step, now
        return seconds, steps

    def last_triggered_step(self) -> Any:
        """The step at which it was done last; None if it never was."""
        return self._last_step


class NeverTriggerTimer(SecondOrStepTimer):
    """A timer for what is never due."""

    def __init__(self) -> None:
        self.reset()

    def should_trigger_for_step(self, step: object) -> bool:
        """False."""
        return False

    def update_last_triggered_step(self, step: object) -> tuple[float | None, Any]:
        """Notes nothing."""
        return None, None


def read_global_step(hook: str) -> Any:
    """The global step of the graph, for a hook.

    Raises:
        RuntimeError: the graph has none.
    """
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return step
