"""Datasets with a part for each replica."""
