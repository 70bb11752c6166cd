"""Every program of the README and of the pages below docs runs, and prints what the page says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import docs_pages, docs_snippets

ROOT = docs_snippets.ROOT
README = (ROOT / "README.md").read_text()
PAGES = {str(page.relative_to(ROOT)): page for page in docs_snippets.pages()}
WITH_COMMANDS = [
    name
    for name, page in PAGES.items()
    if any(block.language == "console" for block in docs_snippets.blocks(page.read_text()))
]


@pytest.fixture(scope="module")
def runner() -> Iterator[docs_snippets.Runner]:
    with docs_snippets.Runner() as runner:
        yield runner


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name == "README.md" else pytest.mark.slow)
        for name in WITH_COMMANDS
    ],
)
def test_the_programs_of_a_page_print_what_it_says(
    name: str, runner: docs_snippets.Runner, tmp_path: Path
) -> None:
    for command, printed in docs_snippets.ran(runner, PAGES[name], tmp_path):
        assert command.agrees(printed), (
            f"{name}: $ {command.line}\nprints\n{printed}\ninstead of\n{command.listed}\n"
            f"If that is right: python -m scripts.docs_snippets --write {name}"
        )


def test_every_program_of_a_page_is_run_by_a_command_of_that_page() -> None:
    for name, page in PAGES.items():
        blocks = docs_snippets.blocks(page.read_text())
        lines = [each.line for block in blocks if block.language == "console"
                 for each in docs_snippets.commands(block)]  # fmt: skip
        for block in blocks:
            if block.language == "python":
                assert block.title, f"{name}: a program has no title=:\n{block.text}"
                used = [line for line in lines if block.title in line.split()]
                assert used, f"{name}: no command runs {block.title}"


def test_a_page_has_no_programs_outside_of_blocks() -> None:
    for name, page in PAGES.items():
        assert "    >>> " not in page.read_text(), f"{name}: use a block with a title"


# What docs/DIFFERENCES.md calls missing, as it names it.
MISSING = [
    "tf.raw_ops.QuantizedConv2D",
    "tf.raw_ops.QuantizedMatMul",
    "tf.image.generate_bounding_box_proposals",
    "tf.compat.v1.get_session_handle",
    "tf.import_graph_def",
    "tf.compat.v1.LMDBReader",
    "tf.data.experimental.table_from_dataset",
    "tf.data.experimental.index_table_from_dataset",
    "tf.Variable.experimental_ref",
    "tf.Variable.from_proto",
    "tf.Variable.to_proto",
]


@pytest.mark.parametrize("name", MISSING)
def test_what_the_differences_call_missing_is_missing(name: str) -> None:
    assert name.rpartition(".")[2] in (ROOT / "docs/DIFFERENCES.md").read_text()
    assert not docs_pages.exists(name), f"{name} is there now: take it out of docs/DIFFERENCES.md"


def test_the_figures_of_the_readme_are_the_kept_ones() -> None:
    first, last = docs_pages.MARKS
    table = README.split(first)[1].split(last)[0].strip()
    assert table == docs_pages.figures().strip(), "run python -m scripts.docs_pages --readme"


def test_the_ratios_that_the_readme_tells_are_the_kept_ones() -> None:
    kept = docs_pages.results()
    add = kept["eager"]["rows"]["add"]["emplace_over"]["tensorflow"]
    call = kept["graphs"]["rows"]["small function call"]["emplace_over"]["tensorflow"]
    assert f"`a + b` takes {100 * add:.0f} % of TensorFlow's time" in README
    assert f"a call of a small `tf.function` {100 * call:.0f} %" in README
    steps = [row["emplace_over"]["tensorflow"] for name, row in kept["keras"]["rows"].items()
             if name.endswith(" step")]  # fmt: skip
    assert f"takes {min(steps):.2f} to {max(steps):.2f} of TensorFlow's time per step" in README


def test_the_page_of_figures_tells_how_many_pictures_replicas_learn_from_in_a_second() -> None:
    rows = docs_pages.results()["strategies"]["rows"]
    speeds = [
        f"{128 / rows[f'cifar10 {count}']['median_us']['emplace'] * 1e6:.0f}"
        for count in ("plain", "1", "2", "4")
    ]
    line = "| CIFAR-10 tutorial's network, batches of 128 | Emplace | " + " | ".join(speeds) + " |"
    assert line in docs_pages.performance_page().splitlines()


def test_the_readme_tells_how_many_of_keras_tests_pass() -> None:
    lines = (ROOT / "tests/keras/known_failures.txt").read_text().splitlines()
    failures = sum(bool(line) and not line.startswith("#") for line in lines)
    assert f"{12_561 - failures:,} of the 12,561 tests of Keras" in README


def test_the_picture_of_the_readme_needs_nothing_from_the_network() -> None:
    picture = (ROOT / "docs/images/report.svg").read_text()
    assert "emplace&#160;report:" in picture
    assert "url(http" not in picture
    assert "@import" not in picture
