"""What a program sees, whichever TensorFlow it runs on: that of Emplace, or the real one."""

from __future__ import annotations

import functools
import linecache
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any

import numpy as np

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


fed_names = functools.lru_cache(4)(feeds_of)


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

    def __init__(self, tf: Any, program: Program, noise: int = 0, facade: Any = None) -> None:
        self.tf = tf
        self.program = program
        self.made: dict[str, Any] = {}
        self.fed_tensors: dict[str, Any] | None = None  # of a session
        self.rng = np.random.default_rng(noise)
        space = {
            "__name__": __name__, "tf": facade or tf, "np": np, "kept": self.kept, "fed": self.fed,
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
        return tensor if kind[0] == "s" else self.tf.stop_gradient(tensor)

    def waited(self, effects: list[Any], results: Any) -> Any:
        """What a function inside of the program returns; in a session, after its effects."""
        if self.fed_tensors is None:
            return results
        kinds = self.tf.Tensor, self.tf.Variable, self.tf.Operation
        awaited = [x for x in self.tf.nest.flatten(effects, True) if isinstance(x, kinds)]
        with self.tf.control_dependencies(awaited):
            return self.tf.nest.map_structure(
                lambda x: self.tf.identity(x) if isinstance(x, self.tf.Tensor) else x,
                results,
                **COMPOSITES,
            )

    def noisy(self, x: Any) -> Any:
        """The tensor, with a rounding error or two more in each element."""
        size = _HALVES.get(x.dtype.name, 2.0**-22)
        noise = 1 + self.rng.uniform(-1, 1, x.shape) * size
        return x * self.tf.cast(noise, x.dtype)

    def values(self, run: int) -> tuple[list[Any], dict[str, Any]]:
        """The inputs of a run, and what it is fed."""
        seed = self.program.seed
        inputs = [value_of(k, seed, run, 100 + i) for i, (_, k) in enumerate(self.program.inputs)]
        feeds = fed_names(self.program)
        return inputs, {name: value_of(k, seed, run, 200 + i) for i, (name, k) in enumerate(feeds)}

    def variables(self) -> dict[str, Any]:
        return {name: v for name, v in self.made.items() if isinstance(v, self.tf.Variable)}

    def sources(self, inputs: list[Any]) -> list[Any]:
        """What results are differentiated by: inputs and variables of floats."""
        kinds = (*self.program.inputs, *self.program.variables)
        every = [*inputs, *(self.made[name] for name, _ in self.program.variables)]
        return [x for x, (_, kind) in zip(every, kinds, strict=True) if kind[0] in "fd"]

    def total(self, results: list[Any]) -> Any:
        """The sum of all results that have gradients."""
        parts = [
            self.tf.reduce_sum(self.tf.cast(x, self.tf.float32))
            for x, (_, kind) in zip(results, self.program.results, strict=True)
            if kind[0] in "fd"
        ]
        return self.tf.add_n([self.tf.constant(0.0), *parts])

    def differentiated(self, *given: Any) -> Any:
        """Results and gradients: the program with a tape around it."""
        return self.taped(lambda *given: self.function(*given)[0], *given)

    def taped(self, function: Callable[..., Any], *given: Any) -> Any:
        """What a function returns, and the gradients of it, by a tape."""
        with self.tf.GradientTape() as tape:
            tape.watch([x for x in self.sources(list(given[:-1])) if isinstance(x, self.tf.Tensor)])
            results = function(*given)
            total = self.total(results)
        sources = self.sources(list(given[:-1]))
        gradients = tape.gradient(total, sources, unconnected_gradients="zero")
        return [*results, *map(self.tf.convert_to_tensor, gradients)]


Call = Callable[..., Any]


def runs_of(world: World, call: Call, read: Call = lambda variables: variables) -> Outcome:
    """Runs a program several times, whatever happens."""
    runs: list[Any] = []
    for run in range(RUNS):
        try:
            runs.append([array_of(x) for x in call(*world.values(run))])
        except Exception as error:
            runs.append(error)
    variables = world.variables()
    values = map(array_of, read(list(variables.values())))
    return Outcome(runs, dict(zip(variables, values, strict=True)))


def array_of(x: Any) -> Any:
    """The value of a tensor or variable; strings as objects, whatever their length."""
    array = np.asarray(x)
    return array.astype(object) if array.dtype.kind in "SU" else array


def with_tensors(tf: Any, call: Call) -> Call:
    def run(inputs: list[Any], feeds: dict[str, Any]) -> Any:
        tensors = [tf.constant(x) for x in inputs]
        return call(*tensors, {name: tf.constant(x) for name, x in feeds.items()})

    return run
