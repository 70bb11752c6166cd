"""Links between pages lead somewhere, also to headings, and every page is in the site's menu."""

from __future__ import annotations

import os
import pkgutil
import re
from functools import cache

import pytest

from scripts import docs_links, docs_pages

ROOT = docs_links.ROOT
MADE = {f"docs/{name}": text for name, text in docs_pages.pages().items()}
BESIDE = [name for name in docs_links.BESIDE if (ROOT / name).exists()]
PAGES = [*BESIDE, *sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))]


@cache
def text_of(path: str) -> str:
    return MADE[path] if path in MADE else (ROOT / path).read_text()


@pytest.mark.parametrize("path", [*PAGES, *(path for path in MADE if path.endswith(".md"))])
def test_links_of_a_page_lead_somewhere(path: str) -> None:
    for target in docs_links.links(text_of(path)):
        if docs_links.is_outside(target):
            continue
        place, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
        assert file in MADE or (ROOT / file).exists(), f"{path}: there is no {target}"
        if anchor:
            assert anchor in docs_links.anchors(text_of(file)), (
                f"{path}: {target} has no such heading"
            )


def test_files_that_pages_name_exist() -> None:
    folders = ("emplace", "tests", "scripts", "benchmarks", "docs", "examples", "requirements")
    files = {
        str(file.relative_to(ROOT)) for folder in folders for file in (ROOT / folder).rglob("*.*")
    }
    for path in PAGES:
        if path == "docs/TF1.md":  # which names programs of other people
            continue
        for name in re.findall(r"`([\w.-]+/[\w./-]+\.(?:py|json|md|txt))`", text_of(path)):
            assert any(f"/{file}".endswith(f"/{name}") for file in files), f"{path}: no {name}"


def test_a_page_has_no_two_headings_of_one_name() -> None:
    for path in PAGES:
        headings = re.findall(
            r"^#{2,} +(.+)$", re.sub(r"(?ms)^```.*?^```$", "", text_of(path)), re.M
        )
        slugs = [docs_links.slug(each) for each in headings]
        twice = {each for each in slugs if slugs.count(each) > 1}
        assert not twice or path == "CHANGELOG.md", f"{path}: {twice}"


def test_the_index_of_the_differences_has_every_section() -> None:
    text = text_of("docs/DIFFERENCES.md")
    sections = [docs_links.slug(title) for title in re.findall(r"^## (.+)$", text, re.MULTILINE)]
    assert [link[1:] for link in docs_links.links(text) if link.startswith("#")] == sections


def test_every_page_is_in_the_menu_of_the_site() -> None:
    menu = re.findall(r"[\w/.-]+\.md$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    pages = {docs_links.site_path(path) for path in [*PAGES, *MADE] if path.endswith(".md")}
    assert pages == set(menu)


def test_the_reference_names_what_exists() -> None:
    paths = re.findall(r"^::: (\S+)$", MADE["docs/reference/api.md"], re.MULTILINE)
    assert len(paths) > 15
    assert all(pkgutil.resolve_name(path) for path in paths)


def test_links_to_what_is_no_page_of_the_site_become_text() -> None:
    text = "See [a](docs/TF1.md#x), [b](Makefile), `[c](d)` and [e](https://example.org)."
    shown = docs_links.for_site(text, "README.md", lambda name: name == "TF1.md")
    assert shown == "See [a](TF1.md#x), b, `[c](d)` and [e](https://example.org)."


def test_links_to_files_beside_docs_lead_to_their_pages() -> None:
    shown = docs_links.for_site("[x](../../README.md)", "docs/tutorials/a.md", lambda name: True)
    assert shown == "[x](../index.md)"


def test_headings_are_named_as_readers_of_markdown_name_them() -> None:
    text = "# A `b.c`, d\n\n```\n# no heading\n```\n\n## e {: #f.g }\n"
    assert docs_links.anchors(text) == {"a-bc-d", "f.g"}
