"""What `tf.train.Checkpoint.restore` returns: it says whether everything fitted."""

from __future__ import annotations

from typing import Any

from ...eager.variable import Variable
from ...graph.session.session import BaseSession, get_default_session
from .object_graph import ObjectGraph, ObjectNode, has_values, variable_of
from .restoring import Restoration


class LoadStatus:
    """What came of `restore` so far; it asserts what the program expects.

    Args:
        root: what was to be restored.
        restoration: the restore; None if no checkpoint was given.
    """

    def __init__(self, root: Any, restoration: Restoration | None) -> None:
        self._root, self._restoration = root, restoration

    def assert_consumed(self) -> LoadStatus:
        """Asserts that all values of the checkpoint are used, and all variables have one.

        Raises:
            AssertionError: they are not.
        """
        restoration = self._restored()
        self.assert_existing_objects_matched()
        refused = [(restoration.nodes[n], it()) for n, it in restoration.refused.items()]
        unused = [node for node in restoration.unbound() if all(node is not n for n, _ in refused)]
        if unused:
            raise AssertionError(_unresolved(unused))
        if refused:
            raise AssertionError(_refused(refused))
        return self

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Asserts that all variables have a value in the checkpoint.

        Raises:
            AssertionError: one has none.
        """
        unmatched = self._unmatched(self._restored())
        if unmatched:
            count, shown = len(unmatched), unmatched[:10]
            raise AssertionError(
                f"Found {count} Python objects that were not bound to checkpointed values, likely "
                f"due to changes in the Python program. Showing {len(shown)} of {count} unmatched "
                f"objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Asserts that something besides the root has a place in the checkpoint.

        Raises:
            AssertionError: nothing has.
        """
        restoration = self._restored()
        if len(restoration.bound) > 1:
            return self
        unmatched = self._unmatched(restoration)
        if unmatched:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program. The following objects have "
                f"no matching checkpointed value: {unmatched}"
            )
        raise AssertionError(
            f"Nothing to load. No dependencies have been added to {self._root} yet."
        )

    def _restored(self) -> Restoration:
        if self._restoration is None:
            raise AssertionError(
                "No checkpoint specified (save_path=None); nothing is being restored."
            )
        return self._restoration

    def _unmatched(self, restoration: Restoration | None) -> list[Any]:
        """The objects with values that have no place in the checkpoint."""
        here = [each for each in ObjectGraph(self._root).objects if has_values(each)]
        return [each for each in here if restoration is None or not restoration.has(each)]

    def expect_partial(self) -> LoadStatus:
        """Says that the rest of the checkpoint is left out on purpose."""
        if self._restoration is not None:
            self._restoration.expect_partial()
        return self

    def run_restore_ops(self, session: BaseSession | None = None) -> None:
        """In a session, gives the variables of its graph the values of the checkpoint."""
        session = session or get_default_session()
        if session is not None and self._restoration is not None:
            self._restoration.run(session)

    def initialize_or_restore(self, session: BaseSession | None = None) -> None:
        """In a session, gives variables the values of the checkpoint, and first values to those
        that it has none for."""
        session = session or get_default_session()
        if session is None:
            return
        rest = [variable_of(each) for each in self._unmatched(self._restoration)]
        session.run([v.initializer for v in rest if v is not None])
        self.run_restore_ops(session)


class NameBasedStatus(LoadStatus):
    """What came of restoring a checkpoint of TF 1's Saver, whose variables have names only.

    Args:
        root: what was to be restored.
        restoration: the restore, with a node per value.
    """

    def __init__(self, root: Any, restoration: Restoration) -> None:
        super().__init__(root, restoration)
        self.optional: list[Variable] = []

    def assert_consumed(self) -> LoadStatus:
        """Asserts that all variables have a value in the checkpoint.

        Raises:
            AssertionError: they have not.
        """
        return self.assert_existing_objects_matched()

    def _unmatched(self, restoration: Restoration | None) -> list[Any]:
        skipped = {id(each) for each in self.optional}
        return [each for each in super()._unmatched(restoration) if id(each) not in skipped]


def _unresolved(unused: list[ObjectNode]) -> str:
    node = min(unused, key=lambda each: each.path)
    return (
        f"Unresolved object in checkpoint (root).{node.path.replace('/', '.')}: nothing here takes "
        f"{sorted(node.values.values())}; {len(unused)} of the checkpoint's objects are not used. "
        "Use expect_partial() where that is meant."
    )


def _refused(refused: list[tuple[ObjectNode, Any]]) -> str:
    """Of objects that were found, but take no values."""
    shown = [
        f"(root).{node.path.replace('/', '.')} ({value}): {', '.join(sorted(node.values))}"
        for node, value in refused
    ]
    return (
        "Unused attributes in these objects: the checkpoint has values for them which they do not "
        "take.\n" + "\n".join(shown)
    )
