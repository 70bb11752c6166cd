"""What comes before the first run of a graph: placing its nodes and making a plan, for graphs of a
thousand to a hundred thousand nodes on two CPUs. TensorFlow does it in the first run of a session.
"""

from ..budgets import Budget

PEERS = ("emplace", "tensorflow")
SIZES = {"1k": 1_000, "10k": 10_000, "100k": 100_000}
ROWS = {
    **{f"plan of {size} nodes": "placing and planning alone" for size in SIZES},
    **{f"first run of {size} nodes": "a new session on that graph, and its first run"
       for size in SIZES},
    "second run of 1k nodes": "placed and planned already: what is left",
}  # fmt: skip
STARTS: dict[str, dict[str, str]] = {}

# At most 12 microseconds a node, and linear: ten times the nodes may take a fifth more than ten
# times.
BUDGETS = (
    *(Budget(f"plan of {size} nodes", plus_us=12.0 * count) for size, count in SIZES.items()),
    Budget("plan of 10k nodes", factor=12.0, of="emplace", of_row="plan of 1k nodes"),
    Budget("plan of 100k nodes", factor=12.0, of="emplace", of_row="plan of 10k nodes"),
    *(Budget(f"first run of {size} nodes", of="tensorflow") for size in SIZES),
)
