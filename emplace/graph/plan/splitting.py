"""The functions of plans; of a long one there are several, which hand values on.

Python takes twice as long for each line of a function of a hundred thousand lines as for one of a
thousand. The text of a plan is one function in any case, and the lines of errors are its lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any, NamedTuple

# A plan of more lines than this becomes several functions of about so many lines.
LONG, PART = 10_000, 1_000

# Python's frames lie one after the other in pieces of memory of 2,048 values. Where a plan's frame
# ended near the end of one, each call in its lines would ask the system for a new piece and give it
# back, which costs as much as a kernel. So that of a plan with so many lines says that it is larger
# than a piece: it gets one of its own, once a call, that has room for its kernels' frames, too.
_MANY_LINES, _OWN_PIECE = 300, 2_100

# What stands between the words of a plan. The quotes of keys are not in it.
_GAPS = str.maketrans(dict.fromkeys("()[]{}.,:;|<>-", " "))


class _Part(NamedTuple):
    """A function on a list, which it empties: the names of what it takes and of what it returns.
    The last one gives nothing on: it returns the plan's results.
    """

    run: FunctionType
    takes: Sequence[str]
    gives: Sequence[str]


def functions_of(
    lines: Sequence[str], arguments: Sequence[str], space: dict[str, Any], file: str
) -> tuple[Callable[..., Any], tuple[CodeType, ...]]:
    """What runs a plan, and the code in whose frames its values are.

    Args:
        lines: the text of the function, its head first.
        arguments: the names in its head.
        space: what else it may name.
        file: what errors call the text.
    """
    if len(lines) <= LONG:
        code = _code(lines, file)
        return FunctionType(code, space), (code,)
    parts = list(_parts(lines, arguments, space, file))
    return _joined(parts, arguments), tuple([part.run.__code__ for part in parts])


def _code(lines: Sequence[str], file: str) -> CodeType:
    """The code of the one function in a text; plans alone write such texts."""
    whole = compile("\n".join([*lines, ""]), file, "exec")
    code = next(x for x in whole.co_consts if isinstance(x, CodeType))
    if len(lines) < _MANY_LINES:
        return code
    return code.replace(co_stacksize=max(code.co_stacksize, _OWN_PIECE))


def _joined(parts: Sequence[_Part], arguments: Sequence[str]) -> Callable[..., Any]:
    """One function that calls the parts. Nothing but `held` holds a value in between, and nothing
    at all one that a part has taken for the last time.
    """

    def run(*values: Any) -> Any:
        held = dict(zip(arguments, values, strict=True))
        for part in parts[:-1]:
            held.update(zip(part.gives, part.run([held.pop(x) for x in part.takes]), strict=True))
        return parts[-1].run([held.pop(x) for x in parts[-1].takes])

    return run


def _parts(
    lines: Sequence[str], arguments: Sequence[str], space: dict[str, Any], file: str
) -> Iterator[_Part]:
    """A name means one value or several one after the other, without a gap in which it means none:
    a part that names it takes it, and gives it back if a later one names it.
    """
    starts = _starts(lines)
    bodies = [lines[i:j] for i, j in zip(starts, [*starts[1:], len(lines)], strict=True)]
    named = [_names("\n".join(body), space) for body in bodies]
    last = {name: i for i, names in enumerate(named) for name in names}
    there = set(arguments)
    for i, (start, body, names) in enumerate(zip(starts, bodies, named, strict=True)):
        takes = [name for name in names if name in there]
        gives = [name for name in names if last[name] > i]
        there.difference_update(takes)
        there.update(gives)
        yield _Part(_function(start, body, takes, gives, space, file), takes, gives)


def _starts(lines: Sequence[str]) -> list[int]:
    """Where parts begin: outside of branches and loops."""
    starts = [1]
    for i, line in enumerate(lines):
        if i - starts[-1] >= PART and line[4:5] != " " and not line.startswith("    else"):
            starts.append(i)
    return starts


def _names(text: str, space: Mapping[str, Any]) -> list[str]:
    """What a text calls its values: a letter and a number. Keywords keep their sign (`v1=`)."""
    words = dict.fromkeys(text.replace("=", "= ").translate(_GAPS).split())
    return [x for x in words if x[1:].isdecimal() and x[0].isalpha() and x not in space]


def _function(
    start: int, body: Sequence[str], takes: Sequence[str], gives: Sequence[str],
    space: dict[str, Any], file: str,
) -> FunctionType:  # fmt: skip
    """The function of one part, whose lines have the numbers that they have in the whole."""
    taken = "".join(f"{name}, " for name in takes) + "= given; " if takes else ""
    head = ["def plan(given):", f"    {taken}given.clear()"]
    end = f"    return ({''.join(f'{name}, ' for name in gives)})"  # the last has returned by then
    code = _code([*head, *body, end], file)
    return FunctionType(code.replace(co_firstlineno=start + 1 - len(head)), space)
