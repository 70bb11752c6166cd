"""Tests that a file adds to its classes where it is run as a program.

Test files that combine shapes and dtypes make their tests at their end, below
`if __name__ == "__main__":`. That part runs here, too, without what starts the tests there or
changes how TensorFlow runs.
"""

from __future__ import annotations

import ast
from types import ModuleType

#: What a part has in it that adds tests.
_ADDS = ("setattr", "add_tests", "_AddTest", "_add_test")


def adding_statements(text: str) -> list[ast.stmt]:
    """The statements of a file's program part that add tests, and what these need."""
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test):
            body = [each for each in statement.body if _takes_part(each)]
            adds = any(word in ast.unparse(each) for each in body for word in _ADDS)
            return body if adds else []
    return []


def _takes_part(statement: ast.stmt) -> bool:
    """Whether a statement assigns, goes through combinations, or adds a test."""
    if isinstance(statement, ast.Expr):
        return any(word in ast.unparse(statement) for word in _ADDS)
    return isinstance(statement, ast.Assign | ast.For | ast.If)


def add_tests(module: ModuleType, text: str, path: str) -> None:
    """Runs the statements that add tests, among the module's names."""
    body = adding_statements(text)
    if body:
        code = compile(ast.Module(body, type_ignores=[]), path, "exec", dont_inherit=True)
        exec(code, vars(module))
