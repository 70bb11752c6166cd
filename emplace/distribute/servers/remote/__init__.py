"""Servers in other processes: calls, tasks, what travels as bytes, and what stays there."""
