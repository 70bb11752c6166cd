"""Errors of operations in plans: they say which operation failed and which line made it."""

from __future__ import annotations

from ...base.errors import OpError
from ...devices.late import TOLD_LATER, Site
from ...eager.failure import with_op
from ..representation.graph import Operation
from ..representation.names.operation_text import failed_text


def located(error: Exception, operation: Operation) -> Exception:
    """The same error, saying which operation failed and which line made it."""
    if not isinstance(error, OpError) or "{{node" in error.message or error.is_found_later:
        return error
    text = error.message.replace("{name}", operation.name)
    for end in (f" [Op:{operation.type}] name: ", f" [Op:{operation.type}]"):
        text = text.removesuffix(end)
    text = failed_text(operation, f"{text}\n\t [[{{{{node {operation.name}}}}}]]")
    return type(error)(operation.node_def, operation, text)


def told_later(error: Exception, site: Site) -> Exception:
    """The error of a check that did not wait, with its op and line, and why it comes now."""
    route, line = site.route, site.line
    if not isinstance(error, OpError):
        return error
    found, who = error, "the check"
    if route is not None:
        found, who = with_op(error, route), f"{route.op.name} ran on {route.device.short_name}"
        if route.operation is not None:
            found = located(found, route.operation)  # type: ignore[assignment]
    where = "" if line is None else f" at {line.file}:{line.number}, in {line.function}"
    later = type(found)(
        found.node_def, found.op,
        f"{found.message}\n(Found later: {who}{where}. The host learns of it when it next waits "
        "for the device, and what was made of it since is wrong. EMPLACE_IMMEDIATE_CHECKS=1 checks "
        "at once.)",
    )  # fmt: skip
    later.is_found_later = True
    return later


TOLD_LATER.bind(told_later)
