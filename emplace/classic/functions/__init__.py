"""Functions that had other names, arguments or results in TF 1."""
