"""How a graph names its operations: after the public functions that the program calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..operation import Operation
from .results import AGAIN, SCOPE, alone, result_name
from .unique import (
    Names,
    argument_name,
    check_node,
    default_name,
    public_call,
    scope_name,
    wanted_name,
)


class OperationNames:
    """The names of a graph's operations, and its name scopes."""

    def __init__(self) -> None:
        self.operations: list[Operation] = []
        self.names = Names({})
        self._by_name: dict[str, Operation] = {}
        self._exact: list[str] = []
        self._plain = 0
        self._call: FrameType | None = None
        self._call_operations: list[Operation] = []
        self._call_scope = ""
        self._is_scope = False

    def _name(self, operation: Operation, name: str | None) -> None:
        if name is None and self._exact:
            name = self._exact[-1]
        if name is not None:
            operation.name = name[:-1] if name.endswith("/") else self._unique(name)
        elif _is_implicit(operation):
            pass  # it gets its name from the operation that takes it
        else:
            self._name_by_call(operation)
        for i, x in enumerate(operation.inputs):
            if not x.op.is_named:
                self._name_constant(x.op, operation, i)

    def _unique(self, name: str) -> str:
        check_node(f"{self.names.scope}/{name}" if self.names.scope else name)
        return self.names.unique(name)

    def _exactly(self, name: str) -> str:
        check_node(name)
        if name in self._by_name:
            raise ValueError(f"Duplicate node name in graph: '{name}'")
        return name

    def _name_constant(self, constant: Operation, taker: Operation, i: int) -> None:
        arg = argument_name(taker.record, i, len(taker.given))
        arg = arg if constant.record.name == "Const" else constant.record.name
        before, self.names.scope = self.names.scope, ""
        constant.name = self.names.unique(f"{taker.name}/{arg}")
        self.names.scope = before
        self._by_name[constant.name] = constant

    def name_constant(self, constant: Operation) -> None:
        """Gives a constant that nobody has named a name of its own."""
        if not constant.is_named:
            before, self.names.scope = self.names.scope, ""
            constant.name = self.names.unique(constant.record.name)
            self.names.scope = before
            self._by_name[constant.name] = constant

    def _name_by_call(self, operation: Operation) -> None:
        if self._plain:
            operation.name = self.names.unique(operation.type.lstrip("_"))
            return
        call = public_call()
        if call is None or call is not self._call:
            self._call, self._call_operations = call, [operation]
            explicit_name = wanted_name(call)
            if explicit_name is not None and explicit_name.endswith("/"):
                operation.name = self._call_scope = self._exactly(explicit_name[:-1])
                self._is_scope = True
                return
            scope, inner = alone(call, operation.type) or (default_name(operation.type, call), None)
            operation.name = self._call_scope = self._unique(explicit_name or scope)
            self._is_scope = bool(explicit_name) or inner is not None
            if inner is not None:
                if inner == AGAIN:
                    inner = (
                        operation.type
                        if explicit_name is None
                        else explicit_name.rsplit("/", 1)[-1]
                    )
                operation.name = self._within(self._call_scope, inner)
            return
        if len(self._call_operations) == 1:  # the call turns out to be a scope
            self._make_scope(self._call_operations[0], call)
        part = operation.type.lstrip("_")
        count = sum(1 for earlier in self._call_operations if earlier.type == operation.type)
        self._call_operations.append(operation)
        known = result_name(call, f"{part}_{count}" if count else part)
        scope = self._call_scope
        if known == SCOPE and scope not in self._by_name:
            operation.name = scope
        else:
            operation.name = self._within(scope, known or part)

    def _within(self, scope: str, name: str) -> str:
        """A name in a scope, from anywhere."""
        before, self.names.scope = self.names.scope, scope
        found = self.names.unique(name)
        self.names.scope = before
        return found

    def _make_scope(self, first: Operation, call: FrameType) -> None:
        # One that was called as the scope would be makes place for it.
        if not self._is_scope and scope_name(call) != default_name(first.type, call):
            self._call_scope = self.names.unique(scope_name(call))
        scope = self._call_scope
        self._by_name.pop(first.name, None)
        constants = [x.op for x in first.inputs if x.op.name.startswith(f"{first.name}/")]
        old, first.name = first.name, f"{scope}/{first.type.lstrip('_')}"
        self.names._taken[first.name.lower()] = 1
        self._by_name[first.name] = first
        for constant in constants:
            self._by_name.pop(constant.name, None)
            constant.name = first.name + constant.name[len(old) :]
            self._by_name[constant.name] = constant

    @contextmanager
    def exact_name(self, name: str) -> Iterator[None]:
        """A scope in which nodes are called `name`, below the open name scope."""
        self._exact.append(name)
        try:
            yield
        finally:
            self._exact.pop()

    @contextmanager
    def plain_names(self, scope: str) -> Iterator[None]:
        """A name scope in which nodes are called by their ops, whoever makes them."""
        self._plain += 1
        exact, self._exact = self._exact, []
        try:
            with self.name_scope(scope):
                yield
        finally:
            self._plain -= 1
            self._exact = exact

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """A scope below which nodes are named; yields its name with "/"."""
        before = self.names.open(name)
        self._call = None
        try:
            # TF: a name that ends so is the scope itself.
            is_whole = isinstance(name, str) and name.endswith("/")
            yield str(name) if is_whole else f"{self.names.scope}/" if self.names.scope else ""
        finally:
            self.names.scope = before
            self._call = None

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that no node has."""
        return self.names.unique(name, mark_as_used)

    def get_name_scope(self) -> str:
        """The open name scope."""
        return self.names.scope


# Functions of which a constant, or a read, is the result and not a part.
_MAKERS = frozenset(
    {"constant", "convert_to_tensor", "value", "read_value", "shape", "size", "rank", "shape_n"}
)


def _is_implicit(operation: Operation) -> bool:
    """Whether a node is part of another one for the program: the constant in `x + 1`, and the read
    of a variable that is used as a tensor.
    """
    name = operation.record.name
    if name != "ReadVariableOp" and not (name == "Const" and operation.attrs.get("is_implicit")):
        return False
    call = public_call()
    return call is not None and call.f_code.co_name not in _MAKERS
