"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator


def write_text(path: str, text: str) -> None:
    """Writes a text file, as `write_bytes` does; what UTF-8 cannot hold is written as an escape.

    Raises:
        OSError: the folder does not exist or cannot be written; an old file stays as it was.
    """
    write_bytes(path, str.encode(text, "utf-8", "backslashreplace"))


def write_bytes(path: str, data: bytes) -> None:
    """Writes a file: to a temporary name beside it first, which is then renamed.

    What is no file, such as a pipe or /dev/stdout, is written directly; of a link, the file it
    points to is replaced.

    Raises:
        OSError: the folder does not exist or cannot be written; an old file stays as it was.
    """
    if not path or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path, "wb") as file:
            file.write(data)
        return
    with replacing(path) as temporary, open(temporary, "xb") as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: str) -> Iterator[str]:
    """Gives a temporary name beside `path`; what the block writes there becomes `path`.

    Raises:
        OSError: what was written cannot be renamed. After any error the old file is as it was.
    """
    path = os.path.realpath(path)
    temporary = f"{path}.{secrets.token_hex(4)}.tmp"
    try:
        yield temporary
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise
