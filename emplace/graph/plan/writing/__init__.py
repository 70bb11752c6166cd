"""Writes a graph as the lines of a plan: the writer, and a part for each of its questions."""
