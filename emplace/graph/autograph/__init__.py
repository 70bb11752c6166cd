"""AutoGraph: Python's `if`, `while` and `for` on tensors become operations of graphs.

`entry.py` and `settings.py` load with the package. The rest stands on diastatic-malt and is loaded
by the first function that is converted.
"""
