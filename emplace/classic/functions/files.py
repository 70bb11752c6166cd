"""Files and folders as TF 1 calls them (`tf.compat.v1.gfile`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ops.io import gfile


def copy(oldpath: str, newpath: str, overwrite: bool = False) -> None:
    """Copies a file (`tf.compat.v1.gfile.Copy`).

    Args:
        oldpath: a file.
        newpath: the name of the copy.
        overwrite: whether to replace what has that name.
    """
    gfile.copy(oldpath, newpath, overwrite)


def delete_recursively(dirname: str) -> None:
    """Removes a folder with all in it (`tf.compat.v1.gfile.DeleteRecursively`)."""
    gfile.rmtree(dirname)


def exists(filename: str) -> bool:
    """Whether there is such a file or folder (`tf.compat.v1.gfile.Exists`)."""
    return gfile.exists(filename)


def glob(filename: Any) -> list[str]:
    """The names that match a pattern, or several (`tf.compat.v1.gfile.Glob`)."""
    return gfile.glob(filename)


def is_directory(dirname: str) -> bool:
    """Whether the path is a folder's (`tf.compat.v1.gfile.IsDirectory`)."""
    return gfile.isdir(dirname)


def list_directory(dirname: str) -> list[str]:
    """The names in a folder (`tf.compat.v1.gfile.ListDirectory`)."""
    return gfile.listdir(dirname)


def make_dirs(dirname: str) -> None:
    """Makes a folder and those around it (`tf.compat.v1.gfile.MakeDirs`)."""
    gfile.makedirs(dirname)


def mkdir(dirname: str) -> None:
    """Makes a folder (`tf.compat.v1.gfile.MkDir`)."""
    gfile.mkdir(dirname)


def remove(filename: str) -> None:
    """Removes a file (`tf.compat.v1.gfile.Remove`)."""
    gfile.remove(filename)


def rename(oldname: str, newname: str, overwrite: bool = False) -> None:
    """Gives a file or folder another name (`tf.compat.v1.gfile.Rename`).

    Args:
        oldname: a file or folder.
        newname: its new path.
        overwrite: whether to replace what has that name.
    """
    gfile.rename(oldname, newname, overwrite)


def stat(filename: Any) -> gfile.FileStatistics:
    """Length and time of a file (`tf.compat.v1.gfile.Stat`)."""
    return gfile.stat(filename)


def walk(top: Any, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a folder and those below it, a folder first or last
    (`tf.compat.v1.gfile.Walk`).
    """
    return gfile.walk(top, in_order)
