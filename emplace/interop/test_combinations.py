"""Tests that run once per combination of arguments (`tf.__internal__.test.combinations`), as those
of Keras 2 and of libraries on it do.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import re
import types
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

from ..core.context import LOCAL
from ..eager.target import EAGER
from ..graph.recording.default import is_tf2
from ..graph.recording.scopes import init_scope
from ..graph.representation.graph import Graph
from .decorators import unwrap

Combination = OrderedDict[str, Any]


class TestCombination:
    """Says what arguments of tests mean: which combinations run, and inside of what."""

    __test__ = False  # pytest takes it for a class of tests otherwise

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """Returns whether a test runs with these arguments, and if it does not, why."""
        return True, None

    def parameter_modifiers(self) -> list[Any]:
        """Returns what changes arguments before the test gets them."""
        return []

    def context_managers(self, kwargs: dict[str, Any]) -> list[AbstractContextManager[Any]]:
        """Returns the scopes in which a test runs with these arguments."""
        return []


class ParameterModifier:
    """Changes arguments before a test gets them; one of a class and name is asked once."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._parameter_name = parameter_name

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """Returns new values by the arguments' names; `DO_NOT_PASS_TO_THE_TEST` takes one away."""
        return {}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), self._parameter_name))


class OptionalParameter(ParameterModifier):
    """An argument that tests which do not take it are not given."""

    def modified_arguments(
        self, kwargs: dict[str, Any], requested_parameters: Sequence[str]
    ) -> dict[str, Any]:
        """See the base."""
        if self._parameter_name in requested_parameters:
            return {}
        return {str(self._parameter_name): ParameterModifier.DO_NOT_PASS_TO_THE_TEST}


class NamedObject:
    """A value with the name that names of tests say for it."""

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the value."""
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


def combine(**kwargs: Any) -> list[Combination]:
    """Returns all combinations of arguments, each a dictionary.

    Args:
        kwargs: lists of values by the argument's name; what is no list is the only value.

    >>> combine(mode=["graph", "eager"], size=1)[1]
    OrderedDict([('mode', 'eager'), ('size', 1)])
    """
    names = sorted(kwargs)
    values = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [OrderedDict(zip(names, each, strict=True)) for each in itertools.product(*values)]


def times(*combined: list[Combination]) -> list[Combination]:
    """Returns each combination of one list with each of the others.

    Args:
        combined: lists of dictionaries, as `combine` makes them.

    Raises:
        ValueError: an argument is in two of them.
    """
    made = []
    for parts in itertools.product(*combined):
        whole: Combination = OrderedDict()
        for part in parts:
            if whole.keys() & part.keys():
                raise ValueError(f"Keys need to not overlap: {whole.keys()} vs {part.keys()}")
            whole.update(part)
        made.append(whole)
    return made


class EagerGraphCombination(TestCombination):
    """The argument `mode`: "eager" or "graph"."""

    def context_managers(self, kwargs: dict[str, Any]) -> list[AbstractContextManager[Any]]:
        """See the base.

        Raises:
            ValueError: there is no such mode.
        """
        mode = kwargs.get("mode")
        if mode not in (None, "eager", "graph"):
            raise ValueError(
                f"Argument 'mode' must be either 'eager' or 'graph'. Received: {mode}."
            )
        if mode is None:
            return []
        return [Graph().as_default()] if mode == "graph" else [_eager()]

    def parameter_modifiers(self) -> list[Any]:
        """See the base."""
        return [OptionalParameter("mode")]


@contextmanager
def _eager() -> Any:
    state = LOCAL.state
    with nullcontext() if state.target.is_eager else init_scope():
        before, state.target = state.target, state.target if state.target.is_eager else EAGER
        try:
            yield
        finally:
            state.target = before


class TFVersionCombination(TestCombination):
    """The argument `tf_api_version`: 1 or 2."""

    def should_execute_combination(self, kwargs: dict[str, Any]) -> tuple[bool, str | None]:
        """See the base."""
        version = kwargs.get("tf_api_version")
        if version == 1 and is_tf2():
            return False, "Skipping a TF1.x test when TF2 is enabled."
        if version == 2 and not is_tf2():
            return False, "Skipping a TF2 test when TF2 is not enabled."
        return True, None

    def parameter_modifiers(self) -> list[Any]:
        """See the base."""
        return [OptionalParameter("tf_api_version")]


def _generate(
    combinations: Sequence[Combination], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[Any], Any]:
    """Returns a decorator that runs a test, or all tests of a class, once per combination.

    Args:
        combinations: the arguments, as `combine` and `times` make them.
        test_combinations: what they mean.
    """
    named = [
        OrderedDict([*each.items(), ("testcase_name", f"_test{_title(each)}")])
        for each in combinations
    ]

    def decorate(test: Any) -> Any:
        if not isinstance(test, type):  # its class has absl's metaclass, which makes the methods
            parameterized = importlib.import_module("absl.testing.parameterized")
            return parameterized.named_parameters(*named)(_with_scopes(test, test_combinations))
        for name, method in list(vars(test).items()):
            if name.startswith("test") and isinstance(method, types.FunctionType):
                delattr(test, name)
                for each in named:
                    arguments = dict(each)
                    title = name + arguments.pop("testcase_name")
                    setattr(test, title, _bound(method, test_combinations, arguments, title))
        return test

    return decorate


def _title(combination: Combination) -> str:
    """The arguments of a combination as a part of a test's name."""
    parts = []
    for number, (name, value) in enumerate(combination.items()):
        text = re.sub("0[xX][0-9a-fA-F]+", str(number), str(value))
        parts.append(f"_{''.join(filter(str.isalnum, name))}_{''.join(filter(str.isalnum, text))}")
    return "".join(parts)


