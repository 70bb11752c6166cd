"""The command line: `emplace run`, `launch`, `devices`, `kernels`, `doctor`.

Everything but typer is loaded by the command that needs it, so that `--help` is quick. What the
user got wrong is answered in one line and with exit code 2.
"""

from __future__ import annotations

import contextlib
import os
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
import typer.core

from . import __version__
from .base import flags
from .base.flag_mistakes import mistakes
from .base.sizes import parse_gpus
from .program import MainProgram, NoProgramError, check, run as run_program

if TYPE_CHECKING:
    from .observe.report import Report

# Typer brings its own copy of these classes, or has them from click.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]

# Not options of ours: what Python takes instead of a script, with all that follows.
_INSTEAD_OF_SCRIPT = {"-m": "module", "-c": "code"}
_KIND = "emplace.kind"


def _variables() -> str:
    """The table of environment variables, for the end of the help."""
    lines = ["\b", "Environment variables that are read:"]
    for flag in flags.TABLE:
        lines.append(f"  {flag.name}")
        lines += textwrap.wrap(flag.does, 74, initial_indent="    ", subsequent_indent="    ")
    return "\n".join(lines)


app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Programs written for TensorFlow, on PyTorch's kernels.",
    epilog=_variables(),
)


class _ProgramCommand(typer.core.TyperCommand):
    """A command whose argument is a program as Python takes it: SCRIPT, -m MODULE or -c CODE."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Ends our options where the program begins; all after it is the program's."""
        i = self._start_of_program(args)
        option, text = args[i][:2] if i < len(args) else "", args[i][2:] if i < len(args) else ""
        if option in _INSTEAD_OF_SCRIPT:
            rest = [text, *args[i + 1 :]] if text else args[i + 1 :]
            if not rest:
                ctx.fail(f"Argument expected for the {option} option.")
            ctx.meta[_KIND] = _INSTEAD_OF_SCRIPT[option]
            args = [*args[:i], "--", *rest]
        return super().parse_args(ctx, args)

    def _start_of_program(self, args: list[str]) -> int:
        """Where something stands that is no option of ours, nor the value of one."""
        takes_value = {
            name for each in self.params if not getattr(each, "is_flag", True) for name in each.opts
        }
        i = 0
        while i < len(args) and args[i].startswith("-") and args[i][:2] not in _INSTEAD_OF_SCRIPT:
            if args[i] == "--":
                return len(args)
            i += 2 if args[i] in takes_value else 1
        return i


_FORWARD = {"allow_extra_args": True, "allow_interspersed_args": False}

Script = Annotated[
    str,
    typer.Argument(
        metavar="SCRIPT",
        help="A Python script that imports tensorflow; or -m MODULE, or -c CODE, as Python has "
        "them. What follows goes to the program.",
    ),
]
Gpus = Annotated[str | None, typer.Option(help="Virtual GPUs: 4, 4x1GB or 2x8GB,2x4GB.")]


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"emplace {__version__}")
        raise typer.Exit


