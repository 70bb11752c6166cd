"""The ways to run a program: each takes one and returns its outcome."""

from __future__ import annotations

import functools
import linecache
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

import numpy as np

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace import runtime
from emplace.base import flags
from emplace.codegen import cross_entropy
from emplace.graph.codegen import loops
from emplace.graph.passes import fusion, grown, many_products, maps, scaled_filters, small_maps
from emplace.graph.plan import jit, reservation
from emplace.ops.linalg import matrix_routines, narrow_products, products
from emplace.ops.math import fused_map, fused_rows

from .program import DTYPES, Program, feeds_of, shape_of, text_of

RUNS = 2
_TEXTS = ("a", "b", "ab", "7", "x-y")


@dataclass(slots=True)
class Outcome:
    """What a program left: per run its results and gradients or its error, then its variables."""

    runs: list[Any]
    variables: dict[str, Any]
    is_traced: bool = True
    """Whether functions of the program were traced, so that AutoGraph has seen them."""


def value_of(kind: str, *seed: int) -> Any:
    """A new array of a kind, always the same values for the same numbers."""
    return _drawn(kind, seed).copy()


@functools.lru_cache(128)
def _drawn(kind: str, seed: tuple[int, ...]) -> Any:
    rng, shape = np.random.default_rng(seed), shape_of(kind)
    make: dict[str, Callable[[], Any]] = {
        "f": lambda: rng.standard_normal(shape), "d": lambda: rng.standard_normal(shape),
        "i": lambda: rng.integers(-3, 6, shape), "l": lambda: rng.integers(-3, 6, shape),
        "b": lambda: rng.random(shape) > 0.5, "s": lambda: rng.choice(_TEXTS, shape).astype(object),
        "c": lambda: rng.standard_normal(shape) + 1j * rng.standard_normal(shape),
    }  # fmt: skip
    made = make[kind[0]]()
    return np.asarray(made, object if kind[0] == "s" else DTYPES[kind[0]])


_feeds_of = functools.lru_cache(4)(feeds_of)


@functools.lru_cache(4)
def _code(program: Program, is_noisy: bool) -> CodeType:
    text, name = text_of(program, is_noisy), f"<program {program.seed}{' with noise' * is_noisy}>"
    # There AutoGraph looks for the text of functions.
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    return compile(text, name, "exec")


COMPOSITES = {"expand_composites": True}
_HALVES = {"float16": 2.0**-9, "bfloat16": 2.0**-6}


