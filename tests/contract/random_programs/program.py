"""What a random program is: steps that bind names, in blocks; and its text in Python.

A *kind* is a short text, a letter for the dtype and a digit per dimension: "f23" is float32 of
shape (2, 3). A step's text has places `{0}`, `{1}` for the names it uses, `{n}` for the first name
that it binds, and `{b0}`, `{b1}` for the functions made of its blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

DTYPES = {
    "f": "float32", "d": "float64", "i": "int32", "l": "int64", "b": "bool", "c": "complex64",
    "s": "string", "h": "float16", "w": "bfloat16", "u": "uint8",
}  # fmt: skip
FLOATS_AND_COMPLEX = ("f", "d", "c", "h", "w")
Names = tuple[tuple[str, str], ...]
"""Names with their kinds."""


def shape_of(kind: str) -> tuple[int, ...]:
    """The shape of a kind."""
    return tuple(map(int, kind[1:]))


def literal(kind: str) -> str:
    """An expression of a kind that needs no name."""
    value = {"s": '"a"', "b": "True", "c": "1 + 1j", "i": "1", "l": "1", "u": "1"}.get(
        kind[0], "0.5"
    )
    return f"tf.constant({value}, tf.{DTYPES[kind[0]]}, {list(shape_of(kind))})"


@dataclass(frozen=True, slots=True)
class Block:
    """A function inside of a program."""

    takes: Names
    steps: tuple[Step, ...]
    gives: tuple[str, ...]
    form: str = "({all})"
    """What it returns: `{all}` are all that it gives; `{0}` is one of them."""
    decorator: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One statement: `makes = text`, or `text` alone where nothing is made."""

    makes: Names
    text: str
    uses: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    scope: str = ""
    """The header of a `with`, whose body are the inner steps; `makes = text` comes after it."""
    inner: tuple[Step, ...] = ()
    prefix: str = ""
    """The first line inside of the scope."""
    has_effects: bool = False
    calls_at_once: bool = False
    """Whether its blocks are plain functions, whose effects are those of the program."""


@dataclass(frozen=True, slots=True)
class Program:
    """Inputs, variables, steps, and the names of its results."""

    seed: int
    inputs: Names
    variables: Names
    steps: tuple[Step, ...]
    results: Names
    text: str = ""
    """The text of a program that was written down; it has no steps."""


def text_of(program: Program, is_noisy: bool = False) -> str:
    """The program as a Python function `program(*inputs, given)`, which returns results and
    effects; `given` are the feeds by name.

    A noisy one calls `noisy` with each float that it makes.
    """
    if program.text:
        return program.text
    names = ", ".join(name for name, _ in program.inputs)
    lines = [f"def program({names}, given):", "    effects = []"]
    for step in program.steps:
        lines += _indented(_lines_of(step, is_noisy, is_outer=True))
    results = ", ".join(name for name, _ in program.results)
    return "\n".join([*lines, f"    return [{results}], effects", ""])


def feeds_of(program: Program) -> Names:
    """What a session feeds, with the kinds of what it is fed."""
    return tuple(re.findall(r'fed\(given, "(\w+)", "(\w+)"', text_of(program)))


def _lines_of(step: Step, is_noisy: bool, is_outer: bool) -> Iterator[str]:
    first = step.makes[0][0] if step.makes else "nothing"
    blocks = {f"b{i}": f"{first}_{i}" for i in range(len(step.blocks))}
    for name, block in zip(blocks.values(), step.blocks, strict=True):
        yield from _function_of(name, block, is_noisy, is_outer and step.calls_at_once)
    fill = {"n": first, "k": first[1:], **blocks}
    if step.scope:
        yield step.scope.format(*step.uses, **fill)
        if step.prefix:
            yield "    " + step.prefix.format(*step.uses, **fill)
        elif not step.inner:
            yield "    pass"
        for inner in step.inner:
            yield from _indented(_lines_of(inner, is_noisy, is_outer))
    if step.text:
        made = ", ".join(name for name, _ in step.makes)
        text = step.text.format(*step.uses, **fill)
        yield f"{made} = {text}" if made else text
    if is_noisy:
        yield from (
            f"{name} = noisy({name})" for name, kind in step.makes if kind[:1] in FLOATS_AND_COMPLEX
        )
    if is_outer and (step.has_effects or step.blocks):
        yield from (f"effects.append({name})" for name, _ in step.makes)


def _function_of(name: str, block: Block, is_noisy: bool, is_outer: bool) -> Iterator[str]:
    if block.decorator:
        yield block.decorator
    yield f"def {name}({', '.join(name for name, _ in block.takes)}):"
    for step in block.steps:
        yield from _indented(_lines_of(step, is_noisy, is_outer))
    every = "".join(f"{each}, " for each in block.gives)
    given = block.form.format(*block.gives, all=every)
    effects = ", ".join(_effects_of(block.steps))
    yield f"    return waited([{effects}], {given})" if effects else f"    return {given}"


def _effects_of(steps: tuple[Step, ...]) -> Iterator[str]:
    """What steps make that have effects: a session's branches and loops wait for nothing else than
    their results.
    """
    for step in steps:
        yield from _effects_of(step.inner)
        if step.has_effects or step.blocks:
            yield from (name for name, _ in step.makes)


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return ("    " + line for line in lines)
