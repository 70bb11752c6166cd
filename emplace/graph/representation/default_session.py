"""The sessions that threads use by default, and what runs in one: `tensor.eval()`, `op.run()`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core.context import LOCAL
from ...ops.sparse.tensor import IN_SESSION


def default_sessions() -> list[Any]:
    """The sessions whose scopes are open in this thread, the innermost one last."""
    found: list[Any] = LOCAL.__dict__.setdefault("sessions", [])
    return found


@contextmanager
def default_session_scope(session: Any) -> Iterator[Any]:
    """A scope in which a session is the default one; yields the session.

    Raises:
        AssertionError: scopes end in another order than they began.
    """
    stack = default_sessions()
    stack.append(session)
    try:
        yield session
    finally:
        if stack and stack[-1] is not session:
            raise AssertionError(f"Nesting violated for default stack of {type(session)} objects")
        if stack:
            stack.pop()


def run_in_session(element: Any, feed_dict: Any, session: Any, what: str) -> Any:
    """The value of a tensor, or a run of an operation, in a session or the default one.

    Args:
        element: the tensor or operation.
        feed_dict: what is fed.
        session: the session; None for the default one.
        what: the method that asks, "eval" or "run".

    Raises:
        ValueError: there is no session, or it runs another graph.
    """
    is_default, stack = session is None, default_sessions()
    if is_default:
        session = stack[-1] if stack else None
    if session is None:
        if what == "eval":
            raise ValueError(
                "Cannot evaluate tensor using `eval()`: No default session is registered. Use "
                "`with sess.as_default()` or pass an explicit session to `eval(session=sess)`"
            )
        raise ValueError(
            "Cannot execute operation using `run()`: No default session is registered. Use `with "
            "sess.as_default():` or pass an explicit session to `run(session=sess)`"
        )
    hint = f" Pass an explicit session to `{what}(session=sess)`." if is_default else ""
    if session.graph is not element.graph:
        raise ValueError(
            f"Cannot use the {'default' if is_default else 'given'} session to "
            f"{'evaluate tensor' if what == 'eval' else 'execute operation'}: the "
            f"{'tensor' if what == 'eval' else 'operation'}'s graph is different from the "
            f"session's graph.{hint}"
        )
    return session.run(element, feed_dict)


IN_SESSION.bind(run_in_session)
