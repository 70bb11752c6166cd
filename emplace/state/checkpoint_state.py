"""The text file `checkpoint` of a folder, which names its checkpoints, and what reads it.

Its format is TensorFlow's: the text form of the protocol buffer CheckpointState.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from google.protobuf import text_format

from ..base import log
from ..base.files import write_text
from ..base.protos import declare
from ..base.typing import PathLike
from ..ops.io.paths import as_text, local, system_errors
from .checkpoint_files import CheckpointReader, file_of

CheckpointState: Any = declare(
    __name__,
    {
        "CheckpointState": [
            "string model_checkpoint_path = 1",
            "repeated string all_model_checkpoint_paths = 2",
            "repeated double all_model_checkpoint_timestamps = 3",
            "double last_preserved_timestamp = 4",
        ]
    },
)["CheckpointState"]


def _state_file(folder: str, latest_filename: str | None) -> str:
    return os.path.join(as_text(folder), latest_filename or "checkpoint")


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Sequence[Any] | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> Any:
    """Makes a CheckpointState (`tf.compat.v1.train.generate_checkpoint_state_proto`).

    Paths are written relative to `save_dir` where they are relative already.

    Args:
        save_dir: the folder of the checkpoints.
        model_checkpoint_path: the prefix of the latest one.
        all_model_checkpoint_paths: the prefixes of all, the oldest first.
        all_model_checkpoint_timestamps: when each was written, in seconds.
        last_preserved_timestamp: when the last one that is kept for good was.

    Raises:
        ValueError: there are timestamps, but not one for each path.

    >>> generate_checkpoint_state_proto("/d", "/d/model-1").model_checkpoint_path
    '/d/model-1'
    """
    folder, latest = as_text(save_dir), as_text(model_checkpoint_path)
    paths = [as_text(path) for path in all_model_checkpoint_paths or ()]
    if not paths or paths[-1] != latest:  # the last one counts as the latest
        paths.append(latest)
        if paths[:-1] and isinstance(all_model_checkpoint_paths, list):
            all_model_checkpoint_paths.append(latest)  # TF: the caller's list gets it too
    times = list(all_model_checkpoint_timestamps or ())
    if times and len(times) != len(paths):
        raise ValueError(
            "Checkpoint timestamps, if provided, must match checkpoint paths (got paths "
            f"{paths} and timestamps {times})"
        )
    if not os.path.isabs(folder):
        paths = [_relative(path, folder) for path in paths]
        latest = _relative(latest, folder)
    return CheckpointState(
        model_checkpoint_path=latest,
        all_model_checkpoint_paths=paths,
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved_timestamp or 0.0,
    )


def _relative(path: str, folder: str) -> str:
    return path if os.path.isabs(path) else os.path.relpath(path, folder)


def write_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Sequence[Any] | None = None,
    latest_filename: str | None = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file `checkpoint` (`tf.__internal__.train.update_checkpoint_state`).

    Args:
        save_dir: the folder.
        model_checkpoint_path: the prefix of the latest checkpoint.
        all_model_checkpoint_paths: the prefixes of all that still exist, oldest first.
        latest_filename: another name for the file.
        save_relative_paths: whether prefixes are written as seen from the folder, which can be
            moved then.
        all_model_checkpoint_timestamps: seconds since the epoch, one for each path.
        last_preserved_timestamp: when the last one was kept for good, in seconds.
    """
    paths = [as_text(path) for path in all_model_checkpoint_paths or ()]
    latest = as_text(model_checkpoint_path)
    folder = as_text(save_dir)
    if save_relative_paths:
        if os.path.isabs(latest):
            latest = os.path.relpath(latest, folder)
        paths = [os.path.relpath(p, folder) if os.path.isabs(p) else p for p in paths]
    state = generate_checkpoint_state_proto(
        folder, latest, paths, all_model_checkpoint_timestamps, last_preserved_timestamp
    )
    target = _state_file(folder, latest_filename)
    if target == state.model_checkpoint_path:
        raise RuntimeError(
            f"Save path '{latest}' conflicts with path used for checkpoint state.  Please use a "
            "different save path."
        )
    with system_errors(target):
        write_text(local(target), text_format.MessageToString(state))


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Sequence[Any] | None = None,
    latest_filename: str | None = None,
    all_model_checkpoint_timestamps: Sequence[float] | None = None,
    last_preserved_timestamp: float | None = None,
) -> None:
    """Writes the file `checkpoint` (`tf.compat.v1.train.update_checkpoint_state`).

    Args:
        save_dir: the folder.
        model_checkpoint_path: the prefix of the latest checkpoint.
        all_model_checkpoint_paths: the prefixes of all that still exist, oldest first.
        latest_filename: another name for the file.
        all_model_checkpoint_timestamps: seconds since the epoch, one for each path.
        last_preserved_timestamp: when the last one was kept for good, in seconds.

    Raises:
        ValueError: there are timestamps, but not one for each path.
        RuntimeError: a checkpoint has the name of the file.
    """
    write_checkpoint_state(
        save_dir, model_checkpoint_path, all_model_checkpoint_paths, latest_filename,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )  # fmt: skip


