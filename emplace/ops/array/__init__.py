"""Tensors made, reshaped, joined, indexed, ordered: what moves elements and computes nothing."""
