"""Links of the documentation: which there are, where they lead, and what the site makes of them.

Pages are written for readers of the repository: links are relative to the file. In the site the
README is the first page, some other files are pages, too, and what is no page is named without a
link.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

# Files outside of docs that are pages of the site, by their places in it.
BESIDE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "benchmarks/README.md": "benchmarks.md",
}

_FENCE = re.compile(r"^(```|~~~).*?^\1$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_LINK = re.compile(r"(!?)\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)(?: *\{: *#([\w.-]+) *\})? *$", re.MULTILINE)


def is_outside(target: str) -> bool:
    """Whether a link leads to another site."""
    return bool(re.match(r"[a-z]+:", target))


def links(text: str) -> list[str]:
    """Where a page's links and pictures lead, outside of code."""
    return [match[3] for match in _LINK.finditer(_without_code(text))]


def anchors(text: str) -> set[str]:
    """What a link may name behind `#`: a page's headings."""
    return {given or slug(title) for title, given in _HEADING.findall(_FENCE.sub("", text))}


def slug(title: str) -> str:
    """What Markdown's readers make of a heading."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode()
    plain = re.sub(r"[^\w\s-]", "", plain.replace("`", "")).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)


def for_site(text: str, path: str, is_page: Callable[[str], bool]) -> str:
    """A page's text as the site shows it.

    Args:
        text: Markdown.
        path: of the page, in the repository; its links are relative to it.
        is_page: whether the site has a page or picture of this name, below docs.
    """

    def moved(match: re.Match[str]) -> str:
        picture, title, target = match.groups()
        if is_outside(target) or target.startswith("#"):
            return match[0]
        place, sign, anchor = target.partition("#")
        page = site_path(os.path.normpath(os.path.join(os.path.dirname(path), place)))
        if page is None or not is_page(page):
            return title
        here = os.path.dirname(site_path(path) or path)
        return f"{picture}[{title}]({os.path.relpath(page, here or '.')}{sign}{anchor})"

    spans: list[str] = []

    def keep(match: re.Match[str]) -> str:
        spans.append(match[0])
        return f"\0{len(spans) - 1}\0"

    hidden = _CODE.sub(keep, _FENCE.sub(keep, text))
    hidden = _LINK.sub(moved, hidden)
    while "\0" in hidden:
        hidden = re.sub(r"\0(\d+)\0", lambda match: spans[int(match[1])], hidden)
    return hidden


def site_path(path: str) -> str | None:
    """The place of a file of the repository in the site; None if it has none."""
    if path in BESIDE:
        return BESIDE[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def _without_code(text: str) -> str:
    return _CODE.sub("", _FENCE.sub("", text))
