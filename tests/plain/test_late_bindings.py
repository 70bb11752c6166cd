"""Late bindings: what one is, and the list of those that there are, which may only shrink."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from emplace.base.late_binding import LateBinding

PACKAGE = Path(__file__).resolve().parents[2] / "emplace"

# By file and name: why the function cannot stand above its caller.
REASONS = {
    "devices/charges.py MADE": "lines of the program are found above devices",
    "devices/late.py PROGRAM_LINE": "lines of the program are found above devices",
    "devices/late.py TOLD_LATER": "an error names the operation of a graph",
    "eager/jacobians.py OPEN_ROWS": "rows without a number are a loop, which graphs have",
    "distribute/replicas/replica_context.py DEFAULT_REPLICA": "a replica is of a strategy",
    "graph/autograph/settings.py VERBOSITY_SET": "the converter is loaded when first needed",
    "graph/function/function.py AUTOGRAPH": "converted code calls functions",
    "graph/recording/variable.py CHOICE": "a branch is an operation with graphs of its own",
    "graph/representation/graph.py CREATED": "raw ops make operations",
    "graph/representation/graph.py NEW_TARGET": "what records ops makes operations",
    "graph/representation/graph.py NEW_VARIABLE": "a variable of a graph is made of operations",
    "graph/representation/operation.py PARTIAL_VALUE": "folding goes through operations",
    "graph/representation/operation.py STATIC_VALUE": "folding goes through operations",
    "graph/session/session.py RESOURCES_AT": "servers of a cluster run sessions",
    "interop/operators/base.py ADJOINT": "an adjoint is an operator",
    "interop/operators/base.py INVERSE": "an inverse is an operator",
    "interop/operators/base.py PRODUCT": "a product is an operator",
    "interop/operators/base.py TRIANGULAR": "a Cholesky factor is an operator",
    "ops/array/tensor_array.py NEW_IN_GRAPHS": "a list of a graph is a TensorArray",
    "ops/convert.py CASTING": "the op converts its input",
    "ops/convert.py STACKING": "the op converts its inputs",
    "ops/sparse/tensor.py IN_SESSION": "a sparse tensor of a graph is evaluated by a session",
}


def bindings() -> Iterator[tuple[str, str, str]]:
    """File, name and provider of each late binding of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        for node in ast.parse(text).body if "LateBinding(" in text else ():
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "LateBinding":
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                provider = ast.literal_eval(value.args[1])
                yield str(path.relative_to(PACKAGE)), ast.unparse(target), provider


def test_each_late_binding_has_its_reason() -> None:
    assert sorted(f"{file} {name}" for file, name, _ in bindings()) == sorted(REASONS)


def test_each_late_binding_is_bound_in_the_file_that_it_names() -> None:
    for file, name, provider in bindings():
        assert f"{name}.bind(" in (PACKAGE / provider).read_text(), f"{file} {name}"


def test_no_module_fills_a_list_of_another_with_a_function() -> None:
    """The form that late bindings had: `TARGET_OF[:] = [target_of]`, `TARGET_OF[0](graph)`."""
    wrong = []
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        if "[:] =" not in text and "[0](" not in text:
            continue
        tree = ast.parse(text)
        taken = {
            alias.asname or alias.name
            for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }  # fmt: skip
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                filled = node.targets[0]
                if isinstance(filled.slice, ast.Slice) and ast.unparse(filled.value) in taken:
                    wrong.append(f"{path}:{node.lineno} fills {ast.unparse(filled)}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                called = node.func
                if ast.unparse(called.slice) == "0" and ast.unparse(called.value).isupper():
                    wrong.append(f"{path}:{node.lineno} calls {ast.unparse(called)}")
    assert not wrong, "\n".join(wrong)


def test_a_call_before_anybody_has_bound_says_who_must() -> None:
    double: LateBinding[[int], int] = LateBinding("double a number", "ops/numbers.py")
    with pytest.raises(RuntimeError, match=r"Cannot double a number yet: emplace/ops/numbers\.py"):
        double.call(2)


def test_binding_twice_is_refused_and_the_first_function_stays() -> None:
    double: LateBinding[[int], int] = LateBinding("double a number", "ops/numbers.py")
    double.bind(lambda number: 2 * number)
    with pytest.raises(RuntimeError, match="bound twice"):
        double.bind(lambda number: number + number)
    assert double.call(4) == 8


def test_a_default_is_called_until_somebody_binds() -> None:
    double: LateBinding[[int], int] = LateBinding("double", "numbers.py", default=lambda n: 0)
    assert double.call(4) == 0
    double.bind(lambda number: 2 * number)
    assert double.call(4) == 8
