"""Random programs, each run in every way there is: see `ways.py` for the ways, `generator.py` for
what programs have.
"""
