"""A program of the user's, found and run as Python does it: under the name `__main__`.

`sys.argv`, `sys.path[0]` and what a program reads of itself are Python's own for `python SCRIPT`,
`python -m MODULE` and `python -c CODE`. Errors show the program's lines, not ours.
"""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import io
import os
import pkgutil
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType, TracebackType
from typing import Any, Literal, NamedTuple

Kind = Literal["script", "module", "code"]

# Code, and what its module's namespace holds before it runs.
_Found = tuple[CodeType, dict[str, Any]]


class MainProgram(NamedTuple):
    """What to run.

    Attributes:
        kind: whether `text` is the path of a script, the name of a module, or code.
        text: that.
        arguments: what the program finds in `sys.argv[1:]`.
    """

    kind: Kind
    text: str
    arguments: Sequence[str] = ()

    def words(self) -> list[str]:
        """The program as the words of a command line."""
        option = {"script": ["--"], "module": ["-m"], "code": ["-c"]}[self.kind]
        return [*option, self.text, *self.arguments]


class NoProgramError(Exception):
    """There is no such program; the message says what was looked for."""


def check(program: MainProgram) -> None:
    """Looks whether a script is there. Modules and code are looked at when they run.

    Raises:
        NoProgramError: it is not.
    """
    if program.kind == "script" and not os.path.exists(program.text):
        raise NoProgramError(
            f"there is no file {program.text!r}. Name a Python script; options stand before it."
        )


def run(program: MainProgram) -> int:
    """Runs it as `__main__`.

    Returns:
        0, or the exit code of Python where the program fails, which has been shown then.

    Raises:
        NoProgramError: there is no such program.
        SystemExit: the program's own.
    """
    sys.argv = [{"module": "-m", "code": "-c"}.get(program.kind, program.text), *program.arguments]
    main = sys.modules["__main__"] = ModuleType("__main__")
    code, attributes = _FINDERS[program.kind](program.text)
    vars(main).update(__builtins__=builtins, **attributes)
    try:
        exec(code, vars(main))
    except SystemExit:
        raise
    except BaseException as error:
        return _show(error)
    return 0


def _show(error: BaseException) -> int:
    """Shows an error as Python does, from the program's first line on."""
    error = error.with_traceback(_of_program(error.__traceback__))
    sys.last_value = error  # as Python does, for those who ask at the end
    sys.excepthook(type(error), error, error.__traceback__)
    return 130 if isinstance(error, KeyboardInterrupt) else 1


def _of_program(part: TracebackType | None) -> TracebackType | None:
    """A traceback without our lines and the import system's; None if the program did not begin."""
    while part is not None and _is_before(part.tb_frame.f_code.co_filename):
        part = part.tb_next
    return part


def _is_before(file: str) -> bool:
    return file in (__file__, importlib.util.__file__, importlib.__file__) or file.startswith(
        "<frozen importlib"
    )


def _script(path: str) -> _Found:
    """A file; or a folder or an archive with a file `__main__.py`."""
    importer = pkgutil.get_importer(os.path.abspath(path))
    if importer is not None:
        return _inside(importer, os.path.abspath(path))
    _begin_path(os.path.dirname(os.path.realpath(path)))
    file = os.path.abspath(path)
    loader = importlib.machinery.SourceFileLoader("__main__", file)
    return _compiled(file, path), {"__file__": file, "__cached__": None, "__loader__": loader}


def _inside(importer: Any, path: str) -> _Found:
    if sys.flags.safe_path:
        sys.path.insert(0, path)
    else:
        _begin_path(path)
    spec = importer.find_spec("__main__")
    if spec is None:
        raise NoProgramError(f"there is no __main__.py in {path!r}, so it cannot run.")
    return _of_spec(spec)


def _compiled(file: str, path: str) -> CodeType:
    try:
        with io.open_code(file) as opened:
            content = opened.read()
    except OSError as error:
        raise NoProgramError(f"{path!r} cannot be read: {error.strerror}.") from None
    return pkgutil.read_code(io.BytesIO(content)) or _of_source(content, file)


def _of_source(source: str | bytes, file: str) -> CodeType:
    try:
        return compile(source, file, "exec", dont_inherit=True)
    except Exception as error:
        raise SystemExit(_show(error)) from None


def _module(name: str) -> _Found:
    _begin_path(os.getcwd())
    if not name or name.startswith("."):
        raise NoProgramError(
            f"-m {name!r}: write the module's whole name, from its top package on."
        )
    return _of_spec(_spec(name))


def _spec(name: str) -> importlib.machinery.ModuleSpec:
    """The spec of a module, or of what runs for a package."""
    _import_above(name)
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise NoProgramError(f"-m {name}: {error}.") from None
    if spec is None:
        raise _no_module(name)
    if spec.submodule_search_locations is None:
        return spec
    try:
        return _spec(f"{name}.__main__")
    except NoProgramError:
        raise NoProgramError(f"-m {name}: this package has no module __main__ to run.") from None


def _import_above(name: str) -> None:
    """Imports the package of a module, which is code of the program's already."""
    above = name.rpartition(".")[0]
    try:
        importlib.import_module(above or "builtins")
    except SystemExit:
        raise
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{above}.".startswith(f"{missing}."):
            raise _no_module(name) from None
        raise SystemExit(_show(error)) from None


def _no_module(name: str) -> NoProgramError:
    return NoProgramError(
        f"there is no module {name!r}. It is looked for in this folder and where Python imports "
        "from."
    )


def _of_spec(spec: importlib.machinery.ModuleSpec) -> _Found:
    find = getattr(spec.loader, "get_code", None)
    try:
        code = find and find(spec.name)
    except Exception as error:
        raise SystemExit(_show(error)) from None
    if code is None:
        raise NoProgramError(f"-m {spec.name}: this module holds no Python code to run.")
    if sys.argv[0] == "-m" and spec.origin:
        sys.argv[0] = spec.origin
    return code, {
        "__file__": spec.origin, "__cached__": spec.cached, "__loader__": spec.loader,
        "__package__": spec.parent, "__spec__": spec,
    }  # fmt: skip


def _code(source: str) -> _Found:
    _begin_path("")
    code = _of_source(f"{source}\n", "<string>")
    return code, {"__loader__": importlib.machinery.BuiltinImporter}


def _begin_path(first: str) -> None:
    """Puts a folder where Python has that of the program, unless it was told (-P) to have none."""
    if not sys.flags.safe_path:
        sys.path[0] = first


_FINDERS = {"script": _script, "module": _module, "code": _code}
