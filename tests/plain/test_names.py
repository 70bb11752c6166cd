"""Names say what a thing is: of local values in long functions, and of classes."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

# They tell what happened to a thing, not what it is. In a function that is seen at a glance, that
# will do.
VAGUE = {"each", "found", "given", "kept", "made", "told", "wanted"}
LONG = 30  # lines, with the docstring

# Classes of TensorFlow's own that have one name in several of its versions or modules.
SHARED_NAMES = {
    "InaccessibleTensorError": "refusals of a fetch and of a graph have other base classes",
    "MirroredStrategy": "tf.distribute and tf.contrib.distribute",
    "OneDeviceStrategy": "tf.distribute and tf.contrib.distribute",
    "ParameterServerStrategy": "tf.distribute and tf.compat.v1.distribute",
    "ResizeMethod": "tf.image and tf.compat.v1.image",
    "TFRecordWriter": "tf.io and tf.data.experimental",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def trees(folder: str) -> dict[str, ast.Module]:
    """The files of a folder as syntax trees."""
    paths = sorted((ROOT / folder).rglob("*.py"))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}


def bound_names(function: Function) -> Iterator[str]:
    """The names of the parameters and variables of a function, and of those in it."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def vague_names(folder: str) -> list[str]:
    """Where a long function of a folder has a name that does not say what a thing is."""
    return [
        f"{path}:{node.lineno} {node.name}: {name}"
        for path, tree in trees(folder).items()
        for node in ast.walk(tree)
        if isinstance(node, Function) and (node.end_lineno or 0) - node.lineno + 1 >= LONG
        for name in sorted(VAGUE.intersection(bound_names(node)))
    ]


def test_names_in_long_functions_say_what_a_thing_is() -> None:
    """Rename it to what it is: `spec`, `devices`, `outputs`, `copies`."""
    assert not vague_names("emplace")


def test_names_in_long_functions_of_tests_and_scripts_say_what_a_thing_is() -> None:
    """Rename it to what it is."""
    assert not [*vague_names("tests"), *vague_names("scripts"), *vague_names("benchmarks")]


def test_no_two_classes_share_a_name() -> None:
    """A class is called by what it is, so that a traceback and a search find one."""
    places = defaultdict(list)
    for path, tree in trees("emplace").items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path}:{node.lineno}")
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert not {name: where for name, where in shared.items() if name not in SHARED_NAMES}
    assert not SHARED_NAMES.keys() - shared.keys(), "listed, and no longer shared"
