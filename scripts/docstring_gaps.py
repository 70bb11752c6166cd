"""What the docstrings of public functions lack; `--write` strikes out of the list what is settled.

    python scripts/docstring_gaps.py [--write]

The list is tests/data/docstring_gaps.txt. It may only shrink: what is not on it is not added.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "plain"))

from docstring_facts import GAPS, gaps, known_gaps

found, known = gaps(), known_gaps()
left = [line for line in found if line in set(known)] if GAPS.exists() else found
if "--write" in sys.argv:
    GAPS.write_text("".join(f"{line}\n" for line in left))
for line in found:
    print(line)
new = len(found) - len(left)
print(f"{len(found)} gaps, {new} of them not in the list, {len(known) - len(left)} settled")
