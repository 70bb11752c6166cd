"""Writing files so that nobody ever sees half of one."""

from __future__ import annotations

import os
import tempfile


def write_text(path: str, text: str) -> None:
    """Writes a text file: to a temporary name beside it first, which is then renamed.

    Raises:
        OSError: the folder does not exist or cannot be written; an old file stays as it was.
    """
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(path)}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask() -> int:
    # There is no way to ask for it without setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
