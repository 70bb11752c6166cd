"""`tf.train.Checkpoint` of TF 2: saves the variables that objects hold, by their paths."""

from __future__ import annotations

import os
import weakref
from functools import partial
from typing import Any

from ...base import dtypes
from ...base.errors import NotFoundError
from ...core.context import LOCAL
from ...core.tensor import EagerTensor, Tensor
from ...core.tracking import AutoTrackable
from ...eager.variable import Variable
from ...graph.recording.scopes import control_dependencies, init_scope
from ...graph.session.session import BaseSession, get_default_session
from ...ops.array.shaping import identity
from ...ops.convert import to_tensor
from ...ops.io.paths import as_text, local
from ...ops.op import apply
from ...state.checkpoint_files import CheckpointReader, write_checkpoint
from ...state.checkpoint_state import write_checkpoint_state
from ...state.object_names import GRAPH_KEY
from ...state.save_ops import SAVE
from . import object_graph
from .checkpoint_options import tell_written
from .load_status import LoadStatus, NameBasedStatus
from .object_graph import ObjectGraph, ObjectNode, children, is_saved, nodes_in
from .restoring import Restoration
from .restoring_names import PlacesByName, named_nodes


class Checkpoint(AutoTrackable):
    """Objects whose variables are saved together (`tf.train.Checkpoint`).

    Args:
        root: an object whose own attributes are saved as if they were given by name, or a weak
            reference to it.
        **kwargs: variables, or what holds some: modules, lists, tuples, dictionaries, optimizers,
            random generators, other checkpoints.

    Raises:
        ValueError: an argument holds no variables, or the root has another child of that name.

    >>> import tempfile
    >>> v = Variable(1.0)
    >>> checkpoint = Checkpoint(v=v)
    >>> path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    >>> float(v.assign(5.0))
    5.0
    >>> checkpoint.restore(path).assert_consumed() is not None
    True
    >>> float(v)
    1.0
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        reference = root if isinstance(root, weakref.ref) else partial(_itself, root)
        root = reference()
        given = kwargs if root is None else {"root": root, **kwargs}
        for name, value in given.items():
            if not is_saved(value):
                raise ValueError(
                    f"`Checkpoint` was expecting {name} to be a trackable object (an object "
                    f"derived from `Trackable`), got {value}. Emplace saves variables, optimizers, "
                    "random generators, modules, checkpoints, and lists and dictionaries of those."
                )
        vars(self)["_self_root"] = reference
        held = dict(children(root))
        for name, value in sorted(kwargs.items()):
            if held.get(name, value) is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} "
                    "already exists."
                )
            setattr(self, name, value)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """What is saved, by name: the children of the root too."""
        own = super()._trackable_children(save_type, **kwargs)
        return {**dict(children(vars(self)["_self_root"]())), **own}

    @property
    def save_counter(self) -> Variable:
        """How often `save` has been called: a variable."""
        there = vars(self).get("_self_counter")
        if there is None:
            with init_scope():
                there = Variable(0, dtype=dtypes.int64, name="save_counter", trainable=False)
            session = get_default_session()
            if not LOCAL.state.target.is_eager and session is not None:
                session.run(there.initializer)
            vars(self)["_self_counter"] = there
            self._track_trackable(there, "save_counter")
        return there

    def write(self, file_prefix: Any, options: object = None) -> Any:
        """Writes a checkpoint of exactly this prefix, which is not counted.

        Args:
            file_prefix: its prefix; folders on the way are made, unless it is a tensor.
            options: what is called when it has been written.

        Returns:
            The prefix; in a function a tensor, and the checkpoint is written whenever it runs.

        Raises:
            NotFoundError: the prefix is a tensor, and its folder does not exist.
        """
        objects = ObjectGraph(self)
        found = {**objects.variables(), **objects.own_tensors()}
        graph = object_graph.as_text(objects.nodes)
        if _in_function():
            return _write_when_run(file_prefix, {**found, GRAPH_KEY: graph})
        if isinstance(file_prefix, EagerTensor):
            written = _write_when_run(file_prefix, {**found, GRAPH_KEY: graph})
            path = as_text(written.numpy())
            tell_written(options, path)
            return path
        values = dict(zip(found, values_of(list(found.values())), strict=True))
        path = write_checkpoint(as_text(file_prefix), {**values, GRAPH_KEY: graph})
        tell_written(options, path)
        return path

    def save(
        self, file_prefix: Any, options: object = None, session: BaseSession | None = None
    ) -> str:
        """Writes a checkpoint with a number behind its prefix, and counts it.

        Args:
            file_prefix: how its prefix begins.
            options: what is called when it has been written.
            session: the session that holds the values, if they are of a graph; the default one if
                None.

        Returns:
            The prefix.

        Raises:
            NotImplementedError: it is called in a function.
        """
        if _in_function():
            raise NotImplementedError(
                "Calling tf.train.Checkpoint.save() from a function is not supported, as save() "
                "modifies saving metadata in ways not supported by TensorFlow Operations. Consider "
                "using tf.train.Checkpoint.write(), a lower-level API which does not update "
                "metadata. tf.train.latest_checkpoint and related APIs will not see this "
                "checkpoint."
            )
        path: str = self.write(f"{as_text(file_prefix)}-{count_one(self.save_counter)}")
        folder = os.path.dirname(path)
        write_checkpoint_state(folder, path, [path], save_relative_paths=True)
        tell_written(options, path)
        return path

    def sync(self) -> None:
        """Waits until checkpoints are written: they are when `save` or `write` returns."""

    def read(self, save_path: str, options: object = None) -> LoadStatus:
        """Gives objects the values of a checkpoint that `write` wrote; see `restore`."""
        if save_path is None:
            return LoadStatus(self, None)
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
        if reader.has_tensor(GRAPH_KEY):
            restoration = Restoration(reader, nodes_in(reader))
            restoration.bind(0, self)
            return LoadStatus(self, restoration)
        return _by_name(self, reader)

    def restore(self, save_path: str, options: object = None) -> LoadStatus:
        """Gives objects the values of a checkpoint: those that exist now, others when they come.

        What the checkpoint has for an attribute, an element of a list or a slot of an optimizer
        that is not there yet, it gets when it is made.

        Args:
            save_path: its prefix; nothing happens if None.
            options: not used.

        Returns:
            What says whether everything fitted.

        Raises:
            NotFoundError: there is no such checkpoint.
            DataLossError: it is damaged.
            ValueError: a value has another shape than its variable.
            InvalidArgumentError: it has another dtype.
        """
        status = self.read(save_path)
        counter = self.save_counter
        if isinstance(status, NameBasedStatus):
            status.optional.append(counter)
        return status


def _itself(root: Any) -> Any:
    """What stands for a weak reference where the root was given as it is."""
    return root


def _in_function() -> bool:
    target: Any = LOCAL.state.target
    return not target.is_eager and bool(target.graph.is_function)


def _write_when_run(prefix: Any, values: dict[str, Any]) -> Any:
    """Writes a checkpoint by an operation, now or whenever a function runs; returns the prefix
    after it."""
    path = to_tensor(prefix, dtypes.string)
    if not isinstance(prefix, Tensor):  # TF: its folders are made when the function is traced
        os.makedirs(os.path.dirname(local(prefix)) or ".", exist_ok=True)
    tensors = [x.read_value() if isinstance(x, Variable) else to_tensor(x) for x in values.values()]
    names = tuple(values)
    save = apply(SAVE, (path, *tensors), {"tensor_names": names, "makes_folder": False})
    with control_dependencies([save]):
        return identity(path)


def values_of(variables: list[Any]) -> list[Any]:
    """Values of variables and tensors as arrays: now, or in the default session; what has its
    value is not asked there."""
    if not variables:
        return []
    if LOCAL.state.target.is_eager:
        return [each.numpy() for each in variables]
    asked = [each for each in variables if not isinstance(each, EagerTensor)]
    found = iter(_session().run(asked))
    return [each.numpy() if isinstance(each, EagerTensor) else next(found) for each in variables]


def _session() -> Any:
    session = get_default_session()
    if session is None:
        raise RuntimeError(
            "[tf.train.Checkpoint] the variables are of a graph, and no session is the default "
            "one. Save and restore within `with session.as_default():`."
        )
    return session


def count_one(counter: Any) -> int:
    """Adds one to a variable; returns the new number."""
    if LOCAL.state.target.is_eager:
        return int(counter.assign_add(1).numpy())
    session = _session()
    counter.load(session.run(counter) + 1, session)
    return int(session.run(counter))


def _by_name(checkpoint: Checkpoint, reader: CheckpointReader) -> LoadStatus:
    """Gives variables the values of their names, as TF 1's Saver wrote them."""
    restoration = Restoration(reader, [ObjectNode(), *named_nodes(reader)])
    restoration.expect_partial()
    restoration.bind(0, checkpoint)
    PlacesByName(restoration).bind(checkpoint)
    return NameBasedStatus(checkpoint, restoration)
