"""What is missing around op records, compared with the known list.

    python scripts/registry_gaps.py            shows what is new and what is closed
    python scripts/registry_gaps.py --write    writes the list, and a case that runs each op

It writes tests/data/registry_gaps.json and tests/data/op_witnesses.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "contract"))

from raw_facts import differing
from registry_facts import (
    GAPS,
    KINDS,
    WITNESSES,
    cased,
    find_witnesses,
    known_gaps,
    of_the_runtime,
)


def as_lines(found: dict[str, Any]) -> str:
    return json.dumps(found, indent=1, sort_keys=True) + "\n"


def write() -> None:
    found = find_witnesses(cased() | of_the_runtime())
    WITNESSES.write_text(as_lines(found))
    gaps: dict[str, Any] = {
        kind: sorted(find()) for kind, find in KINDS.items() if kind != "no case"
    }
    gaps["no case"] = sorted(cased() - found.keys())
    gaps["raw arguments"] = differing()
    GAPS.write_text(as_lines(gaps))
    print(f"{len(found)} cases; " + ", ".join(f"{kind}: {len(gaps[kind])}" for kind in gaps))


def show() -> None:
    for kind, find in KINDS.items():
        found, known = find(), set(known_gaps()[kind])
        print(f"{kind}: {len(found)}")
        for name in sorted(found - known):
            print(f"  new     {name}")
        for name in sorted(known - found):
            print(f"  closed  {name}")


if __name__ == "__main__":
    write() if "--write" in sys.argv[1:] else show()
