"""What ops do with tensors made of tensors: rules that apply ops to the parts.

Composites pass through conversion as they are. The target that is handed one asks here; tensors
never pay for it. A rule is registered for a kind of composite and the names of ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..core.composite import CompositeTensor
from .op import Op

Rule = Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]

_RULES: dict[tuple[type, str], Rule] = {}


def composite_rule(kind: type, names: Iterable[str]) -> Callable[[Rule], Rule]:
    """Registers `rule(op, inputs, attrs)` for these ops where an input is a `kind`."""

    def register(rule: Rule) -> Rule:
        for name in names:
            assert (kind, name) not in _RULES, f"{name} has two rules for {kind.__name__}"
            _RULES[kind, name] = rule
        return rule

    return register


def holds_composite(inputs: Sequence[Any]) -> bool:
    """True if a tensor made of tensors is among the inputs of an op."""
    return any(isinstance(each, CompositeTensor) for each in inputs)


def _rule_of(kind: type, op: Op) -> Rule | None:
    found = (_RULES.get((each, op.name)) for each in kind.__mro__)
    return next((each for each in found if each), None)


def takes_composite(op: Op, value: CompositeTensor) -> bool:
    """True if there is a rule for such a tensor."""
    return _rule_of(type(value), op) is not None


def compose(op: Op, inputs: tuple[Any, ...], attrs: dict[str, Any] | None) -> Any:
    """What `op` makes of inputs of which one is a composite.

    Raises:
        ValueError: there is no rule for such a composite.
    """
    kind = next(type(each) for each in inputs if isinstance(each, CompositeTensor))
    rule = _rule_of(kind, op)
    if rule is None:
        raise ValueError(
            kind.refusal
            or f"{op.name} takes no {kind.__name__}. Convert it to a tensor first, for example "
            "with `to_tensor()`, or map the op over its `flat_values` or `values`."
        )
    return rule(op, inputs, attrs or {})
