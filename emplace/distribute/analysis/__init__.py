"""Are replicas right, and do they pay: equivalence with one device, and the report."""
