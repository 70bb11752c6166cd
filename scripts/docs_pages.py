"""The pages of the documentation that are made of the code and of kept measurements.

They are made when the site is built (`scripts/docs_hook.py`) and when links are tested, and no
copy of them is kept: so they cannot be out of date, and a change of the code changes no page beside
it. The table of the README alone is kept, since the README is read without a site; a test compares
it.

    python -m scripts.docs_pages                # which pages there are
    python -m scripts.docs_pages --readme       # write the figures of the README again
"""

from __future__ import annotations

import functools
import inspect
import json
import math
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import emplace
import emplace.tensorflow as tf
from emplace.base.missing import Missing

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
DATA = ROOT / "tests" / "data"
PEERS = {"emplace": "Emplace", "torch": "torch", "tensorflow": "TensorFlow", "jax": "JAX"}
MARKS = "<!-- figures -->\n", "<!-- end of figures -->\n"


def pages() -> dict[str, str]:
    """The text of every page, by its path below docs."""
    made = {
        "reference/api.md": api_page(),
        "reference/commands.md": commands_page(),
        "reference/names.md": names_page(),
        "performance.md": performance_page(),
    }
    charts = {f"images/{suite}.svg": chart(result) for suite, result in results().items()
              if suite != "library" and _beside_tensorflow(result)}  # fmt: skip
    return made | charts


# **** the names of TensorFlow ****

# Modules of the facade under another name than TensorFlow's, which has each below another one.
_OTHER_NAMES = {"tf.dtypes_experimental", "tf.math_special", "tf.nn_experimental"}


def served() -> dict[str, dict[str, Any]]:
    """What each public namespace of the facade holds."""
    found: dict[str, dict[str, Any]] = {}
    _collect(tf, "tf", found, ())
    return {name: found[name] for name in sorted(found)}


def _collect(
    module: ModuleType, name: str, found: dict[str, dict[str, Any]], above: tuple[ModuleType, ...]
) -> None:
    members = {each: getattr(module, each) for each in dir(module) if not each.startswith("_")}
    inner = {each: value for each, value in members.items() if isinstance(value, ModuleType)}
    found[name] = {each: members[each] for each in sorted(members.keys() - inner.keys())}
    for each, value in inner.items():
        path = f"{name}.{each}"
        ours = value.__name__.startswith(tf.__name__)
        if ours and path not in _OTHER_NAMES and value not in above:
            _collect(value, path, found, (*above, module))


def names_page() -> str:
    """Every public name of the facade, by namespace."""
    spaces = {name: members for name, members in served().items() if members}
    total = sum(
        not isinstance(value, Missing) for each in spaces.values() for value in each.values()
    )
    old = json.loads((DATA / "tf1_names.json").read_text())
    parts = [
        "# TensorFlow names that are served",
        f"{total:,} names in {len(spaces)} namespaces. Of the {old['names']:,} names that "
        f"`tf.compat.v1` has in TensorFlow 2.21, {len(old['present']):,} exist. `tf.keras` is "
        "Keras 3 itself. Of `tf.raw_ops` those that compute something are listed. "
        "[Missing names](#missing-names) stand at the end. "
        "A name that is not served raises an error that says what to use instead.",
    ]
    for space, members in spaces.items():
        parts.append(f"## {space}")
        if space == "tf.raw_ops":
            parts.append(", ".join(f"`{name}`" for name in members))
            continue
        rows = [(f"`{name}`", _summary(value)) for name, value in members.items()]
        parts.append(table(("name", ""), rows))
    parts += ["## Missing names", *_missing_names()]
    return "\n\n".join(parts) + "\n"


