"""`tf.train.Checkpoint` of TF 2: saves the variables that objects hold, by their paths."""

from __future__ import annotations

import json
import os
from typing import Any

from ..base import dtypes
from ..base.errors import NotFoundError
from ..core.context import LOCAL
from ..eager.variable import Variable
from ..graph.scopes import init_scope
from ..graph.session import get_default_session
from ..ops.io.paths import as_text
from ..state.checkpoint_files import CheckpointReader, write_checkpoint
from ..state.checkpoint_state import write_checkpoint_state
from .object_graph import SUFFIX, Holder, children, is_saved, paths

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


class Checkpoint(Holder):
    """Objects whose variables are saved together (`tf.train.Checkpoint`).

    Args:
        root: an object whose own attributes are saved as if they were given by name.
        **kwargs: variables, or what holds some: modules, lists, tuples, dictionaries, optimizers,
            random generators, other checkpoints.

    Raises:
        ValueError: an argument holds no variables.

    >>> import tempfile
    >>> v = Variable(1.0)
    >>> checkpoint = Checkpoint(v=v)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> v.assign(5.0).numpy() == 5.0
    True
    >>> checkpoint.restore(path).assert_consumed() is not None
    True
    >>> float(v)
    1.0
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        given = kwargs if root is None else {"root": root, **kwargs}
        for name, value in given.items():
            if not is_saved(value):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (an object "
                    f"derived from `Trackable`), got {value}. Emplace saves variables, optimizers, "
                    "random generators, modules, checkpoints, and lists and dictionaries of those."
                )
        self._root = root
        self._counter: Variable | None = None
        for name, value in kwargs.items():
            setattr(self, name, value)

    def saved_attributes(self) -> dict[str, Any]:
        """What is saved, by name."""
        own = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        if self._root is not None:
            own = {**dict(children(self._root)), **own}
        return {**own, "save_counter": self.save_counter}

    @property
    def save_counter(self) -> Variable:
        """How often `save` has been called: a variable."""
        if self._counter is None:
            with init_scope():
                self._counter = Variable(0, dtype=dtypes.int64, name="save_counter",
                                         trainable=False)  # fmt: skip
            session = get_default_session()
            if not LOCAL.state.target.is_eager and session is not None:
                session.run(self._counter.initializer)  # type: ignore[attr-defined]
        return self._counter

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Writes a checkpoint of exactly this prefix, which is not counted.

        Args:
            file_prefix: its prefix; folders on the way are made.
            options: not used.

        Returns:
            The prefix.
        """
        variables, others = paths(self)
        values = dict(zip(variables, _values(list(variables.values())), strict=True))
        names = {key: each.name.removesuffix(":0") for key, each in variables.items()}
        graph = json.dumps({"others": others, "names": names})
        return write_checkpoint(as_text(file_prefix), {**values, GRAPH_KEY: graph})

    def save(self, file_prefix: Any, options: Any = None, session: Any = None) -> str:
        """Writes a checkpoint with a number behind its prefix, and counts it.

        Args:
            file_prefix: how its prefix begins.
            options: not used.
            session: the session that holds the values, if they are of a graph; the default one if
                None.

        Returns:
            The prefix.
        """
        path = self.write(f"{as_text(file_prefix)}-{_count(self.save_counter)}")
        folder = os.path.dirname(path)
        write_checkpoint_state(folder, path, [path], save_relative_paths=True)
        return path

    def read(self, save_path: Any, options: Any = None) -> LoadStatus:
        """Gives variables the values of a checkpoint that `write` wrote; see `restore`."""
        return self.restore(save_path)

    def restore(self, save_path: Any, options: Any = None) -> LoadStatus:
        """Gives the variables that exist the values of a checkpoint.

        Args:
            save_path: its prefix; nothing happens if None.
            options: not used.

        Returns:
            What says whether everything fitted.

        Raises:
            NotFoundError: there is no such checkpoint.
            ValueError: a value has another shape than its variable.
        """
        if save_path is None:
            return LoadStatus(None, {}, [], {})
        path = as_text(save_path)
        try:
            reader = CheckpointReader(path)
        except NotFoundError as error:
            raise NotFoundError(
                None, None,
                f"Error when restoring from checkpoint or SavedModel at {path}: {error.message}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint "
                "suffix (e.g. the '-1' in 'path/to/ckpt-1').",
            ) from None  # fmt: skip
        return _restored(self, path, reader)


