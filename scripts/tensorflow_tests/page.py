"""The page of the lists, docs/CONFORMANCE.md: its tables are made of them."""

from __future__ import annotations

from . import lists
from .lists import APART, Cause, read_list

PAGE = lists.ROOT / "docs" / "CONFORMANCE.md"
MARK = "<!-- made by scripts/tensorflow_tests: below this line nothing is written by hand -->"


def table() -> str:
    """The page's tables, from the lists."""
    lines = [
        "| group | files | tests that count | pass | | apart from graphs as files and clusters |",
        "|---|---|---|---|---|---|",
    ]
    causes = []
    for path in sorted(lists.LISTS.glob("*.json")):
        listed = read_list(path.stem)
        counts = sum(f["counts"] for f in listed.files.values())
        passes = sum(f["passes"] for f in listed.files.values())
        share = f"{100 * passes / counts:.1f} %" if counts else ""
        apart = [t for name in APART for t in listed.causes.get(name, Cause("")).tests.values()]
        rest = counts - sum(map(len, apart))
        without = f"{100 * passes / rest:.1f} %" if rest else ""
        lines.append(
            f"| {path.stem} | {len(listed.files)} | {counts:,} | {passes:,} | {share} | {without} |"
        )
        rows = sorted(
            ((sum(map(len, c.tests.values())), name, c.means) for name, c in listed.causes.items()),
            key=lambda row: (-row[0], row[1]),
        )
        if rows:
            causes += [
                "",
                f"### {path.stem}",
                "",
                "| cause | tests | what it means |",
                "|---|---|---|",
            ]
            causes += [f"| {name} | {n} | {means} |" for n, name, means in rows]
    return "\n".join([*lines, "", "## Why the others fail", *causes]) + "\n"


def write_page() -> None:
    """The tables, below what the page says by hand."""
    head = PAGE.read_text().split(MARK)[0] if PAGE.exists() else "# Conformance\n\n"
    PAGE.write_text(f"{head}{MARK}\n\n{table()}")
