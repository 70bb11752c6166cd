"""Compares what the cells of TensorFlow's documentation do here and on TensorFlow 2.21.

python -m scripts.documentation_cells THEIRS OURS           # names cells that are lost and new
python -m scripts.documentation_cells THEIRS OURS --write   # keeps the lists, writes the page
python -m scripts.documentation_cells --page                # writes the page from the lists
    --again THEIRS                   # another run of TensorFlow: where it prints otherwise itself

THEIRS and OURS are files of JSON: page -> its cells in order, each `{"cell": 3, "status": "ok",
"stdout": "...", "error": "...", "last": "..."}`; a status is "ok", "failed", "consequence" (a name
is missing since an earlier cell failed) or "not run". Cells that do not run on TensorFlow do not
count: what is downloaded has small stand-ins, or fails on both.

`tests/data/documentation.json` says per page how many cells run, and why others do not or print
something else; causes come from the rules below, and where none fits they are written by hand.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LISTS = ROOT / "tests" / "data" / "documentation.json"
PAGE = ROOT / "docs" / "DOCUMENTATION.md"
MARK = "<!-- made by scripts/documentation_cells.py: below this line nothing is written by hand -->"
UNKNOWN = "not looked at yet"
DIFFERS = "TensorFlow's runs"

# Pages about what Emplace does not have or does otherwise: counted apart.
APART = re.compile(r"dtensor|saved_model|distribut|multi_worker|parameter_server|tpu|tflite|profil")
GROUPS = ("guide", "tutorials", "r1")

# Why a cell fails: (cause, what the error looks like).
LOST = [
    ("TensorFlow Lite", r"tf\.lite|tflite"),
    ("SavedModel", r"saved_model|SavedModel|meta_graph"),
    ("DTensor", r"dtensor"),
    ("TPU", r"tpu|TPU"),
    ("profiler", r"summary\.trace|profiler"),
    ("time", r"time is over|^Late"),
]
MEANS = {
    "SavedModel": "A SavedModel is written or read; `.keras` files and checkpoints are served.",
    "DTensor": "DTensor is not served.",
    "TPU": "There are no TPUs.",
    "profiler": "`tf.summary.trace_on` and the profiler are refused; `emplace.watch()` tells more.",
    "time": "Not ended within the cell's 50 to 110 seconds on a busy machine.",
    "an error is expected": "The cell asserts that TensorFlow fails, and Emplace does not.",
    "clocks": "Seconds, dates and rates.",
    "random": "Numbers that nobody seeds.",
    "TensorFlow's runs": "Numbers after training which TensorFlow's own second run has otherwise, "
    "too.",
    "reading ahead": "TensorFlow reads ahead into the next pass of a shuffled dataset, which "
    "changes the order of later passes; with its option `inject_prefetch` off they are the same.",
    "rounding": "Numbers after a training that a change of the first weights by 1e-7 moves by half "
    "on TensorFlow itself.",
    "nodes of graphs": "Names and numbers of the operations of a graph, and its text.",
    "placement log": "Lines that TensorFlow's kernels for the processor add to the placement log.",
    "text of an error": "The same error in other words.",
    "names of classes": "The name of a class that is not public, or its address.",
    "checkpoint files": "The order of names in a checkpoint, and the form of its object graph.",
    "help texts": "What `help` says of a function.",
    "JPEG": "Pillow decodes JPEGs by the accurate integer transform, TensorFlow by the fast one.",
    "TensorFlow Lite": "TensorFlow Lite is not served.",
    "environment": "A package that only the other side's environment has.",
    "digits": "A scalar of 16 bits with as few digits as name it (`54.2`); TensorFlow: `54.1875`.",
    "Keras and checkpoints": "Keras's variables come back as saved; on TensorFlow 2.21 some "
    "keep their first values.",
    UNKNOWN: "Nobody has looked into these one by one.",
}  # fmt: skip

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
# Lines of logs and progress, which no two runs share.
LOG = re.compile(
    r"^\d{4}-\d\d-\d\d|^[IWEF]\d{4}|WARNING|^INFO|Warning|warn|Epoch \d|━|\d/step|\[=|cuda|oneDNN"
    r"|XLA|^Downloading|^\s*$"
)
PLAIN = [
    (r"0x[0-9a-fA-F]+", "ADDRESS"),
    (r"/tmp/[\w/.\-]+", "PATH"),
    (r"id=\d+", "ID"),
    (r"\b\d[\d.,e+-]*\s*(ms|us|µs|s|sec|secs|seconds?)\b", "TIME"),
    (r"<class '[\w.]+\.(\w+)'>", r"<class \1>"),
    (r"\{\{[^}]*\}\} | name:\s*$", ""),
    (r"([\[(])\s+", r"\1"),
    (r"\s+([\])])", r"\1"),
    (r"\s+", " "),
]


def plain(text: str) -> str:
    """What a cell printed, without addresses, paths, times and lines of a log."""
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line.split("\r")[-1]) for line in text.split("\n")]
    text = "\n".join(line for line in lines if not LOG.search(line))
    for pattern, instead in PLAIN:
        text = re.sub(pattern, instead, text)
    return text.strip()


def prints_alike(theirs: str, ours: str) -> bool:
    """Whether two outputs say the same, numbers within 2e-4."""
    theirs, ours = plain(theirs), plain(ours)
    if theirs == ours:
        return True
    words = [NUMBER.sub("#", text).replace(" ", "") for text in (theirs, ours)]
    numbers = [list(map(float, NUMBER.findall(text))) for text in (theirs, ours)]
    return words[0] == words[1] and all(
        abs(a - b) <= 2e-4 * max(abs(a), abs(b)) + 1e-6
        for a, b in zip(*numbers, strict=True)
    )  # fmt: skip


def cause_of(row: Mapping[str, Any]) -> str:
    """Why a cell fails, as far as its error tells."""
    text = f"{row.get('error')} {row.get('last')} {row.get('source', '')}"
    return next((cause for cause, pattern in LOST if re.search(pattern, text)), UNKNOWN)


def compared(
    theirs: Iterable[Mapping[str, Any]],
    ours: Iterable[Mapping[str, Any]],
    before: Mapping[str, Any],
    again: Iterable[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """What is kept of a page; causes that were written by hand stay.

    Args:
        theirs: the cells on TensorFlow.
        ours: the cells here.
        before: what was kept of the page.
        again: the cells in another run of TensorFlow, which may differ from the first.
    """
    second = {row["cell"]: row for row in again if row["status"] == "ok"}
    mine = {row["cell"]: row for row in ours}
    counting = [row for row in theirs if row["status"] == "ok" and row["cell"] in mine]
    lost: dict[str, str] = {}
    other: dict[str, str] = {}
    first = UNKNOWN
    for row in counting:
        number, here = str(row["cell"]), mine[row["cell"]]
        if here["status"] == "ok":
            if not prints_alike(row["stdout"], here["stdout"]):
                cause = before.get("prints otherwise", {}).get(number, UNKNOWN)
                second_output = second.get(row["cell"], row)["stdout"]
                differs = cause == UNKNOWN and not prints_alike(row["stdout"], second_output)
                other[number] = DIFFERS if differs else cause
            continue
        if here["status"] != "consequence":
            first = cause_of(here)
        cause = before.get("lost", {}).get(number, UNKNOWN)
        lost[number] = first if cause == UNKNOWN else cause
    return {"count": len(counting), "lost": lost, "prints otherwise": other}


def group_of(page: str) -> str:
    """The part of the documentation that a page belongs to."""
    parts = page.removeprefix("site/en/").split("/")
    return parts[0]


def table(pages: Mapping[str, Any]) -> Iterable[str]:
    """How many cells run, per part of the documentation."""
    yield "| part | pages | cells that count | run | | without SavedModel cells | print the same |"
    yield "|---|---|---|---|---|---|---|"
    rows: dict[str, list[Any]] = collections.defaultdict(list)
    for path, page in pages.items():
        group = "counted apart" if APART.search(path) else group_of(path)
        rows[group].append(page)
        if not APART.search(path):
            rows["all but those"].append(page)
    for group in (*GROUPS, "all but those", "counted apart"):
        here = rows[group]
        count = sum(page["count"] for page in here)
        lost = [cause for page in here for cause in page["lost"].values()]
        saved = lost.count("SavedModel")
        ran = count - len(lost)
        same = ran - sum(len(page["prints otherwise"]) for page in here)
        if count:
            yield (
                f"| {group} | {len(here)} | {count:,} | {ran:,} | {ran / count:.1%} "
                f"| {ran / max(count - saved, 1):.1%} | {same:,} |"
            )


def causes(pages: Mapping[str, Any], kind: str) -> Iterable[str]:
    """Why cells fail, or print something else, with the number of cells."""
    found = collections.Counter(
        cause for path, page in pages.items() for cause in page[kind].values()
    )
    yield "| cause | cells | what it means |"
    yield "|---|---|---|"
    for cause, number in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        yield f"| {cause} | {number} | {MEANS[cause]} |"


def page_text(pages: Mapping[str, Any]) -> str:
    """The page below its mark."""
    lines = [MARK, "", *table(pages), "", "## Why cells do not run", "", *causes(pages, "lost")]
    lines += ["", "## Why cells print something else", "", *causes(pages, "prints otherwise")]
    lines += ["", "## Page by page", ""]
    lines += ["| page | cells that count | run | print something else |", "|---|---|---|---|"]
    for path, page in sorted(pages.items()):
        name = path.removeprefix("site/en/").removesuffix(".ipynb")
        ran = page["count"] - len(page["lost"])
        numbers = ", ".join(sorted(page["prints otherwise"], key=int))
        lines.append(f"| {name} | {page['count']} | {ran} | {numbers} |")
    return "\n".join(lines) + "\n"


def write_page(pages: Mapping[str, Any]) -> None:
    """Writes what is below the mark of the page again."""
    above = PAGE.read_text().split(MARK)[0]
    PAGE.write_text(above + page_text(pages))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", nargs="*", type=Path, metavar="THEIRS OURS")
    parser.add_argument("--again", type=Path, metavar="THEIRS")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    listed: dict[str, Any] = json.loads(LISTS.read_text()) if LISTS.exists() else {}
    if options.page:
        write_page(listed)
        return 0
    theirs, ours = (json.loads(path.read_text()) for path in options.results)
    again = json.loads(options.again.read_text()) if options.again else {}
    pages = {
        path: compared(theirs[path], rows, listed.get(path, {}), again.get(path, ()))
        for path, rows in sorted(ours.items())
        if path in theirs
    }
    new = [
        f"{path} [{number}]"
        for path, page in pages.items()
        for number in page["lost"]
        if path in listed and number not in listed[path]["lost"]
    ]
    print("\n".join(table(pages)))
    if new:
        print("cells that ran before:", *new, sep="\n  ")
    if options.write and not new:  # the lists of known pages only shrink
        LISTS.write_text(json.dumps({**listed, **pages}, indent=1, sort_keys=True) + "\n")
        write_page({**listed, **pages})
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