def _missing_names() -> list[str]:
    """The names of TensorFlow that there are not, by namespace."""
    missing: dict[str, list[str]] = {}
    for name in json.loads((DATA / "tf_names.json").read_text()):
        space, _, last = name.rpartition(".")
        if not exists(name):
            missing.setdefault(space, []).append(f"`{last}`")
    count = sum(map(len, missing.values()))
    rows = [(f"`{space}`", ", ".join(names)) for space, names in missing.items()]
    about = f"{count:,} public names of TensorFlow 2.21, beside those of `tf.compat`, do not exist."
    return [about, table(("namespace", "names"), rows)]


def exists(name: str) -> bool:
    """Whether the facade has a dotted name such as "tf.nn.relu". What refuses is none."""
    try:
        found = functools.reduce(getattr, name.split(".")[1:], tf)
    except AttributeError:
        return False
    return not isinstance(found, Missing) and getattr(found, "refuses", False) is not True


def _summary(value: Any) -> str:
    """What something is, in a line: the first sentence of its own docstring."""
    if not (inspect.isclass(value) or callable(value)):
        return (
            f"`{value!r}`"
            if isinstance(value, str | int | float | tuple | None)
            else type(value).__name__
        )
    first = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    first = re.sub(r" ?\(`tf\.[\w.]+`\)", "", first).replace("|", "\\|")
    return first if isinstance(value, Missing) else first.split(". ")[0].rstrip(".")


# **** emplace's own names ****

_MORE = {
    "What they return": (
        "emplace.observe.explain.Explanation",
        "emplace.observe.explain_plan.PlanExplanation",
        "emplace.observe.explain_model.ModelExplanation",
        "emplace.observe.report.Watch",
        "emplace.observe.report.Report",
        "emplace.devices.doctor.Diagnosis",
    ),
}


def api_page() -> str:
    """The reference of `emplace`, which mkdocstrings fills with docstrings."""
    parts = [
        "# API",
        "What TensorFlow does not have. `import emplace` loads neither torch nor NumPy.",
        "## emplace {: #emplace }",
    ]
    for name in emplace.__all__:
        if name != "testing":  # a module, which needs pytest
            parts.append(_documented(f"emplace.{name}", _home(getattr(emplace, name))))
    parts.append("## emplace.testing {: #emplace.testing }")
    parts.append(
        "Help for tests, and a pytest plugin: the marker `gpus` and the fixture `virtual_gpus`."
    )
    for name in ("assert_placed", "assert_no_copies", "fresh_runtime", "virtual_gpus"):
        parts.append(_documented(f"emplace.testing.{name}", f"emplace.testing.{name}"))
    parts.append(
        "## Strategies\n\nMethods that strategies of `tf.distribute` have beside TensorFlow's."
    )
    for method in (tf.distribute.Strategy.check_equivalence, tf.distribute.Strategy.report):
        parts.append(_documented(f"strategy.{method.__name__}", _home(method)))
    for title, paths in _MORE.items():
        parts.append(f"## {title}")
        parts += [_documented(path.rsplit(".", 1)[1], path) for path in paths]
    return "\n\n".join(parts) + "\n"


def _home(value: Any) -> str:
    """Where something is defined. `emplace.devices` is a folder that can be called."""
    if isinstance(value, ModuleType):
        return f"{value.__name__}.table.{value.__name__.rsplit('.', 1)[-1]}"
    return f"{value.__module__}.{value.__qualname__}"


def _documented(name: str, path: str) -> str:
    return f"::: {path}\n    options:\n      heading: {name}"


# **** the command line ****


def commands_page() -> str:
    """What `emplace --help` and `emplace COMMAND --help` say."""
    words = re.findall(r"^  (\w+)  ", _help(), re.MULTILINE)
    parts = ["# Command line", f"```text\n{_help()}```"]
    parts += [f"## emplace {word}\n\n```text\n{_help(word)}```" for word in words]
    return "\n\n".join(parts) + "\n"


def _help(*words: str) -> str:
    code = "from emplace.cli import app; app(prog_name='emplace')"
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "--help"],
        cwd=ROOT, capture_output=True, text=True, check=True, timeout=100,
    )  # fmt: skip
    return done.stdout.strip() + "\n"


