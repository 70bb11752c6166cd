"""What several devices or workers do together: sums over all of them, and their packs."""
