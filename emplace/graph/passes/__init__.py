"""From the graph of a program to the graph that runs: pruned, specialised, folded, fused."""
