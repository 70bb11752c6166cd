"""The recorded cases with something changed in them, on Emplace and on TensorFlow.

    python -m scripts.mutated_cases 1                     # one mutant per case, with the seed 1
    python -m scripts.mutated_cases 1 --families unique,image --kinds value,missing

A case of `tests/contract/op_cases` is an expression that somebody thought of. A mutant has another
number, dtype, maker of values or flag in it, so it asks what nobody did: what is told is where
Emplace gives another value ("value"), answers what TensorFlow refuses ("missing"), refuses what it
answers ("refused"), or raises another class of error ("class"). Many mutants ask for nonsense, and
TensorFlow answers some of it by chance, so this is read, not passed. It takes a Python that has
TensorFlow 2.21 and some minutes for the 12,000 mutants of a seed.
"""