class World:
    """What a program sees: its variables, what it keeps between runs, what it is fed."""

    def __init__(self, program: Program, noise: int = 0, facade: Any = tf) -> None:
        self.program = program
        self.made: dict[str, Any] = {}
        self.fed_tensors: dict[str, Any] | None = None  # of a session
        self.rng = np.random.default_rng(noise)
        space = {
            "__name__": __name__, "tf": facade, "np": np, "kept": self.kept, "fed": self.fed,
            "noisy": self.noisy, "waited": self.waited,
        }  # fmt: skip
        for i, (name, kind) in enumerate(program.variables):
            self.made[name] = space[name] = tf.Variable(value_of(kind, program.seed, i), name=name)
        exec(_code(program, bool(noise)), space)
        self.function: Callable[..., Any] = space["program"]

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What was made when this name was asked for first."""
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def fed(self, given: dict[str, Any], name: str, kind: str, tensor: Any) -> Any:
        """The tensor, which a session feeds; elsewhere what it is fed, an argument."""
        if self.fed_tensors is None:
            return given[name]
        self.fed_tensors[name] = tensor
        return tensor if kind[0] == "s" else tf.stop_gradient(tensor)

    def waited(self, effects: list[Any], results: Any) -> Any:
        """What a function inside of the program returns; in a session, after its effects."""
        if self.fed_tensors is None:
            return results
        kinds = tf.Tensor, tf.Variable, tf.Operation
        awaited = [x for x in tf.nest.flatten(effects, True) if isinstance(x, kinds)]
        with tf.control_dependencies(awaited):
            return tf.nest.map_structure(
                lambda x: tf.identity(x) if isinstance(x, tf.Tensor) else x, results, **COMPOSITES
            )

    def noisy(self, x: Any) -> Any:
        """The tensor, with a rounding error or two more in each element."""
        size = _HALVES.get(x.dtype.name, 2.0**-22)
        noise = 1 + self.rng.uniform(-1, 1, x.shape) * size
        return x * tf.cast(noise, x.dtype)

    def values(self, run: int) -> tuple[list[Any], dict[str, Any]]:
        """The inputs of a run, and what it is fed."""
        seed = self.program.seed
        inputs = [value_of(k, seed, run, 100 + i) for i, (_, k) in enumerate(self.program.inputs)]
        feeds = _feeds_of(self.program)
        return inputs, {name: value_of(k, seed, run, 200 + i) for i, (name, k) in enumerate(feeds)}

    def variables(self) -> dict[str, Any]:
        return {name: v for name, v in self.made.items() if isinstance(v, tf.Variable)}

    def sources(self, inputs: list[Any]) -> list[Any]:
        """What results are differentiated by: inputs and variables of floats."""
        kinds = (*self.program.inputs, *self.program.variables)
        every = [*inputs, *(self.made[name] for name, _ in self.program.variables)]
        return [x for x, (_, kind) in zip(every, kinds, strict=True) if kind[0] in "fd"]

    def total(self, results: list[Any]) -> Any:
        """The sum of all results that have gradients."""
        parts = [
            tf.reduce_sum(tf.cast(x, tf.float32))
            for x, (_, kind) in zip(results, self.program.results, strict=True)
            if kind[0] in "fd"
        ]
        return tf.add_n([tf.constant(0.0), *parts])

    def differentiated(self, *given: Any) -> Any:
        """Results and gradients: the program with a tape around it."""
        return self.taped(lambda *given: self.function(*given)[0], *given)

    def taped(self, function: Callable[..., Any], *given: Any) -> Any:
        """What a function returns, and the gradients of it, by a tape."""
        with tf.GradientTape() as tape:
            tape.watch([x for x in self.sources(list(given[:-1])) if isinstance(x, tf.Tensor)])
            results = function(*given)
            total = self.total(results)
        sources = self.sources(list(given[:-1]))
        gradients = tape.gradient(total, sources, unconnected_gradients="zero")
        return [*results, *map(tf.convert_to_tensor, gradients)]


Call = Callable[..., Any]


def _runs(world: World, call: Call, read: Call = lambda variables: variables) -> Outcome:
    """Runs a program several times, whatever happens."""
    runs: list[Any] = []
    for run in range(RUNS):
        try:
            runs.append([_array(x) for x in call(*world.values(run))])
        except Exception as error:
            runs.append(error)
    variables = world.variables()
    values = map(_array, read(list(variables.values())))
    return Outcome(runs, dict(zip(variables, values, strict=True)))


def _array(x: Any) -> Any:
    """The value of a tensor or variable; strings as objects, whatever their length."""
    array = np.asarray(x)
    return array.astype(object) if array.dtype.kind in "SU" else array


def _with_tensors(call: Call) -> Call:
    def run(inputs: list[Any], feeds: dict[str, Any]) -> Any:
        tensors = [tf.constant(x) for x in inputs]
        return call(*tensors, {name: tf.constant(x) for name, x in feeds.items()})

    return run


def eager(program: Program, noise: int = 0, facade: Any = tf) -> Outcome:
    """Operation by operation."""
    tf.random.set_seed(1)
    world = World(program, noise, facade)
    return _runs(world, _with_tensors(world.differentiated))


def function(program: Program, **how: Any) -> Outcome:
    """One traced function with its tape inside."""
    tf.random.set_seed(1)
    world = World(program)
    return _runs(world, _with_tensors(tf.function(world.differentiated, autograph=False, **how)))


def functions_run_eagerly(program: Program) -> Outcome:
    """Operation by operation, those of functions, too."""
    tf.config.run_functions_eagerly(True)
    try:
        return replace(eager(program, facade=_Separating()), is_traced=False)
    finally:
        tf.config.run_functions_eagerly(False)


class _Separating:
    """TensorFlow's names, with functions that never return what they were given as it is, nor are
    given one tensor twice: run eagerly they would have the same tensor, also on TensorFlow, and its
    gradient with it.
    """

    def __getattr__(self, name: str) -> Any:
        return getattr(tf, name)

    def function(self, *given: Any, **how: Any) -> Any:
        """As `tf.function`."""
        return tf.function(_separate(given[0]), **how) if given else (
            lambda function: tf.function(_separate(function), **how)
        )  # fmt: skip


def _separate(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def separate(*args: Any, **kwargs: Any) -> Any:
        made = function(*_apart(args), **kwargs)
        return tf.nest.map_structure(lambda x: tf.identity(x) if tf.is_tensor(x) else x, made)

    return separate


def _apart(args: tuple[Any, ...]) -> list[Any]:
    """Arguments, of which none is the same tensor as an earlier one."""
    apart: list[Any] = []
    for x in args:
        is_again = tf.is_tensor(x) and any(x is each for each in apart)
        apart.append(tf.identity(x) if is_again else x)
    return apart


def tape_outside(program: Program) -> Outcome:
    """A traced function that is differentiated from outside."""
    tf.random.set_seed(1)
    world = World(program)
    traced = tf.function(lambda *given: world.function(*given)[0], autograph=False)
    return _runs(world, _with_tensors(lambda *given: world.taped(traced, *given)))


def unknown_shapes(program: Program) -> Outcome:
    """A traced function that knows the ranks of its arguments only."""
    specs = [_spec(kind) for _, kind in program.inputs]
    feeds = {name: _spec(kind) for name, kind in _feeds_of(program)}
    return function(program, input_signature=[*specs, feeds])


def _spec(kind: str) -> Any:
    return tf.TensorSpec([None] * len(shape_of(kind)), DTYPES[kind[0]])


def session(program: Program) -> Outcome:
    """A graph of TF 1, whose constants, defaults and intermediate tensors are fed."""
    with tf1.Graph().as_default():
        tf1.set_random_seed(1)
        world = World(program)
        world.fed_tensors = {}
        inputs = [tf1.placeholder(DTYPES[k[0]], shape_of(k)) for _, k in program.inputs]
        try:
            results, effects = world.function(*inputs, {})
            sources = world.sources(inputs)
            gradients = tf1.gradients(
                world.total(results), sources, unconnected_gradients=tf.UnconnectedGradients.ZERO
            )
        except Exception as error:
            return Outcome([error] * RUNS, {})
        fetches = [[*results, *map(tf.convert_to_tensor, gradients)], effects]
        with tf1.Session(config=tf1.ConfigProto(allow_soft_placement=True)) as running:
            running.run(tf1.global_variables_initializer())

            def call(values: list[Any], feeds: dict[str, Any]) -> Any:
                assert world.fed_tensors is not None
                fed = {world.fed_tensors[name]: value for name, value in feeds.items()}
                return running.run(fetches, {**dict(zip(inputs, values, strict=True)), **fed})[0]

            return _runs(world, call, running.run)


@contextmanager
def _set(where: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(where, name)
    setattr(where, name, value)
    try:
        yield
    finally:
        setattr(where, name, before)


def machine_code(program: Program) -> Outcome:
    """A traced function whose loops are machine code from their first iteration on, as are narrow
    products and cross entropies of labels, however small.
    """
    with ExitStack() as at_once:
        for module, name, value in (
            (loops, "ITERATIONS_BEFORE", 0), (cross_entropy, "NUMBERS_BEFORE", 0),
            (narrow_products, "LEAST", 1), (narrow_products, "BEFORE", 0),
            (narrow_products, "_FEWEST_ROWS", 1), (narrow_products, "is_of_intel", lambda: False),
            (matrix_routines, "LEAST_SHARED", 1), (products, "LEAST_SHARED", 1),
            (products, "LEAST_WORK_TO_CHOOSE", 1),
        ):  # fmt: skip
            at_once.enter_context(_set(module, name, value))
        return function(program)


def without_machine_code(program: Program) -> Outcome:
    """A traced function that runs torch's kernels only."""
    with _environment(flags.MACHINE_CODE.name, "0"):
        return function(program)


