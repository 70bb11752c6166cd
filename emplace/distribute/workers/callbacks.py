"""What Keras's callbacks are told of several workers: the chief alone writes, and all or nothing.

Without several workers they are as Keras has them. The import hook hands the modules in when Keras
loads them.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import torch

from .processes.link import existing
from .writing import is_writer, mend_folder, nowhere, whole_folder

_REMOTE = "://"


class _Saved:
    """A model whose files are written by the chief, under another name until they are complete."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def save(self, filepath: str, **kwargs: Any) -> None:
        """See `keras.Model.save`."""
        _write(self._model.save, filepath, kwargs)

    def save_weights(self, filepath: str, **kwargs: Any) -> None:
        """See `keras.Model.save_weights`."""
        _write(self._model.save_weights, filepath, kwargs)


def _write(save: Callable[..., Any], filepath: str, kwargs: dict[str, Any]) -> None:
    path = os.fspath(filepath)
    if not is_writer():
        with nowhere() as folder:
            save(os.path.join(folder, os.path.basename(path)), **kwargs)
    elif _REMOTE in path:
        save(path, **kwargs)
    else:
        folder, name = os.path.split(path)
        unfinished = os.path.join(folder, f".unfinished_{name}")
        save(unfinished, **kwargs)
        os.replace(unfinished, path)


def adjust_model_checkpoint(module: ModuleType) -> None:
    """Makes `keras.src.callbacks.model_checkpoint` write in the chief alone."""
    kind: Any = module.ModelCheckpoint
    save = kind._save_model

    @functools.wraps(save)
    def saved(self: Any, *args: Any, **kwargs: Any) -> None:
        if existing() is None:
            save(self, *args, **kwargs)
            return
        model, self._model = self._model, _Saved(self._model)
        try:
            save(self, *args, **kwargs)
        finally:
            self._model = model

    kind._save_model = saved


def adjust_backup(module: ModuleType) -> None:
    """Makes `keras.src.callbacks.backup_and_restore` write in the chief alone, weights and epoch
    together or neither, and go on in all workers from the same epoch.
    """
    kind: Any = module.BackupAndRestore
    begin, save, end = kind.on_train_begin, kind._save_model, kind.on_train_end

    @functools.wraps(begin)
    def begun(self: Any, logs: object = None) -> None:
        link = existing()
        if link is None:
            begin(self, logs)
            return
        if link.number == 0 and _REMOTE not in self.backup_dir:
            mend_folder(self.backup_dir)
        link.sum(torch.zeros(1))  # the chief has mended it
        begin(self, logs)
        _restore_generators(self)
        _check_epoch(self, link)

    @functools.wraps(save)
    def saved(self: Any) -> None:
        if existing() is None or (is_writer() and _REMOTE in self.backup_dir):
            save(self)
            return
        with whole_folder(self.backup_dir) if is_writer() else nowhere() as folder:
            _save_into(self, folder, save)
            np.savez(os.path.join(folder, _GENERATORS), *map(np.array, _generators(self.model)))

    @functools.wraps(end)
    def ended(self: Any, logs: object = None) -> None:
        if is_writer():
            end(self, logs)

    kind.on_train_begin, kind._save_model, kind.on_train_end = begun, saved, ended


_PATHS = ("_weights_path", "_training_metadata_path")
# Keras's files of weights leave out how far the generators of random numbers are.
_GENERATORS = "generators.npz"


def _generators(model: Any) -> list[Any]:
    """The states of a model that are no weights: those of dropout, for one."""
    weights = {id(each) for each in model.weights}
    return [each for each in model.variables if id(each) not in weights]


def _restore_generators(callback: Any) -> None:
    path = os.path.join(callback.backup_dir, _GENERATORS)
    if os.path.isfile(path):
        with np.load(path) as kept:
            for variable, name in zip(_generators(callback.model), kept.files, strict=True):
                variable.assign(kept[name])


def _save_into(callback: Any, folder: str, save: Callable[[Any], None]) -> None:
    """Lets the callback write into another folder than its own."""
    before = {name: getattr(callback, name) for name in ("backup_dir", *_PATHS)}
    callback.backup_dir = folder
    for name in _PATHS:
        setattr(callback, name, os.path.join(folder, os.path.basename(before[name])))
    try:
        save(callback)
    finally:
        for name, path in before.items():
            setattr(callback, name, path)


def _check_epoch(callback: Any, link: Any) -> None:
    """Refuses to go on if workers have found different backups."""
    own = int(getattr(callback.model, "_initial_epoch", None) or 0)
    found = [int(each[0]) for each in link.all_of(torch.tensor([own]))]
    if len(set(found)) > 1:
        raise ValueError(
            "Workers go on from different epochs: "
            + ", ".join(f"{name} from {n}" for name, n in zip(link.role.names, found, strict=True))
            + f". All workers must read the folder {callback.backup_dir!r} that the chief writes: "
            "put it on a file system that all machines share."
        )


ADJUSTMENTS: dict[str, Callable[[ModuleType], None]] = {
    "keras.src.callbacks.model_checkpoint": adjust_model_checkpoint,
    "keras.src.callbacks.backup_and_restore": adjust_backup,
}
