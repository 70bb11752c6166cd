"""Checks graphs after every stage and pass on their way to a plan, while tests run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from emplace.graph.passes import rewriting
from emplace.graph.plan import build
from emplace.graph.representation.lint import lint_operations


def check_draft(stage: str, draft: build.Draft) -> None:
    """The graphs of a draft, and its operations in their order."""
    try:
        for graph in {operation.graph for operation in draft.operations}:
            graph.lint()
        lint_operations(draft.operations, {id(x) for x in draft.arguments}, draft.results)
    except AssertionError as error:
        raise AssertionError(f"after the stage {stage}: {error}") from error


def check_block(name: str, block: rewriting.Block) -> None:
    """The operations of a block after a pass."""
    try:
        lint_operations(block.operations, block.kept, (), block.placed, block.roots)
    except AssertionError as error:
        raise AssertionError(f"after the pass {name}: {error}") from error


@contextmanager
def linted() -> Iterator[None]:
    """A scope in which every plan that is made is checked on its way."""
    build.CHECKS.append(check_draft)
    rewriting.CHECKS.append(check_block)
    try:
        yield
    finally:
        build.CHECKS.remove(check_draft)
        rewriting.CHECKS.remove(check_block)
