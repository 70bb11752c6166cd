"""What follows for an operator from what is said of those that it is made of."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Flag, LinearOperator

_WORDS = {
    "is_non_singular": "non-singular",
    "is_self_adjoint": "self-adjoint",
    "is_positive_definite": "positive definite",
}


def all_of(flags: Sequence[Flag]) -> Flag:
    """True if all are; else nothing is known."""
    return True if all(flags) else None


def or_all(operators: Sequence[LinearOperator], hint: str, given: Flag, kind: str) -> Flag:
    """What is said of an operator, or else what all that it is made of are.

    Raises:
        ValueError: it is said not to be what all of them are.
    """
    if not all(getattr(each, hint) for each in operators):
        return given
    if given is False:
        raise ValueError(f"The {kind} of {_WORDS[hint]} operators is always {_WORDS[hint]}.")
    return True


def or_those_of(operator: LinearOperator, hint: str, given: Flag) -> Flag:
    """What is said of an operator, or else what is said of the one that it comes from.

    Raises:
        ValueError: the two contradict each other.
    """
    known: Flag = getattr(operator, hint)
    if given is None or known is None:
        return known if given is None else given
    if given is not known:
        raise ValueError(
            f"Hint `{hint}={given}` contradicts the operator that this is made of, whose "
            f"`{hint}` is {known}."
        )
    return given
