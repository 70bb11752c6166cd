"""A graph as a Python function, written out and compiled."""
