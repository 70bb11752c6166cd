"""Which names of TensorFlow 2.21 are missing, and which functions take other parameters.

python scripts/api_gaps.py           # prints them
python scripts/api_gaps.py --write   # keeps tests/data/api_gaps.json, if the list has shrunk
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "contract"))

import api_facts


def main() -> int:
    gaps = api_facts.gaps()
    listed = json.loads(api_facts.GAPS.read_text()) if api_facts.GAPS.exists() else gaps
    lost = [
        f"{facade}.{name}"
        for facade, kinds in gaps.items()
        for kind, names in kinds.items()
        for name in names
        if name not in listed[facade].get(kind, names)
    ]
    for facade, kinds in gaps.items():
        for kind, names in kinds.items():
            print(f"{facade}: {len(names)} {kind}")
            if "--write" not in sys.argv:
                print(json.dumps(names, indent=0))
    if lost:
        print("new, so nothing is written:", *lost)
        return 1
    if "--write" in sys.argv:
        api_facts.GAPS.write_text(json.dumps(gaps, indent=0) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
