"""Who a replica is, whose turn it is, and its values."""
