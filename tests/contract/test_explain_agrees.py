"""What `emplace.explain` tells of a function is what `emplace.watch` sees it do: operations per
device, copies and their bytes, on random functions. Where they differ by nature is at the end.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from random_programs.generator import make_program
from random_programs.ways import use_devices
from random_programs.world import World

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace.core.events import Call, Observer, observed_by
from emplace.devices.device import Device, copy_in_memory
from emplace.graph.plan import reservation
from emplace.graph.plan.writing import transfers

GPUS = "2x1GB"
PLACES = (None, "/CPU:0", "/GPU:0", "/GPU:1")
MATRIX = [4, 4]


@pytest.fixture(autouse=True)
def devices(fresh: None) -> None:
    use_devices(GPUS)


# -- totals ----------------------------------------------------------------------------------------


def _told(explained: Any, times: Callable[[Any], int] = lambda step: 1) -> tuple[Any, Any]:
    """Operations by device and copies by devices, with bytes; `times` says how often a row runs."""
    ops: Counter[tuple[str, str]] = Counter()
    copies: Counter[tuple[str, str, int]] = Counter()
    for step in explained.steps:
        ops[step.op, step.device] += times(step)
        for _, source, nbytes in step.copies:
            copies[source, step.device, nbytes] += times(step)
    return +ops, +copies


class _Seen(Observer):
    """The same of what runs."""

    def __init__(self) -> None:
        self.ops: Counter[tuple[str, str]] = Counter()
        self.copies: Counter[tuple[str, str, int]] = Counter()

    def executed(self, call: Call) -> None:
        self.ops[call.op.name, call.device.short_name] += 1
        for copy in call.copies:
            devices = copy.source.short_name, copy.target.short_name
            self.copies[*devices, copy.nbytes] += 1


def _totals(copies: Counter[tuple[str, str, int]]) -> tuple[int, int]:
    return copies.total(), sum(nbytes * count for (_, _, nbytes), count in copies.items())


def _seen(explain: Callable[[], Any], run: Callable[[], Any]) -> tuple[Any, Any, Any]:
    """What is told, and what is seen, both while somebody watches; the report has the same sums."""
    seen = _Seen()
    with emplace.watch():
        explained = explain()
        with emplace.watch() as watched, observed_by(seen):
            explained = explain()
            made = Counter(seen.ops), Counter(seen.copies)  # arguments that become tensors
            run()
            seen.ops -= made[0]
            seen.copies -= made[1]
        report = watched.report().to_dict()
    assert sum(row["count"] for row in report["ops"]) == (seen.ops + made[0]).total()
    every = _totals(seen.copies + made[1])
    assert (
        sum(row["count"] for row in report["copies"]), sum(row["bytes"] for row in report["copies"])
    ) == every  # fmt: skip
    return explained, seen.ops, seen.copies


# -- random functions ------------------------------------------------------------------------------

_STEPS: tuple[Callable[[Any, Any, Any], Any], ...] = (
    lambda a, b, v: a + b,
    lambda a, b, v: a * a,
    lambda a, b, v: tf.matmul(a, a),
    lambda a, b, v: tf.add_n([a, b, a, b]),
    lambda a, b, v: tf.identity(a),
    lambda a, b, v: tf.concat([a, b, a], 0)[2:6],
    lambda a, b, v: tf.where(a > b, a, b),
    lambda a, b, v: a * tf.reduce_sum(b),
    lambda a, b, v: tf.cast(tf.shape(a)[0], tf.float32) * b,
    lambda a, b, v: tf.strings.to_number(tf.strings.as_string(a)) + b,
    lambda a, b, v: v * a,
    lambda a, b, v: v.read_value() + v,
    lambda a, b, v: tf.linalg.matvec(tf.stack([a, b, a, b], 0)[1], a[0]) + b,
)


def _random_steps(seed: int, values: list[Any], v: Any) -> list[Any]:
    """The last of some random steps on values, on random devices."""
    rng, values = random.Random(seed), list(values)
    for _ in range(rng.randint(3, 20)):
        with tf.device(rng.choice(PLACES)):
            a, b = (rng.choice(values[-6:]) for _ in range(2))
            values.append(rng.choice(_STEPS)(a, b, v))
    return values[-3:]


def _random_function(seed: int) -> tuple[Any, list[Any]]:
    """A function with a variable and a tensor of its own, and its arguments, here and there."""
    rng = random.Random(-seed)
    made = []
    for i in range(4):
        with tf.device(rng.choice(PLACES)):
            made.append(tf.fill(MATRIX, float(i)))
    with tf.device(rng.choice(PLACES)):
        v = tf.Variable(tf.ones(MATRIX))
    function = tf.function(lambda *given: _random_steps(seed, [*given, made[3]], v))
    return function, made[:3]


@pytest.mark.one_of(2)
@pytest.mark.parametrize("seed", range(40))
def test_a_random_function_does_what_is_told(seed: int) -> None:
    function, given = _random_function(seed)
    explained, ops, copies = _seen(
        lambda: emplace.explain(function, *given), lambda: function(*given)
    )
    assert _told(explained) == (ops, copies)


@pytest.mark.parametrize("seed", range(40, 60))
def test_a_session_does_what_is_told(seed: int) -> None:
    with tf1.Graph().as_default():
        given = [tf1.placeholder(tf.float32, MATRIX) for _ in range(3)]
        with tf.device(PLACES[seed % 4]):
            v = tf1.get_variable("v", MATRIX, use_resource=True)
        fetches = _random_steps(seed, given, v)
        feeds = dict.fromkeys(given, [[1.0] * 4] * 4)
        with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as session:
            session.run(tf1.global_variables_initializer())
            explained, ops, copies = _seen(
                lambda: emplace.explain(session, fetches, feeds),
                lambda: session.run(fetches, feeds),
            )
    assert _told(explained) == (ops, copies)


# -- while nobody watches --------------------------------------------------------------------------


@contextmanager
def _taking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[tuple[str, str, int]]]:
    """Counts what devices take from each other, and what plans that are written now copy within
    one memory.
    """
    taken: Counter[tuple[str, str, int]] = Counter()
    take, copy = Device.take, transfers.Transfers._copy

    def count(value: Any, source: Device, device: Device) -> None:
        taken[source.short_name, device.short_name, value.numel() * value.element_size()] += 1

    def taking(self: Device, value: Any, source: Device) -> Any:
        count(value, source, self)
        return take(self, value, source)

    def writing(self: Any, x: Any, name: str, source: Device, step: Any) -> str:
        def copying(value: Any) -> Any:
            count(value, source, step.placement.device)
            return copy_in_memory(value)

        with patch.context() as inner:
            inner.setattr(transfers, "copy_in_memory", copying)
            return copy(self, x, name, source, step)

    with monkeypatch.context() as patch:
        patch.setattr(Device, "take", taking)
        patch.setattr(transfers.Transfers, "_copy", writing)
        yield taken


@pytest.mark.parametrize("seed", range(60, 80))
def test_what_is_told_is_copied_while_nobody_watches(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    function, given = _random_function(seed)
    explained = emplace.explain(function, *given)
    with _taking(monkeypatch) as taken:
        function(*given)
    assert _told(explained)[1] == taken


@pytest.mark.parametrize("seed", range(80, 100))
@pytest.mark.not_strict("plans on strict GPUs keep their instrumented form", sometimes=True)
def test_where_there_is_room_a_value_is_copied_once_for_all_that_read_it(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reservation, "RUNS_BEFORE", 0)
    monkeypatch.setattr(reservation, "LEAST", 0)
    function, given = _random_function(seed)
    explained = emplace.explain(function, *given)
    with _taking(monkeypatch) as taken:
        function(*given)
        taken.clear()
        function(*given)
    told = {(*copy, step.device) for step in explained.steps for copy in step.copies}
    assert Counter((source, device, nbytes) for _, source, nbytes, device in told) == taken


# -- branches, loops, gradients, lists: random programs --------------------------------------------


class _ByRoute(Observer):
    """How often each operation of a plan ran, and what was copied for it each time."""

    def __init__(self) -> None:
        self.calls: dict[int, list[Call]] = {}

    def executed(self, call: Call) -> None:
        self.calls.setdefault(id(call.route), []).append(call)


@pytest.mark.one_of(3)
@pytest.mark.parametrize("seed", range(60))
def test_each_operation_of_a_random_program_does_what_is_told(seed: int) -> None:
    world = World(tf, make_program(seed))
    function = tf.function(world.differentiated, autograph=False)
    inputs, fed = world.values(0)
    given = [*map(tf.constant, inputs), {name: tf.constant(x) for name, x in fed.items()}]
    try:
        function(*given)
    except tf.errors.OpError:
        pytest.skip("the program fails, as programs do")
    seen = _ByRoute()
    with observed_by(seen):
        explained = emplace.explain(function, *given)
        plan = function.get_concrete_function(*given).plan(function.tensors_of(*given))
        seen.calls.clear()
        function(*given)
    rows = {
        id(step.route): row for step, row in zip(plan.steps, explained.steps, strict=True)
        if step.route is not None
    }  # fmt: skip
    for row in (row for key, row in rows.items() if row.depth == 0 and key not in seen.calls):
        pytest.fail(f"{row.name} did not run")
    for key, calls in seen.calls.items():
        if calls[0].route.operation is None:
            continue  # of a Python function that a row of the plan calls
        row = rows[key]
        assert len(calls) == 1 or row.depth, row.name
        for call in calls:
            _check_copies(row, call)


def _check_copies(row: Any, call: Call) -> None:
    made = [(copy.source.short_name, copy.nbytes) for copy in call.copies]
    told = [(source, nbytes) for _, source, nbytes in row.copies]
    assert [source for source, _ in told] == [source for source, _ in made], row.name
    for (_, expected), (_, nbytes) in zip(told, made, strict=True):
        assert expected in (None, nbytes), row.name


# -- copies one by one -----------------------------------------------------------------------------


def _on(device: str, value: float = 1.0) -> Any:
    with tf.device(device):
        return tf.fill(MATRIX, value)


def test_an_input_that_is_used_twice_is_copied_once() -> None:
    @tf.function
    def squared(x):
        with tf.device("/GPU:1"):
            return tf.matmul(x, x)

    explained, _, copies = _seen(
        lambda: emplace.explain(squared, _on("/GPU:0")), lambda: squared(_on("/GPU:0"))
    )
    assert explained.steps[0].copies == (("x:0", "GPU:0", 64),)
    assert copies == {("GPU:0", "GPU:1", 64): 1}


def test_a_copy_of_a_copy_is_told() -> None:
    @tf.function
    def around(x):
        for place in ("/GPU:1", "/CPU:0", "/GPU:0"):
            with tf.device(place):
                x = tf.identity(x)
        return x

    x = _on("/GPU:0")
    explained, ops, copies = _seen(lambda: emplace.explain(around, x), lambda: around(x))
    assert _told(explained) == (ops, copies)
    assert copies.total() == 3


def test_the_result_of_a_branch_that_has_to_be_elsewhere_is_told() -> None:
    @tf.function
    def chosen(p, x):
        def far():
            with tf.device("/GPU:1"):
                return tf.sin(x)

        return tf.cond(p, lambda: tf.cos(x), far)

    x, no = _on("/GPU:0"), tf.constant(False)
    explained, ops, copies = _seen(lambda: emplace.explain(chosen, no, x), lambda: chosen(no, x))
    last = explained.steps[-1]
    assert (last.op, last.device, last.depth) == ("Identity", "GPU:0", 1)
    assert last.copies == (("Sin:0", "GPU:1", 64),)
    assert "hands its value on" in last.reason
    assert _told(explained, lambda step: step.op != "Cos") == (ops, copies)


def test_the_value_of_an_iteration_that_has_to_be_elsewhere_is_told() -> None:
    @tf.function
    def turned(x):
        def far(i, x):
            with tf.device("/GPU:1"):
                return i + 1, tf.sin(x)

        return tf.while_loop(lambda i, x: i < 3, far, [0, x])[1]

    x = _on("/GPU:0")
    explained, ops, copies = _seen(lambda: emplace.explain(turned, x), lambda: turned(x))
    assert ("Identity", "GPU:0") in {(step.op, step.device) for step in explained.steps}
    runs = {"Less": 4}
    assert _told(explained, lambda step: runs.get(step.op, 3)) == (ops, copies)


def test_a_list_that_is_copied_is_told_and_its_bytes_are_seen() -> None:
    @tf.function
    def chosen(p, x):
        def far():
            with tf.device("/GPU:1"):
                return tf.TensorArray(tf.float32, 2).unstack(tf.stack([x, tf.sin(x)]))

        def near():
            with tf.device("/GPU:0"):
                return tf.TensorArray(tf.float32, 2).unstack(tf.stack([x, x]))

        return tf.cond(p, near, far).stack()

    x, no = _on("/GPU:0"), tf.constant(False)
    explained, _, copies = _seen(lambda: emplace.explain(chosen, no, x), lambda: chosen(no, x))
    last = next(step for step in reversed(explained.steps) if step.depth)
    assert [(source, nbytes) for _, source, nbytes in last.copies] == [("GPU:1", None)]
    assert copies["GPU:1", "GPU:0", 128] == 1


def test_named_arguments_of_a_concrete_function_are_told_where_they_are() -> None:
    @tf.function
    def apart(a, b):
        with tf.device("/GPU:0"):
            return tf.sin(a) + tf.reduce_sum(b)

    a, b = _on("/GPU:1"), _on("/CPU:0")
    concrete = apart.get_concrete_function(a, b)
    explained, ops, copies = _seen(
        lambda: emplace.explain(concrete, b=b, a=a), lambda: concrete(b=b, a=a)
    )
    assert explained.steps[0].copies == (("a:0", "GPU:1", 64),)
    assert _told(explained) == (ops, copies)


def test_a_variable_that_a_concrete_function_is_given_is_no_tensor() -> None:
    with tf.device("/GPU:1"):
        v = tf.Variable(tf.ones(MATRIX))
    concrete = tf.function(lambda v: v.assign_add(v * 2.0)).get_concrete_function(v)
    explained, ops, copies = _seen(lambda: emplace.explain(concrete, v), lambda: concrete(v))
    assert _told(explained) == (ops, copies)


# -- where they cannot agree -----------------------------------------------------------------------


def test_a_branch_that_is_not_taken_is_told_and_does_not_run() -> None:
    @tf.function
    def chosen(x):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.sin(x), lambda: tf.cos(x))

    x = _on("/GPU:0")
    explained, ops, copies = _seen(lambda: emplace.explain(chosen, x), lambda: chosen(x))
    assert {step.op for step in explained.steps if step.depth} == {"Sin", "Cos"}
    assert _told(explained, lambda step: step.op != "Cos") == (ops, copies)


def test_the_body_of_a_loop_is_told_once_and_runs_once_per_iteration() -> None:
    @tf.function
    def turned(x):
        with tf.device("/GPU:1"):
            return tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * x), [0, 2.0 * x])[1]

    x = _on("/GPU:0")
    explained, ops, copies = _seen(lambda: emplace.explain(turned, x), lambda: turned(x))
    assert [(step.op, step.depth) for step in explained.steps] == [
        ("Mul", 0), ("Less", 1), ("AddV2", 1), ("Mul", 1)
    ]  # fmt: skip

    def times(step: Any) -> int:
        return 1 if not step.depth else 6 if step.op == "Less" else 5

    assert _told(explained, times) == (ops, copies)


def test_a_value_that_a_loop_hands_on_unchanged_is_told_as_another_one() -> None:
    @tf.function
    def turned(x):
        with tf.device("/GPU:1"):
            return tf.while_loop(lambda i, y: i < 5, lambda i, y: (i + 1, y * x), [0, x])[1]

    x = _on("/GPU:0")
    explained, _, copies = _seen(lambda: emplace.explain(turned, x), lambda: turned(x))
    (product,) = (step for step in explained.steps if step.op == "Mul")
    assert len(product.copies) == 2
    assert copies["GPU:0", "GPU:1", 64] == 9  # in the first iteration both are one tensor


def test_a_tensor_that_is_given_twice_is_told_as_two() -> None:
    @tf.function
    def added(x, y):
        with tf.device("/GPU:1"):
            return x + y

    x = _on("/GPU:0")
    explained, _, copies = _seen(lambda: emplace.explain(added, x, x), lambda: added(x, x))
    assert len(explained.steps[0].copies) == 2
    assert copies == {("GPU:0", "GPU:1", 64): 1}


def test_python_in_a_plan_is_one_row_and_what_it_does_is_seen() -> None:
    @tf.function
    def called(x):
        return tf.py_function(lambda x: tf.sin(x) + x, [x], tf.float32)

    x = _on("/GPU:0")
    explained, ops, _ = _seen(lambda: emplace.explain(called, x), lambda: called(x))
    assert [step.op for step in explained.steps] == ["EagerPyFunc"]
    assert {"EagerPyFunc", "Sin", "AddV2"} <= {op for op, _ in ops}


def test_what_nobody_watches_is_rewritten_and_explained_as_it_runs() -> None:
    @tf.function
    def twice(x):
        return tf.sin(x) + tf.sin(x)

    x = _on("/GPU:0")
    assert [step.op for step in emplace.explain(twice, x).steps] == ["Sin", "AddV2"]
    with emplace.watch():
        assert [step.op for step in emplace.explain(twice, x).steps] == ["Sin", "Sin", "AddV2"]
