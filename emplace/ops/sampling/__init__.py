"""Classes drawn beside the true ones, and losses that look at those only."""
