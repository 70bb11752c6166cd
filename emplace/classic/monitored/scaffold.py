"""`tf.train.Scaffold`: the operations that a monitored session needs, made where none is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...graph.recording.grouping import group
from ...state.saver import Saver
from ...summary.ops import merge_all
from ..scopes import messages as logging
from ..scopes.collections import GraphKeys, get_collection, global_variables, outer_graph
from ..scopes.readiness import (
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)


class Scaffold:
    """The operations that start, check and save a training (`tf.compat.v1.train.Scaffold`).

    Args:
        init_op: gives variables their first values.
        init_feed_dict: what its run feeds.
        init_fn: is called as `init_fn(scaffold, session)` after it.
        ready_op: returns the names of variables without values.
        ready_for_local_init_op: the same, of those that `local_init_op` needs.
        local_init_op: gives local variables and tables their values.
        summary_op: all summaries.
        saver: the saver.
        copy_from_scaffold: another one, whose parts are taken where none is given.
        local_init_feed_dict: what the run of `local_init_op` feeds.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Saver | None = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")
        given = {
            "init_op": init_op, "init_feed_dict": init_feed_dict, "ready_op": ready_op,
            "ready_for_local_init_op": ready_for_local_init_op, "local_init_op": local_init_op,
            "summary_op": summary_op, "saver": saver, "local_init_feed_dict": local_init_feed_dict,
        }  # fmt: skip
        other = copy_from_scaffold
        self._parts = {
            name: getattr(other, name) if value is None and other is not None else value
            for name, value in given.items()
        }
        self._init_fn: Callable[[Any], Any] | None = other.init_fn if other is not None else None
        if init_fn is not None:
            self._init_fn = lambda session: init_fn(self, session)

    @property
    def init_op(self) -> Any:
        """Gives variables their first values."""
        return self._parts["init_op"]

    @property
    def init_feed_dict(self) -> Any:
        """What the run of `init_op` feeds."""
        return self._parts["init_feed_dict"]

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """Is called with the session after `init_op`."""
        return self._init_fn

    @property
    def ready_op(self) -> Any:
        """Returns the names of variables without values."""
        return self._parts["ready_op"]

    @property
    def ready_for_local_init_op(self) -> Any:
        """The same, of those that `local_init_op` needs."""
        return self._parts["ready_for_local_init_op"]

    @property
    def local_init_op(self) -> Any:
        """Gives local variables and tables their values."""
        return self._parts["local_init_op"]

    @property
    def local_init_feed_dict(self) -> Any:
        """What the run of `local_init_op` feeds."""
        return self._parts["local_init_feed_dict"]

    @property
    def summary_op(self) -> Any:
        """All summaries."""
        return self._parts["summary_op"]

    @property
    def saver(self) -> Any:
        """The saver."""
        return self._parts["saver"]

    def finalize(self) -> Scaffold:
        """Makes what is missing, and finishes the graph."""
        makers: dict[str, tuple[str, Callable[[], Any]]] = {
            "init_op": (GraphKeys.INIT_OP, global_variables_initializer),
            "ready_op": (GraphKeys.READY_OP, report_uninitialized_variables),
            "ready_for_local_init_op": (GraphKeys.READY_FOR_LOCAL_INIT_OP, _global_ones),
            "local_init_op": (GraphKeys.LOCAL_INIT_OP, self.default_local_init_op),
            "summary_op": (GraphKeys.SUMMARY_OP, merge_all),
            "saver": (GraphKeys.SAVERS, _default_saver),
        }
        for name, (key, make) in makers.items():
            if self._parts[name] is None:
                self._parts[name] = self.get_or_default(name, key, make)
        outer_graph().finalize()
        logging.info("Graph was finalized.")
        return self

    @staticmethod
    def get_or_default(arg_name: str, collection_key: str, default_constructor: Any) -> Any:
        """The only item of a list of the graph, or a new one, which is added to it.

        Raises:
            RuntimeError: the list has several.
        """
        found = get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which '
                "one to use by passing it to the tf.Scaffold constructor as:  "
                f"tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            outer_graph().add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op() -> Any:
        """Gives local variables and tables their values."""
        return group(local_variables_initializer(), tables_initializer())


def _global_ones() -> Any:
    return report_uninitialized_variables(global_variables())


def _default_saver() -> Saver:
    return Saver(allow_empty=True)