def roomily(way: Way) -> Way:
    """The same way; plans of known shapes run on bounded devices as if nobody counted."""

    def run(program: Program) -> Outcome:
        with _set(reservation, "RUNS_BEFORE", 0), _set(reservation, "LEAST", 0):
            return way(program)

    return run


def fused_maps(program: Program) -> Outcome:
    """A traced function whose element-wise operations are machine code, whose filters are scaled,
    and whose products are oneDNN's, however small.
    """
    with ExitStack() as at_once:
        for module, name, value in (
            (maps, "LEAST_NUMBERS", 1), (fused_map, "NUMBERS_BEFORE", 0),
            (grown, "LEAST_NUMBERS", 1),
            (small_maps, "LEAST_OPERATIONS", 1), (fused_rows, "ROWS_BEFORE", 0),
            (scaled_filters, "LEAST_NUMBERS", 1), (scaled_filters, "_LEAST_SHARE", 0),
            (matrix_routines, "LEAST_MULTIPLICATIONS", 1), (matrix_routines, "_LEAST_SIZE", 1),
            (matrix_routines, "is_of_intel", lambda: False), (fusion, "LEAST_AFTER_PRODUCTS", 1),
            (products, "LEAST_MULTIPLICATIONS", 1), (many_products, "LEAST_NUMBERS", 1),
        ):  # fmt: skip
            at_once.enter_context(_set(module, name, value))
        return function(program)


