"""Every recorded answer of TensorFlow about devices holds on Emplace, but for a list of
differences on purpose, each with its reason.
"""

from __future__ import annotations

import ast
import functools
import re
from typing import NamedTuple

import device_cases
import pytest
from device_cases import Answer
from device_cases.play import names_for, play

import emplace.tensorflow as tf
from emplace import runtime
from emplace.core.context import LOCAL
from emplace.distribute.reductions import cross_device
from emplace.distribute.strategies import mirrored
from emplace.graph.function import retracing


class Difference(NamedTuple):
    """Lines (by pattern) whose answer by TensorFlow (by pattern) is not ours, and why."""

    subject: str
    line: str
    theirs: str
    reason: str


_BIG = r"[\d_]{10,}"
DIFFERENCES = (
    Difference(
        "strings|memory_names", _BIG, "",
        "a number that does not fit into 32 bits names no device; TensorFlow lets it wrap around",
    ),
    Difference(
        "memory_names", r"\\x00", "",
        "a name with a NUL is no name; TensorFlow stops reading there",
    ),
    Difference(
        "strings", r"constant\(", "unknown device",
        "'/job:*' and malformed names mean the same to every op; TensorFlow's constants look their "
        "device up by its text",
    ),
    Difference(
        "strings|scopes", "", r"specification '(/replica|[^']*/task:\d+')",
        "errors show a '*' as it was asked for; TensorFlow leaves it out",
    ),
    Difference(
        "config_.*", r"get_device_details\(gpus", "FAKE_GPU",
        "the recording machine's GPUs have another name",
    ),
    Difference(
        "config_.*", r"threading.get_|optimizer.get_|get_log_device|get_soft", r"^\w+Error: ",
        "a getter answers; TensorFlow's raise what starting the devices would raise",
    ),
    Difference(
        "config_calls", r"tuple\(gpus\[0\]\)", "AttributeError",
        "a tuple equal to a physical device stands for it everywhere, not in some calls",
    ),
    Difference(
        "config_calls", r"set_soft_device_placement\(|set_memory_growth\(|grow\(", "",
        "a switch that is no bool is refused at once, not when the devices start, or never",
    ),
    Difference(
        "config_calls", r"set_int(ra|er)_op_parallelism_threads\(", "None|RuntimeError",
        "a number of threads that is none is refused at once, not when the devices start",
    ),
    Difference(
        "config_calls", r"set_jit\(('x'|2|\[\])\)", "None",
        "what is neither a bool nor 'autoclustering' is refused, not ignored",
    ),
    Difference(
        "strategy_makings", r"MirroredStrategy\(\[(tf.config|3|None)", "",
        "what is neither a name nor a logical device is refused in words",
    ),
    Difference(
        "strategy_makings", r"MirroredStrategy\(\['/job:worker", "unknown device",
        "a device of another machine is refused as such, not when the first op is sent there",
    ),
    Difference(
        "strategy_makings", r"MirroredStrategy\(iter", "IndexError",
        "any iterable of devices will do",
    ),
    Difference(
        "strategy_contexts", r"copy.deepcopy\(s\)", "False",
        "a strategy is the same in a copy: a copied model stays under the one it was made under",
    ),
    Difference(
        "strategy_runs", r"lambda: \(?place\(\)", "", "a replica's number stays on the host",
    ),
    Difference(
        "strategy_runs", r"context\(\).devices", "",
        "a replica has one device, not a list of lists",
    ),
    Difference(
        "strategy_runs", r"all_reduce\(.*, \[number\(\), place\(\)\]", "either all on the host",
        "values on the host and on devices are reduced in one call",
    ),
    Difference(
        "strategy_runs|strategy_ways", "IndexedSlices", "'list' object has no attribute 'dtype'",
        "slices are reduced in functions, too, where TensorFlow's default way fails",
    ),
    Difference(
        "strategy_runs", r"all_reduce\(1", "PerReplica",
        "what is no reduction is refused, not a sum",
    ),
    Difference(
        "strategy_reductions", r"axis=\[0\]", "unhashable", "a list of axes is one",
    ),
    Difference(
        "strategy_reductions",
        r"reduce,? ?\('SUM', v, axis=0\)|'SUM', v, axis=1\)\[0\]|gather, v, 0",
        "ValueError", "a bad axis is refused by the eager op, TensorFlow traces a function first",
    ),
    Difference(
        "strategy_reductions", r"gather\(\[v, v\]", "1.0",
        "structures are gathered; TensorFlow returns the first replica's part as if it were all",
    ),
    Difference(
        "strategy_reductions", "'SUM', x", "AssertionError", "says why there is no sum",
    ),
    Difference(
        "strategy_ways", r"told\(\)", "hierarchical_copy|gather/all_gather",
        "values on CPUs meet on one of them, and the log says so, eagerly as in functions",
    ),
    Difference(
        "strategy_bodies", "all_reduce", "AddN",
        "what all replicas of a function reduce is one operation, which plans reduce in buckets",
    ),
    Difference(
        "strategy_assignments", "'ON_READ', 'NONE', '(all|scope)', False", "Could not convert",
        "a change that raises changes nothing; TensorFlow's writes, then raises",
    ),
    Difference(
        "strategy_assignments", "'ON_READ', .* PER", "PerReplica' (object|and)",
        "each replica's component takes its own value; a sum is refused in words",
    ),
    Difference(
        "strategy_variables", r"PER", "'PerReplica' object has no attribute",
        "refused in words where replicas keep values of their own",
    ),
    Difference(
        "strategy_variables", "found", "2.0",
        "a read takes the component on the current device, however it is written",
    ),
    Difference(
        "strategy_inputs", r"len\(d\)|dataset\(shared\(3, 4\)\)", "DistributedDataset",
        "a distributed dataset knows its length, and is left as it is if distributed again",
    ),
)  # fmt: skip


