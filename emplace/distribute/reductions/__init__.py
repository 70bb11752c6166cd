"""Sums and copies between devices, one by one and batched."""
