"""Examples in docstrings (`>>> ...`) become blocks of code in the reference: see mkdocs.yml."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


def fenced(text: str) -> str:
    """A docstring with a block around each example."""
    return _EXAMPLE.sub(lambda match: f"```pycon\n{match[0]}\n```", text)


class Examples(griffe.Extension):  # type: ignore[misc]
    """Hands every docstring on with blocks around its examples."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Changes the docstring of what was just read."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
