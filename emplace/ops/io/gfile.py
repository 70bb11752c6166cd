"""Files and folders by the functions of `tf.io.gfile`, on the file systems of this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any

from ...base.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
    OutOfRangeError,
    PermissionDeniedError,
    UnimplementedError,
    invalid_argument,
)
from .files import matches
from .paths import as_text, local, of_system, system_errors

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file to read or write (`tf.io.gfile.GFile`).

    The file is opened when it is first read or written: a missing one raises then, and one that
    is opened to be written is emptied then, also with mode "r+". With a "+" reading and writing
    have places of their own.

    Args:
        name: the path.
        mode: "r", "w", "a", "r+", "w+" or "a+", with "b" for bytes instead of text in UTF-8.

    Raises:
        InvalidArgumentError: the mode is none of those.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/a.txt"
    >>> with GFile(path, "w") as file:
    ...     file.write("hello")
    >>> GFile(path).read()
    'hello'
    """

    _reader: IO[bytes] | None = None
    _writer: IO[bytes] | None = None

    def __init__(self, name: str | None, mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        self._binary = "b" in mode
        kind = mode.replace("b", "")
        if kind not in _MODES:
            raise invalid_argument("mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")
        self._reads = kind == "r" or "+" in kind
        self._writes = kind != "r"
        self._appends = "a" in kind

    @property
    def name(self) -> Any:
        """The path as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode as it was given."""
        return self._mode

    def _open_reader(self) -> IO[bytes]:
        if not self._reads:
            raise PermissionDeniedError(None, None, "File isn't open for reading")
        if self._reader is None:
            self._reader = self._opened("rb")
        return self._reader

    def _open_writer(self) -> IO[bytes]:
        if not self._writes:
            raise PermissionDeniedError(None, None, "File isn't open for writing")
        if self._writer is None:
            self._writer = self._opened("ab" if self._appends else "wb")
        return self._writer

    def _opened(self, mode: str) -> IO[bytes]:
        path = local(self._name)
        with system_errors(as_text(self._name)):
            return open(path, mode)

    def _reopened(self) -> IO[bytes]:
        """A new reader at the old one's place, that sees what was written."""
        self.flush()
        place, old = self.tell(), self._open_reader()
        old.close()
        self._reader = self._opened("rb")
        self._reader.seek(place)
        return self._reader

    def _shown(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def size(self) -> int:
        """How many bytes are in the file; what is not flushed yet does not count."""
        return stat(self._name).length

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that are left, as text or as bytes.

        Raises:
            NotFoundError: there is no such file.
            PermissionDeniedError: the file is not open for reading.
            InvalidArgumentError: `n` is less than -1.
        """
        reader = self._open_reader()
        if n < -1:
            raise invalid_argument(f"Can't read a negative number of bytes: {n}")
        with system_errors(as_text(self._name)):
            data = reader.read(n)
        return self._shown(data)

    def readline(self) -> Any:
        """The next line with its end, without carriage returns; empty at the end of the file."""
        reader = self._open_reader()
        with system_errors(as_text(self._name)):
            line = reader.readline()
        return self._shown(line.replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return list(self)

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """The next line."""
        return next(self)

    def write(self, file_content: str | bytes) -> None:
        """Writes text, as UTF-8, or bytes.

        Raises:
            PermissionDeniedError: the file is not open for writing.
            TypeError: it is neither text nor bytes.
        """
        writer = self._open_writer()
        if isinstance(file_content, str):
            file_content = file_content.encode()
        if not isinstance(file_content, bytes):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        with system_errors(as_text(self._name)):
            writer.write(file_content)

    def tell(self) -> int:
        """The place in bytes: where the next byte is read or, of files to write, written."""
        return (self._open_reader() if self._reads else self._open_writer()).tell()

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Goes to a place to read from.

        Args:
            offset: bytes.
            whence: from where: 0 the beginning, 1 the current place, 2 the end of the file.
            position: another name of `offset`.

        Raises:
            TypeError: none or both of `offset` and `position` are given.
            InvalidArgumentError: the place is before the beginning, or `whence` is none of those.
            OutOfRangeError: the place is behind the end.
        """
        reader = self._open_reader()
        if self._writer is not None:  # what was read ahead may have changed
            reader = self._reopened()
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise invalid_argument(
                f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        place = offset + (0, reader.tell(), self.size() if whence == 2 else 0)[whence]
        if place < 0:
            raise invalid_argument(f"Seeking to a negative position: {place}")
        if place > self.size():
            raise OutOfRangeError(None, None, "reached end of file")
        reader.seek(place)

    def seekable(self) -> bool:
        """True."""
        return True

    def flush(self) -> None:
        """Hands what was written to the system, so that others read it."""
        if self._writer is not None:
            with system_errors(as_text(self._name)):
                self._writer.flush()

    def close(self) -> None:
        """Writes what is left and closes the file; it opens again when it is used again."""
        reader, writer = self._reader, self._writer
        self._reader = self._writer = None
        with system_errors(as_text(self._name)):
            if reader is not None:
                reader.close()
            if writer is not None:
                writer.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, unused_type: object, unused_value: object, unused_traceback: object) -> None:
        self.close()

    def __del__(self) -> None:
        """Programs rely on `GFile(path).read()` to leave no file open."""
        if self._reader is not None or self._writer is not None:
            self.close()


@dataclass(frozen=True)
class FileStatistics:
    """The length of a file in bytes, when it was last changed in nanoseconds since 1970, and
    whether it is a folder.
    """

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: str) -> bool:
    """True if there is such a file or folder (`tf.io.gfile.exists`).

    >>> exists("/no/such/file")
    False
    """
    return os.path.exists(local(path))


def isdir(path: str) -> bool:
    """True if the path is a folder's (`tf.io.gfile.isdir`).

    >>> isdir("/")
    True
    """
    try:
        return os.path.isdir(local(path))
    except UnimplementedError:  # TensorFlow too asks nobody who does not know the file system
        return False


def stat(path: Any) -> FileStatistics:
    """Length and time of a file (`tf.io.gfile.stat`).

    Raises:
        NotFoundError: there is none.

    >>> stat("/").is_directory
    True
    """
    with system_errors(as_text(path)):
        found = os.stat(local(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(local(path)))


def listdir(path: str) -> list[str]:
    """The names in a folder, in order (`tf.io.gfile.listdir`).

    Raises:
        NotFoundError: there is no such folder.

    >>> import tempfile
    >>> listdir(tempfile.mkdtemp())
    []
    """
    if not isdir(path):
        raise NotFoundError(None, None, f"Could not find directory {as_text(path)}")
    with system_errors(as_text(path)):
        return sorted(os.listdir(local(path)))


def glob(pattern: Any) -> list[str]:
    """The names that match a pattern or one of several (`tf.io.gfile.glob`).

    Args:
        pattern: a path or a sequence of them; `*`, `?` and `[a-z]` stand for letters of one name.

    Returns:
        The names in order, those of the first pattern first.

    >>> glob("/no/such/folder/*")
    []
    """
    if isinstance(pattern, (str, bytes, os.PathLike)):
        return matches(pattern)
    return [name for each in pattern for name in matches(each)]


def mkdir(path: str) -> None:
    """Makes a folder, unless it exists (`tf.io.gfile.mkdir`).

    Raises:
        NotFoundError: the folder it belongs in does not exist.
        FailedPreconditionError: a file has that name.

    >>> import tempfile
    >>> mkdir(tempfile.mkdtemp() + "/new")
    """
    _make(path, os.mkdir)


def makedirs(path: str) -> None:
    """Makes a folder and those on the way to it, unless they exist (`tf.io.gfile.makedirs`).

    Raises:
        FailedPreconditionError: a file has the name of one of them.

    >>> import tempfile
    >>> makedirs(tempfile.mkdtemp() + "/new/inner")
    """
    _make(path, lambda place: os.makedirs(place, exist_ok=True))


def _make(path: str, make: Callable[[str], None]) -> None:
    place = local(path)
    if not place or os.path.isdir(place):  # no name is the current folder's
        return
    if os.path.exists(place):
        raise FailedPreconditionError(None, None, f"{as_text(path)} is not a directory")
    with system_errors(as_text(path)):
        try:
            make(place)
        except FileExistsError:  # somebody else was faster
            if not os.path.isdir(place):
                raise


def remove(path: str) -> None:
    """Removes a file (`tf.io.gfile.remove`).

    Raises:
        NotFoundError: there is none.
        FailedPreconditionError: it is a folder.

    >>> import tempfile
    >>> remove(tempfile.mkstemp()[1])
    """
    with system_errors(as_text(path)):
        os.unlink(local(path))


def rmtree(path: str) -> None:
    """Removes a folder with all it holds, or a file (`tf.io.gfile.rmtree`).

    Of a link, the link is removed and nothing behind it.

    Raises:
        NotFoundError: there is none.

    >>> import tempfile
    >>> rmtree(tempfile.mkdtemp())
    """
    place = local(path)
    if not os.path.lexists(place):
        raise NotFoundError(None, None, f"{as_text(path)} not found")
    with system_errors(as_text(path)):
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        else:
            os.unlink(place)


def _refuse_existing(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(local(path)):
        raise AlreadyExistsError(
            None, None, f"file already exists: {as_text(path)}. Pass overwrite=True to replace it."
        )


def copy(src: str, dst: str, overwrite: bool = False) -> None:
    """Copies what a file holds (`tf.io.gfile.copy`).

    Args:
        src: a file.
        dst: the name of the copy.
        overwrite: whether to replace a file of that name.

    Raises:
        AlreadyExistsError: there is such a file, and `overwrite` is False.
        NotFoundError: there is no file `src`, or no folder for `dst`.
        InvalidArgumentError: `src` is a folder.

    >>> import tempfile
    >>> copy(tempfile.mkstemp()[1], tempfile.mkdtemp() + "/copy")
    """
    _refuse_existing(dst, overwrite)
    source, target = local(src), local(dst)
    if os.path.isdir(source):
        raise invalid_argument(f"{as_text(src)}; a folder cannot be copied as a file")
    wrong = src if not os.path.exists(source) else dst
    with system_errors(as_text(wrong)):
        if not (os.path.exists(target) and os.path.samefile(source, target)):
            shutil.copyfile(source, target)


def rename(src: str, dst: str, overwrite: bool = False) -> None:
    """Gives a file or folder another name (`tf.io.gfile.rename`).

    Args:
        src: a file or folder.
        dst: its new path.
        overwrite: whether to replace a file of that name, or an empty folder.

    Raises:
        AlreadyExistsError: something has that name, and `overwrite` is False.
        NotFoundError: there is no `src`, or no folder for `dst`.
        FailedPreconditionError: `dst` is a folder that is not empty, or `src` is a file and
            `dst` a folder.

    >>> import tempfile
    >>> rename(tempfile.mkstemp()[1], tempfile.mkdtemp() + "/other")
    """
    _refuse_existing(dst, overwrite)
    with system_errors(as_text(src)):
        os.replace(local(src), local(dst))


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Goes through a folder and those below it (`tf.io.gfile.walk`).

    Args:
        top: the folder.
        topdown: whether a folder comes before those in it.
        onerror: called with the error of a folder that cannot be read, which is then left out.

    Returns:
        An iterator of (folder, names of folders in it, names of files in it).

    >>> import tempfile
    >>> [names for _, *names in walk(tempfile.mkdtemp())]
    [[[], []]]
    """

    def tell(error: OSError) -> None:
        if onerror is not None:
            onerror(of_system(error, as_text(error.filename)))

    yield from os.walk(local(top), topdown, tell, followlinks=True)


def join(path: Any, *paths: Any) -> Any:
    """Parts of a path put together (`tf.io.gfile.join`).

    >>> join("a", "b.txt")
    'a/b.txt'
    """
    return os.path.join(path, *paths)


def get_registered_schemes() -> Sequence[str]:
    """What paths may begin with, before `://` (`tf.io.gfile.get_registered_schemes`).

    >>> get_registered_schemes()
    ['', 'file']
    """
    return ["", "file"]
