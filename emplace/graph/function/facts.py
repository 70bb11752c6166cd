"""What a `tf.function` tells of itself, and copies of it: by hand, by pickle, by `copy`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self

from .calling import ConcreteFunction
from .printed import FunctionType, untyped


class FunctionFacts:
    """The part of a function that needs no arguments. What makes and runs traces is `Function`."""

    _name: str
    _specs: Any
    _autograph: bool
    _jit: bool | None
    _reduces: bool | None
    _features: Any
    _attributes: dict[str, Any]
    _signature: inspect.Signature
    _traces: dict[Any, ConcreteFunction]

    def __init__(self, python_function: Callable[..., Any], **options: Any) -> None:
        """As `Function` says."""
        raise NotImplementedError

    @property
    def _python(self) -> Callable[..., Any]:
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._name

    @property
    def function_type(self) -> FunctionType:
        """What is known of its arguments before it is traced: their names and an
        `input_signature`. What a trace takes and returns is told by the `function_type` of what
        `get_concrete_function` returns.
        """
        return untyped(self._signature, self._specs)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """What each trace takes and returns, for people.

        Args:
            verbose: a line for each argument, instead of one for each trace.
        """
        found = [each.pretty_printed_signature(verbose) for each in self._all_concrete()]
        return ("\n\n" if verbose else "\n").join(found)

    def _all_concrete(self) -> list[ConcreteFunction]:
        """All traces that were made so far; one with an `input_signature` is traced for it."""
        if self._specs is not None and not self._traces:
            self.get_concrete_function()  # type: ignore[attr-defined]
        return list({id(each): each for each in self._traces.values()}.values())

    # TF: the names by which libraries ask for them.
    _list_all_concrete_functions = _list_all_concrete_functions_for_serialization = _all_concrete

    @property
    def _python_function(self) -> Callable[..., Any]:
        return self._python

    @property
    def _jit_compile(self) -> bool | None:
        return self._jit

    @property
    def _reduce_retracing(self) -> bool | None:
        return self._reduces

    @property
    def _experimental_autograph_options(self) -> Any:
        return self._features

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Any:
        """Not there: nothing is compiled by XLA.

        Raises:
            ValueError: the function was made without `jit_compile`.
            NotImplementedError: always else.
        """
        if not self._jit:
            raise ValueError(
                "Compiler IR can only be returned for functions marked with 'jit_compile=True'"
            )
        raise NotImplementedError(
            "experimental_get_compiler_ir: Emplace compiles with torch.compile, which has no HLO. "
            "emplace.explain(function, ...) shows the plan of a call."
        )

    def _options(self) -> dict[str, Any]:
        return {
            "input_signature": self._specs, "autograph": self._autograph, "jit_compile": self._jit,
            "reduce_retracing": self._reduces, "name": self._name,
            "experimental_autograph_options": self._features,
            "experimental_attributes": self._attributes,
        }  # fmt: skip

    def _clone(self, python_function: Callable[..., Any] | None) -> Self:
        """A function with the same options and no traces, of another Python function."""
        return type(self)(python_function or self._python, **self._options())

    def _decorate(self, decorator: Callable[[Any], Any]) -> None:
        """Puts a decorator around the Python function.

        Raises:
            ValueError: there are traces already.
        """
        if self._traces:
            raise ValueError("Functions cannot be decorated after they have been traced.")
        type(self).__init__(self, decorator(self._python), **self._options())

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as its Python function and its options; the copy makes traces of its own."""
        return _made, (type(self), self._python, self._options())


def _made(kind: Any, python_function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    return kind(python_function, **options)
