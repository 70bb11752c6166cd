"""Names say what a thing is: of local values in long functions, and of classes."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

# They tell what happened to a thing, not what it is. In a function that is seen at a glance, that
# will do.
VAGUE = {"each", "found", "given", "kept", "made", "told", "wanted"}
LONG = 30  # lines, with the docstring
WORDS = re.compile(rf"\b({'|'.join(sorted(VAGUE))})\b")
CLASS = re.compile(r"^ *class (\w+)[(:]", re.MULTILINE)

# Classes of TensorFlow's own that have one name in several of its versions or modules.
SHARED_NAMES = {
    "MirroredStrategy": "tf.distribute and tf.contrib.distribute",
    "OneDeviceStrategy": "tf.distribute and tf.contrib.distribute",
    "ParameterServerStrategy": "tf.distribute and tf.compat.v1.distribute",
    "ResizeMethod": "tf.image and tf.compat.v1.image",
    "TFRecordWriter": "tf.io and tf.data.experimental",
}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def texts(folder: str) -> Iterator[tuple[str, str]]:
    """The files of a folder."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        yield str(path.relative_to(ROOT)), path.read_text()


def functions(node: ast.AST) -> Iterator[Function]:
    """The functions in a file, a class or a function; expressions have none, so they are not
    looked at.
    """
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for child in getattr(node, field, ()) if not isinstance(node, ast.expr) else ():
            if isinstance(child, Function):
                yield child
            yield from functions(child)


def bound_names(function: Function) -> Iterator[str]:
    """The names of the parameters and variables of a function, and of those in it."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def vague_names(folder: str) -> list[str]:
    """Where a long function of a folder has a name that does not say what a thing is."""
    vague = []
    for path, text in texts(folder):
        if not WORDS.search(text):
            continue
        lines = text.splitlines()
        for function in functions(ast.parse(text)):
            end = function.end_lineno or 0
            own = lines[function.lineno - 1 : end]
            if len(own) >= LONG and WORDS.search("\n".join(own)):
                names = sorted(VAGUE.intersection(bound_names(function)))
                vague += [f"{path}:{function.lineno} {function.name}: {name}" for name in names]
    return vague


def test_names_in_long_functions_say_what_a_thing_is() -> None:
    """Rename it to what it is: `spec`, `devices`, `outputs`, `copies`."""
    assert not vague_names("emplace")


def test_names_in_long_functions_of_tests_and_scripts_say_what_a_thing_is() -> None:
    """Rename it to what it is."""
    assert not [*vague_names("tests"), *vague_names("scripts"), *vague_names("benchmarks")]


def test_no_two_classes_share_a_name() -> None:
    """A class is called by what it is, so that a traceback and a search find one."""
    places = defaultdict(list)
    for path, text in texts("emplace"):
        for name in CLASS.findall(text):
            places[name].append(path)
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert not {name: where for name, where in shared.items() if name not in SHARED_NAMES}
    assert not SHARED_NAMES.keys() - shared.keys(), "listed, and no longer shared"