def get_checkpoint_state(checkpoint_dir: str, latest_filename: str | None = None) -> Any:
    """What the file `checkpoint` of a folder says (`tf.train.get_checkpoint_state`).

    Returns:
        A CheckpointState whose relative paths begin with the folder; None where there is no such
        file or it cannot be read, which is logged.

    Raises:
        ValueError: the file names no checkpoint.
    """
    folder = as_text(checkpoint_dir)
    path = _state_file(folder, latest_filename)
    if not os.path.isfile(local(path)):
        return None
    try:
        with system_errors(path), open(local(path), "rb") as file:
            state = text_format.Parse(file.read().decode(), CheckpointState())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        log.warning(f"{path}: Checkpoint ignored: {error}")
        return None
    if not state.model_checkpoint_path:
        raise ValueError(f"Invalid checkpoint state loaded from {folder}")
    state.model_checkpoint_path = os.path.join(folder, state.model_checkpoint_path)
    paths = [os.path.join(folder, each) for each in state.all_model_checkpoint_paths]
    state.all_model_checkpoint_paths[:] = paths
    return state


def latest_checkpoint(checkpoint_dir: str, latest_filename: str | None = None) -> str | None:
    """The prefix of the latest checkpoint of a folder (`tf.train.latest_checkpoint`).

    Returns:
        None where the folder has no file `checkpoint`, or the checkpoint it names is gone.

    >>> latest_checkpoint("/no/such/folder") is None
    True
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    prefix: str = state.model_checkpoint_path
    if checkpoint_exists(prefix):
        return prefix
    log.error(f"Couldn't match files for checkpoint {prefix}")
    return None


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """True if there is a checkpoint of this prefix (`tf.compat.v1.train.checkpoint_exists`)."""
    return os.path.isfile(file_of(checkpoint_prefix))


def get_checkpoint_mtimes(checkpoint_prefixes: Sequence[Any]) -> list[float]:
    """When checkpoints were written, in seconds since the epoch; missing ones are left out
    (`tf.compat.v1.train.get_checkpoint_mtimes`).
    """
    files = [file_of(prefix) for prefix in checkpoint_prefixes]
    return [os.path.getmtime(file) for file in files if os.path.isfile(file)]


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: int = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Deletes a checkpoint and its graph (`tf.compat.v1.train.remove_checkpoint`).

    Args:
        checkpoint_prefix: its prefix; it need not exist.
        checkpoint_format_version: without effect here, where all are of one format.
        meta_graph_suffix: how the name of its graph's file ends.
    """
    prefix = as_text(checkpoint_prefix)
    for path in (f"{local(prefix)}.{meta_graph_suffix}", file_of(prefix)):
        if os.path.isfile(path):
            with system_errors(path):
                os.unlink(path)


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint, or of the latest in a folder (`tf.train.load_checkpoint`).

    Raises:
        ValueError: the folder has none.
        NotFoundError: there is none of that prefix.
        DataLossError: the file is cut off, or is no checkpoint of Emplace.
    """
    path = as_text(ckpt_dir_or_file)
    if os.path.isdir(local(path)):
        latest = latest_checkpoint(path)
        if latest is None:
            raise ValueError(
                f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
            )
        path = latest
    return CheckpointReader(path)


def list_variables(ckpt_dir_or_file: PathLike) -> list[tuple[str, list[int]]]:
    """Names and shapes of a checkpoint's values, in order of names (`tf.train.list_variables`).

    Raises:
        ValueError, NotFoundError, DataLossError: as `load_checkpoint`.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> Any:
    """One value of a checkpoint (`tf.train.load_variable`).

    Raises:
        NotFoundError: there is no checkpoint, or it has no value of that name.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
