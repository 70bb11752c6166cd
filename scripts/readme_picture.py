"""Draws the picture of the README: the report of the demo, from a run of it.

    python scripts/readme_picture.py        # docs/images/report.svg

The times in it are those of this machine and this run.
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "report.svg"
COMMAND = ["run", "--gpus", "4x256MB", "--report"]
SCRIPT = "examples/digits.py"
WIDTH = 104

# As rich draws a terminal, without fonts from the network.
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img">
<title>Report of a run of the demo</title>
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def measured() -> str:
    """The report of a run of the demo."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.txt"
        subprocess.run(
            [sys.executable, "-m", "emplace", *COMMAND, str(report), SCRIPT],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        return report.read_text()


def coloured(report: str) -> Text:
    """The report with its titles, devices, limits and source lines in colours."""
    text = Text(report.rstrip("\n"))
    text.highlight_regex(r"(?m)^[a-z].*$", "bold")
    text.highlight_regex(r"[CG]PU:\d(-\d)?", "cyan")
    text.highlight_regex(r"\w+\.py:\d+", "yellow")
    text.highlight_regex(r"[\d.]+ [KMG]iB", "green")
    return text


def drawn(report: str) -> str:
    """The picture."""
    console = Console(record=True, width=WIDTH, file=io.StringIO())
    console.print(Text("$ emplace " + " ".join([*COMMAND, "report.txt", SCRIPT]), "bold magenta"))
    console.print()
    console.print(coloured(report))
    return console.export_svg(title="emplace", code_format=FORMAT, unique_id="report")


def main() -> None:
    PICTURE.parent.mkdir(exist_ok=True)
    svg = drawn(measured())
    PICTURE.write_text("\n".join(line.rstrip() for line in svg.splitlines()) + "\n")
    print(f"wrote {PICTURE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