class LoadStatus:
    """What came of `restore`; it asserts what the program expects."""

    def __init__(
        self, path: str | None, matched: dict[str, Variable], unmatched: list[Variable],
        unused: dict[str, str],
    ) -> None:  # fmt: skip
        self._path, self._matched = path, matched
        self._unmatched, self._unused = unmatched, unused

    def assert_consumed(self) -> LoadStatus:
        """Asserts that all values of the checkpoint are used, and all variables have one.

        Raises:
            AssertionError: they are not.
        """
        self._assert_restored()
        if self._unused:
            key = min(self._unused)
            where = key.removesuffix(SUFFIX).replace("/", ".")
            raise AssertionError(
                f"Unresolved object in checkpoint (root).{where}: its value {key!r} has no "
                f"variable here; {len(self._unused)} of the checkpoint's values have none. Use "
                "expect_partial() where that is meant."
            )
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> LoadStatus:
        """Asserts that all variables have a value in the checkpoint.

        Raises:
            AssertionError: one has none.
        """
        self._assert_restored()
        if self._unmatched:
            count = len(self._unmatched)
            shown = self._unmatched[:10]
            raise AssertionError(
                f"Found {count} Python objects that were not bound to checkpointed values, likely "
                f"due to changes in the Python program. Showing {len(shown)} of {count} unmatched "
                f"objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> LoadStatus:
        """Asserts that a variable has a value in the checkpoint.

        Raises:
            AssertionError: none has.
        """
        self._assert_restored()
        if not self._matched:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means "
                "that the checkpoint does not match the Python program. The following objects have "
                f"no matching checkpointed value: {self._unmatched}"
            )
        return self

    def _assert_restored(self) -> None:
        if self._path is None:
            raise AssertionError(
                "No checkpoint specified (save_path=None); nothing is being restored."
            )

    def expect_partial(self) -> LoadStatus:
        """Says that the rest of the checkpoint is left out on purpose."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing is left to do: values have been given."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """In a session, gives first values to the variables that the checkpoint has none for."""
        session = session or get_default_session()
        if session is not None:
            session.run([each.initializer for each in self._unmatched])  # type: ignore[attr-defined]


def _values(variables: list[Variable]) -> list[Any]:
    if LOCAL.state.target.is_eager:
        return [each.numpy() for each in variables]
    return list(_session().run(variables))


def _session() -> Any:
    session = get_default_session()
    if session is None:
        raise RuntimeError(
            "[tf.train.Checkpoint] the variables are of a graph, and no session is the default "
            "one. Save and restore within `with session.as_default():`."
        )
    return session


def _count(counter: Any) -> int:
    """Adds one; returns the new number."""
    if LOCAL.state.target.is_eager:
        return int(counter.assign_add(1).numpy())
    session = _session()
    counter.load(session.run(counter) + 1, session)
    return int(session.run(counter))


def _restored(checkpoint: Checkpoint, path: str, reader: CheckpointReader) -> LoadStatus:
    known = reader.get_variable_to_shape_map()
    graph = json.loads(reader.get_tensor(GRAPH_KEY)) if GRAPH_KEY in known else {}
    others = graph.get("others", {})
    by_name = {} if graph else {name: name for name in known}
    variables, aliases = paths(checkpoint)
    matched: dict[str, Variable] = {}
    unmatched = []
    for key, variable in variables.items():
        candidates = [key, *(other for other, first in aliases.items() if first == key)]
        found = [others.get(each, each) for each in candidates]
        found.append(by_name.get(variable.name.removesuffix(":0"), ""))
        there = next((each for each in found if each in known), None)
        if there is None:
            unmatched.append(variable)
        else:
            _give(variable, reader.get_tensor(there), known[there])
            matched[there] = variable
    unused = {key: key for key in known if key not in matched and key != GRAPH_KEY}
    return LoadStatus(path, matched, unmatched, unused)


def _give(variable: Any, value: Any, shape: list[int]) -> None:
    if not variable.shape.is_compatible_with(shape):
        raise ValueError(
            f"Received incompatible tensor with shape {tuple(shape)} when attempting to restore "
            f"variable with shape {tuple(variable.shape)} and name {variable.name}."
        )
    if LOCAL.state.target.is_eager:
        variable.assign(value)
    else:
        variable.load(value, _session())
