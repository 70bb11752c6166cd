"""The exception tree, named and coded as `tf.errors`.

    OpError
    ├── CancelledError 1            ├── ResourceExhaustedError 8     ├── UnimplementedError 12
    ├── UnknownError 2              ├── FailedPreconditionError 9    ├── InternalError 13
    ├── InvalidArgumentError 3      ├── AbortedError 10              ├── UnavailableError 14
    │   └── UnknownDeviceError      ├── OutOfRangeError 11           ├── DataLossError 15
    ├── DeadlineExceededError 4     ├── NotFoundError 5              └── UnauthenticatedError 16
    ├── AlreadyExistsError 6        └── PermissionDeniedError 7

Every error a user can cause is one of these or a plain ValueError, TypeError, RuntimeError or
KeyError where TensorFlow raises that. `assert` is for our own bugs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class OpError(Exception):
    """Base of all runtime errors (`tf.errors.OpError`).

    `message` is the text, `op` and `node_def` are the graph operation that failed, or None when
    it ran eagerly, `error_code` is TensorFlow's integer code. `experimental_payloads` is what the
    program said of it when it made it, texts by their names.
    """

    code: ClassVar[int] = 2

    #: Whether a check that does not wait found it: then it says already which op failed.
    is_found_later = False

    def __init__(
        self, node_def: Any, op: Any, message: str, error_code: Any = None, *payloads: Any
    ) -> None:
        super().__init__(message)
        if isinstance(
            error_code, Mapping
        ):  # TF's subclasses take no code, but payloads in its place
            error_code, payloads = None, (error_code, *payloads)
        self.experimental_payloads: dict[str, bytes] = {}
        for each in payloads:
            self.experimental_payloads.update(each)
        self._message = message
        self._op = op
        self._node_def = node_def
        self._error_code = type(self).code if error_code is None else error_code

    @property
    def message(self) -> str:
        """The text of the error."""
        return self._message

    @property
    def op(self) -> Any:
        """The graph operation that failed, or None in eager execution."""
        return self._op

    @property
    def node_def(self) -> Any:
        """The description of the graph node that failed, or None in eager execution."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """TensorFlow's integer code for this kind of error."""
        return self._error_code

    def __str__(self) -> str:
        return self._message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (None, None, self._message, self._error_code, self.experimental_payloads)


class CancelledError(OpError):
    """The operation was cancelled."""

    code = 1


class UnknownError(OpError):
    """An error without a better class."""

    code = 2


class InvalidArgumentError(OpError):
    """An argument has a value, shape, dtype or device that the operation cannot take."""

    code = 3


class UnknownDeviceError(InvalidArgumentError, RuntimeError):
    """The device asked for does not exist here.

    TensorFlow 2.0's guide catches it as RuntimeError, TensorFlow 2.21 raises
    InvalidArgumentError: it is both.
    """


class DeadlineExceededError(OpError):
    """The operation took longer than it was allowed to."""

    code = 4


class NotFoundError(OpError):
    """Something named by the caller does not exist."""

    code = 5


class AlreadyExistsError(OpError):
    """Something that was to be made exists already."""

    code = 6


class PermissionDeniedError(OpError):
    """The caller may not do this."""

    code = 7


class ResourceExhaustedError(OpError):
    """A memory limit, of a budget or of the hardware, would have been passed."""

    code = 8


class FailedPreconditionError(OpError):
    """The system is not in the state the operation needs, for example an unset variable."""

    code = 9


class AbortedError(OpError):
    """The operation was given up, for example because another one interfered."""

    code = 10


class OutOfRangeError(OpError):
    """The end of a sequence was passed."""

    code = 11


class UnimplementedError(OpError):
    """There is no kernel for this."""

    code = 12


class InternalError(OpError):
    """A rule of the runtime itself was broken."""

    code = 13


class UnavailableError(OpError):
    """A service is not there at the moment."""

    code = 14


class DataLossError(OpError):
    """Stored data is damaged."""

    code = 15


class UnauthenticatedError(OpError):
    """The caller did not say who it is."""

    code = 16


def invalid_argument(message: str) -> InvalidArgumentError:
    """An InvalidArgumentError raised outside a graph."""
    return InvalidArgumentError(None, None, message)


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors with a code (`tf.compat.v1.errors.exception_type_from_error_code`).

    Raises:
        KeyError: there is none.
    """
    return {kind.code: kind for kind in _KINDS}[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    """The code of a class of errors; UNKNOWN for others
    (`tf.compat.v1.errors.error_code_from_exception_type`).
    """
    return cls.code if cls in _KINDS else UnknownError.code


_KINDS = tuple(OpError.__subclasses__())
