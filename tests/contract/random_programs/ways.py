"""The ways to run a program: each takes one and returns its outcome."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import emplace
import emplace.tensorflow as tf
import emplace.tensorflow.compat.v1 as tf1
from emplace import runtime
from emplace.base import flags
from emplace.codegen import cross_entropy
from emplace.codegen.code import lanes
from emplace.graph.codegen import loops
from emplace.graph.passes import (
    fusion,
    grown,
    kept_values,
    many_products,
    maps,
    scalars,
    scaled_filters,
    small_maps,
)
from emplace.graph.plan import jit, reservation
from emplace.ops.linalg import machine_products, matrix_routines, narrow_products, products
from emplace.ops.math import fused_map, fused_rows, fused_scalars

from .program import DTYPES, Program, shape_of
from .world import RUNS, Outcome, World, fed_names, runs_of, with_tensors


def eager(program: Program, noise: int = 0, facade: Any = tf) -> Outcome:
    """Operation by operation."""
    tf.random.set_seed(1)
    world = World(tf, program, noise, facade)
    return runs_of(world, with_tensors(tf, world.differentiated))


def function(program: Program, **how: Any) -> Outcome:
    """One traced function with its tape inside."""
    tf.random.set_seed(1)
    world = World(tf, program)
    return runs_of(
        world, with_tensors(tf, tf.function(world.differentiated, autograph=False, **how))
    )


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
    world = World(tf, program)
    traced = tf.function(lambda *given: world.function(*given)[0], autograph=False)
    return runs_of(world, with_tensors(tf, lambda *given: world.taped(traced, *given)))


def unknown_shapes(program: Program) -> Outcome:
    """A traced function that knows the ranks of its arguments only."""
    specs = [_spec(kind) for _, kind in program.inputs]
    feeds = {name: _spec(kind) for name, kind in fed_names(program)}
    return function(program, input_signature=[*specs, feeds])


def _spec(kind: str) -> Any:
    return tf.TensorSpec([None] * len(shape_of(kind)), DTYPES[kind[0]])


def session(program: Program) -> Outcome:
    """A graph of TF 1, whose constants, defaults and intermediate tensors are fed."""
    with tf1.Graph().as_default():
        tf1.set_random_seed(1)
        world = World(tf, program)
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

            return runs_of(world, call, running.run)


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
            (fused_map, "_NUMBERS_AT_ONCE", 8), (scalars, "LEAST_OPERATIONS", 1),
            (fused_scalars, "RUNS_BEFORE", 0),
            (grown, "LEAST_NUMBERS", 1),
            (small_maps, "LEAST_OPERATIONS", 1), (fused_rows, "ROWS_BEFORE", 0),
            (kept_values, "_LEAST_OPERATIONS", 1),
            (scaled_filters, "LEAST_NUMBERS", 1), (scaled_filters, "_LEAST_SHARE", 0),
            (matrix_routines, "LEAST_MULTIPLICATIONS", 1), (matrix_routines, "_LEAST_SIZE", 1),
            (matrix_routines, "is_of_intel", lambda: False), (fusion, "LEAST_AFTER_PRODUCTS", 1),
            (products, "LEAST_AS_ONE", 1), (many_products, "LEAST_NUMBERS", 1),
        ):  # fmt: skip
            at_once.enter_context(_set(module, name, value))
        return function(program)


def machine_products_of_any_size(program: Program) -> Outcome:
    """A traced function whose products of matrices are machine code, with rows and limits on their
    way, however small, if this processor's vectors are long enough for it.
    """
    with ExitStack() as meanwhile:
        for name in dir(machine_products):
            if "LEAST_" in name:
                meanwhile.enter_context(_set(machine_products, name, 1))
        for module, name, value in (
            (machine_products, "_MOST_EMPTY", 1e9), (machine_products, "_LANES_OF_ONE", lanes()),
            (machine_products, "is_of_intel", lambda: False), (matrix_routines, "LEAST_SHARED", 1),
            (products, "LEAST_SHARED", 1), (products, "LEAST_WORK_TO_CHOOSE", 1),
            (products, "LEAST_AS_ONE", 1),
        ):  # fmt: skip
            meanwhile.enter_context(_set(module, name, value))
        # What is known of products was found out by other rules.
        for known in (machine_products._ready_of_two, machine_products._ready_of_many):
            known.cache_clear()
            meanwhile.callback(known.cache_clear)
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
        "machine products": machine_products_of_any_size,
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
