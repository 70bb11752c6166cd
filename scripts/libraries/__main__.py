"""Libraries written for TensorFlow, on Emplace and beside TensorFlow; writes docs/LIBRARIES.md.

    python -m scripts.libraries                        all of them
    python -m scripts.libraries einops Larq            some
    python -m scripts.libraries --tensorflow PYTHON    with an interpreter that has TensorFlow too
    python -m scripts.libraries --page                 writes the page from what is kept, no more

Libraries, and the outcome of each test, are kept in .libraries/; what the page says of them is in
scripts/libraries/outcomes.json.
"""

from __future__ import annotations

import argparse
import datetime
import os
import signal
import sys
from pathlib import Path

from . import page
from .install import search_path
from .outcomes import keep, kept, of_programs, of_tests, passed
from .running import ROOT, Side, imports, run_programs, run_tests, test_files
from .table import LIBRARIES, Library


def one(library: Library, given: argparse.Namespace) -> dict[str, object]:
    """Runs one library and says what the page is to say of it."""
    paths = search_path(library, given.folder / "sites", sys.executable, given.repositories)
    here = Side("emplace", sys.executable, given.seconds, given.files)
    there = (
        Side("tensorflow", given.tensorflow, given.seconds, given.files)
        if given.tensorflow
        else None
    )
    stem = library.packages[0].replace("==", "-")
    ours, theirs = (given.folder / f"{stem}.{on}.jsonl" for on in ("emplace", "tensorflow"))
    said: dict[str, object] = {
        "version": library.version,
        "made": datetime.date.today().isoformat(),
        "import": imports(library, paths, here),
    }
    if not library.tests:
        return said | of_programs(
            run_programs(library, paths, here), run_programs(library, paths, there) if there else {}
        )
    if given.fresh or given.again:
        ours.unlink(missing_ok=True)
    if there and given.fresh:
        theirs.unlink(missing_ok=True)
    if there and (given.tests or not theirs.exists()):
        run_tests(library, paths, there, theirs, None, given.tests)
    if not said["import"]:
        run_tests(library, paths, here, ours, passed(theirs) or None, given.tests)
    return said | of_tests(ours, theirs, len(test_files(paths[0], library.tests)))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="libraries, as the table names them")
    parser.add_argument("--tensorflow", default="", help="an interpreter that has TensorFlow")
    parser.add_argument("--repositories", default="", help="git directories owner+name/repo")
    parser.add_argument("--folder", type=Path, default=ROOT / ".libraries", help="for all of it")
    parser.add_argument("--seconds", type=int, default=0, help="limit of each run of tests")
    parser.add_argument("--files", type=int, default=0, help="so many test files of each")
    parser.add_argument("--sample", default="0", help="so many tests of each, spread evenly")
    parser.add_argument("--tests", nargs="*", default=(), help="files to add to what was run")
    parser.add_argument("--fresh", action="store_true", help="forget earlier outcomes")
    parser.add_argument("--again", action="store_true", help="forget earlier outcomes of ours")
    parser.add_argument("--page", action="store_true", help="only write the page")
    given = parser.parse_args()
    os.environ["LIBRARY_SAMPLE"] = given.sample
    given.folder.mkdir(parents=True, exist_ok=True)
    unknown = set(given.names) - {each.name for each in LIBRARIES}
    if unknown:
        sys.exit(f"[libraries] {', '.join(sorted(unknown))}: not in scripts/libraries/table.py.")
    # Else the tests that run when this is ended would go on without it.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    for library in LIBRARIES:
        if not given.page and (not given.names or library.name in given.names):
            said = one(library, given)  # which takes long: others may keep theirs meanwhile
            keep(kept() | {library.name: said})
            print(page.row(library.name, kept()[library.name]), flush=True)
    page.write()


if __name__ == "__main__":
    main()
