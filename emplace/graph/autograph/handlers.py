"""Lets diastatic-malt analyse `except Error as name`.

It takes the name for a node of the tree, where Python's own trees have a string, and gave up the
whole function.
"""

from __future__ import annotations

import ast
from typing import Any

from malt.pyct import cfg, qual_names
from malt.pyct.static_analysis import activity

_visit_in_graph = cfg.AstToCfg.visit_ExceptHandler
_visit_in_scopes = activity.ActivityAnalyzer.visit_ExceptHandler


def _in_graph(self: Any, node: ast.ExceptHandler) -> None:
    _without_name(_visit_in_graph, self, node)


def _in_scopes(self: Any, node: ast.ExceptHandler) -> Any:
    if node.name is None:
        return _visit_in_scopes(self, node)
    self._enter_scope(False)
    # Python forgets the name behind the handler.
    self.scope.isolated_names.add(qual_names.QN(node.name))
    node = self.generic_visit(node)
    self._exit_scope()
    return node


def _without_name(visit: Any, visitor: Any, node: ast.ExceptHandler) -> None:
    name, node.name = node.name, None
    try:
        visit(visitor, node)
    finally:
        node.name = name


def apply() -> None:
    """Replaces both visits."""
    cfg.AstToCfg.visit_ExceptHandler = _in_graph
    activity.ActivityAnalyzer.visit_ExceptHandler = _in_scopes


apply()
