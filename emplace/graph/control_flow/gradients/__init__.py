"""Gradients of branches and loops, and what is built of them."""
