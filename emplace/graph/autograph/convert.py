"""Converts Python functions, through diastatic-malt's transformations of syntax trees."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any, TypeAlias

from malt.converters import (
    asserts,
    break_statements,
    call_trees,
    conditional_expressions,
    continue_statements,
    control_flow,
    directives,
    functions,
    lists,
    logical_expressions,
    return_statements,
    slices,
    variables,
)
from malt.core import converter, unsupported_features_checker
from malt.impl import api
from malt.lang import directives as malt_directives
from malt.operators import data_structures, slices as slice_operators
from malt.operators.variables import Undefined, UndefinedReturnValue, ld, ldu
from malt.pyct import anno, transpiler
from malt.utils import ag_logging

from ...base.typing import TensorLike
from . import branches, handlers as handlers, loops, operators
from .load import PREFIX, Factory
from .settings import (
    VERBOSITY_SET,
    ControlStatusCtx,
    Feature,
    Status,
    as_artifact,
    set_loop_options,
    verbosity,
)

Options: TypeAlias = converter.ConversionOptions


def options_for(features: Any, recursive: bool = True, requested: bool = True) -> Options:
    """How to convert a function.

    Args:
        features: a `Feature`, several, or None.
        recursive: also the functions that it calls.
        requested: also if its module is one that is left alone.
    """
    if features is None:
        features = ()
    elif isinstance(features, Feature):
        features = (features,)
    chosen = {converter.Feature[each.name] for each in features}
    if converter.Feature.ALL in chosen:
        chosen = set(converter.Feature)
    # Names and order of operations are the graph's own.
    chosen -= {converter.Feature.ALL, converter.Feature.NAME_SCOPES,
               converter.Feature.AUTO_CONTROL_DEPS}  # fmt: skip
    return Options(recursive=recursive, user_requested=requested,
                   optional_features=frozenset(chosen))  # fmt: skip


class FunctionScope:
    """The scope of a converted function's body."""

    def __init__(self, function_name: str, scope_name: str, options: Options) -> None:
        self.name = scope_name
        self.options = options
        self.callopts = options.call_options()
        self._status = ControlStatusCtx(Status.ENABLED, options)

    def __enter__(self) -> FunctionScope:
        if self.options.user_requested:
            self._status.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        if self.options.user_requested:
            self._status.__exit__(*exc)

    def ret(self, value: TensorLike, did_return: object) -> Any:
        """What the function returns."""
        return None if isinstance(value, UndefinedReturnValue) else value


def with_function_scope(thunk: Callable[..., Any], scope_name: str, options: Options) -> Any:
    """The value of a lambda, in a scope."""
    with FunctionScope("lambda_", scope_name, options) as scope:
        return thunk(scope)


class _Directives(directives.DirectivesTransformer):  # type: ignore[misc]
    """Knows our `set_loop_options`."""

    def visit_Name(self, node: Any) -> Any:  # noqa: N802  # ast's names
        return self._ours(super().visit_Name(node))

    def visit_Attribute(self, node: Any) -> Any:  # noqa: N802
        return self._ours(super().visit_Attribute(node))

    def _ours(self, node: object) -> Any:
        if anno.getanno(node, directives.STATIC_VALUE, default=None) is set_loop_options:
            anno.setanno(node, directives.STATIC_VALUE, malt_directives.set_loop_options)
        return node


class Converter(api.PyToPy):  # type: ignore[misc]
    """Converts functions; once per code object and options."""

    def __init__(self) -> None:
        super().__init__()
        self.operators = types.ModuleType("ag__")

    def get_extra_locals(self) -> dict[str, Any]:
        """What converted code reads besides."""
        return {"ag__": self.operators}

    def get_transformed_name(self, node: Any) -> str:
        """What a converted function is called in its text."""
        return f"{PREFIX}{transpiler.PyToPy.get_transformed_name(self, node)}"

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        """The converted tree of a function."""
        unsupported_features_checker.verify(node)
        uses = ctx.user.options.uses
        node = self.initial_analysis(node, ctx)
        node = functions.transform(node, ctx)
        node = _Directives(ctx).visit(node)
        node = break_statements.transform(node, ctx)
        if uses(converter.Feature.ASSERT_STATEMENTS):
            node = asserts.transform(node, ctx)
        node = continue_statements.transform(node, ctx)
        node = return_statements.transform(node, ctx)
        if uses(converter.Feature.LISTS):
            node = slices.transform(lists.transform(node, ctx), ctx)
        for step in (call_trees, control_flow, conditional_expressions, logical_expressions,
                     variables):  # fmt: skip
            node = step.transform(node, ctx)
        return node

    def factory(self, function: Callable[..., Any], options: Options) -> Factory:
        """The converted code of a function.

        Raises:
            InaccessibleSourceCodeError: there is no source to convert.
            UnsupportedLanguageElementError: it has statements that cannot be converted.
        """
        with self._cache_lock:
            found: Factory | None = self._cache[function].get(options)
            if found is None:
                found = self._cache[function][options] = self._new_factory(function, options)
        return found

    def _new_factory(self, function: Callable[..., Any], options: Options) -> Factory:
        context = converter.ProgramContext(options=options)
        nodes, made = transpiler.GenericTranspiler.transform_function(self, function, context)
        if isinstance(nodes, ast.Lambda):
            nodes = ast.Assign(targets=[ast.Name(made.info.name, ctx=ast.Store())], value=nodes)
        else:
            nodes.name = made.info.name
        future = made.info.future_features
        return Factory(nodes, made.info.name, function, made.namer, self.get_extra_locals(), future)


CONVERTER = Converter()


def provide(**operators: Any) -> None:
    """What converted code finds under `ag__`."""
    CONVERTER.operators.__dict__.update(operators)


provide(
    ConversionOptions=Options, Feature=converter.Feature, STD=converter.STANDARD_OPTIONS,
    FunctionScope=FunctionScope, with_function_scope=with_function_scope,
    autograph_artifact=as_artifact,
    ld=ld, ldu=ldu, Undefined=Undefined, UndefinedReturnValue=UndefinedReturnValue,
    if_stmt=branches.if_stmt, if_exp=branches.if_exp,
    while_stmt=loops.while_stmt, for_stmt=loops.for_stmt,
    and_=operators.and_, or_=operators.or_, not_=operators.not_,
    eq=operators.eq, not_eq=operators.not_eq, assert_stmt=operators.assert_stmt,
    new_list=data_structures.new_list, list_append=operators.list_append,
    list_pop=data_structures.list_pop, list_stack=data_structures.list_stack,
    ListPopOpts=data_structures.ListPopOpts, ListStackOpts=data_structures.ListStackOpts,
    get_item=operators.get_item, set_item=operators.set_item,
    GetItemOpts=slice_operators.GetItemOpts,
)  # fmt: skip

VERBOSITY_SET.bind(ag_logging.set_verbosity)
ag_logging.set_verbosity(verbosity())
