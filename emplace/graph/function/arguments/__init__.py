"""What a traced function is asked with: signatures, checks, and what its traces are kept by."""
