"""Loops: how they are made, what is known of them, and how plans write them."""
