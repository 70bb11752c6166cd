"""What the docstrings of public functions lack, for `test_docstrings.py` and
`scripts/docstring_gaps.py`.

A function that has three or more parameters, `name` left aside, describes them under "Args:", and
its first sentence begins with what it does: "Returns ...", "Adds ...".
"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from whose import is_ours

import emplace
import emplace.tensorflow
from emplace.names.late import NAMES as LATE

GAPS = Path(__file__).resolve().parents[1] / "data" / "docstring_gaps.txt"
FEWEST = 3
VERBS = frozenset(
    """
    Accepts Adds Allows Appends Applies Asks Assigns Averages Begins Binds Blocks Breaks Builds
    Calls Casts Changes Charges Checks Chooses Clears Clips Closes Collects Compares Computes
    Concatenates Connects Constrains Converts Copies Counts Creates Crops Cuts Decodes Decreases
    Defines Deletes Describes Divides Does Draws Drops Encodes Ends Enters Estimates Evaluates
    Exchanges Expands Exports Extracts Feeds Fetches Fills Filters Finds Flattens Flips Folds
    Gathers Gives Goes Groups Hands Imports Increases Initialises Inserts Joins Keeps Learns Lets
    Lists Loads Looks Lowers Makes Maps Marks Measures Merges Moves Multiplies Normalises Opens
    Orders Packs Pads Parses Passes Permutes Picks Places Predicts Prints Puts Quantizes Raises
    Randomises Reads Rearranges Receives Records Reduces Registers Removes Repeats Replaces Reports
    Requests Resets Reshapes Resizes Restores Returns Reverses Rolls Rotates Rounds Runs Samples
    Saves Says Scales Scans Schedules Searches Sends Serializes Sets Shapes Shares Shifts Shows
    Shuffles Skips Slices Solves Sorts Splits Squeezes Stacks Starts Stops Stores Subtracts Sums
    Swaps Switches Takes Tells Tests Tiles Traces Trains Transforms Transposes Traverses Turns
    Unpacks Unstacks Updates Uses Waits Watches Weighs Wraps Writes
    """.split()  # noqa: SIM905 - a list of 150 texts is no easier to read
)


def facade() -> Iterator[tuple[str, ModuleType]]:
    """The public modules, under the names that programs have for them."""
    for name in emplace.__all__:  # loaded when they are first used
        getattr(emplace, name)
    for namespace, names in LATE.items():
        for name in names:
            functools.reduce(
                getattr, [*filter(None, namespace.split(".")), name], emplace.tensorflow
            )
    yield "emplace", emplace
    yield "tf", emplace.tensorflow
    for found in pkgutil.walk_packages(emplace.tensorflow.__path__, "emplace.tensorflow."):
        if "raw_ops" not in found.name:  # made from the records of ops
            public = found.name.replace("emplace.tensorflow", "tf")
            yield public, importlib.import_module(found.name)


def callables_of(prefix: str, value: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """A function of ours by its name, or the methods of a class of ours by theirs."""
    if not is_ours(value):
        return
    if not inspect.isclass(value):
        yield prefix, value
        return
    for name in dir(value):
        found = inspect.getattr_static(value, name)
        found = getattr(found, "__func__", found)
        if inspect.isfunction(found) and is_ours(found) and not name.startswith("_"):
            yield f"{prefix}.{name}", found


def public_functions() -> dict[str, Callable[..., Any]]:
    """Every public function and method, once, by the shortest of its names."""
    names: dict[int, tuple[str, Callable[..., Any]]] = {}
    for module_name, module in facade():
        for key, value in vars(module).items():
            if key.startswith("_") or isinstance(value, ModuleType) or not callable(value):
                continue
            for name, function in callables_of(f"{module_name}.{key}", value):
                old = names.setdefault(id(function), (name, function))
                if (len(name), name) < (len(old[0]), old[0]):
                    names[id(function)] = (name, function)
    return dict(names.values())


def count_of_parameters(function: Callable[..., Any]) -> int:
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return 0
    return len(parameters.keys() - {"self", "cls", "name"})


def lacks(function: Callable[..., Any]) -> list[str]:
    """What a docstring lacks: "Args", "verb"."""
    text = inspect.getdoc(function) or ""
    first = text.split(maxsplit=1)[0].rstrip(",") if text else ""
    return [
        what for what, is_there in (("Args", "Args:" in text), ("verb", first in VERBS))
        if not is_there
    ]  # fmt: skip


def gaps() -> list[str]:
    """A line for each thing that a docstring lacks."""
    return sorted(
        f"{name}: {what}"
        for name, function in public_functions().items()
        if count_of_parameters(function) >= FEWEST
        for what in lacks(function)
    )


def known_gaps() -> list[str]:
    return GAPS.read_text().splitlines() if GAPS.exists() else []
