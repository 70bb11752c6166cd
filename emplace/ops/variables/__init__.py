"""What variables are made of: their storage, and gradients that touch some slices only."""
