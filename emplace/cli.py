"""The command line: `emplace run`, `emplace devices`, `emplace doctor`."""

from __future__ import annotations

import os
import runpy
import sys
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Programs written for TensorFlow, on PyTorch's kernels.",
)

_FORWARD = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "allow_interspersed_args": False,
}


@app.command(context_settings=_FORWARD)
def run(
    context: typer.Context,
    script: Annotated[str, typer.Argument(help="A Python script that imports tensorflow.")],
    gpus: Annotated[str | None, typer.Option(help="Virtual GPUs: 4, 4x1GB or 2x8GB,2x4GB.")] = None,
    log_placement: Annotated[
        bool, typer.Option("--log-placement", help="Log the device of every op.")
    ] = False,
    report: Annotated[
        str | None, typer.Option(help="Write a report to this file (.txt or .json) at the end.")
    ] = None,
) -> None:
    """Run a script written for TensorFlow on Emplace. What follows the script goes to it."""
    if not os.path.isfile(script):
        _fail(f"[emplace run] there is no file {script!r}.")
    if gpus is not None:
        os.environ["EMPLACE_GPUS"] = _checked_gpus(gpus)
    if report is not None:
        _check_writable(report)
    from .install import install

    install()
    if log_placement:
        from .observe.placement_log import set_log_device_placement

        set_log_device_placement(True)
    sys.argv = [script, *context.args]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    if report is None:
        runpy.run_path(script, run_name="__main__")
        return
    from .observe.report import watch

    watching = watch()
    try:
        with watching:
            runpy.run_path(script, run_name="__main__")
    finally:
        watching.save(report)
        print(watching.report(), file=sys.stderr)


def _checked_gpus(text: str) -> str:
    from .devices.virtual import parse_gpus

    try:
        parse_gpus(text)
    except ValueError as error:
        _fail(f"[emplace run] --gpus: {error}")
    return text


def _check_writable(path: str) -> None:
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK):
        _fail(
            f"[emplace run] --report: {path!r} cannot be written. "
            "Name a file in a folder that exists."
        )


def _fail(message: str) -> None:
    typer.echo(message, err=True)
    raise typer.Exit(2)


@app.command()
def devices(
    gpus: Annotated[str | None, typer.Option(help="Virtual GPUs: 4, 4x1GB or 2x8GB,2x4GB.")] = None,
) -> None:
    """List every device: logical, physical, name, memory, limit."""
    if gpus is not None:
        os.environ["EMPLACE_GPUS"] = _checked_gpus(gpus)
    from rich.console import Console
    from rich.table import Table

    from .devices.table import HEADINGS
    from .devices.table import devices as all_devices

    table = Table(*HEADINGS)
    for row in all_devices().cells():
        table.add_row(*row)
    Console().print(table)


@app.command()
def doctor() -> None:
    """Say why there is no GPU: the first broken link and its fix."""
    from .devices.doctor import doctor as examine

    typer.echo(str(examine()))


def main() -> None:
    """The program `emplace`."""
    app()
