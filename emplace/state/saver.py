"""`tf.train.Saver`: writes a graph's variables into checkpoints, and keeps the last few."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from ..base.dtypes import as_dtype
from ..base.errors import InvalidArgumentError, NotFoundError
from ..base.protos import declare
from ..base.shapes import TensorShape
from ..base.typing import TensorLike
from ..classic.scopes import messages
from ..classic.scopes.collections import GraphKeys
from ..core.context import LOCAL
from ..core.tensor import Tensor
from ..distribute.variables.variables import components_of, parts_of
from ..eager.rollback import Need, all_or_nothing, before_write
from ..eager.variable import Variable
from ..graph.recording.grouping import group
from ..graph.recording.scopes import current_graph
from ..graph.representation.graph import Graph, Operation
from ..graph.session.session import BaseSession
from ..graph.session.values.placeholders import placeholder_with_default
from ..ops.array.making import constant
from ..ops.array.shaping import identity
from ..ops.io.paths import as_text, local
from ..ops.op import apply, apply_any
from ..ops.variables.resource import ASSIGN_VARIABLE
from .checkpoint_files import file_of
from .checkpoint_state import checkpoint_exists, remove_checkpoint, write_checkpoint_state
from .save_ops import RESTORE, SAVE
from .saved_variables import SavedVariable, saved_variables, tensor_of, without_others

SaverDef: Any = declare(
    __name__,
    {
        "SaverDef": [
            "string filename_tensor_name = 1",
            "string save_tensor_name = 2",
            "string restore_op_name = 3",
            "int32 max_to_keep = 4",
            "bool sharded = 5",
            "float keep_checkpoint_every_n_hours = 6",
            "int32 version = 7",
        ]
    },
)["SaverDef"]
SaverDef.LEGACY, SaverDef.V1, SaverDef.V2 = 0, 1, 2


class Saver:
    """Writes variables into checkpoints and reads them back (`tf.compat.v1.train.Saver`).

    Args:
        var_list: variables, or variables by the name they have in the file, and what says itself
            what is written (`make_saveable_from_iterator`); all that are saved if None. Parts of
            a variable are one tensor in the file; by name they are given as a list.
        reshape: whether values of another shape, but as many elements, are taken.
        sharded: without effect: a checkpoint is one file.
        max_to_keep: how many checkpoints are kept; older ones are deleted. 0 or None keeps all.
        keep_checkpoint_every_n_hours: one per so many hours is never deleted.
        name: the name scope of its operations, "save" if None.
        restore_sequentially: without effect.
        saver_def: operations of a saver that the graph has already.
        builder: not supported.
        defer_build: make the operations only when `build` is called.
        allow_empty: no variable is no error.
        write_version: without effect: there is one format.
        pad_step_number: write steps with eight digits.
        save_relative_paths: let the file `checkpoint` name paths below its folder.
        filename: the path where the operations are run without one.

    Raises:
        ValueError: there is nothing to save, or a name is there twice.
        TypeError: `var_list` holds something else.
        RuntimeError: eager mode, and no `var_list`.
    """

    def __init__(  # TensorFlow's signature
        self,
        var_list: Iterable[Any] | None = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: Any = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = 2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build="
                "False or var_list=None."
            )
        is_eager = LOCAL.state.target.is_eager
        if is_eager and var_list is None:
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of "
                "variables to save"
            )
        self._var_list = var_list
        self._is_eager = is_eager and saver_def is None
        self._reshape = reshape
        self._sharded = bool(sharded)
        self._max_to_keep = max_to_keep or 0
        self._keep_every = keep_checkpoint_every_n_hours
        self._name = name or "save"
        self._allow_empty = allow_empty
        self._pad = pad_step_number
        self._relative = save_relative_paths
        self._filename = filename or "model"
        self._is_empty = False
        self._variables: list[SavedVariable] = []
        self._others: list[Any] = []  # what writes and restores itself
        self._next_kept = time.time() + self._keep_every * 3600
        self._last_checkpoints: list[tuple[str, float]] = []
        self._to_be_deleted: list[tuple[str, float]] = []
        self._lock = threading.Lock()  # so that of two threads the later one is the latest
        self.saver_def = saver_def
        if not defer_build and not is_eager:
            self.build()

    # -- what it is made of ---------------------------------------------------------------------

    def build(self) -> None:
        """Makes its operations; only needed after `defer_build=True`.

        Raises:
            ValueError: there is nothing to save.
            RuntimeError: eager mode.
        """
        if LOCAL.state.target.is_eager:
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        if self.saver_def is not None:
            return
        graph: Any = current_graph()
        variables = self._var_list if self._var_list is not None else _all_saved(graph)
        if not variables:
            if not self._allow_empty:
                raise ValueError("No variables to save")
            self._is_empty = True
            return
        variables, self._others = without_others(variables)
        self._variables = saved_variables(variables)
        with graph.name_scope(self._name):
            self._make_operations(graph)

    def _make_operations(self, graph: Graph) -> None:
        with graph.exact_name("filename/input"):
            written = constant(self._filename)
        with graph.exact_name("filename"):
            default = placeholder_with_default(written, [])
        with graph.exact_name("Const"):
            filename = placeholder_with_default(default, [])
        save = _save(graph, filename, self._variables, self._others)
        with graph.control_dependencies([save]), graph.exact_name("control_dependency"):
            saved = identity(filename)
        restore = _restore(graph, filename, self._variables, self._reshape, self._others)
        self.saver_def = SaverDef(
            filename_tensor_name=filename.name, save_tensor_name=saved.name,
            restore_op_name=restore.name, max_to_keep=self._max_to_keep,
            keep_checkpoint_every_n_hours=self._keep_every, version=SaverDef.V2,
            sharded=self._sharded,
        )  # fmt: skip

    def as_saver_def(self) -> Any:
        """The names of its operations, and what it keeps."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The same as `as_saver_def`."""
        return self.saver_def

    @staticmethod
    def from_proto(saver_def: Any, import_scope: str | None = None) -> Saver:
        """A saver of operations that the graph has already."""
        return Saver(saver_def=saver_def, name=import_scope)

    # -- which checkpoints there are ------------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The checkpoints that have not been deleted, oldest first."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: Iterable[str]) -> None:
        """Says which checkpoints there are, oldest first; they count as older than all others."""
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Any) -> None:
        """Says which checkpoints there are, and when each was written, in seconds."""
        self._last_checkpoints = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Iterable[Any]) -> None:
        """Goes on with the checkpoints of an earlier program, those that still exist."""
        paths = [each for each in checkpoint_paths if checkpoint_exists(each)]
        times = [os.path.getmtime(file_of(each)) for each in paths]
        self.set_last_checkpoints_with_time(zip(paths, times, strict=True))

    def _remember(self, path: str) -> None:
        """Notes a checkpoint, and deletes the one that is too many."""
        if not self._max_to_keep:
            return
        kept = [each for each in self._last_checkpoints if each[0] != path]
        self._last_checkpoints = [*kept, (path, time.time())]
        if len(self._last_checkpoints) > self._max_to_keep:
            self._to_be_deleted.append(self._last_checkpoints.pop(0))

    def _delete_old(self, meta_graph_suffix: str) -> None:
        if not self._to_be_deleted:
            return
        path, written = self._to_be_deleted.pop(0)
        if written > self._next_kept:
            self._next_kept += self._keep_every * 3600
            return
        remove_checkpoint(path, meta_graph_suffix=meta_graph_suffix)

    # -- saving ---------------------------------------------------------------------------------

    def save(
        self,
        sess: BaseSession,
        save_path: str,
        global_step: TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Writes a checkpoint.

        Args:
            sess: the session that holds the values; None in eager mode.
            save_path: the prefix of the checkpoint's name; its folder is made if need be.
            global_step: a number, or the tensor or variable that holds it, for the name.
            latest_filename: the name of the file that lists the checkpoints, "checkpoint" if None.
            meta_graph_suffix: how the names of graphs' files end, for deleting old ones.
            write_meta_graph: without effect: graphs are not written.
            write_state: whether the file that lists the checkpoints is written; if not, this one is
                in no list and never deleted.
            strip_default_attrs: without effect.
            save_debug_info: without effect.

        Returns:
            The prefix of the checkpoint; None if there is nothing to save.

        Raises:
            ValueError: the folder around that folder does not exist, or names collide.
            TypeError: `sess` is no session.
            RuntimeError: `build` has not been called.
        """
        if not self._is_eager and not self._is_empty and self.saver_def is None:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        latest_filename = latest_filename or "checkpoint"
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        save_path = as_text(save_path)
        with self._lock:
            prefix = self._prefix(sess, save_path, global_step, latest_filename)
            if not self._is_eager and not isinstance(sess, BaseSession):
                raise TypeError(f"'sess' must be a Session; {sess}")
            if self._is_empty:
                return None
            self._write(sess, prefix, save_path)
            if write_state:
                self._remember(prefix)
                self._tell(save_path, prefix, latest_filename)
                self._delete_old(meta_graph_suffix)
        return prefix

    def _tell(self, save_path: str, prefix: str, latest_filename: str) -> None:
        """Writes the file that lists the checkpoints."""
        write_checkpoint_state(
            os.path.dirname(save_path), prefix, self.last_checkpoints, latest_filename,
            save_relative_paths=self._relative,
        )  # fmt: skip

    def _prefix(self, sess: BaseSession, path: str, step: Any, latest_filename: str) -> str:
        if step is None:
            if not self._sharded and os.path.basename(path) == latest_filename:
                raise ValueError(
                    f"'latest_filename' collides with 'save_path': '{latest_filename}' and '{path}'"
                )
            return path
        if isinstance(step, (Tensor, Variable, Operation, str)) and sess is not None:
            step = sess.run(step)
        elif isinstance(step, float):
            raise TypeError(f"[Saver.save] global_step must be a whole number, got {step}.")
        return f"{path}-{int(step):08d}" if self._pad else f"{path}-{int(step)}"

    def _write(self, sess: BaseSession, prefix: str, save_path: str) -> None:
        folder = os.path.dirname(local(save_path))
        if not os.path.isdir(os.path.dirname(folder) or "."):  # TF: it makes one folder, not more
            raise ValueError(f"Parent directory of {save_path} doesn't exist, can't save.")
        if self._is_eager:
            rest, others = without_others(self._var_list)
            variables = saved_variables(rest)
            values = [each.variable.read_value() for each in variables]
            apply(SAVE, *_what_is_written(constant(prefix), variables, values, others))
        else:
            sess.run(self.saver_def.save_tensor_name, {self.saver_def.filename_tensor_name: prefix})

    # -- restoring ------------------------------------------------------------------------------

    def restore(self, sess: BaseSession, save_path: str) -> None:
        """Gives the variables the values of a checkpoint.

        Args:
            sess: the session that is to hold them; None in eager mode.
            save_path: the prefix of the checkpoint.

        Raises:
            ValueError: there is no such checkpoint.
            NotFoundError: the checkpoint has no value for one of the variables.
            InvalidArgumentError: a value has another shape or dtype than its variable.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        prefix = as_text(save_path)
        if not checkpoint_exists(prefix) and not os.path.isfile(f"{local(prefix)}.index"):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {prefix}")
        messages.info(f"Restoring parameters from {prefix}")
        try:
            self._read(sess, prefix)
        except NotFoundError as error:
            raise _wrapped(error, "a Variable name or other graph key that is missing from the "
                                  "checkpoint") from error  # fmt: skip
        except InvalidArgumentError as error:
            raise _wrapped(error, "a mismatch between the current graph and the graph from the "
                                  "checkpoint") from error  # fmt: skip

    def _read(self, sess: BaseSession, prefix: str) -> None:
        if self._is_eager:
            rest, others = without_others(self._var_list)
            variables = saved_variables(rest)
            values = _restored(constant(prefix), variables, self._reshape)
            parts = [_read_specs(constant(prefix), each.specs) for each in others]
            with all_or_nothing(Need()):
                there = [part for each in variables for part in components_of(each.variable)]
                before_write(*[each.handle for each in there])
                for each, value in zip(variables, values, strict=True):
                    each.variable.assign(value)
                for each, read in zip(others, parts, strict=True):
                    each.restore(read, None)
            return
        names = self.saver_def
        sess.run(names.restore_op_name, {names.filename_tensor_name: prefix})

    def export_meta_graph(self, *args: Any, **kwargs: Any) -> Any:
        """Not supported: see `tf.train.export_meta_graph`."""
        return export_meta_graph(*args, **kwargs)


def _all_saved(graph: Graph) -> list[Any]:
    return [
        *graph.get_collection(GraphKeys.GLOBAL_VARIABLES),
        *graph.get_collection(GraphKeys.SAVEABLE_OBJECTS),
    ]


def _save(
    graph: Graph, filename: object, variables: Sequence[SavedVariable], others: Sequence[Any]
) -> Operation:
    values = [graph.as_graph_element(each.variable) for each in variables]
    inputs, attrs = _what_is_written(filename, variables, values, others)
    with graph.exact_name("SaveV2"):
        operation: Operation = apply_any(SAVE, inputs, attrs)
    return operation


def _what_is_written(
    filename: object,
    variables: Sequence[SavedVariable],
    values: Sequence[Any],
    others: Sequence[Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The inputs and attributes of the op that writes values of variables, and others."""
    specs = [spec for each in others for spec in each.specs]
    attrs: dict[str, Any] = {
        "tensor_names": (*(each.name for each in variables), *(spec.name for spec in specs))
    }
    if any(each.spec for each in variables):
        attrs["slices"] = (*(each.spec for each in variables), *("" for _ in specs))
    return (filename, *values, *map(tensor_of, specs)), attrs


def _restore(
    graph: Graph, filename: object, variables: Sequence[SavedVariable], reshape: bool,
    others: Sequence[Any],
) -> Operation:  # fmt: skip
    with graph.exact_name("RestoreV2"):
        values = _restored(filename, variables, reshape)
    writes = []
    for each in others:
        writes.append(each.restore(_read_specs(filename, each.specs), None))
    for each, value in zip(variables, values, strict=True):
        for component, part in parts_of(each.variable, value):
            with graph.colocate_with(component.handle), graph.exact_name("Assign"):
                writes.append(apply(ASSIGN_VARIABLE, (component.handle, part)))
    operation: Operation = group(*writes, name="restore_all")
    return operation


def _restored(filename: object, variables: Sequence[SavedVariable], reshape: bool) -> list[Any]:
    attrs = {
        "tensor_names": tuple(each.name for each in variables),
        "dtypes": tuple(each.variable.dtype for each in variables),
        "shapes": tuple(each.variable.shape for each in variables),
        "reshape": reshape,
    }
    if any(each.spec for each in variables):
        attrs["slices"] = tuple(each.spec for each in variables)
    if not variables:
        return []
    return _listed(apply(RESTORE, (filename,), attrs))


def _read_specs(filename: object, specs: Sequence[Any]) -> list[Any]:
    """The tensors that something wrote of itself."""
    attrs = {
        "tensor_names": tuple(spec.name for spec in specs),
        "dtypes": tuple(as_dtype(spec.dtype) for spec in specs),
        "shapes": (TensorShape(None),) * len(specs), "reshape": False,
    }  # fmt: skip
    return _listed(apply(RESTORE, (filename,), attrs))


def _listed(found: object) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _wrapped(error: Any, why: str) -> Exception:
    made: Exception = type(error)(
        error.node_def, error.op,
        f"Restoring from checkpoint failed. This is most likely due to {why}. Please ensure that "
        f"you have not altered the graph expected based on the checkpoint. Original error:\n\n"
        f"{error.message}",
    )  # fmt: skip
    return made


_NO_GRAPHS = (
    "Emplace does not write graphs into files. Build the graph again with the program's own code, "
    "then restore its variables with tf.train.Saver().restore(session, prefix)."
)


def export_meta_graph(*args: Any, **kwargs: Any) -> Any:
    """Not supported (`tf.compat.v1.train.export_meta_graph`).

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f"[export_meta_graph] {_NO_GRAPHS}")


def import_meta_graph(*args: Any, **kwargs: Any) -> Any:
    """Not supported (`tf.compat.v1.train.import_meta_graph`).

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(f"[import_meta_graph] {_NO_GRAPHS}")