def _bound(
    method: Callable[..., Any], kinds: Sequence[TestCombination], arguments: dict[str, Any],
    title: str,
) -> Callable[..., Any]:  # fmt: skip
    run = _with_scopes(method, kinds)

    def test(self: Any) -> None:
        run(self, **arguments)

    test.__name__, test.__doc__ = title, method.__doc__
    return test


def _with_scopes(method: Callable[..., Any], kinds: Sequence[TestCombination]) -> Any:
    """A test that runs inside of what its arguments mean, and gets the others."""
    taken = inspect.getfullargspec(unwrap(method)[1]).args

    def run(self: Any, **kwargs: Any) -> None:
        answers = [each.should_execute_combination(dict(kwargs)) for each in kinds]
        reasons = [f" - {reason}" for runs, reason in answers if not runs]
        if reasons:
            self.skipTest("\n".join(reasons))
        given = dict(kwargs)
        for modifier in dict.fromkeys(m for each in kinds for m in each.parameter_modifiers()):
            given |= modifier.modified_arguments(dict(kwargs), taken)
        left_out = ParameterModifier.DO_NOT_PASS_TO_THE_TEST
        given = {name: value for name, value in given.items() if value is not left_out}
        _check_names(set(taken) - {"self"}, set(given))
        with ExitStack() as scopes:
            for scope in [s for each in kinds for s in each.context_managers(dict(kwargs))]:
                scopes.enter_context(scope)
            method(self, **given)

    return run


def _check_names(taken: set[str], given: set[str]) -> None:
    if taken - given:
        raise ValueError(
            f"The test requires parameters whose arguments were not passed: {taken - given} ."
        )
    if given - taken:
        raise ValueError(f"The test does not take parameters that were passed : {given - taken} .")


_OF_ALL: tuple[TestCombination, ...] = (EagerGraphCombination(), TFVersionCombination())
#: The decorator with the arguments `mode` and `tf_api_version`; libraries add theirs to its own.
generate = functools.partial(_generate, test_combinations=_OF_ALL)


def generate_with(
    combinations: Sequence[Combination], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[Any], Any]:
    """Makes the same decorator (`tf.__internal__.distribute.combinations.generate`).

    Args:
        combinations: the arguments, as `combine` and `times` make them.
        test_combinations: what they mean besides `mode` and `tf_api_version`.
    """
    return _generate(combinations, (*test_combinations, *_OF_ALL))
