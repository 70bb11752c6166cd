"""Runs programs in every way, and makes a failing one small."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from .comparison import difference
from .program import Block, Program, Step, literal, text_of
from .ways import WAYS, Way, eager, use_devices
from .world import Outcome

_NOISES = 3
_MOST_TRIES = 400


def failures(
    program: Program, ways: Mapping[str, Mapping[str, Way]] = WAYS
) -> Iterator[tuple[str, str, str]]:
    """Each way that differs from eager mode on the CPU: devices, way, and what differs."""
    expected = _Expected(program)
    for gpus, there in ways.items():
        use_devices(gpus)
        for name, way in there.items():
            found = expected.difference(way, gpus)
            if found is not None:
                yield gpus, name, found


class _Expected:
    """What a program does eagerly on the CPU: exactly, and with noise if that is asked for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.noisy: list[Outcome] = []
        use_devices("0")
        self.outcome = eager(program)

    def difference(self, way: Way, gpus: str) -> str | None:
        """How a way on these devices, which are in use, differs."""
        return difference(self.outcome, way(self.program), lambda: self._with_noise(gpus))

    def _with_noise(self, gpus: str) -> list[Outcome]:
        if not self.noisy:
            use_devices("0")
            self.noisy = [eager(self.program, noise) for noise in range(1, _NOISES + 1)]
            use_devices(gpus)
        return self.noisy


def smallest(program: Program, gpus: str, name: str) -> Program:
    """A small program that still fails in the same way: steps are left out one by one."""
    way = WAYS[gpus][name]

    def fails(candidate: Program) -> bool:
        try:
            expected = _Expected(candidate)
            use_devices(gpus)
            return expected.difference(way, gpus) is not None and not any(
                isinstance(run, (NameError, SyntaxError)) for run in expected.outcome.runs
            )
        except Exception:
            return False

    tries, last = 0, None
    while last is not program and tries < _MOST_TRIES:
        last, i = program, 0
        candidates = list(_smaller(program))
        while i < len(candidates) and tries < _MOST_TRIES:
            tries += 1
            if fails(candidates[i]):
                program = candidates[i]
                candidates = list(_smaller(program))
            else:
                i += 1
    return program


def _smaller(program: Program) -> Iterator[Program]:
    """Programs with a piece less, those that lack most first."""
    count = len(program.results)
    if count > 1:
        for i in range(count):
            yield replace(program, results=program.results[:i] + program.results[i + 1 :])
    half = len(program.steps) // 2
    pieces = [_without(program.steps, 0, half), _without(program.steps, half, 2 * half + 1)]
    for steps, gone in [*(pieces if half else ()), *_without_one(program.steps)]:
        made = [pair for pair in program.results if pair[0] not in gone]
        yield replace(program, steps=_replaced(steps, gone), results=tuple(made))
    for steps in _without_scopes(program.steps):
        yield replace(program, steps=steps)


def _without_one(steps: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], dict[str, str]]]:
    """The steps without one of them, anywhere, and what stands for the names that it made."""
    for i in reversed(range(len(steps))):
        step, rest = steps[i], (steps[:i], steps[i + 1 :])
        yield (*rest[0], *rest[1]), _names(step)
        for inner, gone in _without_one(step.inner):
            yield (*rest[0], replace(step, inner=inner), *rest[1]), gone
        for j, block in enumerate(step.blocks):
            for body, gone in _without_one(block.steps):
                blocks = (*step.blocks[:j], replace(block, steps=body), *step.blocks[j + 1 :])
                yield (*rest[0], replace(step, blocks=blocks), *rest[1]), gone


def _without(steps: tuple[Step, ...], start: int, end: int) -> tuple[Any, dict[str, str]]:
    gone: dict[str, str] = {}
    for step in steps[start:end]:
        gone |= _names(step)
    return (*steps[:start], *steps[end:]), gone


def _without_scopes(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    for i, step in enumerate(steps):
        if step.scope and not step.text:
            yield (*steps[:i], *step.inner, *steps[i + 1 :])


def _names(step: Step) -> dict[str, str]:
    made = {name: literal(kind) if kind else "tf.constant(0)" for name, kind in step.makes}
    for inner in step.inner:
        made |= _names(inner)
    return made


def _replaced(steps: tuple[Step, ...], gone: dict[str, str]) -> tuple[Step, ...]:
    return tuple(
        replace(
            step,
            uses=tuple(gone.get(name, name) for name in step.uses),
            inner=_replaced(step.inner, gone),
            blocks=tuple(_replaced_in(block, gone) for block in step.blocks),
        )
        for step in steps
    )


def _replaced_in(block: Block, gone: dict[str, str]) -> Block:
    gives = tuple(gone.get(name, name) for name in block.gives)
    return replace(block, steps=_replaced(block.steps, gone), gives=gives)


def script_of(program: Program, gpus: str, name: str) -> str:
    """A script that runs a program eagerly and in the way in which it failed."""
    return f"""\
# Random program {program.seed}. Run it from the repository: PYTHONPATH=tests/contract python FILE
from random_programs.check import show
from random_programs.program import Program

text = '''
{text_of(program)}'''
show(Program({program.seed}, {program.inputs!r},
             {program.variables!r}, (),
             {program.results!r}, text), {gpus!r}, {name!r})
"""


def show(program: Program, gpus: str, name: str) -> None:
    """Prints what a program does eagerly on the CPU, and what differs in another way."""
    expected = _Expected(program)
    print(expected.outcome)
    use_devices(gpus)
    print(expected.difference(WAYS[gpus][name], gpus) or "the same")
