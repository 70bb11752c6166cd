"""`tf.errors`."""

from ..base.errors import (
    AbortedError as AbortedError,
    AlreadyExistsError as AlreadyExistsError,
    CancelledError as CancelledError,
    DataLossError as DataLossError,
    DeadlineExceededError as DeadlineExceededError,
    FailedPreconditionError as FailedPreconditionError,
    InternalError as InternalError,
    InvalidArgumentError as InvalidArgumentError,
    NotFoundError as NotFoundError,
    OpError as OpError,
    OutOfRangeError as OutOfRangeError,
    PermissionDeniedError as PermissionDeniedError,
    ResourceExhaustedError as ResourceExhaustedError,
    UnauthenticatedError as UnauthenticatedError,
    UnavailableError as UnavailableError,
    UnimplementedError as UnimplementedError,
    UnknownError as UnknownError,
    error_code_from_exception_type as error_code_from_exception_type,
    exception_type_from_error_code as exception_type_from_error_code,
)
from ..graph.representation.graph import (
    OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError,
)

OK = 0
CANCELLED = CancelledError.code
UNKNOWN = UnknownError.code
INVALID_ARGUMENT = InvalidArgumentError.code
DEADLINE_EXCEEDED = DeadlineExceededError.code
NOT_FOUND = NotFoundError.code
ALREADY_EXISTS = AlreadyExistsError.code
PERMISSION_DENIED = PermissionDeniedError.code
RESOURCE_EXHAUSTED = ResourceExhaustedError.code
FAILED_PRECONDITION = FailedPreconditionError.code
ABORTED = AbortedError.code
OUT_OF_RANGE = OutOfRangeError.code
UNIMPLEMENTED = UnimplementedError.code
INTERNAL = InternalError.code
UNAVAILABLE = UnavailableError.code
DATA_LOSS = DataLossError.code
UNAUTHENTICATED = UnauthenticatedError.code
