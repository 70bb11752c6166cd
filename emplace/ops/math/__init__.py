"""Numbers: element by element, and many summed up in few."""
