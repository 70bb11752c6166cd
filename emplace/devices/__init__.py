"""What exists: names, memory budgets, backends, and the inventory that makes devices of them."""
