"""Which processes work together: addresses by job, and who of them this process is."""
