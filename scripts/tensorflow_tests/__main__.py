"""Compares results of TensorFlow's own tests with what is listed, by group of files.

python -m scripts.tensorflow_tests RESULTS           # names new failures, and fails on any
python -m scripts.tensorflow_tests RESULTS -v        # and their errors
python -m scripts.tensorflow_tests RESULTS --write   # shortens lists, adds files, writes the page
python -m scripts.tensorflow_tests --page            # writes the page from the lists

RESULTS is a folder that `python -m scripts.tensorflow_tests.run` has filled.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .lists import File, compare, group_of, read_list, read_results, shrink, write_list
from .page import table, write_page


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("-v", action="store_true", dest="verbose")
    options = parser.parse_args()
    new: dict[tuple[str, str], str] = {}
    if options.results:
        by_group: dict[str, dict[str, File]] = {}
        for file, found in read_results(options.results).items():
            by_group.setdefault(group_of(file), {})[file] = found
        for group, results in by_group.items():
            listed = read_list(group)
            lost = compare(listed, results)
            new.update(lost)
            if options.write and not lost:
                shrink(listed, results)
                write_list(group, listed)
    for (file, test), error in sorted(new.items()):
        print("new failure:", file, test, *([error] if options.verbose else []))
    if options.write or options.page:
        write_page()
    print(table())
    if new and options.write:
        print("Groups with new failures were not written.")
    return 1 if new else 0


if __name__ == "__main__":
    sys.exit(main())
