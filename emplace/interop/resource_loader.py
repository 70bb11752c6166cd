"""Files that lie beside a program (`tf.compat.v1.resource_loader`)."""

from __future__ import annotations

import os
import sys


def _of_caller() -> str:
    file: str = sys._getframe(2).f_globals.get("__file__", "")
    return os.path.dirname(os.path.abspath(file))


def get_data_files_path() -> str:
    """Returns the folder of the file that calls this."""
    return _of_caller()


def get_path_to_datafile(path: str) -> str:
    """Returns the path of a file beside the one that calls this."""
    return os.path.join(_of_caller(), path)


def load_resource(path: str) -> bytes:
    """Reads a file beside the one that calls this."""
    with open(os.path.join(_of_caller(), path), "rb") as file:
        return file.read()


def get_root_dir_with_all_resources() -> str:
    """Returns the folder of the file that calls this."""
    return _of_caller()


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """Returns the path as it is: files are not read ahead."""
    return path
