"""Loops of plans as machine code: which fit, their memory, and the lines that ask for them."""
