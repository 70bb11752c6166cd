"""What mkdocs calls when it builds the site: made pages, files from elsewhere, and links.

mkdocs.yml names this file.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts import docs_links, docs_pages  # noqa: E402 - mkdocs loads this file by its path


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that are made, and those that lie outside of docs."""
    for source, place in docs_links.BESIDE.items():
        if (ROOT / source).exists():
            files.append(File.generated(config, place, content=(ROOT / source).read_text()))
    for place, text in docs_pages.pages().items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Links of the repository become links of the site."""
    place = page.file.src_uri
    sources = {place: source for source, place in docs_links.BESIDE.items()}
    path = sources.get(place, f"docs/{place}")
    return docs_links.for_site(
        markdown, path, lambda name: files.get_file_from_path(name) is not None
    )
