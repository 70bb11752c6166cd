"""`tf.logging`: messages of programs, on standard error, in TensorFlow's format."""

from __future__ import annotations

import sys
import threading
from typing import Any

from ...base.logger import get_logger as get_logger
from ...base.typing import TensorLike

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_NAMES = {FATAL: "FATAL", ERROR: "ERROR", WARN: "WARN", INFO: "INFO", DEBUG: "DEBUG"}
_LOCK = threading.Lock()


def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes a message of a level."""
    get_logger().log(level, msg, *args, **kwargs)


def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes a message for those who look for faults."""
    get_logger().debug(msg, *args, **kwargs)


def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes a message; shown after `set_verbosity(INFO)`."""
    get_logger().info(msg, *args, **kwargs)


def warn(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes a warning."""
    get_logger().warning(msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Writes a warning."""
    get_logger().warning(msg, *args, **kwargs)


def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes an error."""
    get_logger().error(msg, *args, **kwargs)


def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Writes an error that nothing is done after."""
    get_logger().fatal(msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """The same as `log`."""
    get_logger().log(level, msg, *args, **kwargs)


def flush() -> None:
    """Writes what is left."""
    for handler in get_logger().handlers:
        handler.flush()


_COUNTS: dict[Any, int] = {}


def _count(token: object) -> int:
    with _LOCK:
        found = _COUNTS.get(token, 0)
        _COUNTS[token] = found + 1
    return found


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Writes the first and then every n-th message of a line of the program."""
    log_if(level, msg, not _count(_caller()) % n, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Writes the first n messages of a line of the program."""
    log_if(level, msg, _count(_caller()) < n, *args)


def log_if(level: int, msg: str, condition: TensorLike, *args: Any) -> None:
    """Writes a message if the condition holds."""
    if condition:
        vlog(level, msg, *args)


def get_verbosity() -> int:
    """The least level that is shown."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Says the least level that is shown."""
    get_logger().setLevel(v)


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802  # TensorFlow's name
    """Writes an error."""
    error(msg)
