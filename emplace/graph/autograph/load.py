"""Converted code as functions that look, to tracebacks and debuggers, like the program's own.

The code is compiled under the name of the program's file with the lines of the statements that it
stands for, so errors, profiles and the runtime's own reports show lines that exist.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from malt.pyct import origin_info, parser, transpiler

_HELPER = re.compile(
    r"(get_state|set_state|if_body|else_body|loop_body|loop_test|extra_test)(_\d+)?"
)
#: What the name of a converted function begins with.
PREFIX = "tf__"


class Factory:
    """Makes functions of converted code: the same code for other closures and globals.

    Args:
        nodes: the converted function.
        name: its name.
        function: the function as it was written.
        names: makes names that are still free.
        extra: what the code reads besides, by name.
        future: the features that its file imports from __future__.
    """

    def __init__(
        self, nodes: Any, name: str, function: Any, names: Any, extra: Mapping[str, Any],
        future: Sequence[str],
    ) -> None:  # fmt: skip
        self._name = name
        self._extra = dict(extra)
        self._free = function.__code__.co_freevars
        inner, outer = (names.new_symbol(each, ()) for each in ("inner_factory", "outer_factory"))
        tree = transpiler._wrap_into_factory(
            nodes, name, inner, outer, self._free, self._extra.keys(), future
        )
        wrapped = tree if isinstance(tree, (list, tuple)) else (tree,)
        self.text = parser.unparse(nodes, indentation="  ", include_encoding_marker=False)
        code = _compiled(wrapped, function.__code__)
        space: dict[str, Any] = {}
        exec(code, space)  # the program's own code, converted
        self._code: CodeType = space[outer]().__code__

    def function(self, like: Any) -> Any:
        """The converted function with the closure, globals and defaults of the original."""
        cells = dict(zip(self._free, like.__closure__ or (), strict=True))
        closure = tuple(cells[name] for name in self._code.co_freevars)
        bound = FunctionType(self._code, like.__globals__, self._name, (), closure)
        made = bound(**self._extra)
        made.__defaults__ = like.__defaults__
        made.__kwdefaults__ = like.__kwdefaults__
        made.__name__, made.__qualname__ = like.__name__, like.__qualname__
        return made


def _compiled(nodes: Sequence[Any], original: CodeType) -> CodeType:
    text = parser.unparse(nodes, indentation="  ", include_encoding_marker=False)
    origins = origin_info.create_source_map(nodes, text, original.co_filename)
    lines = {at.lineno: origin.loc.lineno for at, origin in origins.items()}
    tree = ast.parse(text)
    _move(tree, lines, original.co_firstlineno)
    return _renamed(compile(tree, original.co_filename, "exec"), "")


def _move(tree: ast.AST, lines: Mapping[int, int], first: int) -> None:
    """Gives every node the line that it stands for; a generated one, that of the one before."""
    nodes: list[Any] = [node for node in ast.walk(tree) if hasattr(node, "lineno")]
    known, line = {}, first
    for at in range(1, max(node.end_lineno or 1 for node in nodes) + 1):
        line = known[at] = lines.get(at, line)
    for node in nodes:
        node.lineno = node.end_lineno = known[node.lineno]
        node.col_offset = node.end_col_offset = -1


def _renamed(code: CodeType, around: str) -> CodeType:
    """Code in which the parts of a function have the function's name."""
    name = code.co_name
    if _HELPER.fullmatch(name) and around:
        name = around
    name = name.removeprefix(PREFIX)
    parts = tuple(_renamed(each, name) if isinstance(each, CodeType) else each
                  for each in code.co_consts)  # fmt: skip
    return code.replace(co_name=name, co_consts=parts)


def is_converted(code: CodeType) -> bool:
    """Whether code was made here."""
    return "ag__" in code.co_freevars
