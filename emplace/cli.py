"""The command line: `emplace run`, `launch`, `devices`, `kernels`, `doctor`.

Everything but typer is loaded by the command that needs it, so that `--help` is quick.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import Annotated, NoReturn

import typer

from .base import flags

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Programs written for TensorFlow, on PyTorch's kernels.",
)

_FORWARD = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "allow_interspersed_args": False,
}

Gpus = Annotated[str | None, typer.Option(help="Virtual GPUs: 4, 4x1GB or 2x8GB,2x4GB.")]


@app.command(context_settings=_FORWARD)
def run(
    context: typer.Context,
    script: Annotated[str, typer.Argument(help="A Python script that imports tensorflow.")],
    gpus: Gpus = None,
    log_placement: Annotated[
        bool, typer.Option("--log-placement", help="Log the device of every op.")
    ] = False,
    tf1: Annotated[
        bool, typer.Option("--tf1", help="Serve TensorFlow 1: graphs and sessions.")
    ] = False,
    report: Annotated[
        str | None,
        typer.Option(
            help="Write a report to this file (.txt or .json) at the end.",
            envvar=flags.REPORT.name,
        ),
    ] = None,
) -> None:
    """Run a script written for TensorFlow on Emplace. What follows the script goes to it."""
    if not os.path.isfile(script):
        _fail(f"there is no file {script!r}. Name a Python script; options stand before it.")
    _use_gpus(gpus)
    if report is not None:
        _check_writable(report)
    from .hook import install

    install(tf1)
    if log_placement:
        from .observe.placement_log import set_log_device_placement

        set_log_device_placement(True)
    with _reporting(report):
        _run_script(script, context.args)


def _run_script(script: str, arguments: list[str]) -> None:
    """Runs a script as `python script` does, with its own folder first on the path."""
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit:
        raise
    except BaseException as error:
        # Python would show the script's lines only, and so do we.
        error = error.with_traceback(_from_script(error.__traceback__, script))
        sys.last_value = error  # as Python does, for those who ask at the end
        sys.excepthook(type(error), error, error.__traceback__)
        raise typer.Exit(130 if isinstance(error, KeyboardInterrupt) else 1) from None


def _from_script(part: TracebackType | None, script: str) -> TracebackType | None:
    """The part of a traceback that begins in the script; None if it did not begin to run."""
    while part is not None and part.tb_frame.f_code.co_filename != script:
        part = part.tb_next
    return part


@contextlib.contextmanager
def _reporting(path: str | None) -> Iterator[None]:
    """Watches, and at the end saves the report and shows it, also if the script failed."""
    if path is None:
        yield
        return
    from .observe.report import watch

    watching = watch()
    try:
        with watching:
            yield
    finally:
        report = watching.report()
        print(report, file=sys.stderr)
        try:
            report.save(path)
        except OSError as error:
            _fail(f"--report: {error}")


def _use_gpus(text: str | None) -> None:
    if text is None:
        return
    from .devices.virtual import parse_gpus

    try:
        parse_gpus(text)
    except ValueError as error:
        _fail(f"--gpus: {error}")
    os.environ[flags.GPUS.name] = text


def _check_writable(path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        _fail(f"--report: {path!r} cannot be written. Name a file in a folder that exists.")


def _fail(message: str) -> NoReturn:
    typer.echo(f"[emplace] {message}", err=True)
    raise typer.Exit(2)


@app.command(context_settings=_FORWARD)
def launch(
    context: typer.Context,
    script: Annotated[str, typer.Argument(help="A Python script that imports tensorflow.")],
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
    if not os.path.isfile(script):
        _fail(f"there is no file {script!r}. Name a Python script; options stand before it.")
    _use_gpus(gpus)
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    from .distribute.workers.launch import launch as start

    raise typer.Exit(start([script, *context.args], workers, gpus, restarts))


@app.command(hidden=True, context_settings=_FORWARD)
def work(context: typer.Context, script: str) -> None:
    """Run a script as one of the workers of `emplace launch`, which calls this."""
    from .distribute.workers.begin import PLAN, take_place

    if PLAN not in os.environ:
        _fail("work: `emplace launch` starts workers. Call that.")
    take_place()
    from .hook import install

    install(False)
    _run_script(script, context.args)


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
    app()
