"""How many of the annotated parameters are `Any`, by folder: python scripts/any_share.py."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "emplace"


def parameters(tree: ast.AST) -> Iterator[ast.expr]:
    """The annotations of all parameters, those of `*args` and `**kwargs` among them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            spec = node.args
            every = [*spec.posonlyargs, *spec.args, *spec.kwonlyargs, spec.vararg, spec.kwarg]
            for each in every:
                if each is not None and each.annotation is not None:
                    yield each.annotation


def is_any(annotation: ast.expr) -> bool:
    """True for `Any` alone and for a union with it, which checks nothing either."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return is_any(annotation.left) or is_any(annotation.right)
    return isinstance(annotation, ast.Name) and annotation.id == "Any"


def counted() -> tuple[Counter[str], Counter[str]]:
    """Parameters that are `Any`, and all that are annotated, by folder."""
    free: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for path in PACKAGE.rglob("*.py"):
        folder = "/".join(path.relative_to(PACKAGE).parts[:-1][:2]) or "."
        for annotation in parameters(ast.parse(path.read_text())):
            every[folder] += 1
            free[folder] += is_any(annotation)
    return free, every


def share() -> float:
    """The share of annotated parameters that are `Any`, in percent."""
    free, every = counted()
    return 100 * free.total() / every.total()


if __name__ == "__main__":
    free, every = counted()
    for folder, count in free.most_common():
        print(f"{folder:28} {count:5} of {every[folder]:5}")
    print(f"{free.total()} of {every.total()} parameters are Any: {share():.1f} %")
