"""`python -m emplace`: the same as the program `emplace`."""

from .cli import main

main()