def differs_on_purpose(subject: str, line: str, theirs: Answer) -> Difference | None:
    said = ": ".join(theirs if theirs[0] == "value" else theirs[1:])
    for each in DIFFERENCES:
        patterns = (each.subject, subject), (f".*({each.line}).*", line)
        if all(re.fullmatch(*pair, re.DOTALL) for pair in patterns) and re.search(
            each.theirs, said
        ):
            return each
    return None


def agree(theirs: Answer, ours: Answer) -> bool:
    """True if both are the same value, or errors of the same class with the same core text."""
    if theirs[0] == "crash":  # no answer is worse than that one
        return True
    if theirs[0] != ours[0]:
        return False
    if theirs[0] == "value":
        return theirs == ours or _parsed(theirs[1]) == _parsed(ours[1])
    # Ours is an InvalidArgumentError too.
    kind = ours[1].replace("UnknownDeviceError", "InvalidArgumentError")
    # Python and pybind word TypeErrors, with the names of internal functions.
    return theirs[1] == kind and (kind == "TypeError" or _core(theirs[2]) in ours[2])


def _parsed(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _core(text: str) -> str:
    """An error's text without the op it adds, and without the dump of the op's attributes."""
    text = re.sub(r"^\{\{function_node [^}]*\}\} ", "", text)
    return re.split(r" \[Op:|\nDevice Name:", text)[0]


def fresh_runtime() -> None:
    LOCAL.state.scopes, LOCAL.state.scope = [], None  # cases leave scopes open
    runtime.reset(virtual=True)
    runtime.virtual_gpus(4, memory="64MB")
    cross_device._TOLD.clear()  # a line is told ten times per process
    mirrored._WARNED[0] = 0
    retracing._CALLS.clear()  # so that a case does not hear of others' traces


@functools.cache  # two tests ask, and it takes seconds
def disagreements(subject: str) -> list[tuple[str, Answer, Answer, Difference | None]]:
    """(line, TensorFlow's answer, ours, why they may differ) wherever they do."""
    differing = []
    recording = device_cases.read(subject)
    fresh_runtime()
    names = names_for(tf, recording.prelude)
    for lines, answers in recording.cases:
        if recording.isolated:
            fresh_runtime()
            names = names_for(tf, recording.prelude)
        for line, theirs, ours in zip(lines, answers, play(names, lines), strict=True):
            if not agree(theirs, ours):
                reason = differs_on_purpose(subject, line, theirs)
                differing.append((line, theirs, ours, reason))
                if ".get_" not in line:
                    break  # what follows would be about this difference
    LOCAL.state.scopes, LOCAL.state.scope = [], None
    return differing


@pytest.mark.parametrize("subject", device_cases.SUBJECTS)
def test_devices_answer_as_tensorflow(subject: str) -> None:
    wrong = [
        f"{line}\n  TensorFlow: {theirs}\n  Emplace:    {ours}"
        for line, theirs, ours, difference in disagreements(subject)
        if difference is None
    ]
    assert not wrong, f"{len(wrong)} answers differ:\n" + "\n".join(wrong[:10])


def test_every_difference_on_purpose_is_one() -> None:
    met = {each[3] for subject in device_cases.SUBJECTS for each in disagreements(subject)}
    assert set(DIFFERENCES) <= met, set(DIFFERENCES) - met


@pytest.mark.parametrize("subject", device_cases.SUBJECTS)
def test_a_recording_holds_the_cases_and_names_its_tensorflow(subject: str) -> None:
    recorded, asked = device_cases.read(subject), device_cases.SUBJECTS[subject]()
    assert recorded.tensorflow.startswith("2.21.")
    assert recorded.prelude == asked.prelude
    assert [lines for lines, _ in recorded.cases] == asked.cases, "record it again"
