"""Errors of operations in plans: they say which operation failed and which line made it."""

from __future__ import annotations

from ...base.errors import OpError
from ..representation.graph import Operation
from ..representation.node_text import failed_text


def located(error: Exception, node: Operation) -> Exception:
    """The same error, saying which operation failed and which line made it."""
    if not isinstance(error, OpError) or "{{node" in error.message:
        return error
    text = error.message.replace("{name}", node.name)
    for end in (f" [Op:{node.type}] name: ", f" [Op:{node.type}]"):
        text = text.removesuffix(end)
    text = failed_text(node, f"{text}\n\t [[{{{{node {node.name}}}}}]]")
    return type(error)(node.node_def, node, text)
