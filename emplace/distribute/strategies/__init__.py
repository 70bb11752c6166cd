"""The strategies, and what programs call on them."""