# **** measurements ****

_TITLES = {
    "eager": "Eager ops",
    "graphs": "Functions and sessions",
    "networks": "Networks",
    "keras": "Keras",
    "data": "tf.data",
    "strategies": "Replicas",
    "library": "The op library",
}
# Steps of the strategies, and the examples that one of them takes.
_BATCHES = {
    "cifar10": ("CIFAR-10 tutorial's network, batches of 128", 128),
    "cnn": ("CNN on images of 8 x 8, batches of 512", 512),
    "mlp": ("perceptron, batches of 512", 512),
    "fit": ("the CNN by Keras's `fit`", 512),
}
_REPLICAS = {
    "plain": "one device", "1": "1 replica", "2": "2 replicas", "4": "4 replicas"
}  # fmt: skip
_README_ROWS = {
    ("eager", "add"): "`a + b`",
    ("eager", "matmul"): "`tf.matmul(a, b)`",
    ("eager", "gradient"): "gradient of `reduce_sum(relu(x @ w))`",
    ("graphs", "small function call"): "call of a small `tf.function`",
    ("graphs", "session run"): "`Session.run` of a small graph",
    ("networks", "cifar10 step"): "CIFAR-10 step, op by op",
    ("networks", "cifar10 compiled"): "CIFAR-10 step, `tf.function`",
    ("graphs", "lstm loop step"): "LSTM of 200 steps in a `tf.while_loop`",
}


def results() -> dict[str, dict[str, Any]]:
    """The kept results, by suite."""
    kept = {
        path.stem.split("-")[0]: json.loads(path.read_text()) for path in RESULTS.glob("*.json")
    }
    return {suite: kept[suite] for suite in sorted(kept, key=[*_TITLES, *kept].index)}


def performance_page() -> str:
    """Every kept measurement, as tables and pictures."""
    parts = [
        "# Performance",
        "Medians, beside TensorFlow, torch and JAX, on the CPU of one machine with two cores. "
        "Compare ratios, not times: machines differ. "
        "[How figures are taken](../benchmarks/README.md) says what is measured and how to repeat "
        "it. The *spread* is the middle half of all rounds over the median, of the least steady "
        "library of a row: where it is above 0.1 a ratio is rough.",
    ]
    for suite, result in results().items():
        parts += _suite(suite, result)
    return "\n\n".join(parts) + "\n"


def _suite(suite: str, result: Mapping[str, Any]) -> Iterator[str]:
    versions = ", ".join(
        f"{PEERS[peer]} {result['versions'][peer]}" for peer in PEERS if peer in result["versions"]
    )
    yield f"## {_TITLES.get(suite, suite)}"
    yield f"{result['date']}, Python {result['python']}, {versions}."
    if suite == "library":
        over = [row["emplace_over"]["tensorflow"] for row in result["rows"].values()]
        yield (
            f"{sum(ratio <= 1 for ratio in over)} of {len(over)} rows take no longer than in "
            f"TensorFlow's eager mode; the median takes {statistics.median(over):.2g} of its time."
        )
        yield f'??? note "All {len(over)} rows"\n\n' + _indented(_times(result))
        return
    if _beside_tensorflow(result):
        yield f"![Times of {_TITLES.get(suite, suite)} beside TensorFlow's](images/{suite}.svg)"
    if suite == "strategies":
        yield _examples_a_second(result)
    yield _times(result)


def _examples_a_second(result: Mapping[str, Any]) -> str:
    """How many examples a second each number of replicas trains on, all on one core."""
    rows = []
    for step, (what, batch) in _BATCHES.items():
        for peer in PEERS:
            medians = [
                result["rows"].get(f"{step} {count}", {}).get("median_us", {}).get(peer)
                for count in _REPLICAS
            ]
            if any(medians):
                speeds = ("" if each is None else f"{batch / each * 1e6:.0f}" for each in medians)
                rows.append((what, PEERS[peer], *speeds))
    return table(("examples a second", "", *_REPLICAS.values()), rows)


