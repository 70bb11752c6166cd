"""Variables with a part per replica."""
