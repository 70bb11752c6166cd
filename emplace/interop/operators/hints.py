"""What follows for an operator from what is said of those that it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def or_those_of(operator: LinearOperator, hint: str, given: Flag, kind: str) -> Flag:
    """What is said of an operator, or else what is said of the one that it comes from.

    Args:
        operator: where it comes from.
        hint: which of the hints.
        given: what is said of it.
        kind: what it is to that one.

    Raises:
        ValueError: the two contradict each other.
    """
    known: Flag = getattr(operator, hint)
    if given is None or known is None:
        return known if given is None else given
    if given is not known:
        word = hint.removeprefix("is_").replace("_", "-")
        raise ValueError(f"An operator is {word} if and only if its {kind} is {word}.")
    return given


def of_product(left: LinearOperator, right: LinearOperator) -> dict[str, Any]:
    """What follows for a product of two operators."""
    is_square = _is_product_square(left, right)
    if is_square is False:
        return {
            "is_non_singular": False, "is_self_adjoint": False, "is_positive_definite": False,
            "is_square": False,
        }  # fmt: skip
    if is_square is None:
        return {}
    return {"is_non_singular": _both_non_singular(left, right), "is_square": True}


def of_commuting(left: LinearOperator, right: LinearOperator) -> dict[str, Any]:
    """What follows for a product of two square operators of which either may come first."""
    self_adjoint = (left.is_self_adjoint, right.is_self_adjoint)
    is_self_adjoint: Flag = None
    if None not in self_adjoint:  # of two that are not nothing follows
        is_self_adjoint = True if all(self_adjoint) else (False if any(self_adjoint) else None)
    positive = (left.is_positive_definite, right.is_positive_definite, *self_adjoint)
    return {
        "is_non_singular": _both_non_singular(left, right), "is_self_adjoint": is_self_adjoint,
        "is_positive_definite": all_of(positive),
    }  # fmt: skip


def _both_non_singular(left: LinearOperator, right: LinearOperator) -> Flag:
    flags = (left.is_non_singular, right.is_non_singular)
    return False if False in flags else all_of(flags)


def _is_product_square(left: LinearOperator, right: LinearOperator) -> Flag:
    flags = (left.is_square, right.is_square)
    if all(flags):
        return True
    if None in flags:
        return None
    if any(flags):
        return False
    rows, columns = left.range_dimension.value, right.domain_dimension.value
    return None if None in (rows, columns) else rows == columns


def is_with_adjoint(operators: Sequence[LinearOperator]) -> bool:
    """Whether a product reads the same from both ends but for adjoints: A A^H, A B B^H A^H."""
    count = len(operators)
    return count % 2 == 0 and all(
        _are_adjoint(operators[i], operators[count - 1 - i]) for i in range(count // 2)
    )


def _are_adjoint(a: LinearOperator, b: LinearOperator) -> bool:
    if a is b:
        return a.is_self_adjoint is True
    return a._is_adjoint_of(b) or b._is_adjoint_of(a)