def watched(way: Way) -> Way:
    """The same way, while somebody watches."""

    def run(program: Program) -> Outcome:
        with emplace.watch():
            return way(program)

    return run


def compiled(backend: str) -> Way:
    """A traced function that torch compiles at its first call. It takes torch a second or two."""

    def run(program: Program) -> Outcome:
        jit.torch._dynamo.reset()
        with _set(jit, "CALLS_BEFORE", 0), _environment(flags.JIT_BACKEND.name, backend):
            return function(program, jit_compile=True)

    return run


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        del os.environ[name]
        if before is not None:
            os.environ[name] = before


Way = Callable[[Program], Outcome]
"""Runs a program on the devices at hand."""

WAYS: dict[str, dict[str, Way]] = {
    "0": {
        "functions run eagerly": functions_run_eagerly,
        "function": without_machine_code,
        "tape outside": tape_outside,
        "unknown shapes": unknown_shapes,
        "session": session,
        "machine code": machine_code,
        "fused maps": fused_maps,
        "watched function": watched(tape_outside),
        "watched session": watched(session),
    },
    "1x64MB": {
        "eager": eager, "function": function, "tape outside": tape_outside, "session": session,
        "reserved function": roomily(function),
    },
    "2x64MB": {
        "watched eager": watched(eager),
        "function": function,
        "tape outside": tape_outside,
        "unknown shapes": unknown_shapes,
        "session": session,
        "watched function": watched(tape_outside),
        "reserved function": roomily(function),
        "reserved tape outside": roomily(tape_outside),
    },
    "2x64MB:strict": {
        "eager": eager, "function": function, "tape outside": tape_outside, "session": session,
    },
}  # fmt: skip
"""Ways by the virtual GPUs that they run on. A strategy is one more entry."""


def use_devices(gpus: str) -> None:
    """A fresh runtime with these virtual GPUs."""
    sizes, _, how = gpus.partition(":")
    count, _, memory = sizes.partition("x")
    runtime.reset(virtual=True)
    runtime.virtual_gpus(int(count), memory or None, how == "strict")
    # Else a program would go on behind what it does wrong, until somebody reads a value.
    runtime.immediate_checks()
    tf.config.set_soft_device_placement(True)
