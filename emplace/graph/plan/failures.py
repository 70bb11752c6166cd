"""Errors of operations in plans: they say which operation failed and which line made it."""

from __future__ import annotations

from ...base.errors import OpError
from ..representation.graph import Operation
from ..representation.names.operation_text import failed_text


def located(error: Exception, operation: Operation) -> Exception:
    """The same error, saying which operation failed and which line made it."""
    if not isinstance(error, OpError) or "{{node" in error.message:
        return error
    text = error.message.replace("{name}", operation.name)
    for end in (f" [Op:{operation.type}] name: ", f" [Op:{operation.type}]"):
        text = text.removesuffix(end)
    text = failed_text(operation, f"{text}\n\t [[{{{{node {operation.name}}}}}]]")
    return type(error)(operation.node_def, operation, text)
