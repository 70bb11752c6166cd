"""Functions that run what a `CallableOptions` names in a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def of_options(session: Any, options: Any) -> Callable[..., list[Any]]:
    """A function that takes values for the tensors that options feed, and returns what they fetch.

    Args:
        session: which runs it.
        options: `feed`, `fetch` and `target` with names, `run_options`, and `tensor_connection`:
            tensors whose values others are fed with, in a run before.
    """
    feeds, fetches, targets = list(options.feed), list(options.fetch), list(options.target)
    given = [each.from_tensor for each in options.tensor_connection]
    taking = [each.to_tensor for each in options.tensor_connection]

    def call(*values: Any, run_metadata: Any = None) -> list[Any]:
        fed = dict(zip(feeds, values, strict=True))
        if given:
            fed |= zip(taking, session.run(given, fed), strict=True)
        return list(session.run([fetches, targets], fed, options.run_options, run_metadata)[0])

    return call
