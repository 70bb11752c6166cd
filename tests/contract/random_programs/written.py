"""Functions as people write them, with Python's own branches and loops, which AutoGraph turns into
those of graphs.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from .program import Names, Step, shape_of

_SINGLE = (
    "y = tf.tanh(y + x)", "y = y * 0.5 - x", "y = tf.maximum(y, x)", "k = k + 1", "k = -k",
    "x = x * 0.5", "y, x = x, y", "z = y * 0.5\ny = y + z", "y -= 0.25", "k += tf.size(y)",
    "b = tf.logical_not(b)", "y = y if b else x", "y = tf.sin(y) if k > 1 else y",
    "b = k > 2 and not b", "b = b or tf.reduce_sum(y) > 0.5",
)  # fmt: skip
_TESTS = ("tf.reduce_sum(y) > 0.2", "b", "k > 1", "b and k < 3", "not b", "0 < k < 4", "True")


def written_function(rng: random.Random, makes: Names, uses: tuple[str, ...]) -> Step:
    """A step that makes and calls a function of two floats of a kind, a number and a truth."""
    texts = [*_lines(rng, 2, False), "return y, k"]
    name = f"{makes[0][0]}_w"
    inner = (*_steps("\n".join(texts).splitlines()),)
    shape = list(shape_of(makes[0][1]))  # or a loop that swaps x and y is refused
    floats = ", ".join(f"tf.ensure_shape({{{i}}}, {shape})" for i in range(2))
    call = f"tf.function({name})({floats}, {{2}} % 7, {{3}})"
    return Step(makes, call, uses, (), f"def {name}(x, y, k, b):", inner)


def _lines(rng: random.Random, depth: int, is_loop: bool) -> Iterator[str]:
    for _ in range(rng.randint(1, 3)):
        forms: list[Callable[[random.Random, int, bool], Iterator[str]]] = [_single]
        if depth:
            forms += [_branch, _for, _while]
        yield from rng.choice(forms)(rng, depth, is_loop)


def _single(rng: random.Random, depth: int, is_loop: bool) -> Iterator[str]:
    yield from rng.choice(_SINGLE).splitlines()


def _branch(rng: random.Random, depth: int, is_loop: bool) -> Iterator[str]:
    yield f"if {rng.choice(_TESTS)}:"
    yield from _indented(_lines(rng, depth - 1, is_loop))
    ends = ("", "", "    break", "    continue") if is_loop else ("",)
    yield from filter(None, [rng.choice(ends)])
    if rng.random() < 0.5:
        yield "else:"
        yield from _indented(_lines(rng, depth - 1, is_loop))


def _for(rng: random.Random, depth: int, is_loop: bool) -> Iterator[str]:
    over = rng.choice(("tf.range(k % 4)", "range(3)", "tf.range(3)", "tf.constant([2, 0, 1])"))
    name = f"j{depth}"
    yield f"for {name} in {over}:"
    yield f"    y = y * 0.5 + tf.cast({name}, tf.float32) * 0.25"
    yield from _indented(_lines(rng, depth - 1, True))


def _while(rng: random.Random, depth: int, is_loop: bool) -> Iterator[str]:
    name = f"n{depth}"
    yield f"{name} = tf.constant(0)"
    yield f"while {name} < 3 and {rng.choice(('tf.reduce_sum(y) < 2.0', 'b', 'k < 5'))}:"
    yield f"    {name} += 1"
    yield from _indented(_lines(rng, depth - 1, True))


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return ("    " + line for line in lines)


def _steps(lines: list[str]) -> Iterator[Step]:
    """The steps that print as these lines."""
    while lines:
        first, *lines = lines
        count = next((i for i, x in enumerate(lines) if not x.startswith(" ")), len(lines))
        if first.endswith(":"):
            inner = (*_steps([x[4:] for x in lines[:count]]),)
            yield Step((), "", (), (), first, inner)
            lines = lines[count:]
        else:
            yield Step((), first)