@app.callback()
def before_every_command(
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Programs written for TensorFlow, on PyTorch's kernels."""
    for mistake in mistakes():
        _fail(mistake)
    backend = flags.JIT_BACKEND.value()
    if backend not in flags.JIT_BACKENDS:  # which are known without torch
        from .graph.plan.jit import why_not

        if why := why_not(backend):
            _fail(why)


@app.command(cls=_ProgramCommand, context_settings=_FORWARD)
def run(
    context: typer.Context,
    script: Script,
    gpus: Gpus = None,
    log_placement: Annotated[
        bool, typer.Option("--log-placement", help="Log the device of every op.")
    ] = False,
    tf1: Annotated[
        bool, typer.Option("--tf1", help="Serve TensorFlow 1: graphs and sessions.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(help="Write a report to this file (.txt or .json) at the end."),
    ] = None,
    soft: Annotated[
        bool,
        typer.Option("--soft", help="Let another device stand in for one that does not exist."),
    ] = False,
) -> None:
    """Run a script written for TensorFlow on Emplace. What follows the script goes to it."""
    program = _program(context, script)
    _use_gpus(gpus)
    if soft:
        os.environ[flags.SOFT_PLACEMENT.name] = "1"
    _check_report(report)
    from .hook import install

    install(tf1)
    if log_placement:
        from .observe.placement_log import set_log_device_placement

        set_log_device_placement(True)
    with _reporting(flags.REPORT.value() if report is None else report):
        code = _run(program)
    raise typer.Exit(code)


def _program(context: typer.Context, text: str) -> MainProgram:
    """The program that the command line names."""
    program = MainProgram(context.meta.get(_KIND, "script"), text, context.args)
    try:
        check(program)
    except NoProgramError as error:
        _fail(str(error))
    return program


def _run(program: MainProgram) -> int:
    try:
        return run_program(program)
    except NoProgramError as error:
        _fail(str(error))


@contextlib.contextmanager
def _reporting(path: str) -> Iterator[None]:
    """Watches, and at the end saves the report and shows it, also if the program failed."""
    if not path:
        yield
        return
    from .observe.report import watch

    watching = watch()
    is_wanted = True
    try:
        with watching:
            yield
    except typer.Exit:  # there was no program
        is_wanted = False
        raise
    finally:
        if is_wanted:
            _show_and_save(watching.report(), path)


def _show_and_save(report: Report, path: str) -> None:
    print(report, file=sys.stderr)
    try:
        report.save(path)
    except OSError as error:
        _fail(f"--report: {error}")


def _check_report(path: str | None) -> None:
    if path is None:
        return
    try:
        flags.writable(path)
    except ValueError as error:
        _fail(f"--report: {error}")


def _use_gpus(text: str | None) -> None:
    if text is None:
        return
    try:
        parse_gpus(text)
    except ValueError as error:
        _fail(f"--gpus: {error}")
    os.environ[flags.GPUS.name] = text


def _fail(message: str) -> NoReturn:
    raise typer.Exit(_one_line(message))


def _one_line(message: str) -> int:
    """Says what is wrong. Returns the exit code for that."""
    typer.echo(f"[emplace] {message}", err=True)
    return 2


@app.command(cls=_ProgramCommand, context_settings=_FORWARD)
def launch(
    context: typer.Context,
    script: Script,
    workers: Annotated[int, typer.Option(help="How many processes.", min=1)] = 1,
    gpus: Annotated[
        str | None,
        typer.Option(
            help="GPUs of each: so many of the real ones, or virtual ones as in `run`. The real "
            "ones are shared if left out."
        ),
    ] = None,
    restarts: Annotated[
        int, typer.Option(help="How often all start again when one has failed.", min=0)
    ] = 0,
) -> None:
    """Run a script in several workers on this machine, for MultiWorkerMirroredStrategy.

    Each worker gets its place in TF_CONFIG, and its lines begin with its number. When one fails,
    all are stopped. The exit code is that of the one that failed first.
    """
    program = _program(context, script)
    _use_gpus(gpus)
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    from .distribute.workers.processes.launch import launch as start

    try:
        code = start(program.words(), workers, gpus, restarts)
    except OSError as error:
        _fail(f"launch: {error.strerror} while {workers} workers were started.")
    raise typer.Exit(code)


@app.command(hidden=True, cls=_ProgramCommand, context_settings=_FORWARD)
def work(context: typer.Context, script: Script) -> None:
    """Run a script as one of the workers of `emplace launch`, which calls this."""
    from .distribute.workers.processes.begin import take_place

    try:
        take_place()
    except (LookupError, TypeError, ValueError):
        _fail("work: `emplace launch` starts workers. Call that.")
    from .hook import install

    install(False)
    raise typer.Exit(_run(_program(context, script)))


@app.command()
def devices(gpus: Gpus = None) -> None:
    """List every device: logical, physical, name, memory, limit."""
    _use_gpus(gpus)
    from .devices.config import set_per_process_memory_growth
    from .devices.table import devices as all_devices

    set_per_process_memory_growth(True)  # to look at a GPU is no reason to fill its memory
    typer.echo(str(all_devices()))


@app.command()
def kernels(
    op: Annotated[
        str | None, typer.Argument(help="One op, such as MatMul; all if left out.")
    ] = None,
) -> None:
    """List every op: the device types and element types it has kernels for."""
    from .base.errors import NotFoundError
    from .observe.kernels import kernels as all_kernels

    try:
        typer.echo(str(all_kernels(op)))
    except NotFoundError as error:
        _fail(f"kernels: {error} `emplace kernels` lists all ops.")


@app.command()
def doctor() -> None:
    """Say why there is no GPU: the first broken link and its fix."""
    from .devices.doctor import doctor as examine

    typer.echo(str(examine()))


def main() -> None:
    """The program `emplace`."""
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except _UsageError as error:
        context = getattr(error, "ctx", None)
        said = getattr(error, "format_message", error.__str__)().replace("\n", " ")
        how = f" See `{context.command_path} --help`." if context else ""
        sys.exit(_one_line(f"{said.rstrip('.')}.{how}"))
    except typer.Abort:
        sys.exit(130)
    sys.exit(code)
