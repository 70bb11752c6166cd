"""Do it now: place an op, run its kernel, record it on tapes; variables."""
