"""Convolutions of each channel with a window of its own."""
