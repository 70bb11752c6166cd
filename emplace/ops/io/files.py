"""Whole files as strings, and the names of files that match a pattern: ops on the host."""

from __future__ import annotations

import fnmatch
import os
import re
from typing import Any

import numpy as np

from ...base import dtypes
from ...base.errors import invalid_argument
from ...base.files import write_bytes
from ...base.shapes import runtime_text
from ...base.typing import TensorLike
from ...core.tensor import Tensor
from .. import infer
from ..infer import Spec
from ..op import CPU_ONLY, apply, op
from ..strings.basic import as_texts, text_array
from .paths import LOCAL_SCHEME, as_text, local, system_errors


def _scalar(value: np.ndarray[Any, Any], refusal: str) -> bytes:
    if value.ndim:
        raise invalid_argument(f"{refusal} must be scalar, but had shape: {_shape_of(value)}")
    return bytes(value[()])


def _shape_of(value: np.ndarray[Any, Any]) -> str:
    return runtime_text(value.shape)


def read_file_kernel(filename: np.ndarray[Any, Any]) -> Any:
    """All bytes of a file."""
    path = _scalar(filename, "Input filename tensor")
    with system_errors(as_text(path)), open(local(path), "rb") as file:
        return text_array([file.read()], ())


def _read_spec(filename: Spec) -> Spec:
    return Spec((), dtypes.string)


READ_FILE = op(
    "ReadFile", "filename: string -> contents: string", read_file_kernel, _read_spec,
    device_types=CPU_ONLY, stateful=True,
)  # fmt: skip


def write_file_kernel(filename: Any, contents: np.ndarray[Any, Any]) -> None:
    """Writes a file, and makes the folders on the way to it."""
    path = as_text(_scalar(filename, "Input filename tensor"))
    data = _scalar(contents, "Contents tensor")
    place = local(path)
    with system_errors(path):
        folder = os.path.dirname(place)
        if folder and not os.path.exists(folder):
            os.makedirs(folder, exist_ok=True)
        write_bytes(place, data)


WRITE_FILE = op(
    "WriteFile", "filename: string, contents: string -> ", write_file_kernel, infer.nothing,
    device_types=CPU_ONLY, stateful=True,
)  # fmt: skip

_MAGIC = re.compile(r"[*?\[]")


def matches(pattern: Any) -> list[str]:
    """The names that match a pattern, in order.

    `*`, `?` and `[...]` stand for letters of one name, also for a dot at its beginning. A name
    that comes from a pattern without a folder begins with `./`, as in TensorFlow.
    """
    text = as_text(pattern)
    place = local(text)
    if not _MAGIC.search(place):
        return [text] if os.path.exists(place) else []
    root, *parts = (place if "/" in place else f"./{place}").split("/")
    found = [f"{root}/"] if not _MAGIC.search(root) else _below("./", root)
    for part in parts:
        found = [name for folder in found for name in _below(folder, part)]
    scheme = LOCAL_SCHEME if text.startswith(LOCAL_SCHEME) else ""
    return [scheme + name.removesuffix("/") for name in found]


def _below(folder: str, part: str) -> list[str]:
    """What a folder, whose name ends with a slash, holds that matches one part of a pattern."""
    base = folder if folder.endswith("/") else f"{folder}/"
    if not _MAGIC.search(part):
        return [base + part] if os.path.exists(base + part) else []
    try:
        names = sorted(os.listdir(base))
    except OSError:  # no folder, or one that nobody may read
        return []
    fits = re.compile(fnmatch.translate(part.replace("[^", "[!"))).match
    return [base + name for name in names if fits(name)]


def matching_files_kernel(pattern: np.ndarray[Any, Any]) -> Any:
    """The names of all files that match one of the patterns, in order."""
    if pattern.ndim > 1:
        raise invalid_argument(
            f"Input patterns tensor must be scalar or vector, but had shape: {_shape_of(pattern)}"
        )
    found = sorted(name for each in pattern.reshape(-1).tolist() for name in matches(each))
    return text_array([os.fsencode(name) for name in found], (len(found),))


MATCHING_FILES = op(
    "MatchingFiles", "pattern: string -> filenames: string", matching_files_kernel, None,
    device_types=CPU_ONLY, stateful=True,
)  # fmt: skip


def read_file(filename: TensorLike, name: str | None = None) -> Tensor:
    """All bytes of a file as a scalar string (`tf.io.read_file`).

    Raises:
        NotFoundError: there is no such file.
        FailedPreconditionError: it is a folder.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a/b.txt"
    >>> write_file(path, "hello")
    >>> read_file(path).numpy()
    b'hello'
    """
    return apply(READ_FILE, (as_texts(filename),))


def write_file(filename: TensorLike, contents: TensorLike, name: str | None = None) -> Any:
    """Writes a string as a file, and makes the folders on the way (`tf.io.write_file`).

    The file has its name only once it is complete, so that nobody reads half of it.

    Args:
        filename: a scalar string.
        contents: a scalar string.
        name: a name in graphs.

    Raises:
        NotFoundError: the name is empty.
        FailedPreconditionError: it is a folder's.
        PermissionDeniedError: the folder cannot be written.

    >>> import tempfile
    >>> write_file(tempfile.mkdtemp() + "/a.txt", "hello")
    """
    apply(WRITE_FILE, (as_texts(filename), as_texts(contents)))


def matching_files(pattern: TensorLike, name: str | None = None) -> Tensor:
    """The names of the files that match patterns, in order (`tf.io.matching_files`).

    Args:
        pattern: one pattern or a vector of them; `*`, `?` and `[a-z]` stand for letters of one
            name, in any part of the path.
        name: a name in graphs.

    Returns:
        A vector of strings.

    >>> matching_files("/no/such/folder/*").shape
    TensorShape([0])
    """
    return apply(MATCHING_FILES, (as_texts(pattern),))