def _beside_tensorflow(result: Mapping[str, Any]) -> dict[str, float]:
    """The time of each row over TensorFlow's."""
    return {
        row: ratios["emplace_over"]["tensorflow"]
        for row, ratios in result["rows"].items()
        if "tensorflow" in ratios["emplace_over"]
    }


def _times(result: Mapping[str, Any]) -> str:
    peers = [peer for peer in PEERS if peer in result["versions"]]
    rows = [
        (
            row,
            found["what"].replace("|", "\\|"),
            *(_time(found["median_us"].get(peer)) for peer in peers),
            _ratio(found["emplace_over"].get("tensorflow")),
            f"{max(found['spread'].values()):.2f}",
        )
        for row, found in result["rows"].items()
    ]
    titles = ("row", "what", *(PEERS[peer] for peer in peers), "of TensorFlow's", "spread")
    return table(titles, rows)


def _time(microseconds: float | None) -> str:
    if microseconds is None:
        return ""
    if microseconds < 1e3:
        return f"{microseconds:.3g} µs"
    return f"{microseconds / 1e3:.3g} ms" if microseconds < 1e6 else f"{microseconds / 1e6:.3g} s"


def _ratio(ratio: float | None) -> str:
    return "" if ratio is None else f"{ratio:.2g}"


def figures() -> str:
    """The table of the README."""
    kept, peers = results(), list(PEERS)
    rows = []
    for (suite, row), what in _README_ROWS.items():
        medians = kept[suite]["rows"][row]["median_us"]
        rows.append((what, *(_time(medians.get(peer)) for peer in peers)))
    return table(("", *PEERS.values()), rows) + "\n"


def chart(result: Mapping[str, Any]) -> str:
    """A picture: the time of each row over TensorFlow's, on a logarithmic scale."""
    rows = _beside_tensorflow(result)
    left, width, height = 190, 460, 22
    span = max(max(abs(math.log10(ratio)) for ratio in rows.values()), 0.5)
    middle = left + width / 2
    bottom = height * len(rows) + 10
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" '
        f'height="{bottom + 26}" viewBox="0 0 {left + width + 20} {bottom + 26}" '
        'font-family="sans-serif" font-size="13">',
        f"<title>{result['suite']}: time over TensorFlow's</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for i, (row, ratio) in enumerate(rows.items()):
        end, y = middle + width / 2 * math.log10(ratio) / span * 0.82, 10 + i * height
        colour, side, gap = ("#2a9d8f", "end", -5) if ratio <= 1 else ("#e07a5f", "start", 5)
        lines += [
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end" fill="#333">{_escaped(row)}'
            "</text>",
            f'<rect x="{min(middle, end):.1f}" y="{y + 2}" width="{abs(end - middle):.1f}" '
            f'height="{height - 7}" fill="{colour}"/>',
            f'<text x="{end + gap:.1f}" y="{y + 13}" text-anchor="{side}" fill="#333">{ratio:.2g}'
            "</text>",
        ]
    lines += [
        f'<line x1="{middle}" y1="6" x2="{middle}" y2="{bottom}" stroke="#333"/>',
        f'<text x="{middle}" y="{bottom + 17}" text-anchor="middle" fill="#333">'
        "less time than TensorFlow ◂ 1 ▸ more</text>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


# **** Markdown ****


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table of Markdown."""
    lines = [titles, tuple("---" for _ in titles), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def main(arguments: list[str]) -> None:
    if arguments == ["--readme"]:
        readme = ROOT / "README.md"
        before, rest = readme.read_text().split(MARKS[0])
        after = rest.split(MARKS[1])[1]
        readme.write_text(before + MARKS[0] + "\n" + figures() + "\n" + MARKS[1] + after)
        return
    for path, text in pages().items():
        print(f"{path}  {len(text):,} characters")


if __name__ == "__main__":
    main(sys.argv[1:])
