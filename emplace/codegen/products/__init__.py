"""Products of float32 matrices, many at once, however their rows and columns lie.

The second factor is cut into panels, as wide as a processor's registers hold sums of some rows for,
which are copied one after the other into what its own cache has room for. Each row of the first
factor goes through a panel number by number, wherever its numbers are. A number of the result is
summed in one order, whatever its place and however many threads there are: some hundred products,
then the next ones, and so on.
"""
