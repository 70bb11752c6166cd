"""Names of files as programs give them, and the system's errors in TensorFlow's classes."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any

from ...base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    OutOfRangeError,
    PermissionDeniedError,
    ResourceExhaustedError,
    UnimplementedError,
    UnknownError,
    invalid_argument,
)

LOCAL_SCHEME = "file://"

# The class of each error of the system, as TensorFlow has it.
_CLASSES: dict[int, type[OpError]] = {
    **dict.fromkeys((errno.ENOENT, errno.ENXIO, errno.ENODEV), NotFoundError),
    **dict.fromkeys((errno.EINVAL, errno.ENAMETOOLONG), InvalidArgumentError),
    errno.EEXIST: AlreadyExistsError,
    **dict.fromkeys((errno.EPERM, errno.EACCES, errno.EROFS), PermissionDeniedError),
    **dict.fromkeys(
        (errno.ENOTEMPTY, errno.EISDIR, errno.ENOTDIR, errno.EBUSY, errno.EXDEV, errno.ELOOP),
        FailedPreconditionError,
    ),
    **dict.fromkeys(
        (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.EMLINK, errno.ENOMEM, errno.EDQUOT),
        ResourceExhaustedError,
    ),
    errno.EFBIG: OutOfRangeError,
    errno.ENOTSUP: UnimplementedError,
}


def scheme_of(path: str) -> str:
    """What stands before `://`, or "" where nothing does."""
    scheme, mark, _ = path.partition("://")
    return scheme if mark and scheme.isidentifier() else ""


def as_text(path: Any) -> str:
    """A path that is a string, bytes or a `PathLike`, as a string.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    return os.fsdecode(path)


def local(path: Any) -> str:
    """A path as this system knows it, without `file://`.

    Raises:
        UnimplementedError: it is on a file system that Emplace cannot reach (`gs://`).
        TypeError: it is no path.
    """
    text = as_text(path)
    scheme = scheme_of(text)
    if scheme not in ("", "file"):
        raise UnimplementedError(
            None, None,
            f"File system scheme '{scheme}' not implemented (file: '{text}'). Files of this "
            "system have no scheme, or file://.",
        )  # fmt: skip
    return text.removeprefix(LOCAL_SCHEME)


@contextlib.contextmanager
def system_errors(path: str) -> Iterator[None]:
    """Raises what the system says about `path` in TensorFlow's class and words."""
    try:
        yield
    except OSError as error:
        raise of_system(error, path) from None
    except ValueError as error:  # a NUL in a name
        raise invalid_argument(f"{path}; {error}") from None


def of_system(error: OSError, path: str) -> OpError:
    """An error of the system in TensorFlow's class and words."""
    kind = _CLASSES.get(error.errno or 0, UnknownError)
    return kind(None, None, f"{path}; {error.strerror or error}")
