"""What memory costs: tensors that are made and dropped, many that are held, and questions about it.

`bounded` is Emplace on a GPU with a budget, which is asked before every allocation.
"""

from .inputs import SIZES

PEERS = ("emplace", "bounded", "torch")
ROWS = {
    **{f"zeros {size}": "a tensor of zeros is made and dropped" for size in SIZES},
    **{f"chain {size}": "ten sums, each of which lets go of the one before" for size in SIZES},
    "hold 1000": "1,000 tensors of 4 KiB are made, held, and dropped at once",
    "memory info": "how much is in use, and how much was at most",
}
STARTS: dict[str, dict[str, str]] = {}
BUDGETS = ()
